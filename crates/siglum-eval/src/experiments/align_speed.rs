//! How fast two stored books are compared, and what two very long ones cost.

use crate::experiment::Run;
use crate::generate::{Language, Script};
use crate::machine::{cpu_seconds, peak_memory, timed};
use crate::mutate::{OcrErrors, ocr};
use crate::pairs::book;
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Table, number, row};
use anyhow::Result;
use siglum::{Witness, align, relate};
use std::hint::black_box;

const TURNS: usize = 5;
const N_BOOKS: u64 = 24;
const BOOK_BYTES: usize = 400_000;
const LONG_BYTES: usize = 50_000_000;
const ERRORS: OcrErrors = OcrErrors { rate: 0.02, clustered: true };

#[derive(Debug, clap::Args)]
pub struct Args {}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let mut report = Report::new("Comparisons, one core, least CPU time of five turns");
        let scripts = [(Script::Latin, 1), (Script::Cyrillic, 2), (Script::Arabic, 2), (Script::Han, 3)];
        let heads = ["400 kB books", "related, per second", "unrelated, per second"];
        report.table(Table::new(heads).with_rows(scripts.map(|(script, width)| of_script(script, width))));
        report.table(long());
        Ok(report)
    }
}

/// Comparisons for each second of one core, witnesses given.
fn of_script(script: Script, bytes_per_char: usize) -> Vec<crate::table::Cell> {
    let language = Language::new(script, 1);
    let books: Vec<String> =
        (0..N_BOOKS).map(|seed| language.book(seed, BOOK_BYTES / bytes_per_char)).collect();
    let scanned =
        |text: &String, seed: u64| Witness::of_book(&book(&ocr(text, &ERRORS, &mut Rng::new(seed))));
    let originals: Vec<Witness> = books.iter().map(|text| scanned(text, 1)).collect();
    let copies: Vec<Witness> = books.iter().map(|text| scanned(text, 2)).collect();
    let related: Vec<(&Witness, &Witness)> = originals.iter().zip(&copies).collect();
    let pairs = |(at, one)| originals[at + 1..].iter().map(move |other| (one, other));
    let unrelated: Vec<(&Witness, &Witness)> = originals.iter().enumerate().flat_map(pairs).collect();
    row![format!("{script:?}"), number(per_second(&related), 0), number(per_second(&unrelated), 0)]
}

fn per_second(pairs: &[(&Witness, &Witness)]) -> f64 {
    let turn = |_| cpu_seconds(|| pairs.iter().for_each(|(a, b)| compare(a, b)));
    pairs.len() as f64 / (0..TURNS).map(turn).fold(f64::MAX, f64::min)
}

fn compare(a: &Witness, b: &Witness) {
    black_box(relate(&align(a, b), None));
}

/// Two very long texts: a copy, and an unrelated one.
fn long() -> Table {
    let language = Language::new(Script::Latin, 1);
    let text = |seed: u64| -> String {
        (0..50).map(|part| language.book(seed * 1_000 + part, LONG_BYTES / 50)).collect()
    };
    let first = text(1);
    let copy = ocr(&first, &ERRORS, &mut Rng::new(1));
    let a = book(&first);
    drop(first);
    let mut table =
        Table::new(["50 MB of text against", "witnesses, s", "align and relate, s", "peak memory, MB"]);
    for (name, other) in [("its copy", copy), ("another", text(2))] {
        let b = book(&other);
        drop(other);
        let ((left, right), made) = timed(|| (Witness::of_book(&a), Witness::of_book(&b)));
        let ((), compared) = timed(|| compare(&left, &right));
        let peak = peak_memory("self") as f64 / 1e6;
        table.row(row![name, number(made, 2), number(compared, 2), number(peak, 0)]);
    }
    table
}
