//! Coverage and identity as estimated, against what they are by the making of the pair.
//!
//! Coverage: books of which a known share is common, in three blocks between text of their own, which is as long in
//! both books (text replaced) or not (text put in). Identity: two copies of one text, compared letter by letter.

use crate::experiment::Run;
use crate::generate::Script;
use crate::metrics::{edit_distance, mean};
use crate::mutate::OcrErrors;
use crate::pairs::{Pair, Shelf, Truth, bind, n_letters, pages};
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Cell, Table, named, row, signed};
use anyhow::Result;
use rayon::prelude::*;
use siglum::text::Letters;
use siglum::{Book, Class, Match, Witness};

const TRUTHS: [f64; 6] = [1.0, 0.9, 0.7, 0.5, 0.3, 0.1];
const RATES: [f64; 5] = [0.0, 0.01, 0.02, 0.05, 0.08];

#[derive(Debug, clap::Args)]
pub struct Args {
    /// This many books of each script
    #[arg(long, value_name = "N", default_value_t = 2)]
    per_script: u64,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        Ok(report(&measure(self.per_script)))
    }
}

#[derive(Debug, Clone)]
struct Estimate {
    script: Script,
    share: f64,
    own: OwnText,
    errors: OcrErrors,
    /// Estimate minus truth, for both books.
    coverage: [f64; 2],
    /// Estimate minus truth, and whether the interval holds the truth; for whole copies only.
    identity: Option<(f64, bool)>,
}

/// The text that only one of the books has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnText {
    /// As long as what the other has in its place.
    Replaced,
    /// Longer or shorter.
    PutIn,
}

/// Measures so many books of every script.
fn measure(per_script: u64) -> Vec<Estimate> {
    let of_script = |script: &Script| {
        let mut shelf = Shelf::generated(*script, 1);
        let mut measured = Vec::new();
        for number in 0..per_script {
            for (at, (share, own)) in makings().enumerate() {
                shelf.skip_to(number * 1_000 + at as u64 * 20);
                let mut rng = Rng::named(number, &format!("{script:?} {at}"));
                let made = partly_common(share, own, &mut shelf, &mut rng);
                measured.extend(all_errors().map(|errors| made.measure(*script, errors, number)));
            }
        }
        measured
    };
    Script::ALL.par_iter().flat_map_iter(of_script).collect()
}

fn all_errors() -> impl Iterator<Item = OcrErrors> {
    RATES.into_iter().flat_map(|rate| [false, true].map(|clustered| OcrErrors { rate, clustered }))
}

/// Every share, with own text of either kind where there is any.
fn makings() -> impl Iterator<Item = (f64, OwnText)> {
    let both =
        TRUTHS.into_iter().flat_map(|share| [OwnText::PutIn, OwnText::Replaced].map(|own| (share, own)));
    both.filter(|(share, own)| *share < 1.0 || *own == OwnText::PutIn)
}

/// Two books and the shares of them that are common.
struct CommonBooks {
    pair: Pair,
    share: f64,
    own: OwnText,
    truth: [f64; 2],
}

/// Letters of a page: pages are what is compared letter by letter, so they are short.
const PAGE: usize = 500;

/// Two books of which nearly `share` is common.
fn partly_common(share: f64, own: OwnText, shelf: &mut Shelf, rng: &mut Rng) -> CommonBooks {
    const BLOCKS: usize = 3;
    let book = if shelf.dense { 70_000.0 } else { 200_000.0 };
    let common: Vec<String> =
        (0..BLOCKS).map(|_| shelf.text((book * share) as usize / BLOCKS, rng)).collect();
    let mut side = || {
        let mut text = String::new();
        for block in 0..=BLOCKS {
            if share < 1.0 {
                let stretch = if own == OwnText::PutIn { 0.6 + 0.8 * rng.unit() } else { 1.0 };
                let n_chars = book * (1.0 - share) * stretch / (BLOCKS + 1) as f64;
                text.push_str(&shelf.text(n_chars as usize, rng));
            }
            text.push_str(common.get(block).map_or("", String::as_str));
        }
        bind([&pages(&text, PAGE)[..]])
    };
    let (a, b) = (side(), side());
    let n_common = f64::from(common.iter().map(|block| n_letters(block)).sum::<u32>());
    let truth = [&a, &b].map(|text| n_common / f64::from(n_letters(text)));
    let pair = Pair { a, b, truth: Truth::of(Class::OverlappingText) };
    CommonBooks { pair, share, own, truth }
}

impl CommonBooks {
    fn measure(&self, script: Script, errors: OcrErrors, seed: u64) -> Estimate {
        let scanned = self.pair.scanned(&errors, seed);
        let (a, b) = scanned.books();
        let found: Match = siglum::align(&Witness::of_book(&a), &Witness::of_book(&b));
        let identity = found.identity.filter(|_| self.share == 1.0).map(|identity| {
            let truth = identical_share(&a, &b);
            (identity.share - truth, (identity.low..=identity.high).contains(&truth))
        });
        let coverage = [found.a.coverage - self.truth[0], found.b.coverage - self.truth[1]];
        Estimate { script, share: self.share, own: self.own, errors, coverage, identity }
    }
}

/// The share of letters that are equal in two books of the same pages: 1 - edit distance / letters of the longer page.
fn identical_share(a: &Book, b: &Book) -> f64 {
    let (mut edits, mut letters) = (0, 0);
    for (a, b) in a.pages().zip(b.pages()) {
        let (a, b) = (Letters::of_text(a.text), Letters::of_text(b.text));
        edits += edit_distance(a.as_slice(), b.as_slice());
        letters += a.len().max(b.len());
    }
    1.0 - edits as f64 / letters.max(1) as f64
}

fn report(measured: &[Estimate]) -> Report {
    let mut report = Report::new("Coverage and identity");
    let put_in = || measured.iter().filter(|m| m.own == OwnText::PutIn);
    let of_script = |script| (format!("{script:?}"), put_in().filter(|m| m.script == script).collect());
    report.section("Coverage by script, between texts of other lengths: mean and worst error");
    report.table(by_rate("script", Script::ALL.map(of_script).to_vec()));
    for (own, name) in [(OwnText::PutIn, "other lengths"), (OwnText::Replaced, "one length")] {
        let of_share = |share: f64| {
            let some: Vec<&Estimate> = measured.iter().filter(|m| m.share == share && m.own == own).collect();
            (share.to_string(), some)
        };
        let shares = TRUTHS.map(of_share).into_iter().filter(|(_, some)| !some.is_empty()).collect();
        report.section(format!("Coverage by the share that is common, between texts of {name}"));
        report.table(by_rate("share", shares));
    }
    report.section("Identity of whole copies: estimate minus truth");
    report.table(identity(measured));
    report
}

fn by_rate(name: &str, rows: Vec<(String, Vec<&Estimate>)>) -> Table {
    let heads = RATES.map(|rate| format!("{:.0} %", rate * 100.0));
    let rows = rows.into_iter().map(|(name, some)| {
        let cell = |rate: f64| coverage_cell(some.iter().filter(|m| m.errors.rate == rate));
        named(name, RATES.map(cell))
    });
    Table::new(std::iter::once(name.to_owned()).chain(heads)).with_rows(rows)
}

/// The mean error with its sign, and the worst.
fn coverage_cell<'m>(some: impl Iterator<Item = &'m &'m Estimate>) -> String {
    let errors: Vec<f64> = some.flat_map(|m| m.coverage).collect();
    format!("{:+.3}, {:+.3}", mean(&errors), worst(errors.iter().copied()))
}

/// The error farthest from zero, the first of several.
fn worst(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |worst: f64, error| if error.abs() > worst.abs() { error } else { worst })
}

fn identity(measured: &[Estimate]) -> Table {
    let rows = all_errors().map(|errors| {
        let some: Vec<&Estimate> =
            measured.iter().filter(|m| m.errors == errors && m.identity.is_some()).collect();
        let of = |is_wanted: &dyn Fn(&Estimate) -> bool| -> Vec<f64> {
            some.iter().filter(|m| is_wanted(m)).filter_map(|m| m.identity).map(|(error, _)| error).collect()
        };
        let by_script = Script::ALL.map(|script| (mean(&of(&|m| m.script == script)), script));
        let (least, script) =
            by_script.into_iter().fold((0.0, Script::Latin), |worst: (f64, Script), one| {
                if one.0.abs() > worst.0.abs() { one } else { worst }
            });
        let held = some.iter().filter(|m| m.identity.is_some_and(|(_, held)| held)).count();
        let how = if errors.clustered { "in stretches" } else { "even" };
        let all = of(&|_| true);
        row![
            format!("{:.0} %, {how}", errors.rate * 100.0),
            signed(mean(&all), 4),
            signed(worst(all.iter().copied()), 4),
            format!("{script:?} {least:+.4}"),
            Cell::Ratio(held, some.len()),
        ]
    });
    Table::new(["errors", "mean", "worst", "worst script (mean)", "truth in the interval"]).with_rows(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_share_is_near_what_is_asked_for_and_known_exactly() {
        for share in TRUTHS {
            let mut shelf = Shelf::generated(Script::Cyrillic, 1);
            let made = partly_common(share, OwnText::Replaced, &mut shelf, &mut Rng::new(1));
            assert!(
                made.truth.iter().all(|truth| (truth - share).abs() < 0.02),
                "{:?} for {share}",
                made.truth
            );
            assert_eq!(made.pair.a == made.pair.b, share == 1.0);
        }
    }

    #[test]
    fn letters_are_counted_page_by_page() {
        let [a, b] = ["abcd\u{c}Efgh", "abxd\u{c}efg"].map(|text| Book::from_text(text).unwrap());
        assert_eq!(identical_share(&a, &b), 0.75);
        assert_eq!(identical_share(&a, &a), 1.0);
    }
}
