//! Which witnesses are worth a look beside another.

use crate::error::Result;
use crate::store::rows::WitnessId;
use rusqlite::{Connection, params};
use siglum::Witness;
use siglum::align::{KeyPlaces, is_supported};
use siglum::index::postings::CAP;

/// Why two witnesses may be related.
pub(crate) enum Grounds {
    /// They share search keys, at these places; they are candidates if they agree around one.
    Keys(Vec<KeyPlaces>),
    /// Their sigla are near, or their letters are equal.
    Whole,
}

impl Grounds {
    /// Whether these are grounds enough to align two witnesses; the places are of the first and the second.
    pub(crate) fn hold(&self, a: &Witness, b: &Witness) -> bool {
        match self {
            Grounds::Keys(places) => is_supported(a, b, places),
            Grounds::Whole => true,
        }
    }
}

/// Texts too short for keys and sigla are found where their letters are equal; but letters that more than [`CAP`] have, as
/// forms that differ in their numbers alone, are too common to be compared by.
pub(crate) fn same_letters(connection: &Connection, witness: &Witness) -> Result<Vec<WitnessId>> {
    let mut statement =
        connection.prepare_cached("SELECT witness FROM trace WHERE letters_hash = ? LIMIT ?")?;
    let hash = witness.letters_hash().cast_signed();
    let rows = statement.query_map(params![hash, CAP + 1], |row| row.get(0))?;
    let ids: Vec<WitnessId> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(if ids.len() > CAP as usize { Vec::new() } else { ids })
}
