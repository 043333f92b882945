//! How fast two stored books are compared, and what two very long ones cost.

use crate::experiments::speed::cpu_seconds;
use crate::generate::{Language, Script};
use crate::mutate::{OcrErrors, ocr};
use crate::pairs::book;
use crate::rng::Rng;
use siglum::{Witness, align, relate};
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

const TURNS: usize = 5;
const N_BOOKS: u64 = 24;
const BOOK_BYTES: usize = 400_000;

/// Comparisons for each second of one core, witnesses given.
pub fn report() -> String {
    let mut page =
        String::from("| 400 kB books | related, a second | unrelated, a second |\n|---|---|---|\n");
    for (script, bytes_per_char) in
        [(Script::Latin, 1), (Script::Cyrillic, 2), (Script::Arabic, 2), (Script::Han, 3)]
    {
        let language = Language::new(script, 1);
        let books: Vec<String> =
            (0..N_BOOKS).map(|seed| language.book(seed, BOOK_BYTES / bytes_per_char)).collect();
        let witness = |text: &String, seed: u64| {
            let errors = OcrErrors { rate: 0.02, clustered: true };
            Witness::of_book(&book(&ocr(text, &errors, &mut Rng::new(seed)).text))
        };
        let originals: Vec<Witness> = books.iter().map(|text| witness(text, 1)).collect();
        let copies: Vec<Witness> = books.iter().map(|text| witness(text, 2)).collect();
        let related: Vec<(&Witness, &Witness)> = originals.iter().zip(&copies).collect();
        let pairs = |(at, one)| originals[at + 1..].iter().map(move |other| (one, other));
        let unrelated: Vec<(&Witness, &Witness)> = originals.iter().enumerate().flat_map(pairs).collect();
        writeln!(page, "| {script:?} | {:.0} | {:.0} |", per_second(&related), per_second(&unrelated))
            .expect("writing to a string");
    }
    page
}

fn per_second(pairs: &[(&Witness, &Witness)]) -> f64 {
    let turn = |_| cpu_seconds(|| pairs.iter().for_each(|(a, b)| compare(a, b)));
    pairs.len() as f64 / (0..TURNS).map(turn).fold(f64::MAX, f64::min)
}

fn compare(a: &Witness, b: &Witness) {
    black_box(relate(&align(a, b), None));
}

/// Texts of 50 MB: a copy, and an unrelated one.
pub fn long_report(n_bytes: usize) -> String {
    let mut page = format!(
        "\n| {} MB of text against | witnesses, s | align and relate, s | peak memory, MB |\n|---|---|---|---|\n",
        n_bytes / 1_000_000
    );
    let language = Language::new(Script::Latin, 1);
    let text = |seed: u64| -> String {
        let parts =
            (0..n_bytes.div_ceil(1_000_000) as u64).map(|part| language.book(seed * 1_000 + part, 1_000_000));
        parts.collect()
    };
    let first = text(1);
    let copy = ocr(&first, &OcrErrors { rate: 0.02, clustered: true }, &mut Rng::new(1)).text;
    let a = book(&first);
    drop(first);
    for (name, other) in [("its copy", copy), ("another", text(2))] {
        let b = book(&other);
        drop(other);
        let start = Instant::now();
        let (left, right) = (Witness::of_book(&a), Witness::of_book(&b));
        let made = start.elapsed().as_secs_f64();
        compare(&left, &right);
        let compared = start.elapsed().as_secs_f64() - made;
        writeln!(page, "| {name} | {made:.2} | {compared:.2} | {:.0} |", peak_memory() as f64 / 1e6)
            .expect("writing to a string");
    }
    page
}

/// The most memory this process ever had, in bytes; 0 where the system does not tell.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
