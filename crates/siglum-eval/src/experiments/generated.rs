//! Relations of generated pairs, whose truth is known: precision and recall of every class by error rate.
//!
//! Protocol of the study behind `trace-1`, §4, with more kinds: character errors on both sides independently, even or
//! in bad stretches. Rates over 5 % are beyond what is promised.

use crate::corpus::in_papers_classes;
use crate::experiment::Run;
use crate::metrics::Counts;
use crate::mutate::OcrErrors;
use crate::pairs::{Kind, Made, Shelf, Truth, judge, judge_made};
use crate::report::Report;
use crate::table::{Cell, Table, named, percent, row};
use crate::texts::RealTexts;
use anyhow::Result;
use siglum::{Class, Match, Relation};
use std::collections::BTreeMap;

/// Up to here every class must be right in 99 of 100 pairs.
const PROMISED_RATE: f64 = 0.05;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: RealTexts,
    /// This many pairs of every kind and language
    #[arg(long, value_name = "N", default_value_t = 2)]
    per_kind: u64,
    /// Errors per hundred characters
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_values_t = [0.0, 1.0, 2.0, 5.0, 8.0, 10.0])]
    errors: Vec<f64>,
    /// Cut real books of the corpus instead of generating some
    #[arg(long)]
    real: bool,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let mut shelves = match self.real {
            true => Shelf::of_corpus(&self.texts.corpus()?)?,
            false => Shelf::all_generated(),
        };
        let rates: Vec<f64> = self.errors.iter().map(|percent| percent / 100.0).collect();
        Ok(report(&mut shelves, self.per_kind, &rates))
    }
}

/// Makes pairs, judges them at every error rate, and counts.
pub fn report(shelves: &mut [Shelf], per_kind: u64, rates: &[f64]) -> Report {
    tables(&judge_made(shelves, per_kind, &OcrErrors::of_rates(rates), KindVerdict::of))
}

/// A verdict and what it should have been.
#[derive(Debug, Clone)]
struct KindVerdict {
    kind: Kind,
    language: String,
    /// Which of its kind and language.
    number: u64,
    errors: OcrErrors,
    expected: Class,
    /// The class found, or the right one if another that is accepted was found.
    found: Class,
    /// Whether the direction is right; `None` where there is none, or the class is wrong already.
    direction: Option<bool>,
    variant: Option<bool>,
    /// Whether the runs of pages are right.
    runs: Option<bool>,
    /// What was found, for a person.
    remark: String,
}

impl KindVerdict {
    fn of(made: &Made<'_>) -> KindVerdict {
        let (a, b) = made.pair.books();
        let truth = &made.pair.truth;
        let (found, relation) = judge(&a, &b, |segments| truth.evidence(segments));
        let right = truth.accepts(relation.class);
        KindVerdict {
            kind: made.kind,
            language: made.shelf.to_owned(),
            number: made.number,
            errors: made.errors,
            expected: truth.class,
            found: if right { truth.class } else { relation.class },
            direction: truth.direction.filter(|_| right).map(|known| relation.direction == Some(known)),
            variant: truth.variant.filter(|_| right).map(|known| relation.variant == Some(known)),
            runs: truth.accepts_runs(&found.page_runs).filter(|_| right),
            remark: remark(truth, &found, &relation),
        }
    }

    fn is_right(&self) -> bool {
        self.expected == self.found
    }

    fn is_promised(&self) -> bool {
        self.errors.rate <= PROMISED_RATE
    }
}

/// What was found, and what was expected where that is not the class.
fn remark(truth: &Truth, found: &Match, relation: &Relation) -> String {
    let mut text = format!(
        "coverage {:.3} {:.3}, {} segments, confidence {:.2}",
        found.a.coverage,
        found.b.coverage,
        found.segments.len(),
        relation.confidence
    );
    if let Some(pagination) = &found.pagination {
        let (agree, step, slope) = (pagination.breaks_agree, pagination.in_step, pagination.slope);
        text += &format!(", breaks {agree:.2} step {step:.2} slope {slope:.2}");
    }
    if let Some(variant) = truth.variant.filter(|variant| Some(*variant) != relation.variant) {
        let changed =
            (found.a.changed, found.b.changed, found.identity.map_or(0.0, |identity| identity.share));
        let (said, wanted) = (relation.variant, Some(variant));
        text += &format!(", variant {said:?} for {wanted:?} (changed, identity {changed:.3?})");
    }
    if truth.direction.is_some() && truth.direction != relation.direction {
        text += &format!(", direction {:?}", relation.direction);
    }
    if let Some(runs) = &truth.runs {
        let shown: Vec<[u32; 4]> =
            found.page_runs.iter().take(6).map(|r| [r.a_first, r.a_last, r.b_first, r.b_last]).collect();
        text += &format!(", runs {shown:?} of {} for {runs:?}", found.page_runs.len());
    }
    text + &format!("; {}", relation.why())
}

fn tables(outcomes: &[KindVerdict]) -> Report {
    let mut report = Report::new("Relations of pairs that were made");
    report.paragraph(format!("{} pairs", outcomes.len()));
    report.section("Precision / recall of every class, per cent");
    report.table(by_class(outcomes));
    report.section("Precision / recall in the paper's classes, per cent");
    report.table(by_class(&by_papers_classes(outcomes)));
    report.section("Right verdicts by kind");
    report.table(by_kind(outcomes));
    report.section("Of right verdicts to 5 % errors, those with the right …");
    report.table(details(outcomes));
    report.section("Right verdicts by language, to 5 % errors");
    report.table(by_language(outcomes));
    report.section("Confusions, all rates");
    report.table(confusions(outcomes));
    report.section("First errors of every kind");
    report.list(first_errors(outcomes));
    report
}

fn by_papers_classes(outcomes: &[KindVerdict]) -> Vec<KindVerdict> {
    let outcome = |outcome: &KindVerdict| KindVerdict {
        expected: in_papers_classes(outcome.expected),
        found: in_papers_classes(outcome.found),
        ..outcome.clone()
    };
    outcomes.iter().map(outcome).collect()
}

fn rates(outcomes: &[KindVerdict]) -> Vec<OcrErrors> {
    let mut rates: Vec<OcrErrors> = outcomes.iter().map(|outcome| outcome.errors).collect();
    rates.sort_by(|a, b| a.rate.total_cmp(&b.rate).then(a.clustered.cmp(&b.clustered)));
    rates.dedup();
    rates
}

/// Precision and recall in per cent, with the counts behind them.
fn scores(class: Class, outcomes: &[&KindVerdict]) -> String {
    let Counts { tp, fp, fn_ } = Counts::of(class, outcomes.iter().map(|o| (o.found, o.expected)));
    let share = |of: u64| percent(tp as usize, (tp + of) as usize, 1);
    format!("{} / {} ({tp} of {}, {fp} false)", share(fp), share(fn_), tp + fn_)
}

fn by_class(outcomes: &[KindVerdict]) -> Table {
    let heads = ["errors", "all right"].into_iter().chain(Class::ALL.iter().map(|class| class.name()));
    let mut table = Table::new(heads);
    let mut row = |name: String, chosen: &dyn Fn(&&KindVerdict) -> bool| {
        let some: Vec<&KindVerdict> = outcomes.iter().filter(chosen).collect();
        let right = some.iter().filter(|outcome| outcome.is_right()).count();
        let cells = Class::ALL.map(|class| scores(class, &some).into());
        table.row(row![name, percent(right, some.len(), 2)].into_iter().chain(cells));
    };
    row("all to 5 %".into(), &|outcome| outcome.is_promised());
    for errors in rates(outcomes) {
        row(errors.name(), &|outcome| outcome.errors == errors);
    }
    table
}

fn ratio<'o>(outcomes: impl Iterator<Item = &'o KindVerdict>) -> Cell {
    let right: Vec<bool> = outcomes.map(KindVerdict::is_right).collect();
    Cell::Ratio(right.iter().filter(|right| **right).count(), right.len())
}

fn by_kind(outcomes: &[KindVerdict]) -> Table {
    let rates = rates(outcomes);
    let heads = ["kind", "class"].map(str::to_owned).into_iter().chain(rates.iter().map(OcrErrors::name));
    let rows = Kind::ALL.into_iter().filter_map(|kind| {
        let first = outcomes.iter().find(|outcome| outcome.kind == kind)?;
        let of_kind = || outcomes.iter().filter(|outcome| outcome.kind == kind);
        let cells = rates.iter().map(|errors| ratio(of_kind().filter(|outcome| outcome.errors == *errors)));
        Some(row![kind.name(), first.expected].into_iter().chain(cells).collect())
    });
    Table::new(heads).with_rows(rows)
}

/// Of right verdicts, how many have what belongs to them.
fn details(outcomes: &[KindVerdict]) -> Table {
    let rows = Kind::ALL.into_iter().filter_map(|kind| {
        let cell = |detail: fn(&KindVerdict) -> Option<bool>| {
            let of_kind = outcomes.iter().filter(|outcome| outcome.kind == kind && outcome.is_promised());
            let known: Vec<bool> = of_kind.filter_map(detail).collect();
            let right = known.iter().filter(|right| **right).count();
            (!known.is_empty()).then_some(Cell::Ratio(right, known.len()))
        };
        let cells = [cell(|o| o.direction), cell(|o| o.variant), cell(|o| o.runs)];
        let is_known = cells.iter().any(Option::is_some);
        is_known.then(|| named(kind.name(), cells))
    });
    Table::new(["kind", "direction", "variant", "runs of pages"]).with_rows(rows)
}

fn by_language(outcomes: &[KindVerdict]) -> Table {
    let mut languages: BTreeMap<&str, Vec<&KindVerdict>> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.is_promised()) {
        languages.entry(&outcome.language).or_default().push(outcome);
    }
    let rows = languages.into_iter().map(|(language, some)| row![language, ratio(some.into_iter())]);
    Table::new(["language", "right"]).with_rows(rows)
}

fn confusions(outcomes: &[KindVerdict]) -> Table {
    let mut counts: BTreeMap<(Class, Class, Kind), usize> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| !outcome.is_right()) {
        *counts.entry((outcome.expected, outcome.found, outcome.kind)).or_default() += 1;
    }
    let rows = counts.into_iter().map(|((expected, found, kind), n)| row![expected, found, kind.name(), n]);
    Table::new(["expected", "found", "kind", "times"]).with_rows(rows)
}

/// The first errors of every kind, wrong classes before wrong details.
fn first_errors(outcomes: &[KindVerdict]) -> Vec<String> {
    const OF_A_KIND: usize = 3;
    let details =
        |outcome: &&KindVerdict| [outcome.direction, outcome.variant, outcome.runs].contains(&Some(false));
    let line = |outcome: &KindVerdict| {
        let KindVerdict { kind, language, number, errors, expected, found, remark, .. } = outcome;
        let what = if outcome.is_right() { "detail".to_owned() } else { format!("{found} for {expected}") };
        format!("{} ({language} {number}, {}): {what}; {remark}", kind.name(), errors.name())
    };
    let of_kind = |kind: Kind| {
        let of_kind = || outcomes.iter().filter(move |outcome| outcome.kind == kind);
        let wrong = of_kind().filter(|outcome| !outcome.is_right()).take(OF_A_KIND);
        wrong.chain(of_kind().filter(details).take(OF_A_KIND)).map(line).collect::<Vec<_>>()
    };
    Kind::ALL.into_iter().flat_map(of_kind).collect()
}
