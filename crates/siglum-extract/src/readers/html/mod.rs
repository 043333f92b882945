//! HTML: the text a reader sees, in one pass of the tokeniser, without a tree.
//!
//! A file may be the first of a folder: then the files it links to follow in the order of its links, and the rest by
//! their names. What a browser has saved beside a page, in its `_files` folder, is not the book's.

mod cut;
mod head;
mod marks;
mod text;
mod tokens;

pub(crate) use head::Head;
pub(crate) use marks::{Marks, Point};
pub(crate) use text::write_text;
pub(crate) use tokens::{Piece, Tag, Tokens};

use crate::draft::{Lines, Out};
use crate::encoding;
use crate::failure::{Failure, Reason};
use crate::input::{Companion, Input, is_html};
use crate::origin;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Stems of the file of a folder that is read first.
const INDEX_STEMS: [&str; 6] = ["index", "default", "toc", "contents", "main", "title"];
/// The most links of an index that are followed.
const MAX_LINKS: usize = 100_000;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("html", Lines::Flowing)?;
    let forced = input.options.encoding.as_deref();
    let text = decoded(input.bytes, forced)?;
    let head = Head::read(&text);
    out.metadata(head.metadata())?;
    out.origin(head.origin())?;
    out.origin(origin::of_markup(input.bytes))?;
    write_text(&text, &Marks::default(), out)?;
    for companion in chapters(input, &text) {
        write_text(&decoded(&companion.bytes, forced)?, &Marks::default(), out)?;
    }
    match out.n_text() {
        0 => Err(nothing(&text)),
        _ => Ok(()),
    }
}

/// The text of an HTML file's bytes: by byte order mark, by what it declares, or by what it looks like.
pub(crate) fn decoded(bytes: &[u8], forced: Option<&str>) -> Result<String, Failure> {
    Ok(encoding::decode(bytes, forced, head::declared_encoding(bytes).as_deref())?.text)
}

/// Names in the order a person gives them: `ch2` before `ch10`.
pub(crate) fn natural_order(left: &str, right: &str) -> Ordering {
    let (mut l, mut r) = (left, right);
    loop {
        let (l_digits, r_digits) = (digits(l), digits(r));
        let by_part = if l_digits.is_empty() || r_digits.is_empty() {
            let (l_first, r_first) = (l.chars().next(), r.chars().next());
            l = &l[l_first.map_or(0, char::len_utf8)..];
            r = &r[r_first.map_or(0, char::len_utf8)..];
            if l_first.is_none() && r_first.is_none() {
                return left.cmp(right);
            }
            l_first.cmp(&r_first)
        } else {
            (l, r) = (&l[l_digits.len()..], &r[r_digits.len()..]);
            let (l_number, r_number) = (l_digits.trim_start_matches('0'), r_digits.trim_start_matches('0'));
            l_number.len().cmp(&r_number.len()).then_with(|| l_number.cmp(r_number))
        };
        if by_part != Ordering::Equal {
            return by_part;
        }
    }
}

fn digits(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

fn nothing(html: &str) -> Failure {
    let has_picture = Tokens::new(html).any(|piece| matches!(piece, Piece::Open(tag) if tag.name() == "img"));
    if has_picture {
        return Failure::new(Reason::ImageOnly, "pictures of pages, without their text");
    }
    Failure::new(Reason::Empty, "a file without any text")
}

/// The other files of a folder whose index this is, each once.
fn chapters<'a>(input: &Input<'a>, index: &str) -> Vec<&'a Companion> {
    let is_chapter = |name: &str| {
        let in_saved = name.split('/').rev().skip(1).any(|folder| folder.ends_with("_files"));
        is_html(name) && !in_saved && name != input.name
    };
    let mut rest: Vec<&Companion> = input.companions.iter().filter(|file| is_chapter(&file.name)).collect();
    if rest.is_empty() {
        return rest;
    }
    rest.sort_by(|left, right| natural_order(&left.name, &right.name));
    let places = links(index);
    let place =
        |file: &&Companion| places.get(file.name.trim_start_matches("./")).copied().unwrap_or(usize::MAX);
    let stem = input.name.split('.').next().unwrap_or_default().to_lowercase();
    if !INDEX_STEMS.contains(&stem.as_str()) && rest.iter().all(|file| place(file) == usize::MAX) {
        return Vec::new();
    }
    rest.sort_by_key(place);
    rest
}

/// The files a page links to, with their places among its links.
fn links(html: &str) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    for piece in Tokens::new(html) {
        let Piece::Open(tag) = piece else { continue };
        let reference = match tag.name() {
            "a" => tag.attribute("href"),
            "frame" | "iframe" => tag.attribute("src"),
            _ => None,
        };
        if let Some(reference) = reference.filter(|reference| !reference.contains(':')) {
            let n = places.len();
            places.entry(crate::readers::reference::resolve("", reference).0).or_insert(n);
        }
        if places.len() >= MAX_LINKS {
            break;
        }
    }
    places
}

#[cfg(test)]
mod tests;
