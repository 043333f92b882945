//! The manifest: which segments make up an index, and which of their forms are gone.
//!
//! A few lines of text that end with their checksum; written beside and renamed, so that a reader sees the old index or
//! the new one.

use crate::error::{Error, Result};
use crate::store::names::{self, MANIFEST, NEW_MANIFEST};
use crate::store::own_files;
use std::collections::BTreeSet;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const FIRST_LINE: &str = "siglum records 1";

/// What an index is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The number of the next segment.
    pub(super) next: u64,
    pub(super) segments: Vec<SegmentEntry>,
}

/// A segment of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SegmentEntry {
    /// The name of its file.
    pub(super) name: String,
    /// The forms that are gone.
    pub(super) dead: BTreeSet<u32>,
}

impl Manifest {
    /// Reads the manifest of a directory; where there is none, the index is empty.
    pub(super) fn read(dir: &Path) -> Result<Manifest> {
        let path = dir.join(MANIFEST);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Manifest::default()),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => String::new(),
            Err(error) => return Err(Error::io(&path)(error)),
        };
        Manifest::parse(&text).ok_or_else(|| Error::Index(format!("{}: damaged", path.display())))
    }

    fn parse(text: &str) -> Option<Manifest> {
        let (content, check) = text.trim_end_matches('\n').rsplit_once('\n')?;
        if check != format!("check {:016x}", xxh3_64(content.as_bytes())) {
            return None;
        }
        let mut lines = content.lines();
        (lines.next()? == FIRST_LINE).then_some(())?;
        let next = lines.next()?.strip_prefix("next ")?.parse().ok()?;
        let segments = lines.map(parse_segment).collect::<Option<Vec<SegmentEntry>>>()?;
        Some(Manifest { next, segments })
    }

    /// Writes the manifest: from now on this is the index.
    pub(super) fn write(&self, dir: &Path) -> Result<()> {
        let mut text = format!("{FIRST_LINE}\nnext {}", self.next);
        for segment in &self.segments {
            text.push_str(&format!("\nsegment {}", segment.name));
            segment.dead.iter().for_each(|form| text.push_str(&format!(" {form}")));
        }
        let check = xxh3_64(text.as_bytes());
        text.push_str(&format!("\ncheck {check:016x}\n"));
        let (path, beside) = (dir.join(MANIFEST), dir.join(NEW_MANIFEST));
        own_files::write(&beside, text.as_bytes())?;
        std::fs::rename(&beside, &path).map_err(Error::io(&path))
    }

    /// Takes the name of the next segment.
    pub(super) fn next_name(&mut self) -> String {
        self.next += 1;
        names::record_segment(self.next)
    }

    /// A number higher than that of any segment in a directory whose manifest cannot be read.
    pub(super) fn next_free(dir: &Path) -> u64 {
        segment_files(dir).filter_map(|name| names::record_segment_number(&name)).max().unwrap_or(0)
    }

    /// Removes segments that are no longer listed; one that cannot be removed is left for the next time.
    pub(super) fn remove_others(&self, dir: &Path) {
        for name in segment_files(dir) {
            if !self.segments.iter().any(|segment| segment.name == name) {
                let _ = own_files::remove(&dir.join(name));
            }
        }
    }
}

fn segment_files(dir: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| names::record_segment_number(name).is_some())
}

fn parse_segment(line: &str) -> Option<SegmentEntry> {
    let mut words = line.strip_prefix("segment ")?.split(' ');
    let name = words.next().filter(|name| names::record_segment_number(name).is_some())?.to_owned();
    let dead = words.map(|form| form.parse().ok()).collect::<Option<BTreeSet<u32>>>()?;
    Some(SegmentEntry { name, dead })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_byte_anywhere_is_noticed() {
        let text = "siglum records 1\nnext 3\nsegment 2.records 1 7";
        let text = format!("{text}\ncheck {:016x}\n", xxh3_64(text.as_bytes()));
        assert_eq!(Manifest::parse(&text).map(|manifest| manifest.segments.len()), Some(1));
        for at in 0..text.len() - 1 {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert_eq!(String::from_utf8(bytes).ok().and_then(|text| Manifest::parse(&text)), None, "{at}");
        }
    }
}
