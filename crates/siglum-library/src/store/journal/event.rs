//! What a line of the journal says: what was done, and when.
//!
//! A new kind is a variant of [`Kind`] with its name and its fields here, and what it does to the catalogue in
//! [`taking`](super::taking). Fields that a version does not know are ignored, so that a later one can add who did
//! something (`by`), for which request (`request`), and from which `verdict`.

use super::decisions::Pair;
use crate::store::checksum::{CLAIM, DECISION};
use crate::store::rows::records::{self, RecordId};
use serde_json::{Map, Value, json};
use siglum::record::Record;

/// The last second of the year 9999. A later moment is damage.
pub(crate) const LAST_MOMENT: u64 = 253_402_300_799;
/// A claim gets its old number back up to this one. Numbers are never used again, so one near the largest would leave none
/// for new records.
const MAX_ID: RecordId = RecordId::MAX / 2;

/// Something that was decided or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// Seconds since 1970.
    pub(crate) at: u64,
    pub(crate) kind: Kind,
}

/// What can be in a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A person said that two contents are not the same.
    NotSame(Pair),
    /// A person took that back.
    Undo(Pair),
    /// A centre claimed what it will scan.
    Claim(Box<Claim>),
    /// A claim was given back. Old journals do not say by whom.
    Release { key: String, centre: Option<String> },
    /// The lines of an older journal were added before this line.
    Import { file: String, n_lines: u64, n_unread: u64 },
    /// Siglum repaired the library: what was wrong, and how many lines it adds after this one, which the catalogue knew and
    /// the journal had lost.
    Repair { problem: String, n_again: u64 },
}

/// A claim, wherever the catalogue that had it has gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// No other claim has it, in any catalogue.
    pub(crate) key: String,
    /// The number of its record.
    pub(crate) id: RecordId,
    pub(crate) centre: String,
    pub(crate) until: u64,
    pub(crate) record: Record,
}

impl Event {
    /// The table of the row that it makes, and the row as a person is told of it.
    pub(super) fn row(&self) -> Option<(&'static str, String)> {
        let short = |content: &[u8; 32]| blake3::Hash::from_bytes(*content).to_hex()[..8].to_owned();
        match &self.kind {
            Kind::NotSame((a, b)) => Some((DECISION.table, format!("{}, {}", short(a), short(b)))),
            Kind::Claim(claim) => Some((CLAIM.table, claim.id.to_string())),
            _ => None,
        }
    }

    /// The fields of its line.
    pub(crate) fn to_fields(&self) -> Map<String, Value> {
        let hex = |content: &[u8; 32]| blake3::Hash::from_bytes(*content).to_hex().to_string();
        let (kind, rest) = match &self.kind {
            Kind::NotSame((a, b)) => ("not-same", json!({ "a": hex(a), "b": hex(b) })),
            Kind::Undo((a, b)) => ("undo", json!({ "a": hex(a), "b": hex(b) })),
            Kind::Claim(claim) => {
                let Claim { key, id, centre, until, record } = claim.as_ref();
                let record = records::to_json(record);
                ("claim", json!({ "key": key, "id": id, "centre": centre, "until": until, "record": record }))
            }
            Kind::Release { key, centre: Some(centre) } => {
                ("release", json!({ "key": key, "centre": centre }))
            }
            Kind::Release { key, centre: None } => ("release", json!({ "key": key })),
            Kind::Import { file, n_lines, n_unread } => {
                ("import", json!({ "file": file, "lines": n_lines, "unread": n_unread }))
            }
            Kind::Repair { problem, n_again } => ("repair", json!({ "problem": problem, "again": n_again })),
        };
        let mut fields = Map::new();
        fields.insert("kind".to_owned(), kind.into());
        fields.insert("at".to_owned(), self.at.into());
        if let Value::Object(rest) = rest {
            fields.extend(rest);
        }
        fields
    }

    /// What the fields of a line say; `None` for anything that Siglum does not write.
    pub(crate) fn parse(fields: &Map<String, Value>) -> Option<Event> {
        let read = Fields(fields);
        let kind = match read.text("kind")?.as_str() {
            "not-same" => Kind::NotSame(read.pair()?),
            "undo" => Kind::Undo(read.pair()?),
            "claim" => Kind::Claim(Box::new(read.claim("key")?)),
            "release" => Kind::Release { key: read.text("key")?, centre: read.text("centre") },
            "import" => Kind::Import {
                file: read.text("file")?,
                n_lines: read.number("lines")?,
                n_unread: read.number("unread")?,
            },
            "repair" => Kind::Repair { problem: read.text("problem")?, n_again: read.number("again")? },
            _ => return None,
        };
        Some(Event { at: read.moment("at")?, kind })
    }
}

/// The fields of a line, in which any value may stand.
pub(super) struct Fields<'a>(pub(super) &'a Map<String, Value>);

impl Fields<'_> {
    pub(super) fn text(&self, field: &str) -> Option<String> {
        Some(self.0.get(field)?.as_str()?.to_owned())
    }

    fn number(&self, field: &str) -> Option<u64> {
        self.0.get(field)?.as_u64()
    }

    pub(super) fn moment(&self, field: &str) -> Option<u64> {
        self.number(field).filter(|&at| at <= LAST_MOMENT)
    }

    pub(super) fn pair(&self) -> Option<Pair> {
        let content = |field: &str| {
            let text = self.0.get(field)?.as_str()?;
            Some(*blake3::Hash::from_hex(text).ok()?.as_bytes())
        };
        Some((content("a")?, content("b")?))
    }

    /// A claim, whose key has this name.
    pub(super) fn claim(&self, key: &str) -> Option<Claim> {
        Some(Claim {
            key: self.text(key)?,
            id: self.number("id")?.try_into().ok().filter(|id| (1..=MAX_ID).contains(id))?,
            centre: self.text("centre")?,
            until: self.moment("until")?,
            record: records::from_json(self.0.get("record")?)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Event {
        let mut record = Record::default();
        record.metadata.title = Some("The Arts of \"Japan\"\n".into());
        let claim = Claim { key: "ab".into(), id: 7, centre: "Madurai".into(), until: 9, record };
        Event { at: 3, kind: Kind::Claim(Box::new(claim)) }
    }

    #[test]
    fn every_kind_is_read_as_it_was_written_with_fields_of_a_later_version() {
        let pair = ([1; 32], [2; 32]);
        let release =
            |centre: Option<&str>| Kind::Release { key: "ab".into(), centre: centre.map(Into::into) };
        let kinds = [
            Kind::NotSame(pair),
            Kind::Undo(pair),
            release(Some("Pune")),
            release(None),
            Kind::Import { file: "decisions.jsonl".into(), n_lines: 3, n_unread: 1 },
            Kind::Repair { problem: "its end is missing".into(), n_again: 2 },
        ];
        let events = kinds.map(|kind| Event { at: 7, kind }).into_iter().chain([claim()]);
        for event in events {
            let mut fields = event.to_fields();
            assert_eq!(Event::parse(&fields), Some(event.clone()));
            for (name, value) in
                [("by", json!("Asha")), ("request", json!("0193")), ("verdict", json!("new"))]
            {
                fields.insert(name.to_owned(), value);
            }
            assert_eq!(Event::parse(&fields), Some(event));
        }
    }

    #[test]
    fn absurd_values_are_refused() {
        let absurd = [
            ("id", json!(u32::MAX)),
            ("id", json!(0)),
            ("id", json!(1e300)),
            ("until", json!(u64::MAX)),
            ("until", json!(i64::MAX)),
            ("until", json!(-1)),
            ("at", json!(u64::MAX)),
            ("at", json!("yesterday")),
            ("record", json!([])),
            ("kind", json!("keep")),
            ("kind", json!(null)),
        ];
        for (field, value) in absurd {
            let mut fields = claim().to_fields();
            fields.insert(field.to_owned(), value.clone());
            assert_eq!(Event::parse(&fields), None, "{field} {value}");
        }
    }
}
