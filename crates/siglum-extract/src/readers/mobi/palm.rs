//! The Palm database a MOBI file is: a header, a table of places, and records one after the other.

use crate::big_endian::{u16_at, u32_at};

/// Bytes before the table of records.
const HEADER_BYTES: usize = 78;
const KIND_AT: usize = 60;
const N_RECORDS_AT: usize = 76;

/// A Palm database.
pub(super) struct Palm<'a> {
    bytes: &'a [u8],
    n_records: usize,
}

impl<'a> Palm<'a> {
    /// Opens a database; `None` where there is no room for one.
    pub(super) fn open(bytes: &'a [u8]) -> Option<Palm<'a>> {
        let n_records = usize::from(u16_at(bytes, N_RECORDS_AT)?);
        (n_records > 0).then_some(Palm { bytes, n_records })
    }

    /// Its type and creator, such as `BOOKMOBI`.
    pub(super) fn kind(&self) -> &'a [u8] {
        self.bytes.get(KIND_AT..KIND_AT + 8).unwrap_or_default()
    }

    /// Its name: the title, cut to 31 bytes.
    pub(super) fn name(&self) -> &'a [u8] {
        self.bytes.get(..31).unwrap_or_default().split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// How many records the table names.
    pub(super) fn n_records(&self) -> usize {
        self.n_records
    }

    /// A record; what the file was cut short of is missing from it. Empty where there is none.
    pub(super) fn record(&self, at: usize) -> &'a [u8] {
        let Some(start) = self.start(at) else { return &[] };
        let end = self.start(at + 1).unwrap_or(self.bytes.len()).min(self.bytes.len());
        self.bytes.get(start..end).unwrap_or_default()
    }

    fn start(&self, at: usize) -> Option<usize> {
        if at >= self.n_records {
            return None;
        }
        u32_at(self.bytes, HEADER_BYTES + 8 * at).map(|start| start as usize)
    }
}
