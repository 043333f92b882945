//! Relations of real books: verdicts against labels, with and without what a library knows.
//!
//! Pairs are cut in halves by the lowest bit of BLAKE3(id_a TAB id_b): 0 is tuned on, 1 is not.

use crate::corpus::{Confidence, Corpus, PairEntry, read_text};
use crate::experiments::library_evidence::StoredMatches;
use anyhow::Result;
use rayon::prelude::*;
use siglum::{Book, Class, Evidence, Match, Relation, Witness, align, relate};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

/// The books of a corpus as witnesses, in order of the manifest.
pub struct Library {
    /// The witnesses.
    pub witnesses: Vec<Witness>,
    places: HashMap<String, usize>,
}

/// A labelled pair and what was said of it.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The pair.
    pub pair: PairEntry,
    /// Whether it belongs to the half that was tuned on.
    pub tuned: bool,
    /// What was found.
    pub found: Match,
    /// With what evidence.
    pub evidence: Option<Evidence>,
    /// What was said.
    pub relation: Relation,
}

impl Library {
    /// Reads all books of a corpus.
    pub fn of_corpus(corpus: &Corpus) -> Result<Library> {
        let witness = |entry| Ok(Witness::of_book(&Book::from_text(read_text(entry)?)?));
        let witnesses = corpus.texts.par_iter().map(witness).collect::<Result<Vec<_>>>()?;
        let places = corpus.texts.iter().enumerate().map(|(at, entry)| (entry.id.clone(), at)).collect();
        Ok(Library { witnesses, places })
    }

    /// Judges all labelled pairs, with evidence of the library or without.
    pub fn verdicts(&self, corpus: &Corpus, stored: Option<&StoredMatches>) -> Vec<Verdict> {
        let verdict = |pair: &PairEntry| {
            let (a, b) = (self.places[&pair.a], self.places[&pair.b]);
            let found = align(&self.witnesses[a], &self.witnesses[b]);
            let evidence = stored.map(|stored| stored.evidence(a, b, &found));
            let relation = relate(&found, evidence.as_ref());
            Verdict { pair: pair.clone(), tuned: is_tuned(pair), found, evidence, relation }
        };
        corpus.pairs.par_iter().map(verdict).collect()
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
}

/// The tables of real pairs.
pub fn report(corpus: &Corpus) -> Result<String> {
    let library = Library::of_corpus(corpus)?;
    let stored = StoredMatches::new(&library.witnesses);
    let mut out = format!(
        "{} books, {} candidates, {} stored matches of {} bytes in the mean\n\n",
        library.witnesses.len(),
        stored.n_candidates,
        stored.n_matches,
        stored.n_bytes / stored.n_matches.max(1)
    );
    for (title, stored) in [("With library evidence", Some(&stored)), ("Two books alone", None)] {
        let verdicts = library.verdicts(corpus, stored);
        writeln!(out, "## {title}\n\n{}", overall(&verdicts))?;
        writeln!(out, "{}", by_class(&verdicts))?;
        writeln!(out, "{}", errors(&verdicts))?;
    }
    Ok(out)
}

/// Every labelled pair with what the rules look at, judged with library evidence, a line each.
pub fn listing(corpus: &Corpus) -> Result<String> {
    let library = Library::of_corpus(corpus)?;
    let stored = StoredMatches::new(&library.witnesses);
    let mut out = String::from(
        "tuned\ta\tb\tlabel\tsaid\tright\tconfidence\tcoverage_a\tcoverage_b\talone_a\talone_b\tchanged_a\tchanged_b\tdrift\tidentity\tletters_a\tletters_b\n",
    );
    for verdict in library.verdicts(corpus, Some(&stored)) {
        let (found, pair, said) = (&verdict.found, &verdict.pair, &verdict.relation);
        writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}\t{}\t{:.6}\t{:.3}\t{:.3}\t{:.3}\t{:.3}\t{:.3}\t{:.3}\t{:.4}\t{:.3}\t{}\t{}",
            verdict.tuned,
            pair.a,
            pair.b,
            pair.relation,
            said.class,
            verdict.is_right(),
            said.confidence,
            found.a.coverage,
            found.b.coverage,
            found.a.longest_alone,
            found.b.longest_alone,
            found.a.changed,
            found.b.changed,
            found.drift,
            found.identity.map_or(0.0, |identity| identity.share),
            found.a.n_letters,
            found.b.n_letters,
        )?;
    }
    Ok(out)
}

fn overall(verdicts: &[Verdict]) -> String {
    let mut out = String::from("| pairs | n | right | % |\n|---|---|---|---|\n");
    let mut line = |name: &str, of: Vec<&Verdict>| {
        let right = of.iter().filter(|verdict| verdict.is_right()).count();
        let share = 100.0 * right as f64 / of.len().max(1) as f64;
        writeln!(out, "| {name} | {} | {right} | {share:.1} |", of.len()).expect("a string");
    };
    let sure = |verdict: &&Verdict| verdict.pair.confidence == Confidence::Sure;
    line("all", verdicts.iter().collect());
    line("tuned half", verdicts.iter().filter(|verdict| verdict.tuned).collect());
    line("other half", verdicts.iter().filter(|verdict| !verdict.tuned).collect());
    line("sure", verdicts.iter().filter(sure).collect());
    line("sure, other half", verdicts.iter().filter(sure).filter(|verdict| !verdict.tuned).collect());
    out
}

fn by_class(verdicts: &[Verdict]) -> String {
    let mut out = String::from(
        "| class | n | precision | recall | other half: n | precision | recall |\n|---|---|---|---|---|---|---|\n",
    );
    for class in Class::ALL {
        write!(out, "| {class} |").expect("a string");
        for half in [false, true] {
            let of: Vec<&Verdict> = verdicts.iter().filter(|verdict| !half || !verdict.tuned).collect();
            let n = of.iter().filter(|verdict| verdict.counted_label() == class).count();
            let said = of.iter().filter(|verdict| verdict.relation.class == class).count();
            let right =
                of.iter().filter(|verdict| verdict.relation.class == class && verdict.is_right()).count();
            let share = |of: usize| 100.0 * right as f64 / of.max(1) as f64;
            write!(out, " {n} | {:.1} | {:.1} |", share(said), share(n)).expect("a string");
        }
        out.push('\n');
    }
    out
}

fn errors(verdicts: &[Verdict]) -> String {
    let mut confusions: BTreeMap<(Class, Class), usize> = BTreeMap::new();
    let mut out = String::from(
        "| half | pair | label | said | confidence | coverage | alone | body, longest, ends | pages |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for verdict in verdicts.iter().filter(|verdict| !verdict.is_right()) {
        let (found, pair) = (&verdict.found, &verdict.pair);
        *confusions.entry((pair.relation, verdict.relation.class)).or_default() += 1;
        let half = if verdict.tuned { "tuned" } else { "other" };
        let pages = found.pagination.map_or(String::new(), |pages| {
            format!("{:.2} {:.2} {:.2} of {}", pages.breaks_agree, pages.in_step, pages.slope, pages.n_mapped)
        });
        let segments: Vec<String> = found
            .segments
            .iter()
            .enumerate()
            .take(6)
            .map(|(i, s)| {
                let holders = verdict
                    .evidence
                    .as_ref()
                    .and_then(|evidence| evidence.holders.as_ref()?.get(i))
                    .map_or(0, |&n| n);
                let share = |at: u32, n: u32| 100.0 * f64::from(at) / f64::from(n.max(1));
                format!(
                    "{}@{:.0}%/{:.0}%x{holders}",
                    s.aligned_a.min(s.aligned_b),
                    share(s.a.start, found.a.n_letters),
                    share(s.b.start, found.b.n_letters)
                )
            })
            .collect();
        writeln!(
            out,
            "| {half} | {} {} {} | {}{} | {} | {:.2} | {:.2} {:.2} of {} {} | {:.2} {:.2} | {} | {pages} |",
            pair.a,
            pair.b,
            pair.detail,
            pair.relation,
            if pair.confidence == Confidence::Ambiguous { "?" } else { "" },
            verdict.relation.class,
            verdict.relation.confidence,
            found.a.coverage,
            found.b.coverage,
            found.a.n_letters,
            found.b.n_letters,
            found.a.longest_alone,
            found.b.longest_alone,
            segments.join(" "),
        )
        .expect("a string");
    }
    let confusions = confusions.iter().map(|((label, said), n)| format!("{label} called {said}: {n}"));
    format!("{}\n\n{out}", confusions.collect::<Vec<_>>().join("; "))
}

/// All pairs of the corpus that are not listed and called related.
pub fn census(corpus: &Corpus, with_evidence: bool) -> Result<String> {
    let library = Library::of_corpus(corpus)?;
    let stored = with_evidence.then(|| StoredMatches::new(&library.witnesses));
    let listed: HashSet<(usize, usize)> = corpus
        .pairs
        .iter()
        .map(|pair| (library.places[&pair.a], library.places[&pair.b]))
        .flat_map(|(a, b)| [(a, b), (b, a)])
        .collect();
    let n = library.witnesses.len();
    let related = |a: usize| {
        (a + 1..n)
            .filter(|&b| !listed.contains(&(a, b)))
            .filter_map(|b| {
                let found = align(&library.witnesses[a], &library.witnesses[b]);
                let evidence = stored.as_ref().map(|stored| stored.evidence(a, b, &found));
                let relation = relate(&found, evidence.as_ref());
                (relation.class != Class::Unrelated).then_some((a, b, found, relation))
            })
            .collect::<Vec<_>>()
    };
    let survivors: Vec<_> = (0..n).into_par_iter().flat_map_iter(related).collect();
    let mut out = format!(
        "{} pairs not listed, {} called related\n\n",
        n * (n - 1) / 2 - corpus.pairs.len(),
        survivors.len()
    );
    if let Some(stored) = &stored {
        let missed = survivors.iter().filter(|(a, b, ..)| !stored.holds(*a, *b)).count();
        writeln!(out, "{missed} of them share too few keys to be candidates\n")?;
    }
    out.push_str("| a | b | said | confidence | coverage | longest run |\n|---|---|---|---|---|---|\n");
    for (a, b, found, relation) in survivors {
        let longest = found.segments.iter().max_by_key(|s| s.aligned_a.min(s.aligned_b));
        let name = |at: usize| {
            let entry = &corpus.texts[at];
            format!("{} {} ({})", entry.id, entry.title.chars().take(40).collect::<String>(), entry.author)
        };
        writeln!(
            out,
            "| {} | {} | {} | {:.2} | {:.3} {:.3} | {} at {:.0} % and {:.0} % |",
            name(a),
            name(b),
            relation.class,
            relation.confidence,
            found.a.coverage,
            found.b.coverage,
            longest.map_or(0, |s| s.aligned_a.min(s.aligned_b)),
            longest.map_or(0.0, |s| 100.0 * f64::from(s.a.start) / f64::from(found.a.n_letters)),
            longest.map_or(0.0, |s| 100.0 * f64::from(s.b.start) / f64::from(found.b.n_letters)),
        )?;
    }
    Ok(out)
}
