//! Pairs of records labelled by others: DBLP and ACM, DBLP and Google Scholar, NovelTM.

use super::catalogues::{Fields, record, rows};
use anyhow::{Context, Result};
use siglum::record::Record;
use std::collections::BTreeSet;
use std::path::Path;

/// Two records, and whether they are the same work.
#[derive(Debug, Clone)]
pub struct RecordPair {
    pub left: Record,
    pub right: Record,
    pub is_true: bool,
}

/// NovelTM's pairs of volumes.
pub fn noveltm(dir: &Path) -> Result<Vec<RecordPair>> {
    let pair = |row: Fields| {
        let of = |name: &str| row.get(name).map_or("", String::as_str);
        RecordPair {
            left: record(of("title1"), of("auth1"), "", ""),
            right: record(of("title2"), of("auth2"), "", ""),
            is_true: of("groundtruth").starts_with('1'),
        }
    };
    let path = dir.join("noveltm_labelled_pairs.tsv");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    Ok(rows(&path, '\t')?.into_iter().map(pair).collect())
}

/// DBLP and Google Scholar.
pub fn scholar(dir: &Path) -> Result<Vec<RecordPair>> {
    ditto(dir, "dblp_scholar__ditto_")
}

/// DBLP and ACM with values in wrong fields.
pub fn dirty(dir: &Path) -> Result<Vec<RecordPair>> {
    ditto(dir, "dblp_acm_dirty__ditto_")
}

/// All pairs of files whose names begin so: a corpus has one part of a set or another.
fn ditto(dir: &Path, prefix: &str) -> Result<Vec<RecordPair>> {
    let entries = std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)));
    paths.sort();
    let mut pairs = Vec::new();
    for path in paths {
        pairs.extend(ditto_file(&path)?);
    }
    Ok(pairs)
}

/// Lines of `COL name VAL value` twice and a label, tab-separated.
fn ditto_file(path: &Path) -> Result<Vec<RecordPair>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let side = |text: &str| {
        let mut values = std::collections::BTreeMap::new();
        for field in text.split("COL ").skip(1) {
            if let Some((name, value)) = field.split_once(" VAL ") {
                values.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
        let of = |name: &str| values.get(name).map_or("", String::as_str);
        record(of("title"), of("authors"), of("year"), "")
    };
    let pair = |line: &str| {
        let mut parts = line.split('\t');
        Some(RecordPair {
            left: side(parts.next()?),
            right: side(parts.next()?),
            is_true: parts.next()?.trim() == "1",
        })
    };
    Ok(text.lines().filter_map(pair).collect())
}

/// Records with the numbers their source gives them.
pub type Keyed = Vec<(String, Record)>;

/// Numbers of two records that are the same.
pub type SamePairs = BTreeSet<(String, String)>;

/// DBLP's and ACM's records by number, and which are the same; empty where a corpus has none.
pub fn dblp_acm(dir: &Path) -> Result<(Keyed, Keyed, SamePairs)> {
    if !dir.join("dblp_acm__gt.csv").is_file() {
        return Ok(Default::default());
    }
    let list = |file: &str| -> Result<Keyed> {
        let of = |row: &Fields, name: &str| row.get(name).cloned().unwrap_or_default();
        let rows = rows(&dir.join(file), '%')?;
        Ok(rows
            .iter()
            .map(|row| (of(row, "id"), record(&of(row, "title"), &of(row, "authors"), &of(row, "year"), "")))
            .collect())
    };
    let gold = rows(&dir.join("dblp_acm__gt.csv"), '%')?;
    let gold = gold.iter().filter_map(|row| Some((row.get("D1")?.clone(), row.get("D2")?.clone())));
    Ok((list("dblp_acm__dblp.csv")?, list("dblp_acm__acm.csv")?, gold.collect()))
}
