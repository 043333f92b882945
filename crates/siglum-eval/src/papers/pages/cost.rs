//! §VI: CPU seconds for each stage and book.
//!
//! Paper: Spasojevic & Poncin 2011, §VI, CPU hours over 15 million books; on machines of 2011. Here all on one thread, in
//! one process, by the clock of that thread.

use crate::corpus::in_papers_classes;
use crate::experiments::candidates::candidates;
use crate::machine::{Scratch, cpu_timed};
use crate::report;
use anyhow::Result;
use siglum::align::by_pages::{PageWitness, align_pages};
use siglum::cluster::clusters;
use siglum::index::minhash_postings::MinHashPostings;
use siglum::index::{Index, MinHashes};
use siglum::relate::by_pages::relate_pages;
use siglum::sketch::minhash::{Family, MinHash};
use siglum::{Book, Class, Match, Relation, Witness, align, relate};
use siglum_extract::worker::Isolation;
use siglum_extract::{How, Reader};

/// A stage of the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    pub(super) name: &'static str,
    /// CPU hours in the paper (§VI); where two of its stages are one of ours, their sum.
    pub(super) reported_hours: f64,
}

/// Reading, which the paper's 3.5 seconds leave out, and the stages they hold.
pub(super) const STAGES: [Stage; 6] = [
    Stage { name: "read the file", reported_hours: 11_275.0 },
    Stage { name: "sketch book and pages", reported_hours: 1_428.0 },
    Stage { name: "search for similar books", reported_hours: 72.0 },
    Stage { name: "align pages or text", reported_hours: 11_047.0 + 1_633.0 },
    Stage { name: "say the relation", reported_hours: 406.0 },
    Stage { name: "cluster", reported_hours: 1.0 },
];
/// "More than 15M books" (§VI).
const REPORTED_BOOKS: f64 = 15e6;

impl Stage {
    pub(super) fn reported(self) -> f64 {
        self.reported_hours * 3_600.0 / REPORTED_BOOKS
    }
}

/// CPU seconds for a book, stage by stage.
pub(super) type Cost = [f64; STAGES.len()];

/// All stages but reading, as the paper adds them up.
pub(super) fn without_reading(cost: &Cost) -> f64 {
    cost[1..].iter().sum()
}

/// Keeps what a task gives, and adds its time.
fn timed<T>(seconds: &mut f64, task: impl FnOnce() -> T) -> T {
    let (result, took) = cpu_timed(task);
    *seconds += took;
    result
}

/// Reads texts from files, as a scan does.
pub(super) fn read(texts: &[String]) -> Result<(Vec<Book>, f64)> {
    let folder = Scratch::new("papers")?;
    let file = folder.join("book.txt");
    let reader = Reader::new(Isolation::InProcess)?;
    let mut seconds = 0.0;
    let mut books = Vec::with_capacity(texts.len());
    // Tables are unpacked at the first file.
    if let Some(first) = texts.first() {
        report::write(&file, first)?;
        reader.read_file(&file, &How::default())?;
    }
    for text in texts {
        report::write(&file, text)?;
        books.push(timed(&mut seconds, || reader.read_file(&file, &How::default()))?.book);
    }
    Ok((books, seconds / texts.len().max(1) as f64))
}

/// The paper's line.
pub(super) fn by_pages(books: &[Book], reading: f64) -> Cost {
    let mut cost = [0.0; STAGES.len()];
    let witnesses: Vec<PageWitness> =
        timed(&mut cost[1], || books.iter().map(PageWitness::of_book).collect());
    // A witness has this min-hash, but does not show it: made again, and not counted twice.
    let hashes: Vec<Option<MinHash>> =
        books.iter().map(|book| MinHash::of_text(Family::Book, book.text()).ok()).collect();
    let similar = timed(&mut cost[2], || {
        let hashes = (0..).zip(hashes).filter_map(|(id, hash)| Some((id, hash?)));
        MinHashPostings::new(MinHashes::new(Family::Book, hashes), super::clusters::MIN_RESEMBLANCE).pairs()
    });
    let pairs: Vec<(u32, u32)> = similar.iter().map(|pair| (pair.a, pair.b)).collect();
    let aligned = |&(a, b): &(u32, u32)| align_pages(&witnesses[a as usize], &witnesses[b as usize]);
    let found: Vec<Match> = timed(&mut cost[3], || pairs.iter().map(aligned).collect());
    finish(&mut cost, books.len(), reading, &pairs, &found, relate_pages);
    cost
}

pub(super) fn ours(books: &[Book], reading: f64) -> Cost {
    let mut cost = [0.0; STAGES.len()];
    let witnesses: Vec<Witness> = timed(&mut cost[1], || books.iter().map(Witness::of_book).collect());
    let pairs = timed(&mut cost[2], || candidates(&witnesses));
    let aligned = |&(a, b): &(u32, u32)| align(&witnesses[a as usize], &witnesses[b as usize]);
    let found: Vec<Match> = timed(&mut cost[3], || pairs.iter().map(aligned).collect());
    finish(&mut cost, books.len(), reading, &pairs, &found, |found| relate(found, None));
    cost
}

/// The stages both ways share; the whole then becomes the cost of a book.
fn finish(
    cost: &mut Cost,
    n_books: usize,
    reading: f64,
    pairs: &[(u32, u32)],
    found: &[Match],
    relate: impl Fn(&Match) -> Relation,
) {
    let classes: Vec<Class> =
        timed(&mut cost[4], || found.iter().map(|found| in_papers_classes(relate(found).class)).collect());
    timed(&mut cost[5], || {
        let is_same = |class: &Class| matches!(class, Class::SamePagination | Class::DifferentPagination);
        let same = pairs.iter().zip(&classes).filter(|(_, class)| is_same(class));
        let same: Vec<(u32, u32)> = same.map(|(&pair, _)| pair).collect();
        clusters(&(0..n_books as u32).collect::<Vec<_>>(), &same).len()
    });
    cost.iter_mut().for_each(|stage| *stage /= n_books.max(1) as f64);
    cost[0] = reading;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reported_stages_are_three_and_a_half_seconds() {
        let reported = STAGES.map(Stage::reported);
        assert!((without_reading(&reported) - 3.5).abs() < 0.05, "{}", without_reading(&reported));
    }
}
