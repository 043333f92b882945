//! Figure 1 (distance by corruption for books of three lengths) and figure 3 (speed by length of fingerprint).

use super::mutation::derive;
use super::reported::LENGTHS;
use super::sets::simhash;
use super::{Material, Size};
use crate::code::Coder;
use crate::machine::cpu_seconds;
use crate::metrics::{mean, spearman};
use crate::plot::Heights;
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Table, number, row};
use anyhow::{Context, Result};
use rayon::prelude::*;
use std::hint::black_box;

/// Versions of each book at each rate, of whose distances the mean is drawn.
const N_COPIES: usize = 5;
/// Turns of a measurement, of which the least counts.
const TURNS: usize = 3;

pub(super) fn report(page: &mut Report, material: &Material) -> Result<()> {
    distances(page, material)?;
    speed(page, material)
}

fn distances(page: &mut Report, material: &Material) -> Result<()> {
    let books = three_books(material)?;
    let rates: Vec<f64> = (1..=10).map(|percent| f64::from(percent) / 100.0).collect();
    page.section("Figure 1: distance by corruption, for books of three lengths");
    page.paragraph(format!(
        "Bits of 128 in which a book and a version of it differ, the mean of {N_COPIES} versions. The paper shows curves that \
         rise with corruption, the shortest book's the most."
    ));
    let mut head = vec!["characters".to_owned(), "code".to_owned()];
    head.extend(rates.iter().map(|rate| format!("{:.0} %", rate * 100.0)));
    let (mut rows, mut series, mut curves) = (Vec::new(), Vec::new(), Vec::new());
    for (coder, name) in [(Coder::SimhashTf4, "simhash"), (Coder::Siglum, "siglum-1")] {
        for (at, text) in books.iter().enumerate() {
            let donor = &books[(at + 1) % books.len()];
            let curve: Vec<f64> =
                rates.iter().map(|&rate| mean_distance(coder, text, donor, rate)).collect::<Result<_>>()?;
            let n_chars = thousands(text.chars().count());
            let cells = curve.iter().map(|distance| number(*distance, 1));
            rows.push(row![&n_chars, name].into_iter().chain(cells).collect());
            let points = rates.iter().map(|rate| rate * 100.0).zip(curve.iter().copied()).collect();
            series.push((format!("{name}, {n_chars}"), points));
            curves.push(curve);
        }
    }
    page.table(Table::new(head).with_rows(rows));
    let title = "Distance from the original, of 128 bits";
    let axes = ("corruption, %", "bits that differ");
    page.lines("identifiers-fig1", title, axes, &series, Heights::FromZero);
    page.paragraph(
        "A greater distance between copies is no fault in itself: what counts is how far unrelated books are. By `siglum-1` \
         they differ in about half of the bits, by simhash in far fewer.",
    );
    let least = curves.iter().map(|curve| spearman(&rates, curve)).fold(1.0, f64::min);
    page.claim(format!("distance grows with corruption (least rank correlation {least:.2})"), least >= 0.85);
    let (short, long) = (mean(&curves[0]), mean(&curves[2]));
    page.claim(
        format!("simhash: the shortest book's versions are farther ({short:.1} bits) than the longest's ({long:.1})"),
        short > long,
    );
    Ok(())
}

fn mean_distance(coder: Coder, text: &str, donor: &str, rate: f64) -> Result<f64> {
    let original = coder.code(text).context("a text too short for a code")?;
    let distances: Vec<f64> = (0..N_COPIES)
        .into_par_iter()
        .map(|copy| {
            let mut rng = Rng::named(copy as u64, &format!("fig. 1 at {rate:.2}"));
            let code =
                coder.code(&derive(text, rate, donor, &mut rng)).context("a text too short for a code")?;
            Ok(f64::from(original.distance_128(&code)))
        })
        .collect::<Result<_>>()?;
    Ok(mean(&distances))
}

/// A short, a middling and a long book: at full size those nearest to these lengths, else parts of generated ones.
fn three_books(material: &Material) -> Result<[String; 3]> {
    let books = material.of_one_language();
    let first = books.first().context("there are no books")?;
    Ok(match material.size {
        Size::Small => {
            let long = books[..books.len().min(4)].concat();
            [first.chars().take(5_000).collect(), (*first).to_owned(), long]
        }
        Size::Full => [50_000, 300_000, 1_000_000].map(|wanted: usize| {
            let nearest = books.iter().min_by_key(|book| book.len().abs_diff(wanted));
            nearest.copied().unwrap_or(first).to_owned()
        }),
    })
}

fn thousands(n: usize) -> String {
    format!("{}k", (n as f64 / 1000.0).round())
}

fn speed(page: &mut Report, material: &Material) -> Result<()> {
    let n_books = if material.size == Size::Small { 4 } else { 30 };
    let books: Vec<&str> = material.canonical().into_iter().take(n_books).collect();
    let n_bytes: usize = books.iter().map(|book| book.len()).sum();
    page.section("Figure 3: speed by length of fingerprint");
    page.paragraph(format!(
        "The paper's figure falls with length, relative to 64 bits; its text gives no values. Here {n_books} books, \
         {:.1} MB, CPU time on one core, the least of {TURNS} turns.",
        n_bytes as f64 / 1e6
    ));
    let mut best = [f64::MAX; LENGTHS.len() + 1];
    for _ in 0..TURNS {
        for (at, best) in best.iter_mut().enumerate() {
            let seconds = cpu_seconds(|| {
                for book in &books {
                    match LENGTHS.get(at) {
                        Some(&n_bits) => drop(black_box(simhash(book, n_bits))),
                        None => drop(black_box(Coder::Siglum.code(book))),
                    }
                }
            });
            *best = best.min(seconds);
        }
    }
    let names = LENGTHS.iter().map(|n_bits| format!("simhash, {n_bits}")).chain(["siglum-1, 256".to_owned()]);
    let row = |(name, seconds): (String, &f64)| {
        let speed = n_bytes as f64 / 1e6 / seconds;
        row![name, number(best[0] / seconds, 2), number(speed, 0)]
    };
    let rows = names.zip(&best).map(row);
    page.table(Table::new(["code, bits", "speed relative to simhash of 64 bits", "MB/s"]).with_rows(rows));
    let points =
        LENGTHS.iter().zip(&best).map(|(&n_bits, seconds)| (n_bits as f64, best[0] / seconds)).collect();
    let title = "Speed of simhash by length, relative to 64 bits";
    let axes = ("bits of the fingerprint", "relative speed");
    let series = [("simhash-tf4".to_owned(), points)];
    page.lines("identifiers-fig3", title, axes, &series, Heights::FromZero);
    page.paragraph(
        "It falls here too, in steps of 64 bits: votes are counted a word at a time. A siglum's short form is the beginning \
         of its long one, so both cost the same.",
    );
    Ok(())
}
