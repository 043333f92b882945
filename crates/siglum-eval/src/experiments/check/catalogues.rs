//! Real catalogues: records with the truth about which are the same.

use crate::rng::Rng;
use anyhow::{Context, Result};
use siglum::record::{Described, Field, Record};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A record of a catalogue, and what is known about it.
#[derive(Debug, Clone)]
pub struct Entry {
    pub record: Record,
    /// Records of the same words and numbers have the same.
    pub key: String,
    /// Records of the same main title have the same, numbers aside: they are held out together.
    pub title_key: String,
    /// Records of one work in volumes have the same.
    pub set_key: String,
}

/// A record of a title and names.
pub fn record(title: &str, authors: &str, year: &str, volume: &str) -> Record {
    let mut record = Record::default();
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    record.metadata.title = given(title);
    record.metadata.creators = given(authors).into_iter().collect();
    record.metadata.date = given(year);
    record.metadata.volume = given(volume);
    record
}

impl Entry {
    pub fn new(record: Record) -> Entry {
        let form = Described::forms(&record).remove(0);
        let words = |numbers: bool| {
            let kept =
                form.words.iter().filter(|word| numbers || !siglum::record::is_number_like(&word.text));
            kept.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
        };
        let numbers = &form.numbers;
        let key = format!("{}|{:?}{:?}{:?}", words(true), numbers.volumes, numbers.others, form.edition);
        let main = form.words.iter().filter(|word| word.field == Field::Title);
        let main = main.filter(|word| !siglum::record::is_number_like(&word.text));
        let title_key = main.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let set_key = words(false);
        Entry { record, key, title_key, set_key }
    }

    /// Whether it is one of those by which nothing was fitted.
    pub fn is_reported(&self) -> bool {
        blake3::hash(self.title_key.as_bytes()).as_bytes()[0] & 1 == 1
    }
}

/// Reads the catalogues that a corpus's `metadata` folder has.
pub fn read_all(dir: &Path) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut read = |file: &str, columns: [&str; 4]| -> Result<()> {
        let path = dir.join(file);
        if !path.is_file() {
            return Ok(());
        }
        for row in rows(&path, '\t')? {
            let [title, authors, year, volume] =
                columns.map(|column| row.get(column).map_or("", String::as_str));
            if title.trim().is_empty() {
                continue;
            }
            entries.push(Entry::new(record(&tidied(title), authors, year, volume)));
        }
        Ok(())
    };
    read("pg_catalog.tsv", ["title", "author", "", ""])?;
    read("goodbooks.tsv", ["title", "authors", "original_publication_year", ""])?;
    read("benyehuda_catalog.tsv", ["title", "authors", "", ""])?;
    read("aozora_catalog.tsv", ["title", "author", "", ""])?;
    read("noveltm_new_oa_fiction.tsv", ["title", "author", "inferreddate", "enumcron"])?;
    read("noveltm_frequently_reprinted.tsv", ["title", "author", "inferreddate", "enumcron"])?;
    read("noveltm_weighted.tsv", ["shorttitle", "author", "inferreddate", "enumcron"])?;
    read("noveltm_manual_titles.tsv", ["shorttitle", "author", "inferreddate", "enumcron"])?;
    anyhow::ensure!(!entries.is_empty(), "no catalogue with records in {}", dir.display());
    Ok(entries)
}

/// Titles with MARC subfields in them, as one line.
fn tidied(title: &str) -> String {
    title
        .replace("| $c:", " / ")
        .replace("$c:", " / ")
        .replace(" $b ", " : ")
        .replace("| $n:", " vol. ")
        .replace(" | ", " ")
}

/// Fields by the names of their columns.
pub type Fields = BTreeMap<String, String>;

/// The rows of a table with a head, whatever its bytes and however long its rows.
pub fn rows(path: &Path, separator: char) -> Result<Vec<Fields>> {
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines();
    let head: Vec<String> = lines.next().unwrap_or_default().split(separator).map(str::to_owned).collect();
    let row = |line: &str| head.iter().cloned().zip(line.split(separator).map(str::to_owned)).collect();
    Ok(lines.map(row).collect())
}

/// Catalogue and what was held out of it.
#[derive(Debug)]
pub struct Split {
    pub catalogue: Vec<Entry>,
    /// Titles nothing of which is there.
    pub held_out: Vec<Entry>,
    /// Volumes of sets of which another volume is there.
    pub siblings: Vec<Entry>,
}

/// Holds out a tenth of all titles, and one volume of each of up to so many sets.
pub fn split(entries: Vec<Entry>, n_sets: usize, seed: u64) -> Split {
    let mut split = Split { catalogue: vec![], held_out: vec![], siblings: vec![] };
    let out = |title: &str| {
        let hash = blake3::hash(format!("{seed} {title}").as_bytes());
        u32::from(hash.as_bytes()[0]) << 8 | u32::from(hash.as_bytes()[1])
    };
    let mut sets: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, entry) in entries.iter().enumerate() {
        if volumes(entry).len() == 1 && entry.set_key.split(' ').count() >= 2 {
            sets.entry(entry.set_key.clone()).or_default().push(i);
        }
    }
    let mut rng = Rng::new(seed);
    let mut sets: Vec<Vec<usize>> = sets.into_values().filter(|set| set.len() >= 2).collect();
    let mut sibling = BTreeSet::new();
    while sibling.len() < n_sets && !sets.is_empty() {
        let set = sets.swap_remove(rng.below(sets.len()));
        let chosen = *rng.pick(&set);
        // Another with the same key would be a duplicate, and rightly called so.
        if set.iter().filter(|&&i| entries[i].key == entries[chosen].key).count() == 1 {
            sibling.insert(chosen);
        }
    }
    for (i, entry) in entries.into_iter().enumerate() {
        if sibling.contains(&i) {
            split.siblings.push(entry);
        } else if out(&entry.title_key) < 6554 {
            split.held_out.push(entry);
        } else {
            split.catalogue.push(entry);
        }
    }
    // Of a title that is not there one record is asked for: a periodical of 400 issues is one title.
    let mut asked = BTreeSet::new();
    split.held_out.retain(|entry| asked.insert(entry.title_key.clone()));
    // A sibling counts only if a record of its set is still there, and none of its own volume from another catalogue.
    let titles: BTreeSet<String> = split.siblings.iter().map(|entry| entry.title_key.clone()).collect();
    let same_title = split.catalogue.iter().filter(|entry| titles.contains(&entry.title_key));
    let there: BTreeSet<(String, Vec<String>)> =
        same_title.map(|entry| (entry.title_key.clone(), volumes(entry))).collect();
    let sets: BTreeSet<&str> = split.catalogue.iter().map(|entry| entry.set_key.as_str()).collect();
    split.siblings.retain(|entry| {
        let its_own = (entry.title_key.clone(), volumes(entry));
        sets.contains(entry.set_key.as_str()) && !there.contains(&its_own)
    });
    split
}

/// Words before the number of a volume, in the languages of the catalogues.
const VOLUME_WORDS: &str = "vol volume v band bd teil t tome tomo tom part pt del osa heft book no number series \
    том часть τομοσ כרכ חלק 巻";

/// The volumes a record names. They are told here by a rule of its own, so that the same records are held out whatever
/// the program that is measured takes for a volume.
fn volumes(entry: &Entry) -> Vec<String> {
    let form = Described::forms(&entry.record).remove(0);
    let is_volume_word = |word: &str| VOLUME_WORDS.split_whitespace().any(|known| known == word);
    let in_title = form.words.windows(2).filter(|pair| is_volume_word(&pair[0].text));
    let mut volumes: Vec<String> =
        in_title.filter_map(|pair| pair[1].text.strip_prefix('#').map(str::to_owned)).collect();
    if volumes.is_empty() {
        let statement = entry.record.metadata.volume.as_deref().unwrap_or_default();
        let digits =
            statement.split(|c: char| !c.is_ascii_digit()).map(|digits| digits.trim_start_matches('0'));
        volumes.extend(digits.filter(|digits| !digits.is_empty()).map(str::to_owned));
    }
    volumes.sort();
    volumes
}

/// Records made of two real ones: the head of a title and the tail of another, surname and given names of two people, a
/// twentieth of the words misspelt.
pub fn recombined(entries: &[Entry], n: usize, seed: u64) -> Vec<Record> {
    let mut rng = Rng::new(seed);
    let words = |entry: &Entry| -> Vec<String> {
        let title = entry.record.metadata.title.as_deref().unwrap_or_default();
        title.split_whitespace().map(str::to_owned).collect()
    };
    let names = |entry: &Entry| -> (String, String) {
        let name = entry.record.metadata.creators.first().cloned().unwrap_or_default();
        match name.split_once(',') {
            Some((surname, given)) => (surname.trim().to_owned(), given.trim().to_owned()),
            None => {
                name.rsplit_once(' ').map_or((name.clone(), String::new()), |(g, s)| (s.into(), g.into()))
            }
        }
    };
    (0..n)
        .map(|_| {
            let (a, b) = (rng.pick(entries), rng.pick(entries));
            let (head, tail) = (words(a), words(b));
            // At most two thirds of the one and at least one word of the other, so that no record is a real one.
            let n_head = rng.between(1, (head.len() * 2 / 3).max(1));
            let n_tail = rng.between(1, (tail.len() * 2 / 3).max(1));
            let mut title: Vec<String> = head.into_iter().take(n_head).collect();
            let n_skipped = tail.len().saturating_sub(n_tail);
            title.extend(tail.into_iter().skip(n_skipped));
            title.truncate(30);
            for word in &mut title {
                if rng.chance(0.05) {
                    *word = super::damage::typo(word, &mut rng);
                }
            }
            let ((surname, _), (_, given)) = (names(a), names(b));
            let author = if given.is_empty() { surname } else { format!("{surname}, {given}") };
            record(&title.join(" "), &author, "", "")
        })
        .collect()
}
