//! What the commands about a library say. Files are absolute paths, links not resolved; a name that is not UTF-8 comes
//! also as bytes in base64, in a field that ends in `_b64`. Whatever is unknown is null.

use super::relation::{ExtentReport, RelationReport};
use serde::Serialize;

/// A file as JSON has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FilePath {
    /// The path.
    pub file: String,
    /// Its bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_b64: Option<String>,
}

/// What `siglum scan` did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ScanReport {
    /// Files that were found.
    pub files: u64,
    /// Books that were read or known by their content.
    pub books: u64,
    /// Books that were read again, because an older version had read them.
    pub refreshed: u64,
    /// Files as they were at the last scan.
    pub unchanged: u64,
    /// Files that were there at an earlier scan and are not now.
    pub missing: u64,
    /// Files that could not be read, and why.
    pub failed: Vec<FailedReport>,
    /// Pairs of books that are related.
    pub matches: u64,
    /// Groups of the same text.
    pub clusters: u64,
    /// Whether it was stopped before its end.
    pub stopped: bool,
    /// Why no backup of the catalogue could be made; null where none was due, or one was made.
    pub backup_failed: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

/// A file that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FailedReport {
    /// The file.
    #[serde(flatten)]
    pub path: FilePath,
    /// Why, as a code.
    pub reason: String,
    /// Why, for people.
    pub message: String,
}

/// One thing of the library that is related to what was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FindReport {
    /// What was asked for: a file or a siglum.
    pub query: String,
    /// The file in the library.
    #[serde(flatten)]
    pub path: FilePath,
    /// Its siglum, the short form.
    pub siglum: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its authors.
    pub creators: Vec<String>,
    /// Its ISBN-13.
    pub isbn: Vec<String>,
    /// How the query (a) relates to it (b).
    #[serde(flatten)]
    pub relation: RelationReport,
    /// What they have in common.
    #[serde(flatten)]
    pub extent: ExtentReport,
    /// One sentence that says why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Of two sigla: how many bits differ, letters of the shorter text by those of the longer, and the probability that
    /// they are the same text.
    #[serde(flatten)]
    pub sigla: Option<SiglaReport>,
}

/// Two sigla compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[expect(missing_docs, reason = "as in DistanceReport")]
pub struct SiglaReport {
    pub distance: u32,
    pub length_ratio: f64,
    pub probability: f64,
}

/// Two files of the library that are related.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MatchReport {
    /// The first file.
    pub a: String,
    /// The second.
    pub b: String,
    /// The first's bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_b64: Option<String>,
    /// The second's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_b64: Option<String>,
    /// How they relate.
    #[serde(flatten)]
    pub relation: RelationReport,
    /// What they have in common.
    #[serde(flatten)]
    pub extent: ExtentReport,
    /// One sentence that says why.
    pub why: String,
}

/// A group of the same text.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ClusterReport {
    /// The id of the best copy, as [`ShowReport::book`].
    pub cluster: String,
    /// What it is called.
    pub title: Option<String>,
    /// Who wrote it.
    pub creators: Vec<String>,
    /// The copy to keep.
    pub best: String,
    /// Its bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_b64: Option<String>,
    /// Why that one.
    pub why_best: String,
    /// The other copies.
    pub members: Vec<MemberReport>,
    /// Other versions of the work, the newest first; never the same text.
    pub versions: Vec<VersionReport>,
    /// Parts, wholes and overlaps.
    pub links: Vec<LinkReport>,
}

/// A copy in a [`ClusterReport`].
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MemberReport {
    /// The file.
    #[serde(flatten)]
    pub path: FilePath,
    /// How it relates to the best copy, without a direction.
    #[serde(flatten)]
    pub relation: RelationReport,
    /// How much its text looks like language, from 0 to 1.
    pub quality: Option<f64>,
    /// What of its text is damaged, in words; null where nothing is, or nobody has looked.
    pub damage: Option<String>,
    /// The share of its characters that are damaged.
    pub damaged: Option<f64>,
    /// The program that made the file, as it names itself.
    pub made_by: Option<String>,
    /// Whether it was converted from another format.
    pub conversion: bool,
    /// calibre's folder of one book, if both are formats of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holding: Option<String>,
    /// One sentence that says why.
    pub why: String,
}

/// Another version of the work of a [`ClusterReport`].
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct VersionReport {
    /// The file.
    #[serde(flatten)]
    pub path: FilePath,
    /// The file of the group that it was compared with (a).
    pub of: String,
    /// How that relates to it (b), without a variant.
    #[serde(flatten)]
    pub relation: RelationReport,
    /// When it was published, as it says itself.
    pub date: Option<String>,
    /// One sentence that says why.
    pub why: String,
}

/// A book that has a part in common with a [`ClusterReport`]'s.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LinkReport {
    /// The file.
    #[serde(flatten)]
    pub path: FilePath,
    /// How the best copy (a) relates to it (b), without a variant.
    #[serde(flatten)]
    pub relation: RelationReport,
    /// One sentence that says why.
    pub why: String,
}

/// What the library knows of one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ShowReport {
    /// The file.
    #[serde(flatten)]
    pub path: FilePath,
    /// `read`, `failed` or `missing`.
    pub state: &'static str,
    /// Why it could not be read.
    pub reason: Option<String>,
    /// The same for people.
    pub message: Option<String>,
    /// The id of the book: equal for files of equal content, whatever they are called and wherever they lie.
    pub book: Option<String>,
    /// The short form.
    pub siglum: Option<String>,
    /// The long form.
    pub siglum_long: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Authors, editors, translators.
    pub creators: Vec<String>,
    /// ISBN-13.
    pub isbn: Vec<String>,
    /// The language the file declares.
    pub language: Option<String>,
    /// The language the text is in.
    pub language_detected: Option<String>,
    /// What reads it.
    pub format: Option<String>,
    /// The reader that made its text, with its version and that of what all readers share: `epub 1.1`.
    pub extractor: Option<String>,
    /// Whether that is an older version, so that the next scan reads it again.
    pub outdated: bool,
    /// Whether it has pages.
    pub paged: bool,
    /// How many.
    pub n_pages: Option<u32>,
    /// Characters of text.
    pub n_chars: Option<u64>,
    /// Letters of text.
    pub n_letters: Option<u32>,
    /// How much the text looks like language, from 0 to 1.
    pub quality: Option<f64>,
    /// What of the text is damaged, in words; null where nothing is, or nobody has looked.
    pub damage: Option<String>,
    /// The share of its characters that are damaged.
    pub damaged: Option<f64>,
    /// The program that made the file, as it names itself.
    pub made_by: Option<String>,
    /// Whether it was converted from another format.
    pub conversion: bool,
    /// Why reading ended early, where it did.
    pub truncated: Option<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// Other files with the very same content.
    pub same_content: Vec<FilePath>,
    /// Files that are related, the file shown being `a`.
    pub related: Vec<MatchReport>,
}

/// What is in a library.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "counts, by their names")]
pub struct StatusReport {
    pub library: String,
    pub roots: Vec<FilePath>,
    pub files: u64,
    pub books: u64,
    pub texts: u64,
    pub failed: u64,
    pub missing: u64,
    pub matches: u64,
    pub clusters: u64,
    pub decisions: u64,
    pub records: u64,
    pub claims: u64,
    /// Work that a scan left undone.
    pub waiting: u64,
    /// Books that an older version has read; the next scan reads them again.
    pub outdated: u64,
    pub catalogue_bytes: u64,
    pub index_bytes: u64,
}

/// A person's decision that two books are not the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DecisionReport {
    /// Files of the one; none where all were forgotten.
    pub a: Vec<FilePath>,
    /// Files of the other.
    pub b: Vec<FilePath>,
    /// The day, as 2026-11-16.
    pub at: String,
}

/// What `siglum repair` did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RepairReport {
    /// What was wrong with the catalogue; null where it was sound.
    pub damage: Option<String>,
    /// Whether its tables were sound all the same, so that it was kept and its pages were written anew.
    pub rewritten: bool,
    /// Where the damaged catalogue is now.
    pub set_aside: Option<String>,
    /// The backup that took its place, or the damaged catalogue or backup whose rows were copied to a new one.
    pub restored_from: Option<String>,
    /// Rows of the catalogue that were damaged or lost, and what became of each.
    pub mended: Vec<MendedReport>,
    /// Texts in the new index.
    pub texts: u64,
    /// Records in the new index of records.
    pub records: u64,
    /// Files in the catalogue.
    pub files: u64,
    /// Books in the catalogue.
    pub books: u64,
    /// Folders to scan again.
    pub scan_again: Vec<FilePath>,
}

/// A damaged row of the catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MendedReport {
    /// Its table.
    pub table: &'static str,
    /// Its primary key; of a file its path.
    pub row: String,
    /// `restored`, `scan_again`, `from_journal` or `made_again`.
    pub how: &'static str,
    /// The backup it was restored from.
    pub backup: Option<String>,
}

/// What `siglum forget` dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ForgetReport {
    /// The path that was named.
    #[serde(flatten)]
    pub path: FilePath,
    /// How many files of the library lay there.
    pub files: u64,
}
