//! Relations of real books: verdicts against labels, with and without what a library knows.
//!
//! Pairs are cut in halves by the lowest bit of BLAKE3(id_a TAB id_b): 0 is tuned on, 1 is not.

use super::library_evidence::StoredMatches;
use crate::corpus::{Confidence, Corpus, PairEntry, TextEntry, places, read_witness};
use crate::experiment::Run;
use crate::metrics::Counts;
use crate::report::Report;
use crate::table::{Table, number, percent, row};
use crate::texts::RealTexts;
use anyhow::Result;
use rayon::prelude::*;
use siglum::align::Segment;
use siglum::{Class, Evidence, Match, Relation, Witness, align, relate};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The books of a corpus as witnesses, in order of the manifest.
pub struct Witnesses {
    pub witnesses: Vec<Witness>,
    places: HashMap<String, usize>,
}

/// A labelled pair and what was said of it.
#[derive(Debug, Clone)]
pub struct Verdict {
    pub pair: PairEntry,
    /// Whether it belongs to the half that was tuned on.
    pub tuned: bool,
    pub found: Match,
    pub evidence: Option<Evidence>,
    pub relation: Relation,
}

impl Witnesses {
    pub fn of_corpus(corpus: &Corpus) -> Result<Witnesses> {
        let witnesses = corpus.texts.par_iter().map(read_witness).collect::<Result<Vec<_>>>()?;
        let places = places(&corpus.texts).into_iter().map(|(id, at)| (id.to_owned(), at)).collect();
        Ok(Witnesses { witnesses, places })
    }

    /// Judges all labelled pairs, with evidence of the library or without.
    pub fn verdicts(&self, corpus: &Corpus, stored: Option<&StoredMatches>) -> Vec<Verdict> {
        let verdict = |pair: &PairEntry| {
            let (found, evidence, relation) = self.judge(self.places[&pair.a], self.places[&pair.b], stored);
            Verdict { pair: pair.clone(), tuned: is_tuned(pair), found, evidence, relation }
        };
        corpus.pairs.par_iter().map(verdict).collect()
    }

    fn judge(
        &self,
        a: usize,
        b: usize,
        stored: Option<&StoredMatches>,
    ) -> (Match, Option<Evidence>, Relation) {
        let found = align(&self.witnesses[a], &self.witnesses[b]);
        let evidence = stored.map(|stored| stored.evidence(a, b, &found));
        let relation = relate(&found, evidence.as_ref());
        (found, evidence, relation)
    }
}

/// Whether a pair belongs to the half that constants may be tuned on.
pub fn is_tuned(pair: &PairEntry) -> bool {
    let hash = blake3::hash(format!("{}\t{}", pair.a, pair.b).as_bytes());
    hash.as_bytes()[31] & 1 == 0
}

impl Verdict {
    /// Whether the class is the label's, or of an ambiguous pair one a fair judge would accept. Of two paged books
    /// the corpus's `OVERLAPPING_TEXT` includes "contained, different pagination" (its README).
    pub fn is_right(&self) -> bool {
        let (class, pair) = (self.relation.class, &self.pair);
        let accepts = |label: Class| pair.relation == label || pair.also_acceptable.contains(&label);
        let paged = self.found.a.n_pages.is_some() && self.found.b.n_pages.is_some();
        let contained = class == Class::ContainedText && paged && accepts(Class::OverlappingText);
        let ambiguous = pair.confidence == Confidence::Ambiguous;
        pair.relation == class || (ambiguous && (accepts(class) || contained))
    }

    /// The label a verdict is counted under: its own class where that is acceptable.
    fn counted_label(&self) -> Class {
        if self.is_right() { self.relation.class } else { self.pair.relation }
    }

    /// The first segments: letters aligned, where in either book, and how many other books hold them.
    fn segments(&self) -> String {
        let Match { a, b, segments, .. } = &self.found;
        let share = |at: u32, n: u32| 100.0 * f64::from(at) / f64::from(n.max(1));
        let holders = self.evidence.as_ref().and_then(|evidence| evidence.holders.as_ref());
        let segment = |(at, s): (usize, &Segment)| {
            let holders = holders.and_then(|holders| holders.get(at)).map_or(0, |&n| n);
            let letters = s.aligned_a.min(s.aligned_b);
            let (in_a, in_b) = (share(s.a.start, a.n_letters), share(s.b.start, b.n_letters));
            format!("{letters}@{in_a:.0}%/{in_b:.0}%x{holders}")
        };
        segments.iter().enumerate().take(6).map(segment).collect::<Vec<_>>().join(" ")
    }
}

/// Real pairs, judged with what a library knows and without.
pub fn report(corpus: &Corpus) -> Result<Report> {
    let library = Witnesses::of_corpus(corpus)?;
    let stored = StoredMatches::new(&library.witnesses);
    let mut report = Report::new("Relations of real books");
    report.paragraph(format!(
        "{} books, {} candidates, {} stored matches of {} bytes in the mean",
        library.witnesses.len(),
        stored.n_candidates,
        stored.n_matches,
        stored.n_bytes / stored.n_matches.max(1)
    ));
    for (title, stored) in [("With library evidence", Some(&stored)), ("Two books alone", None)] {
        let verdicts = library.verdicts(corpus, stored);
        report.section(title);
        report.table(overall(&verdicts));
        report.table(by_class(&verdicts));
        errors(&verdicts, &mut report);
    }
    Ok(report)
}

type IsWanted = fn(&Verdict) -> bool;

fn is_sure(verdict: &Verdict) -> bool {
    verdict.pair.confidence == Confidence::Sure
}

fn overall(verdicts: &[Verdict]) -> Table {
    let some: [(&str, IsWanted); 5] = [
        ("all", |_| true),
        ("tuned half", |verdict| verdict.tuned),
        ("other half", |verdict| !verdict.tuned),
        ("sure", is_sure),
        ("sure, other half", |verdict| is_sure(verdict) && !verdict.tuned),
    ];
    Table::new(["pairs", "n", "right", "%"]).with_rows(some.map(|(name, is_wanted)| {
        let of: Vec<&Verdict> = verdicts.iter().filter(|verdict| is_wanted(verdict)).collect();
        let right = of.iter().filter(|verdict| verdict.is_right()).count();
        row![name, of.len(), right, percent(right, of.len(), 1)]
    }))
}

fn by_class(verdicts: &[Verdict]) -> Table {
    let heads = ["class", "n", "precision", "recall", "other half: n", "precision", "recall"];
    Table::new(heads).with_rows(Class::ALL.map(|class| {
        let mut row = row![class];
        for half in [false, true] {
            let of = verdicts.iter().filter(|verdict| !half || !verdict.tuned);
            let counts =
                Counts::of(class, of.map(|verdict| (verdict.relation.class, verdict.counted_label())));
            let share = |of: u64| percent(counts.tp as usize, (counts.tp + of) as usize, 1);
            row.extend(row![counts.tp + counts.fn_, share(counts.fp), share(counts.fn_)]);
        }
        row
    }))
}

/// Wrong verdicts: how many of each kind, and each with what the rules look at.
fn errors(verdicts: &[Verdict], report: &mut Report) {
    let mut confusions: BTreeMap<(Class, Class), usize> = BTreeMap::new();
    let heads =
        ["half", "pair", "label", "said", "confidence", "coverage", "alone", "body, longest, ends", "pages"];
    let mut table = Table::new(heads);
    for verdict in verdicts.iter().filter(|verdict| !verdict.is_right()) {
        let (pair, said) = (&verdict.pair, &verdict.relation);
        *confusions.entry((pair.relation, said.class)).or_default() += 1;
        let Match { a, b, pagination, .. } = &verdict.found;
        let doubt = if pair.confidence == Confidence::Ambiguous { "?" } else { "" };
        let pages = pagination
            .map(|p| format!("{:.2} {:.2} {:.2} of {}", p.breaks_agree, p.in_step, p.slope, p.n_mapped));
        table.row(row![
            if verdict.tuned { "tuned" } else { "other" },
            format!("{} {} {}", pair.a, pair.b, pair.detail),
            format!("{}{doubt}", pair.relation),
            said.class,
            number(said.confidence, 2),
            format!("{:.2} {:.2} of {} {}", a.coverage, b.coverage, a.n_letters, b.n_letters),
            format!("{:.2} {:.2}", a.longest_alone, b.longest_alone),
            verdict.segments(),
            pages,
        ]);
    }
    let confusions = confusions.iter().map(|((label, said), n)| format!("{label} called {said}: {n}"));
    report.paragraph(confusions.collect::<Vec<_>>().join("; "));
    report.table(table);
}

#[derive(Debug, clap::Args)]
pub struct Census {
    #[command(flatten)]
    texts: RealTexts,
    /// Judge with what the library knows of common passages
    #[arg(long)]
    evidence: bool,
}

impl Run for Census {
    fn run(&self) -> Result<Report> {
        census(&self.texts.corpus()?, self.evidence)
    }
}

/// All pairs of the corpus that are not listed and called related.
pub fn census(corpus: &Corpus, with_evidence: bool) -> Result<Report> {
    let library = Witnesses::of_corpus(corpus)?;
    let stored = with_evidence.then(|| StoredMatches::new(&library.witnesses));
    let places = corpus.pairs.iter().map(|pair| (library.places[&pair.a], library.places[&pair.b]));
    let listed: HashSet<(usize, usize)> = places.flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    let n = library.witnesses.len();
    let related = |a: usize| {
        let judged = (a + 1..n).filter(|&b| !listed.contains(&(a, b))).filter_map(|b| {
            let (found, _, relation) = library.judge(a, b, stored.as_ref());
            (relation.class != Class::Unrelated).then_some((a, b, found, relation))
        });
        judged.collect::<Vec<_>>()
    };
    let survivors: Vec<_> = (0..n).into_par_iter().flat_map_iter(related).collect();
    let mut report = Report::new("Pairs that are not listed");
    let n_unlisted = n * (n - 1) / 2 - corpus.pairs.len();
    report.paragraph(format!("{n_unlisted} pairs not listed, {} called related", survivors.len()));
    if let Some(stored) = &stored {
        let missed = survivors.iter().filter(|(a, b, ..)| !stored.holds(*a, *b)).count();
        report.paragraph(format!("{missed} of them share too few keys to be candidates"));
    }
    let name = |at: usize| {
        let TextEntry { id, title, author, .. } = &corpus.texts[at];
        format!("{id} {} ({author})", title.chars().take(40).collect::<String>())
    };
    let rows = survivors.into_iter().map(|(a, b, found, relation)| {
        let longest = found.segments.iter().max_by_key(|s| s.aligned_a.min(s.aligned_b));
        let letters = longest.map_or(0, |s| s.aligned_a.min(s.aligned_b));
        let at = |start: fn(&Segment) -> u32, n: u32| {
            longest.map_or(0.0, |s| 100.0 * f64::from(start(s)) / f64::from(n))
        };
        let (in_a, in_b) = (at(|s| s.a.start, found.a.n_letters), at(|s| s.b.start, found.b.n_letters));
        row![
            name(a),
            name(b),
            relation.class,
            number(relation.confidence, 2),
            format!("{:.3} {:.3}", found.a.coverage, found.b.coverage),
            format!("{letters} at {in_a:.0} % and {in_b:.0} %"),
        ]
    });
    let heads = ["a", "b", "said", "confidence", "coverage", "longest run"];
    report.table(Table::new(heads).with_rows(rows));
    Ok(report)
}
