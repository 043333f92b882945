//! MARC in JSON: the leader, and fields by their tags, as Ross Singer's proposal of 2010 has them and most programs write
//! them; or in lists of `controlfield` and `datafield`, as the Library of Congress's converter does.
//!
//! Source: "A Proposal to serialize MARC in JSON" (dilettantes.code4lib.org, 2010).

use super::fields::{Fields, is_wanted};
use super::{mapping, unimarc};
use crate::records::finish::Gathered;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// What a record of MARC in JSON says; `None` if the object is none.
pub(in crate::records) fn found(object: &Map<String, Value>) -> Option<Gathered> {
    let list = |key: &str| object.get(key).and_then(Value::as_array);
    let mut fields = Fields::default();
    if let Some(tagged) = list("fields") {
        let entries = || tagged.iter().filter_map(Value::as_object).flatten();
        if !entries().any(|(tag, _)| is_tag(tag)) {
            return None;
        }
        entries().for_each(|(tag, value)| put(tag, value, &mut fields));
    } else {
        let data = list("datafield")?;
        for field in list("controlfield").into_iter().flatten().chain(data) {
            put(text(field, "tag"), field, &mut fields);
        }
    }
    Some(if fields.is_unimarc() { unimarc::found(&fields) } else { mapping::found(&fields) })
}

fn is_tag(tag: &str) -> bool {
    tag.len() == 3 && tag.bytes().all(|byte| byte.is_ascii_digit())
}

/// Adds a field: a control field is a string, or has its value as `data`; others have indicators and subfields.
fn put(tag: &str, value: &Value, fields: &mut Fields<'_>) {
    let Some(tag) = tag.as_bytes().try_into().ok().filter(|tag| is_wanted(*tag)) else { return };
    if let Some(value) = value.as_str().or_else(|| value.get("data").and_then(Value::as_str)) {
        return fields.push(tag, Cow::Owned(plain(value)));
    }
    let mut written = String::new();
    let both = text(value, "ind");
    for (at, name) in ["ind1", "ind2"].into_iter().enumerate() {
        let indicator = text(value, name).chars().next().or_else(|| both.chars().nth(at));
        written.push(indicator.unwrap_or(' '));
    }
    let subfields = value.get("subfields").or_else(|| value.get("subfield")).and_then(Value::as_array);
    for subfield in subfields.into_iter().flatten().filter_map(Value::as_object) {
        match (subfield.get("code").and_then(Value::as_str), subfield.get("data").and_then(Value::as_str)) {
            (Some(code), Some(value)) => push_subfield(&mut written, code, value),
            _ => {
                for (code, value) in subfield {
                    push_subfield(&mut written, code, value.as_str().unwrap_or_default());
                }
            }
        }
    }
    fields.push(tag, Cow::Owned(written));
}

fn push_subfield(written: &mut String, code: &str, value: &str) {
    written.push('\u{1f}');
    written.push(code.chars().next().unwrap_or(' '));
    written.push_str(&plain(value));
}

/// A value without the sign that parts subfields.
fn plain(value: &str) -> String {
    value.replace('\u{1f}', "")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
