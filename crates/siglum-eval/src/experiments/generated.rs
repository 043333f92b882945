//! Relations of generated pairs, whose truth is known: precision and recall of every class by error rate.
//!
//! Protocol of the study behind `trace-1`, §4, with more kinds: character errors on both sides independently, even or
//! in bad stretches. Rates over 5 % are beyond what is promised.

use crate::generate::Script;
use crate::mutate::OcrErrors;
use crate::pairs::{Kind, LANGUAGES, Method, Pair, Shelf, make};
use crate::rng::Rng;
use rayon::prelude::*;
use siglum::{Class, Direction, Match, Relation, Variant};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Up to here every class must be right in 99 of 100 pairs.
pub const PROMISED_RATE: f64 = 0.05;

/// A verdict and what it should have been.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How the pair was made.
    pub kind: Kind,
    /// Of which language.
    pub language: String,
    /// Which of its kind and language.
    pub number: u64,
    /// How it was scanned.
    pub errors: OcrErrors,
    /// The right class.
    pub expected: Class,
    /// The class found, or the right one if another that is accepted was found.
    pub found: Class,
    /// Whether the direction is right; `None` where there is none, or the class is wrong already.
    pub direction: Option<bool>,
    /// Whether the variant is.
    pub variant: Option<bool>,
    /// Whether the runs of pages are.
    pub runs: Option<bool>,
    /// What was found, for a person.
    pub remark: String,
}

/// Makes pairs, and judges them at every error rate.
pub fn measure(shelves: &mut [Shelf], per_kind: u64, errors: &[OcrErrors], method: Method) -> Vec<Outcome> {
    let of_shelf = |shelf: &mut Shelf| {
        let mut outcomes = Vec::new();
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            for number in 0..per_kind {
                shelf.skip_to((at as u64 * 1_000 + number) * 20);
                let mut rng = Rng::named(number, &format!("{} {}", shelf.name, kind.name()));
                let pair = make(kind, shelf, &mut rng);
                let judged = errors.iter().enumerate().map(|(at, errors)| {
                    let scanned = pair.scanned(errors, rng.clone().next_u64() ^ at as u64);
                    judge(kind, &shelf.name, number, *errors, &scanned, method)
                });
                outcomes.extend(judged);
            }
        }
        outcomes
    };
    shelves.par_iter_mut().flat_map_iter(of_shelf).collect()
}

/// The shelves of generated books.
pub fn shelves() -> Vec<Shelf> {
    LANGUAGES.par_iter().map(|&(script, seed): &(Script, u64)| Shelf::generated(script, seed)).collect()
}

/// Every rate, even and in bad stretches.
pub fn all_errors(rates: &[f64]) -> Vec<OcrErrors> {
    let both = |&rate: &f64| [false, true].map(|clustered| OcrErrors { rate, clustered });
    rates.iter().flat_map(both).filter(|errors| errors.rate > 0.0 || !errors.clustered).collect()
}

fn judge(kind: Kind, language: &str, number: u64, errors: OcrErrors, pair: &Pair, method: Method) -> Outcome {
    let (a, b) = pair.books();
    let (found, relation) = method.judge(&a, &b, |segments| pair.truth.evidence(segments));
    let truth = &pair.truth;
    let right = truth.accepts(relation.class);
    Outcome {
        kind,
        language: language.to_owned(),
        number,
        errors,
        expected: truth.class,
        found: if right { truth.class } else { relation.class },
        direction: truth.direction.filter(|_| right).map(|direction| relation.direction == Some(direction)),
        variant: truth.variant.filter(|_| right).map(|variant| relation.variant == Some(variant)),
        runs: truth.accepts_runs(&found.page_runs).filter(|_| right),
        remark: remark(truth.variant, truth.direction, truth.runs.as_deref(), &found, &relation),
    }
}

/// What was found, and what was expected where that is not the class.
fn remark(
    variant: Option<Variant>,
    direction: Option<Direction>,
    runs: Option<&[[u32; 4]]>,
    found: &Match,
    relation: &Relation,
) -> String {
    let mut text = format!(
        "coverage {:.3} {:.3}, {} segments, confidence {:.2}",
        found.a.coverage,
        found.b.coverage,
        found.segments.len(),
        relation.confidence
    );
    if let Some(pagination) = &found.pagination {
        let (agree, step, slope) = (pagination.breaks_agree, pagination.in_step, pagination.slope);
        write!(text, ", breaks {agree:.2} step {step:.2} slope {slope:.2}").expect("writing to a string");
    }
    if variant.is_some() && variant != relation.variant {
        let changed =
            (found.a.changed, found.b.changed, found.identity.map_or(0.0, |identity| identity.share));
        write!(text, ", variant {:?} for {variant:?} (changed, identity {changed:.3?})", relation.variant)
            .expect("writing to a string");
    }
    if direction.is_some() && direction != relation.direction {
        write!(text, ", direction {:?}", relation.direction).expect("writing to a string");
    }
    if let Some(runs) = runs {
        let shown: Vec<[u32; 4]> =
            found.page_runs.iter().take(6).map(|r| [r.a_first, r.a_last, r.b_first, r.b_last]).collect();
        write!(text, ", runs {shown:?} of {} for {runs:?}", found.page_runs.len())
            .expect("writing to a string");
    }
    write!(text, "; {}", relation.why()).expect("writing to a string");
    text
}

/// All tables of some outcomes; by pages only in the paper's classes, which are all it has.
pub fn report(outcomes: &[Outcome], method: Method) -> String {
    let in_papers = in_papers_classes(outcomes);
    let outcomes = if method == Method::Pages { &in_papers } else { outcomes };
    let mut page = format!("{} pairs\n\n", outcomes.len());
    page.push_str(&classes_table(outcomes));
    if method == Method::Trace {
        page.push_str(&classes_table(&in_papers).replacen("of every class", "in the paper's classes", 1));
    }
    page.push_str(&kinds_table(outcomes));
    page.push_str(&details_table(outcomes));
    page.push_str(&languages_table(outcomes));
    page.push_str(&confusions(outcomes));
    page.push_str(&first_errors(outcomes));
    page
}

/// The same by the classes of Spasojevic & Poncin 2011, §IV-A.
fn in_papers_classes(outcomes: &[Outcome]) -> Vec<Outcome> {
    let papers = |class: Class| match class {
        Class::SameText => Class::DifferentPagination,
        Class::ContainedText => Class::OverlappingText,
        other => other,
    };
    let outcome = |outcome: &Outcome| Outcome {
        expected: papers(outcome.expected),
        found: papers(outcome.found),
        ..outcome.clone()
    };
    outcomes.iter().map(outcome).collect()
}

fn errors_name(errors: &OcrErrors) -> String {
    let how = if errors.rate == 0.0 {
        ""
    } else if errors.clustered {
        ", in stretches"
    } else {
        ", even"
    };
    format!("{:.0} %{how}", errors.rate * 100.0)
}

/// The error rates in their order.
fn rates(outcomes: &[Outcome]) -> Vec<OcrErrors> {
    let mut rates: Vec<OcrErrors> = outcomes.iter().map(|outcome| outcome.errors).collect();
    rates.sort_by(|a, b| {
        (a.rate, a.clustered).partial_cmp(&(b.rate, b.clustered)).expect("rates are numbers")
    });
    rates.dedup();
    rates
}

/// Right and wrong verdicts of one class.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    right: u32,
    missed: u32,
    wrong: u32,
}

impl Tally {
    fn of<'o>(class: Class, outcomes: impl Iterator<Item = &'o Outcome>) -> Tally {
        let mut tally = Tally::default();
        for outcome in outcomes {
            match (outcome.expected == class, outcome.found == class) {
                (true, true) => tally.right += 1,
                (true, false) => tally.missed += 1,
                (false, true) => tally.wrong += 1,
                (false, false) => {}
            }
        }
        tally
    }

    /// Precision and recall in per cent, with the counts behind them.
    fn cell(self) -> String {
        let percent = |of: u32| 100.0 * f64::from(self.right) / f64::from(self.right + of).max(1.0);
        format!(
            "{:.1} / {:.1} ({} of {}, {} false)",
            percent(self.wrong),
            percent(self.missed),
            self.right,
            self.right + self.missed,
            self.wrong
        )
    }
}

fn classes_table(outcomes: &[Outcome]) -> String {
    let names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
    let mut table = format!(
        "## Precision / recall of every class, per cent\n\n| errors | all right | {} |\n|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    let mut row = |name: String, chosen: &dyn Fn(&&Outcome) -> bool| {
        let some: Vec<&Outcome> = outcomes.iter().filter(chosen).collect();
        let right = some.iter().filter(|outcome| outcome.expected == outcome.found).count();
        let cells: Vec<String> =
            Class::ALL.iter().map(|class| Tally::of(*class, some.iter().copied()).cell()).collect();
        let share = 100.0 * right as f64 / some.len().max(1) as f64;
        writeln!(table, "| {name} | {share:.2} | {} |", cells.join(" | ")).expect("writing to a string");
    };
    row("all to 5 %".into(), &|outcome| outcome.errors.rate <= PROMISED_RATE);
    for errors in rates(outcomes) {
        row(errors_name(&errors), &|outcome| outcome.errors == errors);
    }
    table + "\n"
}

fn kinds_table(outcomes: &[Outcome]) -> String {
    let rates = rates(outcomes);
    let names: Vec<String> = rates.iter().map(errors_name).collect();
    let mut table = format!(
        "## Right verdicts by kind\n\n| kind | class | {} |\n|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    for kind in Kind::ALL {
        let of_kind: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.kind == kind).collect();
        let Some(first) = of_kind.first() else { continue };
        let cells: Vec<String> = rates
            .iter()
            .map(|errors| {
                let some = || of_kind.iter().filter(|outcome| outcome.errors == *errors);
                format!(
                    "{}/{}",
                    some().filter(|outcome| outcome.expected == outcome.found).count(),
                    some().count()
                )
            })
            .collect();
        writeln!(table, "| {} | {} | {} |", kind.name(), first.expected, cells.join(" | "))
            .expect("writing to a string");
    }
    table + "\n"
}

/// Of right verdicts, how many have what belongs to them, to 5 % errors.
fn details_table(outcomes: &[Outcome]) -> String {
    let mut table = String::from(
        "## Of right verdicts to 5 % errors, those with the right …\n\n| kind | direction | variant | runs of pages |\n|---|---|---|---|\n",
    );
    for kind in Kind::ALL {
        let of_kind =
            || outcomes.iter().filter(|outcome| outcome.kind == kind && outcome.errors.rate <= PROMISED_RATE);
        let cell = |detail: fn(&Outcome) -> Option<bool>| {
            let known: Vec<bool> = of_kind().filter_map(detail).collect();
            if known.is_empty() {
                String::new()
            } else {
                format!("{}/{}", known.iter().filter(|right| **right).count(), known.len())
            }
        };
        let cells = [cell(|o| o.direction), cell(|o| o.variant), cell(|o| o.runs)];
        if cells.iter().any(|cell| !cell.is_empty()) {
            writeln!(table, "| {} | {} |", kind.name(), cells.join(" | ")).expect("writing to a string");
        }
    }
    table + "\n"
}

fn languages_table(outcomes: &[Outcome]) -> String {
    let mut by_language: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.errors.rate <= PROMISED_RATE) {
        let (right, all) = by_language.entry(&outcome.language).or_default();
        *right += usize::from(outcome.expected == outcome.found);
        *all += 1;
    }
    let mut table =
        String::from("## Right verdicts by language, to 5 % errors\n\n| language | right |\n|---|---|\n");
    for (language, (right, all)) in by_language {
        writeln!(table, "| {language} | {right}/{all} |").expect("writing to a string");
    }
    table + "\n"
}

fn confusions(outcomes: &[Outcome]) -> String {
    let mut counts: BTreeMap<(Class, Class, Kind), usize> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.expected != outcome.found) {
        *counts.entry((outcome.expected, outcome.found, outcome.kind)).or_default() += 1;
    }
    let mut table =
        String::from("## Confusions, all rates\n\n| expected | found | kind | times |\n|---|---|---|---|\n");
    for ((expected, found, kind), n) in counts {
        writeln!(table, "| {expected} | {found} | {} | {n} |", kind.name()).expect("writing to a string");
    }
    table + "\n"
}

/// The first errors of every kind, wrong classes before wrong details.
fn first_errors(outcomes: &[Outcome]) -> String {
    const OF_A_KIND: usize = 3;
    let mut text = String::from("## First errors of every kind\n\n");
    let is_wrong = |outcome: &&Outcome| outcome.expected != outcome.found;
    let details =
        |outcome: &&Outcome| [outcome.direction, outcome.variant, outcome.runs].contains(&Some(false));
    for kind in Kind::ALL {
        let of_kind = || outcomes.iter().filter(|outcome| outcome.kind == kind);
        let wrong = of_kind().filter(is_wrong).take(OF_A_KIND);
        for outcome in wrong.chain(of_kind().filter(details).take(OF_A_KIND)) {
            let what = if is_wrong(&outcome) {
                format!("{} for {}", outcome.found, outcome.expected)
            } else {
                "detail".to_owned()
            };
            writeln!(
                text,
                "- {} ({} {}, {}): {what}; {}",
                kind.name(),
                outcome.language,
                outcome.number,
                errors_name(&outcome.errors),
                outcome.remark
            )
            .expect("writing to a string");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(expected: Class, found: Class) -> Outcome {
        Outcome {
            kind: Kind::SamePages,
            language: "Latin 1".into(),
            number: 0,
            errors: OcrErrors { rate: 0.0, clustered: false },
            expected,
            found,
            direction: None,
            variant: Some(true),
            runs: None,
            remark: String::new(),
        }
    }

    #[test]
    fn a_tally_counts_misses_and_false_ones() {
        use Class::{SameText, Unrelated};
        let outcomes =
            [outcome(SameText, SameText), outcome(SameText, Unrelated), outcome(Unrelated, Unrelated)];
        assert_eq!(Tally::of(SameText, outcomes.iter()).cell(), "100.0 / 50.0 (1 of 2, 0 false)");
        assert_eq!(Tally::of(Unrelated, outcomes.iter()).cell(), "50.0 / 100.0 (1 of 1, 1 false)");
    }

    #[test]
    fn clean_copies_are_not_scanned_twice() {
        let names: Vec<String> = all_errors(&[0.0, 0.02]).iter().map(errors_name).collect();
        assert_eq!(names, ["0 %", "2 %, even", "2 %, in stretches"]);
    }

    #[test]
    fn tables_have_a_row_for_what_was_measured() {
        let page = report(&[outcome(Class::SameText, Class::Unrelated)], Method::Trace);
        assert!(page.contains("| SAME_TEXT | UNRELATED | same pages | 1 |"), "{page}");
        assert!(page.contains("| same pages | SAME_TEXT | 0/1 |") && page.contains("| Latin 1 | 0/1 |"));
    }
}
