//! How well identifiers tell copies of a text from other texts: two copies with independent errors, real pairs, and
//! all unrelated pairs.
//!
//! Protocol of the study behind `siglum-1`, after Vladimir et al. 2015, §3.1: of each original three copies at 2, 5
//! and 8 % character errors and four at random 0-5 %, each with 0-5 % of its sentences left out or put in from another
//! book of its language, half of the copies with their errors in bad stretches. A positive is two copies of one rate. Unrelated are all pairs of
//! texts of one language that no label joins.

use crate::code::{Code, Coder};
use crate::corpus::{Class, Confidence, Corpus, PairEntry, TextEntry, places, read_text};
use crate::experiment::Run;
use crate::generate::{Language, Script};
use crate::metrics::{best_threshold, extrapolated_threshold, histogram_mean_sd, mean};
use crate::mutate::{OcrErrors, copy};
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Cell, Table, number, row};
use crate::texts::Texts;
use anyhow::Result;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: Texts,
    /// Measure the ISO text code as well (slow)
    #[arg(long)]
    iscc: bool,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        Ok(report(&Samples::of_texts(&self.texts)?, self.iscc))
    }
}

/// A text with what the experiment needs to know of it.
#[derive(Clone, Debug)]
pub struct Sample {
    pub id: String,
    /// Texts of one language are the unrelated pairs that count.
    pub language: String,
    pub text: String,
}

/// Texts, and which of them are related.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    pub samples: Vec<Sample>,
    /// Pairs of places in `samples`, smaller first, that are related in any way.
    pub related: HashSet<(usize, usize)>,
    /// Pairs that are surely the same text, with the set they come from.
    pub same: Vec<(usize, usize, String)>,
}

/// Copies of a text are made at these rates of character errors.
const RATES: [f64; 3] = [0.02, 0.05, 0.08];
/// In how many bits two codes differ.
type Distance = fn(&Code, &Code) -> u32;
/// The short and the long form: bits, and the distance of two codes.
const FORMS: [(u32, Distance); 2] = [(128, Code::distance_128), (256, Code::distance_256)];
const COPIES_PER_RATE: usize = 3;
const RANDOM_COPIES: usize = 4;
const MAX_RANDOM_RATE: f64 = 0.05;
/// Half of these are left out and half put in.
const MAX_SENTENCES: f64 = 0.05;

/// Distances measured by one coder at one length of text.
#[derive(Clone, Debug)]
pub struct Distances {
    /// Bits compared: 128 or 256.
    pub n_bits: u32,
    pub copies: [Vec<u32>; 3],
    /// Of two copies at random rates.
    pub random_copies: Vec<u32>,
    /// How many unrelated pairs of one language have each distance.
    pub unrelated: Vec<u64>,
}

impl Samples {
    /// The books of the corpus, or generated ones in their place.
    pub fn of_texts(texts: &Texts) -> Result<Samples> {
        match texts.generated {
            Some(per_script) => Ok(Samples::generated(&texts.scripts(), per_script, 300_000)),
            None => Samples::of_corpus(&texts.real.corpus()?),
        }
    }

    /// All books of the corpus.
    pub fn of_corpus(corpus: &Corpus) -> Result<Samples> {
        Samples::of(&corpus.texts, &corpus.pairs)
    }

    /// All papers of the corpus, of which the versions of one are the same text.
    pub fn of_papers(corpus: &Corpus) -> Result<Samples> {
        Samples::of(&corpus.papers, &corpus.paper_pairs)
    }

    fn of(entries: &[TextEntry], pairs: &[PairEntry]) -> Result<Samples> {
        let read = |entry: &TextEntry| {
            Ok(Sample { id: entry.id.clone(), language: entry.language.clone(), text: read_text(entry)? })
        };
        let samples: Vec<Sample> = entries.par_iter().map(read).collect::<Result<_>>()?;
        let place = places(entries);
        let ordered = |a: usize, b: usize| (a.min(b), a.max(b));
        let related = pairs.iter().filter(|pair| pair.relation != Class::Unrelated);
        let related = related.map(|pair| ordered(place[pair.a.as_str()], place[pair.b.as_str()])).collect();
        let same = pairs.iter().filter(|pair| pair.confidence == Confidence::Sure);
        let same = same.filter(|pair| pair.relation.is_same_text());
        let same =
            same.map(|pair| (place[pair.a.as_str()], place[pair.b.as_str()], pair.set.clone())).collect();
        Ok(Samples { related, same, samples })
    }

    /// Generated books, `per_script` of each script.
    pub fn generated(scripts: &[Script], per_script: usize, n_chars: usize) -> Samples {
        let books = |script: &Script| {
            let language = Language::new(*script, 1);
            let book = |seed: usize| Sample {
                id: format!("{script:?}-{seed}"),
                language: format!("{script:?}"),
                text: language.book(seed as u64, n_chars),
            };
            (0..per_script).map(book).collect::<Vec<_>>()
        };
        Samples { samples: scripts.par_iter().flat_map_iter(books).collect(), ..Samples::default() }
    }

    /// The middles, `n_chars` long, of the texts that are long enough; all as they are for `None`. The ends hold what
    /// the maker of a collection puts there, and would measure that.
    pub fn cut(&self, n_chars: Option<usize>) -> Samples {
        let Some(n_chars) = n_chars else { return self.clone() };
        let mut place = BTreeMap::new();
        let mut samples = Vec::new();
        for (at, sample) in self.samples.iter().enumerate() {
            if let Some(text) = middle(&sample.text, n_chars) {
                place.insert(at, samples.len());
                samples.push(Sample { text: text.to_owned(), ..sample.clone() });
            }
        }
        let pair = |&(a, b): &(usize, usize)| Some((*place.get(&a)?, *place.get(&b)?));
        Samples { samples, related: self.related.iter().filter_map(pair).collect(), same: Vec::new() }
    }

    /// Places of the originals that copies are made of: some of each language, no two related.
    pub fn originals(&self, most: impl Fn(&str) -> usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        let mut per_language: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, sample) in self.samples.iter().enumerate() {
            let n = per_language.entry(&sample.language).or_default();
            let is_new = !chosen.iter().any(|&other| self.related.contains(&(other, at)));
            if *n < most(&sample.language) && is_new {
                *n += 1;
                chosen.push(at);
            }
        }
        chosen
    }

    /// Measures one coder, on 128 and on 256 bits.
    pub fn measure(&self, coder: Coder, originals: &[usize]) -> [Distances; 2] {
        let codes: Vec<Option<Code>> =
            self.samples.par_iter().map(|sample| coder.code(&sample.text)).collect();
        let copies: Vec<Copies> = originals.par_iter().map(|&at| self.copies(coder, originals, at)).collect();
        FORMS.map(|(n_bits, distance)| {
            let of_rate =
                |rate: usize| copies.iter().flat_map(|c| pairwise(&c.by_rate[rate], distance)).collect();
            Distances {
                n_bits,
                copies: std::array::from_fn(of_rate),
                random_copies: copies.iter().flat_map(|c| pairwise(&c.random, distance)).collect(),
                unrelated: self.unrelated(&codes, n_bits, distance),
            }
        })
    }

    fn copies(&self, coder: Coder, originals: &[usize], at: usize) -> Copies {
        let sample = &self.samples[at];
        let mut rng = Rng::named(1, &sample.id);
        let others = || originals.iter().copied().filter(|&other| other != at);
        let of_language: Vec<usize> =
            others().filter(|&o| self.samples[o].language == sample.language).collect();
        let mut donors: Vec<usize> = if of_language.is_empty() { others().collect() } else { of_language };
        // The only book gives sentences to itself.
        if donors.is_empty() {
            donors.push(at);
        }
        let mut code = |rate: f64| {
            let donor = &self.samples[*rng.pick(&donors)].text;
            let errors = OcrErrors { rate, clustered: rng.chance(0.5) };
            let sentences = rng.unit() * MAX_SENTENCES / 2.0;
            coder.code(&copy(&sample.text, &errors, sentences, donor, &mut rng))
        };
        let by_rate = RATES.map(|rate| (0..COPIES_PER_RATE).filter_map(|_| code(rate)).collect());
        let mut rates = Rng::named(2, &sample.id);
        let random = (0..RANDOM_COPIES).filter_map(|_| code(rates.unit() * MAX_RANDOM_RATE)).collect();
        Copies { by_rate, random }
    }

    /// How many unrelated pairs of one language have each distance.
    pub fn unrelated<C>(
        &self,
        codes: &[Option<C>],
        n_bits: u32,
        distance: impl Fn(&C, &C) -> u32,
    ) -> Vec<u64> {
        let mut histogram = vec![0; n_bits as usize + 1];
        for (a, left) in codes.iter().enumerate() {
            for (b, right) in codes.iter().enumerate().skip(a + 1) {
                let one_language = self.samples[a].language == self.samples[b].language;
                if let (Some(left), Some(right), true) = (left, right, one_language)
                    && !self.related.contains(&(a, b))
                {
                    histogram[distance(left, right) as usize] += 1;
                }
            }
        }
        histogram
    }

    /// Distances of the real pairs that are surely the same text, by set.
    pub fn real_pairs(&self, coder: Coder) -> BTreeMap<String, Vec<(u32, u32)>> {
        let needed: HashSet<usize> = self.same.iter().flat_map(|(a, b, _)| [*a, *b]).collect();
        let codes: BTreeMap<usize, Option<Code>> =
            needed.into_par_iter().map(|at| (at, coder.code(&self.samples[at].text))).collect();
        let mut sets: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
        for (a, b, set) in &self.same {
            if let (Some(a), Some(b)) = (&codes[a], &codes[b]) {
                sets.entry(set.clone()).or_default().push((a.distance_128(b), a.distance_256(b)));
            }
        }
        sets
    }
}

/// This many characters from the middle of a text; none if it is shorter.
pub fn middle(text: &str, n_chars: usize) -> Option<&str> {
    let before = text.chars().count().checked_sub(n_chars)? / 2;
    let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let start = places.nth(before)?;
    let end = if n_chars == 0 { start } else { places.nth(n_chars - 1)? };
    Some(&text[start..end])
}

struct Copies {
    by_rate: [Vec<Code>; 3],
    random: Vec<Code>,
}

fn pairwise(codes: &[Code], distance: Distance) -> Vec<u32> {
    let later = |at: usize| codes[at + 1..].iter().map(move |other| distance(&codes[at], other));
    (0..codes.len()).flat_map(later).collect()
}

impl Distances {
    /// The distance at which one unrelated pair in a million would be found, extrapolated.
    pub fn threshold(&self) -> f64 {
        extrapolated_threshold(&self.unrelated, 1e-6)
    }

    /// The share of pairs of copies within a distance, by rate.
    fn recall(&self, limit: f64) -> [f64; 3] {
        self.copies.each_ref().map(|copies| share_within(copies, limit))
    }

    /// The distance that the scheme's own rule names.
    fn limit(&self) -> f64 {
        if self.n_bits == 128 { 31.0 } else { 72.0 }
    }

    /// The least distance of an unrelated pair.
    pub fn least_unrelated(&self) -> Option<usize> {
        self.unrelated.iter().position(|n| *n > 0)
    }

    fn row(&self, text: &str, scheme: String) -> Vec<Cell> {
        let (mean_unrelated, sd) = histogram_mean_sd(&self.unrelated);
        let n: u64 = self.unrelated.iter().sum();
        let means = self.copies.each_ref().map(|copies| format!("{:.1}", mean(&as_f64(copies))));
        let best = best_threshold(&self.random_copies, &self.unrelated);
        let mut row = row![text, scheme, self.n_bits, format!("{mean_unrelated:.1}±{sd:.1} (n {n})")];
        row.extend(row![number(self.threshold(), 1), self.least_unrelated(), means.join("/")]);
        row.extend(self.recall(self.threshold().floor()).map(|share| number(share, 3)));
        let rule = self.recall(self.limit()).map(|share| format!("{share:.3}"));
        row.extend(row![format!("{:.4} @{}", best.counts.f1(), best.distance), rule.join("/")]);
        row
    }
}

/// The heads of the columns of [`Distances::row`].
const HEADS: &str = "text | scheme | bits | unrelated mean±sd | T6 | least unrelated | mean d 2/5/8 % | r 2 % | r 5 % | \
    r 8 % | F1 random 0-5 % | r 2/5/8 % at d <= 31 of 128, 72 of 256";

fn share_within(distances: &[u32], limit: f64) -> f64 {
    distances.iter().filter(|d| f64::from(**d) <= limit).count() as f64 / distances.len().max(1) as f64
}

fn as_f64(values: &[u32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

/// Originals taken of a language: the study's mixture, about half English.
pub fn study_mixture(language: &str) -> usize {
    if language == "eng" { 48 } else { 8 }
}

pub fn report(library: &Samples, iscc_too: bool) -> Report {
    const LENGTHS: [(&str, Option<usize>); 5] = [
        ("full", None),
        ("200k", Some(200_000)),
        ("50k", Some(50_000)),
        ("10k", Some(10_000)),
        ("2k", Some(2_000)),
    ];
    let mut table = Table::of(HEADS);
    for (name, n_chars) in LENGTHS {
        let cut = library.cut(n_chars);
        let originals = cut.originals(study_mixture);
        let mut coders = vec![(Coder::Siglum, originals.clone()), (Coder::SimhashTf4, originals.clone())];
        if iscc_too {
            coders.push((Coder::IsccText, originals.into_iter().step_by(4).collect()));
        }
        for (coder, originals) in coders {
            for distances in cut.measure(coder, &originals) {
                let scheme = format!("{} ({} originals)", coder.name(), originals.len());
                table.row(distances.row(name, scheme));
            }
        }
    }
    let mut report = Report::new("Identifiers: copies against unrelated texts");
    report.table(table);
    if !library.same.is_empty() {
        report.section("Real pairs, surely the same text");
        report.table(real_pairs(library));
    }
    report
}

fn real_pairs(library: &Samples) -> Table {
    let sets = library.real_pairs(Coder::Siglum);
    let all = sets.values().flatten().copied().collect();
    let row = |(set, pairs): (&str, &Vec<(u32, u32)>)| {
        let (short, long): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
        let (by_short, by_long) = (share_within(&short, 31.0), share_within(&long, 72.0));
        row![set, pairs.len(), number(mean(&as_f64(&short)), 1), number(by_short, 3), number(by_long, 3)]
    };
    let rows = sets.iter().map(|(set, pairs)| row((set, pairs))).chain([row(("all", &all))]);
    Table::new(["set", "n", "mean d (128)", "recall d <= 31", "recall d <= 72 of 256"]).with_rows(rows)
}

/// Versions of academic papers against papers of their own kind.
pub fn versions(corpus: &Corpus) -> Result<Report> {
    let papers = Samples::of_papers(corpus)?;
    let mut table = Table::new(["scheme", "bits", "pairs", "T6", "recall", "best F1"]);
    for coder in [Coder::Siglum, Coder::SimhashTf4, Coder::IsccText] {
        let codes: Vec<Option<Code>> =
            papers.samples.par_iter().map(|sample| coder.code(&sample.text)).collect();
        let pairs = papers.real_pairs(coder).into_values().flatten();
        let (short, long): (Vec<u32>, Vec<u32>) = pairs.unzip();
        for (found, (n_bits, distance)) in [short, long].into_iter().zip(FORMS) {
            let unrelated = papers.unrelated(&codes, n_bits, distance);
            let threshold = extrapolated_threshold(&unrelated, 1e-6);
            let recall = share_within(&found, threshold.floor());
            let best = best_threshold(&found, &unrelated);
            let best = format!("{:.3} @{}", best.counts.f1(), best.distance);
            table.row(row![coder.name(), n_bits, found.len(), number(threshold, 1), number(recall, 3), best]);
        }
    }
    let mut report = Report::new("Identifiers: versions of papers");
    report.section("Versions of papers");
    report.table(table);
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every script: copies at 5 % on both sides are nearer than any two other books of the language.
    #[test]
    fn copies_and_unrelated_books_separate_in_every_script() {
        for script in Script::ALL {
            let library = Samples::generated(&[script], 6, 60_000);
            let originals = library.originals(|_| 3);
            let [short, long] = library.measure(Coder::Siglum, &originals);
            for distances in [short, long] {
                let farthest_copy = *distances.copies[1].iter().max().unwrap() as usize;
                let nearest_other = distances.least_unrelated().unwrap();
                assert!(
                    farthest_copy < nearest_other,
                    "{script:?}: copy {farthest_copy}, other {nearest_other}"
                );
            }
        }
    }

    #[test]
    fn the_middle_is_of_characters_and_none_of_a_short_text() {
        assert_eq!(middle("äbcdë", 3), Some("bcd"));
        assert_eq!(middle("äbcdë", 4), Some("äbcd"));
        assert_eq!(middle("äbc", 3), Some("äbc"));
        assert_eq!(middle("äbc", 9), None);
    }
}
