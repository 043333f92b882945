//! The sigla of all witnesses, looked through from end to end: the second way to candidates.
//!
//! Copies of a text that more than a hundred witnesses hold share no key that the index still looks at; their sigla are
//! near each other all the same. A million of them are looked through in milliseconds.

use crate::error::Result;
use crate::store::checksum::WITNESS;
use crate::store::rows::{self, WitnessId};
use rusqlite::Connection;
use siglum::Siglum;

/// Two witnesses whose long sigla differ in no more bits are candidates. Copies with 5 % reading errors on both sides differ
/// in 40 bits on average, unrelated books in 120; books of one style, as those made up from the same phrases, in 64 at least.
const MAX_DISTANCE: u32 = 48;

/// The content bits of all long sigla.
pub(crate) struct Sigla {
    ids: Vec<WitnessId>,
    bits: Vec<[u64; 4]>,
}

impl Sigla {
    pub(crate) fn load(connection: &Connection) -> Result<Sigla> {
        let mut sigla = Sigla { ids: Vec::new(), bits: Vec::new() };
        let query = rows::checked_query("SELECT id, siglum", &[&WITNESS], "ORDER BY id");
        let mut statement = connection.prepare_cached(&query)?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            WITNESS.check(row, 2, row.get::<_, WitnessId>(0)?)?;
            let siglum = rows::siglum_in(row, 1)?;
            if let Some(bits) = siglum.as_ref().and_then(bits_of) {
                sigla.ids.push(row.get(0)?);
                sigla.bits.push(bits);
            }
        }
        Ok(sigla)
    }

    /// The witnesses whose sigla are near; ascending.
    pub(crate) fn near(&self, siglum: &Siglum) -> Vec<WitnessId> {
        bits_of(siglum).map_or_else(Vec::new, |bits| self.near_bits(&bits))
    }

    /// The witnesses whose sigla are near that of one of them, itself among them; ascending.
    pub(crate) fn near_to(&self, id: WitnessId) -> Vec<WitnessId> {
        self.ids.binary_search(&id).map_or_else(|_| Vec::new(), |at| self.near_bits(&self.bits[at]))
    }

    fn near_bits(&self, bits: &[u64; 4]) -> Vec<WitnessId> {
        // Equal sigla tell of equal letters, which are looked up by themselves and may be too common.
        let is_near = |other: &[u64; 4]| (1..=MAX_DISTANCE).contains(&distance(bits, other));
        self.bits.iter().zip(&self.ids).filter(|(other, _)| is_near(other)).map(|(_, &id)| id).collect()
    }
}

fn bits_of(siglum: &Siglum) -> Option<[u64; 4]> {
    let (words, rest) = siglum.content().as_chunks::<8>();
    let words: [[u8; 8]; 4] = words.try_into().ok()?;
    rest.is_empty().then(|| words.map(u64::from_le_bytes))
}

#[inline]
fn distance(a: &[u64; 4], b: &[u64; 4]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}
