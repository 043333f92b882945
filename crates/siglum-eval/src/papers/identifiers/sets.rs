//! The paper's two sets of books, as codes: texts are made, coded and forgotten.

use super::mutation::derive;
use super::reported::{MAX_COPIES, MAX_CORRUPTION, N_VERSIONS};
use crate::code::Code;
use crate::experiments::sigla::Samples;
use crate::rng::Rng;
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::Siglum;
use siglum::sketch::simhash::{TfBits, tf4};
use siglum::text::Letters;

/// A version of a book, of which only this is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Version {
    /// The distinct book it was made of.
    pub(super) group: u32,
    /// `simhash-tf4-256`, whose first bits are its shorter forms.
    pub(super) simhash: Code,
    pub(super) siglum: Code,
    pub(super) length_class: u8,
    pub(super) n_bytes: usize,
}

impl Version {
    fn new(group: usize, text: &str) -> Result<Version> {
        let siglum = Siglum::new(&Letters::of_text(text)).ok().context("a text too short for a siglum")?;
        Ok(Version {
            group: group as u32,
            simhash: simhash(text, 256)?,
            siglum: Code::new(siglum.content()),
            length_class: siglum.length_class(),
            n_bytes: text.len(),
        })
    }
}

/// `simhash-tf4` of so many bits, zeros behind.
pub(super) fn simhash(text: &str, n_bits: usize) -> Result<Code> {
    let n_bits = u16::try_from(n_bits).ok().and_then(TfBits::new).context("no length of the paper")?;
    let bits = tf4(text, n_bits).ok().context("a text too short for a fingerprint")?;
    let mut bytes = [0; 32];
    bytes[..bits.as_bytes().len()].copy_from_slice(bits.as_bytes());
    Ok(Code::new(&bytes))
}

/// The 1k set at one corruption rate: every book and nine versions of it.
pub(super) fn versions(books: &[&str], corruption: f64) -> Result<Vec<Version>> {
    let of_book = |at: usize| {
        let copies = (1..N_VERSIONS).map(move |copy| version_text(books, at, copy, corruption));
        std::iter::once(books[at].to_owned()).chain(copies).map(move |text| Version::new(at, &text)).collect()
    };
    let groups: Vec<Vec<Version>> = (0..books.len()).into_par_iter().map(of_book).collect::<Result<_>>()?;
    Ok(groups.concat())
}

/// One version of a book of the 1k set.
pub(super) fn version_text(books: &[&str], at: usize, copy: usize, corruption: f64) -> String {
    let mut rng = Rng::named((at * N_VERSIONS + copy) as u64, &format!("1k at {corruption:.2}"));
    let donor = another(books, at, &mut rng);
    derive(books[at], corruption, donor, &mut rng)
}

/// The 75k set: every text and one to fifteen versions of it, each at a rate of its own up to 5 %.
pub(super) fn library(texts: &[&str]) -> Result<Vec<Version>> {
    let of_text = |at: usize| {
        let mut rng = Rng::named(at as u64, "75k");
        let mut versions = vec![Version::new(at, texts[at])?];
        for _ in 0..rng.between(1, MAX_COPIES) {
            let corruption = rng.unit() * MAX_CORRUPTION;
            let donor = another(texts, at, &mut rng);
            versions.push(Version::new(at, &derive(texts[at], corruption, donor, &mut rng))?);
        }
        Ok(versions)
    };
    let groups: Vec<Vec<Version>> = (0..texts.len()).into_par_iter().map(of_text).collect::<Result<_>>()?;
    Ok(groups.concat())
}

/// Any text but this one, unless there is no other.
fn another<'t>(texts: &[&'t str], at: usize, rng: &mut Rng) -> &'t str {
    let drawn = rng.below(texts.len().saturating_sub(1).max(1));
    texts[if drawn >= at && texts.len() > 1 { drawn + 1 } else { drawn }]
}

/// The texts of a library of which no two are related.
pub(super) fn distinct(library: &Samples) -> Vec<usize> {
    library.originals(|_| usize::MAX)
}

/// Cuts texts into about so many parts. A book's last part, where publishers print their lists, is left out, as are
/// books shorter than a part.
pub(super) fn parts<'t>(texts: &[&'t str], n_parts: usize) -> Vec<&'t str> {
    let total: usize = texts.iter().map(|text| text.len()).sum();
    let mean = (total / n_parts.max(1)).max(1);
    let mut rng = Rng::named(n_parts as u64, "parts");
    let mut parts = Vec::with_capacity(n_parts);
    for text in texts {
        let mut rest = *text;
        loop {
            let end = rest.floor_char_boundary(rng.between(mean / 2, mean * 3 / 2));
            if end == 0 || end >= rest.len() {
                break;
            }
            let (part, after) = rest.split_at(end);
            parts.push(part);
            rest = after;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_one_another_and_are_about_as_many_as_asked_for() {
        let text = "ä and so on, and on; ".repeat(10_000);
        let parts = parts(&[&text, "short"], 50);
        assert!((40..=55).contains(&parts.len()), "{}", parts.len());
        assert!(text.starts_with(&parts.concat()));
    }
}
