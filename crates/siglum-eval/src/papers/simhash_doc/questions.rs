//! What the draft leaves open, by figures: strip all digits? leave out stop words?

use super::{CLOSE, K, LOOSE, Run, Size};
use crate::corpus::Corpus;
use crate::experiments::sigla::{Sample, Samples};
use crate::generate::{Language, Script};
use crate::metrics::{best_threshold, histogram_mean_sd, mean};
use crate::mutate::{OcrErrors, copy};
use crate::report::Report;
use crate::rng::Rng;
use crate::table::Table;
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::Siglum;
use siglum::sketch::bits::Bits;
use siglum::sketch::simhash::{DocVariant, doc};
use siglum::text::{Letters, tokens};

/// The draft's grades as distances: the most bits of a close match, and of a loose one.
const CLOSE_BITS: u32 = ((1.0 - CLOSE) * 64.0) as u32;
const LOOSE_BITS: u32 = ((1.0 - LOOSE) * 64.0) as u32;
/// The distance up to which two sigla of 128 bits are taken for the same text.
const SIGLUM_BITS: u32 = 31;

/// A change of F1 below this is not worth a scheme of its own; ours.
const WORTH_IT: f64 = 0.01;

const VARIANTS: [(&str, DocVariant); 3] = [
    ("simhash-doc", DocVariant::Plain),
    ("without digits", DocVariant::NoDigits),
    ("without English stop words", DocVariant::StopEnglish),
];

/// Distances of one kind of fingerprint.
struct Spread {
    same: Vec<u32>,
    unrelated: Vec<u64>,
}

impl Spread {
    fn new(library: &Samples, n_bits: u32, code: impl Fn(&str) -> Option<Bits> + Sync) -> Spread {
        let codes: Vec<Option<Bits>> = library.samples.par_iter().map(|sample| code(&sample.text)).collect();
        let distance = |a: usize, b: usize| Some(codes[a].as_ref()?.distance(codes[b].as_ref()?));
        let same = library.same.iter().filter_map(|(a, b, _)| distance(*a, *b)).collect();
        let unrelated = library.unrelated(&codes, n_bits, Bits::distance);
        Spread { same, unrelated }
    }

    fn found(&self, limit: u32) -> f64 {
        self.same.iter().filter(|distance| **distance <= limit).count() as f64 / self.same.len().max(1) as f64
    }

    fn false_share(&self, limit: u32) -> f64 {
        let near: u64 = self.unrelated.iter().take(limit as usize + 1).sum();
        near as f64 / self.unrelated.iter().sum::<u64>().max(1) as f64
    }

    fn best_f1(&self) -> f64 {
        best_threshold(&self.same, &self.unrelated).counts.f1()
    }

    fn row(&self, set: &str, name: &str, limits: [Option<u32>; 3]) -> Vec<String> {
        let same: Vec<f64> = self.same.iter().map(|&distance| f64::from(distance)).collect();
        let (unrelated, _) = histogram_mean_sd(&self.unrelated);
        let best = best_threshold(&self.same, &self.unrelated);
        let at = |limit: Option<u32>| {
            limit.map_or(String::new(), |limit| {
                format!("{:.1} / {:.3}", 100.0 * self.found(limit), 100.0 * self.false_share(limit))
            })
        };
        let distances = format!("{:.1} / {unrelated:.1}", mean(&same));
        let best = format!("{:.3} at {}", best.counts.f1(), best.distance);
        vec![set.into(), name.into(), distances, at(limits[0]), at(limits[1]), at(limits[2]), best]
    }
}

pub(super) fn report(page: &mut Report, run: &Run) -> Result<()> {
    let sets = match run.size {
        Size::Small => vec![("generated documents", generated())],
        Size::Full => real(run.corpus.as_ref().context("the full size needs a corpus")?)?,
    };
    page.section("Strip digits? Stop words?");
    page.paragraph(format!(
        "Of pairs that are the same text and of unrelated pairs of one language: the mean distance, and per cent found at the \
         draft's limits (the same / unrelated). A good variant finds many of the first and few of the second. The last row of \
         each set is ours, `siglum-1` of 128 bits, at its own limit of {SIGLUM_BITS}, in the last column but one."
    ));
    let (mut rows, mut remarks, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    for (name, library) in &sets {
        let measured = VARIANTS.map(|(_, variant)| Spread::new(library, 64, |text| doc(text, variant).ok()));
        let limits = [Some(CLOSE_BITS), Some(K), Some(LOOSE_BITS)];
        for ((variant, _), measured) in VARIANTS.iter().zip(&measured) {
            rows.push(measured.row(name, variant, limits));
        }
        let ours = Spread::new(library, 128, |text| {
            let siglum = Siglum::new(&Letters::of_text(text)).ok()?.short();
            Some(Bits::from_fn(128, |bit| siglum.content()[bit / 8] >> (7 - bit % 8) & 1 == 1))
        });
        rows.push(ours.row(name, "ours, siglum-1", [None, None, Some(SIGLUM_BITS)]));
        remarks.push(format!(
            "{name}: {} pairs of the same text, {} unrelated; {:.2} % of the tokens have digits",
            measured[0].same.len(),
            measured[0].unrelated.iter().sum::<u64>(),
            100.0 * tokens_with_digits(library)
        ));
        answers.push(answer(name, &measured));
        claims(page, name, &measured[0], &ours);
    }
    let close = format!("close, d <= {CLOSE_BITS}");
    let (k, loose) = (format!("k = {K}"), format!("loose, d <= {LOOSE_BITS}"));
    page.table(
        Table::new(["set", "variant", "mean distance", &close, &k, &loose, "best F1"]).with_rows(rows),
    );
    page.paragraph(format!("{}.", remarks.join("; ")));
    page.paragraph(format!("Answers. {}.", answers.join(". ")));
    page.paragraph(match run.size {
        Size::Small => "Generated text has few digits and no English words: only the full size can answer.",
        Size::Full => {
            "So: keep digits, leave stop words out, and then allow more bits than k = 3. The commonest words, the same in \
             every document of a language, cast many of the votes; with them long texts look alike, and for whole books, \
             for which the draft is not made, its grades are far too wide."
        }
    });
    Ok(())
}

/// What leaving something out does to the best F1 and to unrelated documents.
fn answer(set: &str, [plain, no_digits, no_stop_words]: &[Spread; 3]) -> String {
    let (f1, apart) = (plain.best_f1(), histogram_mean_sd(&plain.unrelated).0);
    let say = |variant: &Spread| {
        let change = variant.best_f1() - f1;
        let verdict = match change {
            change if change >= WORTH_IT => "better",
            change if change <= -WORTH_IT => "worse",
            _ => "no real difference",
        };
        let farther = histogram_mean_sd(&variant.unrelated).0 - apart;
        format!("{verdict} (best F1 {change:+.3}, unrelated documents {farther:+.1} bits)")
    };
    format!("{set}: without digits {}; without stop words {}", say(no_digits), say(no_stop_words))
}

fn claims(page: &mut Report, set: &str, plain: &Spread, ours: &Spread) {
    page.claim(
        format!("{set}: copies are nearer than other documents (mean {:.1})", mean_of(&plain.same)),
        mean_of(&plain.same) < histogram_mean_sd(&plain.unrelated).0,
    );
    let (draft, ours) = (plain.best_f1(), ours.best_f1());
    page.claim(format!("{set}: best F1 of siglum-1, {ours:.3}, is not below {draft:.3}"), ours >= draft);
}

fn mean_of(distances: &[u32]) -> f64 {
    mean(&distances.iter().map(|&distance| f64::from(distance)).collect::<Vec<_>>())
}

/// The share of tokens with a digit among their letters.
fn tokens_with_digits(library: &Samples) -> f64 {
    let (mut n_with, mut n_all) = (0u64, 0u64);
    for sample in library.samples.iter().step_by(4) {
        tokens::for_each_token(&sample.text, |token| {
            n_all += 1;
            n_with += u64::from(token.iter().any(u8::is_ascii_digit));
        });
    }
    n_with as f64 / n_all.max(1) as f64
}

/// Documents of one to fifty pages and one copy of each, with a few errors.
fn generated() -> Samples {
    let language = Language::new(Script::Latin, 1);
    let mut library = Samples::default();
    for seed in 0..60 {
        let text = language.book(seed, 2_000 + 1_500 * seed as usize);
        let mut rng = Rng::named(seed, "simhash-doc");
        let errors = OcrErrors { rate: 0.005, clustered: false };
        let twin = copy(&text, &errors, 0.01, &language.book(seed + 1_000, 5_000), &mut rng);
        let at = library.samples.len();
        for (id, text) in [("", text), ("-copy", twin)] {
            library.samples.push(Sample { id: format!("{seed}{id}"), language: "made".into(), text });
        }
        library.related.insert((at, at + 1));
        library.same.push((at, at + 1, "generated".into()));
    }
    library
}

/// Versions of papers, which are as long as the draft has in mind, and books.
fn real(corpus: &Corpus) -> Result<Vec<(&'static str, Samples)>> {
    Ok(vec![
        ("versions of papers", Samples::of_papers(corpus)?),
        ("books, the same text", Samples::of_corpus(corpus)?),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::similarity;
    use super::*;

    #[test]
    fn limits_are_those_of_the_draft() {
        for (limit, least) in [(CLOSE_BITS, CLOSE), (LOOSE_BITS, LOOSE)] {
            assert!(similarity(limit) >= least && similarity(limit + 1) < least, "{limit}");
        }
    }
}
