//! Safety: what becomes of a library whose near duplicates are told by character 5-grams and joined in chains.
//!
//! The case: a corpus of 55,454 books from Project Gutenberg, deduplicated by min-hashes of character 5-grams in bands and
//! connected components, kept 1,629; 51,160 unrelated books fell into one group (issue 6854 of marin-community/marin). Two
//! books of one language share a quarter to a third of their character 5-grams, whatever they say.

use super::Run;
use crate::corpus::{Corpus, places, read_text};
use crate::experiments::library_evidence::StoredMatches;
use crate::generate::{Language, Script};
use crate::report::Report;
use crate::table::{Cell, Table, row};
use anyhow::Result;
use rayon::prelude::*;
use siglum::cluster::clusters;
use siglum::hash::splitmix;
use siglum::{Book, Class, Witness};
use std::collections::{HashMap, HashSet};

/// Bands and rows in use for documents of the web; the case does not tell its own.
const BANDS: [(usize, usize); 3] = [(14, 8), (26, 11), (20, 13)];
const MOST_HASHES: usize = 286;
/// Characters of a shingle.
const SHINGLE: usize = 5;
/// Books of more characters are cut, at full size, into documents of so many.
const DOCUMENT: usize = 50_000;
/// What reading found of documents of the corpus that no label joins.
const READ: &str = "Of the corpus of November 2026 eleven documents were so joined, and a part of each was read: all are catalogues that publishers \
    bound behind unrelated novels, here cut off from them. They are one text, as ours says.";
/// Generated books at small size.
const N_GENERATED: u64 = 200;

/// A document, and the work it belongs to: documents of one work, or of works that a label joins, are related.
struct Document {
    name: String,
    text: String,
    work: usize,
}

pub(super) fn run(run: &Run) -> Result<Report> {
    let mut page = Report::of_paper(
        "Safety: unrelated books must not be merged",
        "The case: issue 6854 of marin-community/marin (2026): character 5-grams, min-hashes in bands, connected components. Of 55,454 \
         books of Project Gutenberg 1,629 were kept; 51,160 unrelated books fell into one group.",
    );
    let (name, books) = match &run.corpus {
        Some(corpus) => ("real books", of_corpus(corpus)?),
        None => ("generated books of one language", generated()),
    };
    let n_lost = measure(&mut page, name, &books)?;
    page.claim(format!("{name}: unrelated books lost by ours: {n_lost}"), n_lost == 0);
    if run.corpus.is_some() {
        measure(&mut page, "real books, cut into documents of 50,000 characters", &cut(&books))?;
        page.paragraph(READ);
    }
    page.paragraph(
        "A group loses a book if it is not the first of its group and is unrelated to the first. Ours joins what is the same text from \
         end to end, verified by alignment, each member directly with the copy that is kept.",
    );
    Ok(page)
}

/// How many unrelated documents ours loses.
fn measure(page: &mut Report, name: &str, documents: &[Document]) -> Result<usize> {
    page.section(format!("{}: {}", name, documents.len()));
    let signatures: Vec<Vec<u32>> = documents.par_iter().map(|document| signature(&document.text)).collect();
    let works: Vec<usize> = documents.iter().map(|document| document.work).collect();
    let mut rows = Vec::new();
    for (bands, rows_each) in BANDS {
        let groups = joined(&signatures, bands, rows_each);
        let chained = Grouping::of(groups.into_values(), &works);
        rows.push(
            chained
                .row(&format!("character 5-grams, {bands} bands of {rows_each}, chained"), documents.len()),
        );
    }
    let groups = ours(documents)?;
    let lost = |group: &Vec<usize>| {
        let first = group[0];
        let others = group.iter().filter(|&&book| works[book] != works[first]);
        others
            .map(|&book| format!("{} with {}", documents[book].name, documents[first].name))
            .collect::<Vec<_>>()
    };
    let lost: Vec<String> = groups.iter().flat_map(lost).collect();
    let ours = Grouping::of(groups, &works);
    rows.push(ours.row("ours", documents.len()));
    page.table(Table::new(["", "kept", "largest group", "unrelated books lost"]).with_rows(rows));
    if !lost.is_empty() {
        page.paragraph(format!("Joined by ours although no label joins their books: {}.", lost.join("; ")));
    }
    Ok(ours.n_lost)
}

/// What grouping does to a library.
struct Grouping {
    n_removed: usize,
    largest: usize,
    n_lost: usize,
}

impl Grouping {
    /// Of groups, each with the book that is kept first.
    fn of(groups: impl IntoIterator<Item = Vec<usize>>, works: &[usize]) -> Grouping {
        let mut outcome = Grouping { n_removed: 0, largest: 1, n_lost: 0 };
        for group in groups {
            outcome.n_removed += group.len() - 1;
            outcome.largest = outcome.largest.max(group.len());
            outcome.n_lost += group.iter().filter(|&&book| works[book] != works[group[0]]).count();
        }
        outcome
    }

    fn row(&self, name: &str, n_books: usize) -> Vec<Cell> {
        row![name, n_books - self.n_removed, self.largest, self.n_lost]
    }
}

fn of_corpus(corpus: &Corpus) -> Result<Vec<Document>> {
    let places = places(&corpus.texts);
    let related = corpus.pairs.iter().filter(|pair| pair.relation != Class::Unrelated);
    let links = related.map(|pair| (places[pair.a.as_str()], places[pair.b.as_str()]));
    let works = components(corpus.texts.len(), links);
    let texts: Vec<String> = corpus.texts.par_iter().map(read_text).collect::<Result<_>>()?;
    let names = corpus.texts.iter().map(|entry| entry.id.clone());
    Ok(texts
        .into_iter()
        .zip(works)
        .zip(names)
        .map(|((text, work), name)| Document { name, text, work })
        .collect())
}

fn cut(books: &[Document]) -> Vec<Document> {
    let parts = |book: &Document| {
        let chars: Vec<char> = book.text.chars().collect();
        let work = book.work;
        let parts = chars.chunks(DOCUMENT).enumerate().filter(|(_, part)| part.len() >= DOCUMENT / 2);
        let part = |(at, part): (usize, &[char])| Document {
            name: format!("{}, part {}", book.name, at + 1),
            text: part.iter().collect(),
            work,
        };
        parts.map(part).collect::<Vec<_>>()
    };
    books.par_iter().flat_map_iter(parts).collect()
}

fn generated() -> Vec<Document> {
    let language = Language::new(Script::Latin, 1);
    let book = |seed: u64| Document {
        name: seed.to_string(),
        text: language.book(seed, 60_000),
        work: seed as usize,
    };
    (0..N_GENERATED).into_par_iter().map(book).collect()
}

/// The least of each hash over the character 5-grams of a text in lower case.
fn signature(text: &str) -> Vec<u32> {
    let chars: Vec<u64> = text.chars().flat_map(char::to_lowercase).map(u64::from).collect();
    let shingles = chars.windows(SHINGLE).map(|five| five.iter().fold(0, |hash, &c| splitmix(hash ^ c)));
    let shingles: HashSet<u64> = shingles.collect();
    let mut least = vec![u32::MAX; MOST_HASHES];
    for shingle in shingles {
        for (n, least) in least.iter_mut().enumerate() {
            // A multiplication with an odd number of its own for each hash, and the upper half of it.
            let odd = (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            *least = (*least).min((shingle.wrapping_mul(odd).wrapping_add(odd >> 7) >> 32) as u32);
        }
    }
    least
}

/// Groups of documents that agree in one band, or through others that do.
fn joined(signatures: &[Vec<u32>], bands: usize, rows: usize) -> HashMap<usize, Vec<usize>> {
    let mut links = Vec::new();
    for band in 0..bands {
        let mut first: HashMap<&[u32], usize> = HashMap::new();
        for (at, signature) in signatures.iter().enumerate() {
            let band = &signature[band * rows..(band + 1) * rows];
            links.push((*first.entry(band).or_insert(at), at));
        }
    }
    let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, group) in components(signatures.len(), links.into_iter()).into_iter().enumerate() {
        groups.entry(group).or_default().push(at);
    }
    groups
}

/// The connected component of each of `n` things, named by its first.
fn components(n: usize, links: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    fn root(parents: &mut [usize], mut at: usize) -> usize {
        while parents[at] != at {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        at
    }
    let mut parents: Vec<usize> = (0..n).collect();
    for (a, b) in links {
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        parents[a.max(b)] = a.min(b);
    }
    (0..n).map(|at| root(&mut parents, at)).collect()
}

/// Groups of the same text as a library makes them.
fn ours(documents: &[Document]) -> Result<Vec<Vec<usize>>> {
    let witness = |document: &Document| Ok(Witness::of_book(&Book::from_text(document.text.as_str())?));
    let library: Vec<Witness> = documents.par_iter().map(witness).collect::<Result<_>>()?;
    let judged = StoredMatches::new(&library).relations(&library);
    let same = judged.into_iter().filter(|(.., class)| class.is_same_text());
    let same: Vec<(u32, u32)> = same.map(|(a, b, _)| (a, b)).collect();
    let order: Vec<u32> = (0..documents.len() as u32).collect();
    let group = |cluster: siglum::cluster::Cluster| {
        let members = cluster.members.iter().map(|member| member.book as usize);
        std::iter::once(cluster.kept as usize).chain(members).collect()
    };
    Ok(clusters(&order, &same).into_iter().map(group).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_named_by_their_first() {
        assert_eq!(components(6, [(4, 5), (1, 4), (0, 2)].into_iter()), [0, 1, 0, 3, 1, 1]);
    }

    #[test]
    fn bands_agree_as_often_as_sets_overlap() {
        let language = Language::new(Script::Latin, 1);
        let (a, b) = (language.book(1, 20_000), language.book(2, 20_000));
        let sets = [&a, &b].map(|text| {
            let chars: Vec<char> = text.to_lowercase().chars().collect();
            chars.windows(SHINGLE).map(<[char]>::to_vec).collect::<HashSet<_>>()
        });
        let jaccard = sets[0].intersection(&sets[1]).count() as f64 / sets[0].union(&sets[1]).count() as f64;
        let (x, y) = (signature(&a), signature(&b));
        let agree = x.iter().zip(&y).filter(|(x, y)| x == y).count() as f64 / MOST_HASHES as f64;
        // Four standard errors of 286 hashes.
        assert!(
            (agree - jaccard).abs() < 4.0 * (jaccard * (1.0 - jaccard) / 286.0).sqrt(),
            "{agree} {jaccard}"
        );
    }

    #[test]
    fn who_is_unrelated_to_the_first_of_a_group_is_lost() {
        let outcome = Grouping::of([vec![0, 1, 2], vec![3]], &[7, 7, 8, 9]);
        assert_eq!((outcome.n_removed, outcome.largest, outcome.n_lost), (2, 3, 1));
    }
}
