//! Queries as people type them: the year after title and author, or a main title alone or with a surname.
//!
//! A query that says nothing wrong should not lose its verdict, and a title of which nothing is there should not gain one.

use super::bench::{Bench, percent};
use super::calibration::{self, Scored};
use super::catalogues::{Entry, Split};
use crate::rng::Rng;
use anyhow::Result;
use rayon::prelude::*;
use siglum::record::{Record, Verdict};
use std::fmt::Write as _;

/// Decides which records are asked for.
const SEED: u64 = 41;
/// A wrong year is this many years late: more than a reprint of the same edition would be.
const YEARS_LATE: u16 = 7;
/// Of queries that fail so many of each kind are shown.
const MOST_SHOWN: usize = 12;
const THERE: &str = "records that are there";
const VERDICTS: [Verdict; 5] =
    [Verdict::Duplicate, Verdict::OtherEdition, Verdict::OtherVolume, Verdict::Possible, Verdict::New];

/// The tables for catalogues of which these titles were held out.
pub fn tables(benches: &[Bench], split: &Split, n_queries: usize) -> Result<String> {
    let mut out = years(benches, split, n_queries)?;
    out.push_str(&main_titles(benches, split, n_queries)?);
    Ok(out)
}

fn years(benches: &[Bench], split: &Split, n_queries: usize) -> Result<String> {
    let mut out = String::from("## A year after title and author, in one string, %\n\n");
    writeln!(
        out,
        "`changed`: the verdict differs from the one without the year. A wrong year is {YEARS_LATE} years late. Of titles held out those without a date get a year from 1800 to 1999.\n"
    )?;
    write!(out, "| | queries | changed |{}", head(3))?;
    for bench in benches {
        let n = bench.index.n_records();
        let dated = dated(bench, n_queries);
        let there: Vec<Record> = dated.iter().map(|(record, _)| typed(record, "")).collect();
        let with = |late: u16| -> Vec<Record> {
            dated.iter().map(|(record, year)| typed(record, &(year + late).to_string())).collect()
        };
        let new: Vec<(Record, u16)> = held_out(split)
            .enumerate()
            .map(|(at, entry)| {
                let year = entry.record.year().unwrap_or(1800 + (at * 37 % 200) as u16);
                (entry.record.clone(), year)
            })
            .collect();
        let new_without: Vec<Record> = new.iter().map(|(record, _)| typed(record, "")).collect();
        let new_with: Vec<Record> =
            new.iter().map(|(record, year)| typed(record, &year.to_string())).collect();
        let (without, new_without) = (verdicts(bench, &there)?, verdicts(bench, &new_without)?);
        let (right, wrong) = (verdicts(bench, &with(0))?, verdicts(bench, &with(YEARS_LATE))?);
        let new_with = verdicts(bench, &new_with)?;
        for (name, before, after) in [
            ("records that are there, no year", &without, &without),
            ("the same, the year of the record", &without, &right),
            ("the same, a wrong year", &without, &wrong),
            ("titles held out, no year", &new_without, &new_without),
            ("the same, a year", &new_without, &new_with),
        ] {
            let changed = before.iter().zip(after).filter(|(a, b)| a != b).count();
            let changed = percent(changed, after.len());
            write!(out, "| {name}, {n} records | {} | {changed:.2} |{}", after.len(), cells(after)?)?;
        }
    }
    out.push('\n');
    Ok(out)
}

fn main_titles(benches: &[Bench], split: &Split, n_queries: usize) -> Result<String> {
    let mut out = String::from("## The main title alone, and with a surname, %\n\n");
    writeln!(out, "The title up to its first colon, semicolon, dash or \"or\", written as it is.\n")?;
    let mut missed = Vec::new();
    let mut scored = Vec::new();
    write!(out, "| | queries |{}", head(2))?;
    for bench in benches {
        let n = bench.index.n_records();
        let ids = shuffled(bench, true, |entry| entry.record.metadata.title.is_some());
        let there: Vec<(Option<usize>, &Record)> =
            ids.iter().take(n_queries).map(|&id| (Some(id), &bench.entries[id].record)).collect();
        let held: Vec<(Option<usize>, &Record)> =
            held_out(split).map(|entry| (None, &entry.record)).collect();
        for (name, records) in [(THERE, there), ("titles held out", held)] {
            for (how, with_surname) in [("alone", false), ("with a surname", true)] {
                let queries: Vec<Record> = records
                    .iter()
                    .filter(|(_, record)| !with_surname || surname(record).is_some())
                    .map(|(_, record)| main_title(record, with_surname))
                    .collect();
                let found = verdicts(bench, &queries)?;
                // The largest catalogue has made records, of which nobody knows what they are.
                if !with_surname && bench.others.is_empty() {
                    scored.extend(scores(bench, &records)?);
                }
                if name == THERE {
                    let new = queries.iter().zip(&found).filter(|(_, verdict)| **verdict == Verdict::New);
                    missed.extend(new.filter_map(|(query, _)| query.metadata.title.clone()).take(MOST_SHOWN));
                }
                write!(out, "| {name}, {how}, {n} records | {} |{}", found.len(), cells(&found)?)?;
            }
        }
    }
    writeln!(out, "\n### The score of a main title alone beside what is so\n")?;
    writeln!(
        out,
        "Of the queries above in the catalogue of real records, those that are called `possible`; both halves count alike.\n"
    )?;
    out.push_str(&calibration::table(&scored)?);
    if !missed.is_empty() {
        writeln!(out, "\nOf those there, called `new`: {}", missed.join(" | "))?;
    }
    out.push('\n');
    Ok(out)
}

/// A record and its number; those held out have none that is used.
pub type Numbered = (usize, Record);

/// Main titles alone and with a surname, of the half by which weights are fitted: of records that are there, by number,
/// and of titles held out.
pub fn main_titles_to_fit(bench: &Bench, held_out: &[Entry], n: usize) -> (Vec<Numbered>, Vec<Numbered>) {
    let both =
        |id: usize, record: &Record| [false, true].map(|with_surname| (id, main_title(record, with_surname)));
    let there = shuffled(bench, false, |entry| entry.record.metadata.title.is_some());
    let there = there.into_iter().take(n).flat_map(|id| both(id, &bench.entries[id].record));
    let not_there = held_out.iter().filter(|entry| !entry.is_reported());
    let not_there = not_there.flat_map(|entry| both(usize::MAX, &entry.record));
    (there.collect(), not_there.collect())
}

/// The scores of main titles alone that are called `possible`, and whether the first record is of the same work.
fn scores(bench: &Bench, records: &[(Option<usize>, &Record)]) -> Result<Vec<Scored>> {
    let scored = |(id, record): &(Option<usize>, &Record)| {
        let found = bench.index.find(&main_title(record, false), 1)?;
        let Some(first) = found.first().filter(|first| first.likeness.verdict == Verdict::Possible) else {
            return Ok(None);
        };
        let set = |id: usize| bench.entries.get(id).map(|entry| entry.set_key.as_str());
        let is_true = id.is_some_and(|id| set(id) == set(first.id as usize));
        let weight = 1.0 / records.len() as f64;
        Ok(Some(Scored { score: first.likeness.score, is_true, weight }))
    };
    let scored = records.par_iter().map(scored).collect::<Result<Vec<_>>>()?;
    Ok(scored.into_iter().flatten().collect())
}

/// The verdicts as the end of a table's head; columns before them.
fn head(n_before: usize) -> String {
    let names: Vec<String> = VERDICTS.iter().map(|verdict| verdict.as_str().replace('_', " ")).collect();
    format!(" {} |\n|{}\n", names.join(" | "), "---|".repeat(n_before + VERDICTS.len()))
}

fn cells(found: &[Verdict]) -> Result<String> {
    let mut out = String::new();
    for verdict in VERDICTS {
        let n = found.iter().filter(|found| **found == verdict).count();
        write!(out, " {:.2} |", percent(n, found.len()))?;
    }
    out.push('\n');
    Ok(out)
}

fn held_out(split: &Split) -> impl Iterator<Item = &Entry> {
    split.held_out.iter().filter(|entry| entry.is_reported())
}

/// Records with a year that their titles do not name.
fn dated(bench: &Bench, n_queries: usize) -> Vec<(Record, u16)> {
    let with_year = |entry: &Entry| {
        let title = entry.record.metadata.title.as_deref().unwrap_or_default();
        entry.record.year().is_some_and(|year| !title.contains(&year.to_string()))
    };
    let ids = shuffled(bench, true, with_year).into_iter().take(n_queries);
    ids.filter_map(|id| Some((bench.entries[id].record.clone(), bench.entries[id].record.year()?))).collect()
}

/// The records of a half, that by which nothing was fitted or the other, in an order of their own.
fn shuffled(bench: &Bench, reported: bool, wanted: impl Fn(&Entry) -> bool) -> Vec<usize> {
    let mut rng = Rng::named(SEED, "as typed");
    let is_wanted = |id: &usize| bench.entries[*id].is_reported() == reported && wanted(&bench.entries[*id]);
    let mut ids: Vec<usize> = (0..bench.entries.len()).filter(is_wanted).collect();
    for i in (1..ids.len()).rev() {
        ids.swap(i, rng.below(i + 1));
    }
    ids
}

fn verdicts(bench: &Bench, queries: &[Record]) -> Result<Vec<Verdict>> {
    let verdict = |query: &Record| {
        let found = bench.index.find(query, 1)?;
        Ok(found.first().map_or(Verdict::New, |first| first.likeness.verdict))
    };
    queries.par_iter().map(verdict).collect()
}

/// Title and first author as they are written, and what follows them.
fn typed(record: &Record, rest: &str) -> Record {
    let author = record.metadata.creators.first().map_or("", String::as_str);
    one(&format!("{} {author} {rest}", title(record)))
}

fn main_title(record: &Record, with_surname: bool) -> Record {
    let title = title(record);
    let signs = [": ", "; ", " — ", " -- ", ", or ", " or, "];
    let at = signs.iter().filter_map(|sign| title.find(sign)).filter(|at| *at > 0).min();
    let main = title[..at.unwrap_or(title.len())].trim_end_matches([' ', ',', ';', ':']);
    let surname = surname(record).filter(|_| with_surname).unwrap_or_default();
    one(&format!("{main} {surname}"))
}

/// The title without who is responsible for it.
fn title(record: &Record) -> &str {
    record.metadata.title.as_deref().unwrap_or_default().split(" / ").next().unwrap_or_default().trim()
}

fn surname(record: &Record) -> Option<String> {
    // What stands in brackets says what kind of person or body it is.
    let author = record.metadata.creators.first()?.split('(').next()?;
    let surname = match author.split_once(',') {
        Some((surname, _)) => surname,
        None => author.split_whitespace().last()?,
    };
    Some(surname.trim().to_owned())
}

fn one(title: &str) -> Record {
    let mut record = Record::default();
    record.metadata.title = Some(title.trim().to_owned());
    record
}
