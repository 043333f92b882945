//! Extractor: which reader made a book's text, and in which version.
//!
//! A library stores it with each book. When a version here rises, the next scan reads the books of that reader again. So a
//! number must rise whenever what is read of any file changes: its text, its pages, its metadata, or what is said of its
//! quality. [`COMMON`] rises for what all readers share. `tests/it/texts.rs` fails where the text of a fixture changes and no
//! number does.

use std::fmt;

/// All readers by name, each with the version of what it makes. A reader that another one uses has a number of its own only
/// where that other one names it ([`Out::joined`](crate::Out)); code that several share raises the numbers of all of them.
const READERS: [(&str, u32); 22] = [
    ("abbyy", 1),
    ("alto", 1),
    ("djvu", 1),
    ("djvu_xml", 1),
    ("docx", 1),
    ("epub", 1),
    ("fb2", 1),
    ("hocr", 1),
    ("html", 1),
    ("ia_search_text", 1),
    ("jats", 1),
    ("markdown", 1),
    ("mobi", 1),
    ("odt", 1),
    ("page_xml", 1),
    ("pages", 1),
    ("pdf", 1),
    ("pdf-pdfboss", 1),
    ("plain", 1),
    ("pml", 1),
    ("rtf", 1),
    ("tei", 1),
];

/// The version of what is done with the text of every reader: sidecars, unpacking, encodings, tidying, quality, damage,
/// language and identifiers.
const COMMON: u32 = 1;

/// The reader that made a book's text, and the versions of what made it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extractor {
    /// Its name, such as `pdf`; of a reader that uses others, `pages+alto`.
    pub name: String,
    /// Its version; of several, the sum of theirs. 0 is no version of any reader.
    pub version: u32,
    /// The version of what is common to all.
    pub common: u32,
}

impl Extractor {
    /// A reader by name, as this program has it. One that it does not have is of version 0.
    pub fn named(name: &str) -> Extractor {
        let version = |part| READERS.iter().find(|(known, _)| *known == part).map(|(_, version)| *version);
        let version = name.split('+').map(version).try_fold(0, |sum, version| Some(sum + version?));
        Extractor { name: name.to_owned(), version: version.unwrap_or(0), common: COMMON }
    }

    /// Whether this program would read the same of the same file.
    pub fn is_current(&self) -> bool {
        self.version > 0 && *self == Extractor::named(&self.name)
    }

    /// A number that changes whenever any version does.
    pub fn generation() -> u32 {
        READERS.iter().map(|(_, version)| version).sum::<u32>() + COMMON
    }
}

/// `epub 1.1`: its version, and that of what is common to all.
impl fmt::Display for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}.{}", self.name, self.version, self.common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_current_until_a_version_of_its_own_rises() {
        let alto = Extractor::named("pages+alto");
        assert_eq!(alto.to_string(), "pages+alto 2.1");
        assert!(alto.is_current());
        assert!(!Extractor { version: alto.version - 1, ..alto.clone() }.is_current());
        assert!(!Extractor { common: COMMON - 1, ..alto }.is_current());
        assert!(!Extractor::default().is_current());
        assert!(!Extractor::named("pages+teletext").is_current());
    }
}
