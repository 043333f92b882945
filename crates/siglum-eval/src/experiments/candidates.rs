//! Candidate rules: what each finds of related books and of parts of them, and how many other books it brings along.
//!
//! Books and papers of the corpus are joined on their search keys in memory, keys of more than `CAP` books left out. A rule
//! looks at the keys two texts share and at their places. Related are the pairs labelled so, and those outside the
//! labels that `relate` calls so. Parts are cut from books, and book and part are then misread independently.

use crate::corpus::{Class, Confidence, Corpus, PairEntry, TextEntry, read_text, read_witness};
use crate::mutate::{OcrErrors, ocr};
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Table, named, number, row};
use anyhow::Result;
use rayon::prelude::*;
use siglum::align::is_supported;
use siglum::index::postings::{CAP, Posting};
use siglum::{Book, Witness, align, relate};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

const RATES: [f64; 4] = [0.0, 0.02, 0.05, 0.10];
/// Lengths of parts in characters; a story has 9,000 (the study behind traces, §3).
const PARTS: [usize; 6] = [500, 1_000, 2_000, 4_000, 9_000, 20_000];
const N_PARTS: usize = 120;
const SIZES: [usize; 3] = [200, 400, 800];
/// Caps as small beside this library as `CAP` is beside one so many times larger.
const SMALLER_CAPS: [u32; 4] = [50, 20, 10, 5];

/// When two texts are candidates of each other.
#[derive(Debug, Clone, Copy)]
struct Rule {
    /// So many shared keys are enough.
    enough: usize,
    /// Two are, if they lie so near each other in both texts; 0 for never,
    near: u32,
    /// and their distances differ by no more than 64 letters and this part of them; 0 for any, in any order.
    part: u32,
    /// One is, if a text has no more keys than this.
    few: usize,
    /// And the texts have to agree around one of the keys.
    supported: bool,
}

const NEVER: usize = usize::MAX;
/// The rule of the library (`siglum::index::postings`).
const OURS: Rule = Rule { enough: 4, near: 40_000, part: 0, few: 64, supported: true };
const OF_KEYS: Rule = Rule { supported: false, ..OURS };

fn rules() -> Vec<Rule> {
    let count = |enough| Rule { enough, near: 0, few: 0, ..OF_KEYS };
    let mut rules = vec![count(1), count(2), count(3), count(4), Rule { few: 64, ..count(2) }];
    rules.extend([NEVER, 5, 4, 3].map(|enough| Rule { enough, few: 0, ..OF_KEYS }));
    rules.extend([10_000, 20_000, 80_000].map(|near| Rule { near, few: 0, ..OF_KEYS }));
    rules.extend([1, 2, 4, 8, 16].map(|part| Rule { part, few: 0, ..OF_KEYS }));
    rules.extend([8, 16, 32].map(|few| Rule { few, ..OF_KEYS }));
    rules.push(OF_KEYS);
    rules.extend([100, 150].map(|few| Rule { few, ..OF_KEYS }));
    rules.extend([Rule { supported: true, ..count(1) }, Rule { supported: true, ..count(2) }, OURS]);
    rules
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match (self.near, self.part) {
            (0, _) => {}
            (near, 0) => parts.push(format!("2 within {near}")),
            (near, part) => parts.push(format!("2 within {near} on a diagonal, 1/{part}")),
        }
        if self.enough < NEVER {
            parts.push(format!("{} keys", self.enough));
        }
        if self.few > 0 {
            parts.push(format!("1 of {}", self.few));
        }
        f.write_str(&parts.join(" or "))?;
        f.write_str(if self.supported { ", agreeing around one" } else { "" })
    }
}

/// A key two texts share: the key, and its places.
type Shared = (u32, u32, u32);

impl Rule {
    fn holds(&self, shared: &[Shared], a: &Keys<'_>, b: &Keys<'_>) -> bool {
        let places = || shared.iter().map(|&(_, here, there)| (here, there)).collect::<Vec<_>>();
        let n = shared.iter().map(|shared| shared.0).collect::<HashSet<u32>>().len();
        let few = a.n_keys.min(b.n_keys) <= self.few;
        let by_keys = n >= self.enough || (n >= 1 && few) || self.any_near(shared);
        by_keys && (!self.supported || is_supported(&a.witness, &b.witness, &places()))
    }

    fn any_near(&self, shared: &[Shared]) -> bool {
        let near = |one: &Shared, other: &Shared| {
            let (a, b) = (i64::from(one.1) - i64::from(other.1), i64::from(one.2) - i64::from(other.2));
            let longer = a.abs().max(b.abs());
            let on_diagonal = self.part == 0 || (a - b).abs() <= 64 + longer / i64::from(self.part);
            one.0 != other.0 && longer <= i64::from(self.near) && on_diagonal
        };
        self.near > 0
            && shared.iter().enumerate().any(|(at, one)| shared[..at].iter().any(|other| near(one, other)))
    }
}

/// The keys of one text.
struct Keys<'w> {
    witness: Cow<'w, Witness>,
    postings: Vec<Posting>,
    n_keys: usize,
}

impl<'w> Keys<'w> {
    fn of(witness: Cow<'w, Witness>) -> Keys<'w> {
        let postings = witness.trace().map_or(Vec::new(), |trace| Posting::of_trace(0, trace));
        let n_keys = postings.chunk_by(|a, b| a.key == b.key).count();
        Keys { witness, postings, n_keys }
    }

    fn of_text(text: &str) -> Result<Keys<'static>> {
        Ok(Keys::of(Cow::Owned(Witness::of_book(&Book::from_text(text)?))))
    }

    fn distinct(&self) -> impl Iterator<Item = u32> {
        self.postings.chunk_by(|a, b| a.key == b.key).map(|group| group[0].key)
    }

    /// The keys shared with another text, but for those that are capped.
    fn shared(&self, other: &Keys<'_>, is_capped: impl Fn(u32) -> bool) -> Vec<Shared> {
        let mut places: HashMap<u32, Vec<u32>> = HashMap::new();
        other.postings.iter().for_each(|p| places.entry(p.key).or_default().push(p.position));
        let mut shared = Vec::new();
        for posting in self.postings.iter().filter(|posting| !is_capped(posting.key)) {
            let there = places.get(&posting.key).into_iter().flatten();
            shared.extend(there.map(|&there| (posting.key, posting.position, there)));
        }
        shared
    }
}

/// The texts, which of them are related, and what they share.
struct SearchKeys<'c> {
    entries: Vec<&'c TextEntry>,
    keys: Vec<Keys<'static>>,
    /// Pairs labelled related, the smaller place first.
    labelled: BTreeMap<(usize, usize), &'c PairEntry>,
    /// Other pairs that `relate` calls related.
    called: BTreeSet<(usize, usize)>,
    joined: Joined,
}

impl<'c> SearchKeys<'c> {
    fn of_corpus(corpus: &'c Corpus) -> Result<SearchKeys<'c>> {
        let entries: Vec<&TextEntry> = corpus.texts.iter().chain(&corpus.papers).collect();
        let of_entry = |entry: &&TextEntry| Ok(Keys::of(Cow::Owned(read_witness(entry)?)));
        let keys: Vec<Keys<'_>> = entries.par_iter().map(of_entry).collect::<Result<_>>()?;
        let places: HashMap<&str, usize> =
            entries.iter().enumerate().map(|(at, entry)| (entry.id.as_str(), at)).collect();
        let place = |pair: &PairEntry| {
            let (a, b) = (places[pair.a.as_str()], places[pair.b.as_str()]);
            (a.min(b), a.max(b))
        };
        let related =
            (corpus.pairs.iter().chain(&corpus.paper_pairs)).filter(|p| p.relation != Class::Unrelated);
        let labelled: BTreeMap<_, _> = related.map(|pair| (place(pair), pair)).collect();
        let everything: Vec<usize> = (0..entries.len()).collect();
        let joined = join(&keys, &everything, CAP);
        let is_called = |&(a, b): &(usize, usize)| {
            relate(&align(&keys[a].witness, &keys[b].witness), None).class != Class::Unrelated
        };
        let unlabelled = joined.par_iter().map(|(&pair, _)| pair).filter(|pair| !labelled.contains_key(pair));
        let called = unlabelled.filter(is_called).collect();
        Ok(SearchKeys { entries, keys, labelled, called, joined })
    }

    fn holds(&self, rule: &Rule, (a, b): (usize, usize), shared: &[Shared]) -> bool {
        rule.holds(shared, &self.keys[a], &self.keys[b])
    }

    fn finds(&self, rule: &Rule, pair: (usize, usize)) -> bool {
        self.joined.get(&pair).is_some_and(|shared| self.holds(rule, pair, shared))
    }

    /// Whether both are papers, which share the forms of their journal.
    fn are_papers(&self, (a, b): (usize, usize)) -> bool {
        self.entries[a].set == "papers" && self.entries[b].set == "papers"
    }

    /// Candidates a text that are not related, among `n` texts.
    fn others(&self, rule: &Rule, joined: &Joined, n: usize) -> f64 {
        let is_other = |pair| !self.labelled.contains_key(pair) && !self.called.contains(pair);
        let others =
            joined.par_iter().filter(|(pair, shared)| is_other(pair) && self.holds(rule, **pair, shared));
        2.0 * others.count() as f64 / n as f64
    }
}

pub fn report(corpus: &Corpus) -> Result<Report> {
    let library = SearchKeys::of_corpus(corpus)?;
    let n_texts = library.keys.len();
    let n_keys: usize = library.keys.iter().map(|keys| keys.n_keys).sum();
    let sure = library.labelled.values().filter(|pair| pair.confidence == Confidence::Sure);
    let of_papers = library.called.iter().filter(|&&pair| library.are_papers(pair)).count();
    let mut report = Report::new("Candidate rules");
    report.paragraph(format!(
        "{n_texts} texts, {:.0} keys each; {} pairs labelled related, {} of them sure. Of other pairs with a common key, `relate` \
         without library evidence calls {} of books and {of_papers} of papers related.",
        n_keys as f64 / n_texts as f64,
        library.labelled.len(),
        sure.count(),
        library.called.len() - of_papers,
    ));
    report.section("Related pairs found");
    report.table(real_table(&library));
    growth(&library, &mut report);
    report.section(format!("Related pairs of books that \"{OURS}\" loses"));
    report.table(lost(&library));
    parts(&library, &mut report)?;
    Ok(report)
}

type Joined = BTreeMap<(usize, usize), Vec<Shared>>;

/// The pairs of some texts that share a key held by no more than `cap` of them.
fn join(keys: &[Keys<'_>], texts: &[usize], cap: u32) -> Joined {
    let mut holders: HashMap<u32, Vec<(usize, u32)>> = HashMap::new();
    for &text in texts {
        keys[text].postings.iter().for_each(|p| holders.entry(p.key).or_default().push((text, p.position)));
    }
    let mut joined = Joined::new();
    for (&key, holders) in &holders {
        if n_texts(holders) > cap as usize {
            continue;
        }
        for (at, &(a, place_a)) in holders.iter().enumerate() {
            for &(b, place_b) in holders[at + 1..].iter().filter(|holder| holder.0 != a) {
                let (pair, shared) =
                    if a < b { ((a, b), (key, place_a, place_b)) } else { ((b, a), (key, place_b, place_a)) };
                joined.entry(pair).or_default().push(shared);
            }
        }
    }
    joined
}

/// The pairs of a library that its own rule makes candidates, in order.
pub fn candidates(library: &[Witness]) -> Vec<(u32, u32)> {
    let keys: Vec<Keys<'_>> = library.par_iter().map(|witness| Keys::of(Cow::Borrowed(witness))).collect();
    let everything: Vec<usize> = (0..library.len()).collect();
    let joined: Vec<((usize, usize), Vec<Shared>)> = join(&keys, &everything, CAP).into_iter().collect();
    let holds = |((a, b), shared): &&((usize, usize), Vec<Shared>)| OURS.holds(shared, &keys[*a], &keys[*b]);
    joined.par_iter().filter(holds).map(|((a, b), _)| (*a as u32, *b as u32)).collect()
}

fn n_texts(holders: &[(usize, u32)]) -> usize {
    holders.chunk_by(|a, b| a.0 == b.0).count()
}

/// So many texts of the library, the same for all rules, drawn by their place.
fn some(n_texts: usize, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n_texts).collect();
    order.sort_by_key(|&at| siglum::hash::splitmix(at as u64));
    order.truncate(n);
    order
}

fn real_table(library: &SearchKeys<'_>) -> Table {
    let rows = rules().into_iter().map(|rule| {
        let found = library.labelled.iter().filter(|(pair, _)| library.finds(&rule, **pair));
        let found: Vec<&PairEntry> = found.map(|(_, entry)| *entry).collect();
        let sure = found.iter().filter(|pair| pair.confidence == Confidence::Sure).count();
        let called = library.called.iter().copied().filter(|&pair| library.finds(&rule, pair));
        let (papers, books): (Vec<_>, Vec<_>) = called.partition(|&pair| library.are_papers(pair));
        let others = library.others(&rule, &library.joined, library.keys.len());
        row![rule.to_string(), sure, found.len(), books.len(), papers.len(), number(others, 2)]
    });
    let heads =
        ["rule", "sure", "all labelled", "called related, books", "papers", "other candidates per text"];
    Table::new(heads).with_rows(rows)
}

/// Other candidates as the library grows: some of the texts, all, and all with a smaller cap and the count scaled.
fn growth(library: &SearchKeys<'_>, report: &mut Report) {
    let n_texts = library.keys.len();
    let mut sizes: Vec<(usize, f64, Joined)> =
        SIZES.iter().map(|&n| (n, 1.0, join(&library.keys, &some(n_texts, n), CAP))).collect();
    let everything: Vec<usize> = (0..n_texts).collect();
    sizes.push((n_texts, 1.0, join(&library.keys, &everything, CAP)));
    for cap in SMALLER_CAPS {
        sizes.push((n_texts, f64::from(CAP) / f64::from(cap), join(&library.keys, &everything, cap)));
    }
    let heads = sizes.iter().map(|(n, times, _)| format!("{:.0}", *n as f64 * times));
    let rows = rules().into_iter().map(|rule| {
        let others =
            |(n, times, joined): &(usize, f64, Joined)| number(times * library.others(&rule, joined, *n), 2);
        named(rule.to_string(), sizes.iter().map(others))
    });
    report.section("Other candidates per text, as the library grows");
    report.table(Table::new(std::iter::once("rule".to_owned()).chain(heads)).with_rows(rows));
    report.paragraph(format!(
        "Beyond {n_texts}: caps of {SMALLER_CAPS:?} instead of {CAP}, and the counts scaled as the cap."
    ));
}

/// The related pairs that the library's rule loses, with what they share.
fn lost(library: &SearchKeys<'_>) -> Table {
    let label = |pair: &PairEntry| format!("{} {:?} {}", pair.relation, pair.confidence, pair.detail);
    let labelled = library.labelled.iter().map(|(&pair, entry)| (pair, label(entry)));
    let called = library.called.iter().map(|&pair| (pair, "not labelled".to_owned()));
    let of_books = labelled.chain(called).filter(|(pair, _)| !library.are_papers(*pair));
    let rows = of_books.filter(|(pair, _)| !library.finds(&OURS, *pair)).map(|(pair, label)| {
        let shared = library.joined.get(&pair).map_or(&[][..], |shared| shared);
        let places: Vec<String> = shared.iter().map(|(_, a, b)| format!("{a}/{b}")).collect();
        let (a, b) = (&library.entries[pair.0].id, &library.entries[pair.1].id);
        let n_keys = [pair.0, pair.1].map(|at| library.keys[at].n_keys);
        row![format!("{a} {b}"), format!("{n_keys:?}"), label, places.join(" ")]
    });
    Table::new(["pair", "keys", "label", "keys shared at"]).with_rows(rows)
}

/// A part cut from a book, the book, and the keys they share.
type Cut = (Vec<Shared>, Keys<'static>, Keys<'static>);

/// Parts of books found in them.
fn parts(library: &SearchKeys<'_>, report: &mut Report) -> Result<()> {
    let (entries, keys) = (&library.entries, &library.keys);
    let mut counts: HashMap<u32, usize> = HashMap::new();
    keys.iter().flat_map(Keys::distinct).for_each(|key| *counts.entry(key).or_default() += 1);
    let is_capped = |key: u32| counts.get(&key).is_some_and(|&n| n > CAP as usize);
    let long: Vec<&&TextEntry> = entries.iter().filter(|entry| entry.n_chars >= 100_000).collect();
    let mut lists: Vec<Vec<Cut>> = Vec::new();
    for (n_chars, rate) in PARTS.into_iter().flat_map(|n_chars| RATES.map(|rate| (n_chars, rate))) {
        let cut = |n: usize| {
            let text = read_text(long[n * long.len() / N_PARTS])?;
            let mut rng = Rng::named(n as u64, &format!("{n_chars} {rate}"));
            let chars: Vec<char> = text.chars().collect();
            let start = rng.below(chars.len() - n_chars);
            let part: String = chars[start..start + n_chars].iter().collect();
            let errors = OcrErrors { rate, clustered: false };
            let part = Keys::of_text(&ocr(&part, &errors, &mut rng))?;
            let book = Keys::of_text(&ocr(&text, &errors, &mut rng))?;
            Ok((part.shared(&book, is_capped), part, book))
        };
        lists.push((0..N_PARTS).into_par_iter().map(cut).collect::<Result<_>>()?);
    }
    let rows = rules().into_iter().map(|rule| {
        let found = |list: &Vec<Cut>| {
            list.iter().filter(|(shared, part, book)| rule.holds(shared, part, book)).count().to_string()
        };
        let cell = |lists: &[Vec<Cut>]| lists.iter().map(found).collect::<Vec<_>>().join(" ");
        named(rule.to_string(), lists.chunks(RATES.len()).map(cell))
    });
    let heads = PARTS.map(|n_chars| format!("{n_chars} characters"));
    report.section(format!("Parts found in their books, of {N_PARTS}"));
    report.table(Table::new(std::iter::once("rule".to_owned()).chain(heads)).with_rows(rows));
    report.paragraph(format!("Errors for a hundred characters, of book and part: {RATES:?}."));
    Ok(())
}
