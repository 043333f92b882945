//! What a worker and its parent say to each other about a catalogue: see [`super::super::protocol`].
//!
//! The parent sends [`CATALOGUE`] and then the file, or [`STREAM`] and a [`DATA`] for each [`NEED`] (an empty one at the
//! end, [`BROKEN`] if it cannot be read on). The worker sends [`OPENED`], a [`RECORD`] or [`BAD`] for each record, [`AT`]
//! for one that takes its time, and `END`.
//!
//! [`DATA`]: super::super::protocol::DATA

use crate::draft::truncated;
use crate::limits::{MAX_FIELD_BYTES, MAX_FIELD_VALUES};
use crate::records::{
    BadRecord, Column, ColumnMap, Field, ReadRecord, RecordFormat, RecordOptions, RecordPlace,
};
use crate::worker::protocol::{
    BAD, BROKEN, CATALOGUE, Fields, Frame, NEED, OPENED, RECORD, RECORD_BYTES, STREAM, last_of, place, put,
    put_list, put_option, put_place, put_str,
};
use siglum::Metadata;
use siglum::record::{OtherForm, Record};
use siglum::report::steers_terminal;

/// The longest value of a record: composing may lengthen a few characters.
const MAX_VALUE_BYTES: usize = 3 * MAX_FIELD_BYTES;
/// The most values of one field: what is called an ISBN may be a DOI and come beside those.
const MAX_VALUES: usize = 2 * MAX_FIELD_VALUES;
/// The most remarks on one record that are kept.
const MAX_REMARKS: usize = 100;
/// The most columns that are told; all of them are read.
const MAX_COLUMNS: usize = 1000;
/// How a catalogue is to be read.
#[derive(Debug, Clone)]
pub(in crate::worker) struct CatalogueHead {
    pub(in crate::worker) options: RecordOptions,
    /// Whether each record is announced before it is read, so that one that ends its worker is known.
    pub(in crate::worker) is_careful: bool,
}

impl CatalogueHead {
    pub(in crate::worker) fn put(&self, buffer: &mut Vec<u8>) {
        let RecordOptions { name, format, columns, encoding, skip } = &self.options;
        put(buffer, CATALOGUE, |buffer| {
            put_str(buffer, last_of(name));
            buffer.push(format.map_or(0, |format| format.code() + 1));
            put_option(buffer, encoding.as_deref().map(|encoding| truncated(encoding, MAX_FIELD_BYTES)));
            buffer.extend_from_slice(&skip.to_le_bytes());
            buffer.push(u8::from(self.is_careful));
            let columns = &columns[..columns.len().min(MAX_COLUMNS)];
            buffer.extend_from_slice(&(columns.len() as u32).to_le_bytes());
            for Column { field, column } in columns {
                buffer.push(field.code());
                put_str(buffer, truncated(column, MAX_FIELD_BYTES));
            }
        });
    }

    pub(in crate::worker) fn parse(frame: &Frame<'_>) -> Option<CatalogueHead> {
        let mut fields = Fields::new(frame.payload);
        let name = fields.str()?.to_owned();
        let format = match fields.u8()?.checked_sub(1) {
            Some(code) => Some(RecordFormat::from_code(code)?),
            None => None,
        };
        let encoding = fields.option()?;
        let skip = fields.u64()?;
        let is_careful = fields.bool()?;
        let n_columns = fields.u32()? as usize;
        let column =
            |_| Some(Column { field: Field::from_code(fields.u8()?)?, column: fields.str()?.to_owned() });
        let columns = (0..n_columns.min(MAX_COLUMNS)).map(column).collect::<Option<_>>()?;
        let options = RecordOptions { name, format, columns, encoding, skip };
        (frame.tag == CATALOGUE && fields.is_empty()).then_some(CatalogueHead { options, is_careful })
    }
}

/// What is known of a catalogue before its first record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::worker) struct Opened {
    pub(in crate::worker) format: RecordFormat,
    pub(in crate::worker) columns: Option<ColumnMap>,
}

/// What a worker says of a catalogue.
#[derive(Debug, PartialEq)]
pub(in crate::worker) enum Told {
    Opened(Opened),
    /// A record or what is wrong with it, and how many bytes of the input have been taken.
    Read(Box<Result<ReadRecord, BadRecord>>, u64),
    /// More of a stream is wanted.
    Need,
}

impl Told {
    /// Looks into a frame; none if it is not what a worker may say.
    pub(in crate::worker) fn parse(frame: &Frame<'_>) -> Option<Told> {
        let mut fields = Fields::with_longest(frame.payload, MAX_VALUE_BYTES);
        let told = match frame.tag {
            OPENED => Told::Opened(opened(&mut fields)?),
            RECORD => read(&mut fields)?,
            BAD => bad(&mut fields)?,
            NEED => Told::Need,
            _ => return None,
        };
        fields.is_empty().then_some(told)
    }
}

pub(in crate::worker) fn put_opened(buffer: &mut Vec<u8>, format: RecordFormat, columns: Option<&ColumnMap>) {
    put(buffer, OPENED, |buffer| {
        buffer.push(format.code());
        buffer.push(u8::from(columns.is_some()));
        let Some(columns) = columns else { return };
        let columns: Vec<_> = columns.columns().take(MAX_COLUMNS).collect();
        buffer.extend_from_slice(&(columns.len() as u32).to_le_bytes());
        for (field, name) in columns {
            buffer.push(field.code());
            put_str(buffer, truncated(&name, MAX_FIELD_BYTES));
        }
    });
}

fn opened(fields: &mut Fields<'_>) -> Option<Opened> {
    let format = RecordFormat::from_code(fields.u8()?)?;
    if !fields.bool()? {
        return Some(Opened { format, columns: None });
    }
    let n_columns = fields.u32()? as usize;
    let column = |_| Some((Field::from_code(fields.u8()?)?, fields.str()?.to_owned()));
    let columns = (0..n_columns.min(MAX_COLUMNS)).map(column).collect::<Option<_>>()?;
    Some(Opened { format, columns: Some(ColumnMap::told(columns)) })
}

pub(in crate::worker) fn put_need(buffer: &mut Vec<u8>) {
    put(buffer, NEED, |_| {});
}

/// Appends the frame of a record.
pub(in crate::worker) fn put_read(buffer: &mut Vec<u8>, read: &Result<ReadRecord, BadRecord>, n_bytes: u64) {
    let start = buffer.len();
    match read {
        Ok(read) => put(buffer, RECORD, |buffer| put_record(buffer, read, n_bytes)),
        Err(bad) => put_bad(buffer, bad, n_bytes),
    }
    if let (Ok(read), true) = (read, buffer.len() - start > RECORD_BYTES) {
        buffer.truncate(start);
        let reason = "more than a record may say".to_owned();
        put_bad(buffer, &BadRecord { number: read.number, place: RecordPlace::default(), reason }, n_bytes);
    }
}

fn put_record(buffer: &mut Vec<u8>, read: &ReadRecord, n_bytes: u64) {
    let ReadRecord { number, record, warnings } = read;
    let Record { id, metadata, edition, other_forms, categories } = record;
    buffer.extend_from_slice(&number.to_le_bytes());
    buffer.extend_from_slice(&n_bytes.to_le_bytes());
    let Metadata { title, creators, date, language, publisher, series, volume, isbn, doi, oclc, lccn } =
        metadata;
    for value in [id, edition, title, date, language, publisher, series, volume] {
        put_option(buffer, value.as_deref());
    }
    for values in [creators, isbn, doi, oclc, lccn, categories] {
        put_list(buffer, values);
    }
    let warnings: Vec<&str> =
        warnings.iter().take(MAX_REMARKS).map(|warning| truncated(warning, MAX_VALUE_BYTES)).collect();
    put_list(buffer, &warnings);
    buffer.push(other_forms.len() as u8);
    for OtherForm { title, creators } in other_forms {
        put_option(buffer, title.as_deref());
        put_list(buffer, creators);
    }
}

fn read(fields: &mut Fields<'_>) -> Option<Told> {
    let (number, n_bytes) = (fields.u64()?, fields.u64()?);
    let mut one = || plain_option(fields.option()?);
    let (id, edition, title, date, language, publisher, series, volume) =
        (one()?, one()?, one()?, one()?, one()?, one()?, one()?, one()?);
    let mut list = || plain_list(fields.list(MAX_VALUES)?);
    let (creators, isbn, doi, oclc, lccn, categories) =
        (list()?, list()?, list()?, list()?, list()?, list()?);
    let warnings = fields.list(MAX_REMARKS)?;
    let metadata =
        Metadata { title, creators, date, language, publisher, series, volume, isbn, doi, oclc, lccn };
    let n_forms = usize::from(fields.u8()?);
    let form = |_| {
        let title = plain_option(fields.option()?)?;
        Some(OtherForm { title, creators: plain_list(fields.list(MAX_VALUES)?)? })
    };
    let other_forms = (0..n_forms).map(form).collect::<Option<_>>()?;
    let record = Record { id, metadata, edition, other_forms, categories };
    Some(Told::Read(Box::new(Ok(ReadRecord { number, record, warnings })), n_bytes))
}

/// What a record says is printed: a worker that lets through what steers a terminal is not to be believed.
fn plain_option(value: Option<String>) -> Option<Option<String>> {
    value.as_deref().is_none_or(is_plain).then_some(value)
}

fn plain_list(values: Vec<String>) -> Option<Vec<String>> {
    values.iter().all(|value| is_plain(value)).then_some(values)
}

fn is_plain(value: &str) -> bool {
    match value.is_ascii() {
        true => !value.bytes().any(|byte| byte.is_ascii_control()),
        false => !value.contains(steers_terminal),
    }
}

fn put_bad(buffer: &mut Vec<u8>, bad: &BadRecord, n_bytes: u64) {
    put(buffer, BAD, |buffer| {
        buffer.extend_from_slice(&bad.number.to_le_bytes());
        buffer.extend_from_slice(&n_bytes.to_le_bytes());
        put_place(buffer, bad.place);
        put_str(buffer, truncated(&bad.reason, MAX_VALUE_BYTES));
    });
}

fn bad(fields: &mut Fields<'_>) -> Option<Told> {
    let (number, n_bytes, place) = (fields.u64()?, fields.u64()?, place(fields)?);
    let reason = fields.str()?.replace(char::is_control, " ");
    Some(Told::Read(Box::new(Err(BadRecord { number, place, reason })), n_bytes))
}

/// Appends the frame of a catalogue that is sent piece by piece.
pub(in crate::worker) fn put_stream(buffer: &mut Vec<u8>) {
    put(buffer, STREAM, |_| {});
}

/// Appends the frame of a stream that cannot be read on.
pub(in crate::worker) fn put_broken(buffer: &mut Vec<u8>, why: &str) {
    put(buffer, BROKEN, |buffer| put_str(buffer, truncated(why, MAX_FIELD_BYTES)));
}

/// Why a stream cannot be read on.
pub(in crate::worker) fn broken(frame: &Frame<'_>) -> Option<String> {
    let mut fields = Fields::new(frame.payload);
    let why = fields.str()?.to_owned();
    (frame.tag == BROKEN && fields.is_empty()).then_some(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::Frames;
    use proptest::prelude::*;

    fn record() -> impl Strategy<Value = Record> {
        let one = || prop::option::of("[a-zé 天]{0,9}");
        let list = || prop::collection::vec("[a-zé ]{0,9}", 0..4);
        let fields = ((one(), one(), one(), one()), (list(), list(), list(), list()));
        fields.prop_map(|((id, edition, title, volume), (creators, isbn, categories, names))| Record {
            id,
            metadata: Metadata { title: title.clone(), volume, creators, isbn, ..Metadata::default() },
            edition,
            other_forms: vec![OtherForm { title, creators: names }],
            categories,
        })
    }

    fn told(bytes: &[u8]) -> Option<Told> {
        Told::parse(&Frames::new(bytes).next().ok()??)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_was_read_arrives(
            number: u64, n_bytes: u64, record in record(), line: Option<u64>, byte: Option<u64>, reason in "[a-z ]{0,30}",
        ) {
            let bad = BadRecord { number, place: RecordPlace { line, byte }, reason: reason.clone() };
            let good = ReadRecord { number, record, warnings: vec![reason] };
            for read in [Ok(good), Err(bad)] {
                let mut bytes = Vec::new();
                put_read(&mut bytes, &read, n_bytes);
                prop_assert_eq!(told(&bytes), Some(Told::Read(Box::new(read), n_bytes)));
            }
        }

        #[test]
        fn no_bytes_are_too_odd(
            tag in prop::sample::select(vec![CATALOGUE, STREAM, BROKEN, OPENED, RECORD, BAD, NEED]),
            bytes in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let frame = Frame { tag, payload: &bytes };
            let _ = (Told::parse(&frame), CatalogueHead::parse(&frame), broken(&frame));
        }
    }

    #[test]
    fn a_head_arrives() {
        let columns = vec![Column { field: Field::Title, column: "Titel".to_owned() }];
        let (format, encoding) = (Some(RecordFormat::Ris), Some("cp850".to_owned()));
        let options = RecordOptions { name: "a.ris".to_owned(), format, columns, encoding, skip: 7 };
        let mut bytes = Vec::new();
        CatalogueHead { options: options.clone(), is_careful: true }.put(&mut bytes);
        let head = CatalogueHead::parse(&Frames::new(&bytes[..]).next().unwrap().unwrap()).unwrap();
        assert_eq!((format!("{:?}", head.options), head.is_careful), (format!("{options:?}"), true));
    }

    #[test]
    fn what_steers_a_terminal_is_no_record() {
        for title in ["E\u{1b}[2Jmma", "E\u{202e}mma"] {
            let metadata = Metadata { title: Some(title.to_owned()), ..Metadata::default() };
            let record = Record { metadata, ..Record::default() };
            let mut bytes = Vec::new();
            put_read(&mut bytes, &Ok(ReadRecord { number: 1, record, warnings: Vec::new() }), 1);
            assert_eq!(told(&bytes), None);
        }
    }
}
