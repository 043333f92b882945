//! All pairs of codes, exactly, fast enough to need no index.
//!
//! Ours. The first words of the codes, as many as tell nearly all pairs apart, lie in chunks of 64 books, word by
//! word; a row's distances to a whole chunk are sums of population counts that a processor with wide vectors does eight
//! or sixteen at a time. Only a chunk with a book near by those words is compared in full. Threads take rows in tiles.
//! Holds: equal to the linear scan, whatever the number of threads and whatever the processor.

use super::{Candidate, Codes, Index, Neighbour};
use crate::sketch::bits::Bits;
use multiversion::multiversion;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Books of a chunk: its first words fill eight of the widest registers.
const CHUNK: usize = 64;
/// Books of a tile of rows: what one thread takes at a time. Their words stay in the nearest cache.
const TILE: usize = 512;

/// Codes, to be compared with one another.
#[derive(Debug)]
pub struct Hamming {
    codes: Codes,
    max_distance: u32,
    n_threads: usize,
    heads: Heads,
}

impl Hamming {
    /// Codes are near if at most `max_distance` bits differ.
    pub fn new(codes: Codes, max_distance: u32, n_threads: usize) -> Hamming {
        let heads = Heads::new(&codes, max_distance);
        Hamming { codes, max_distance, n_threads, heads }
    }

    /// The pairs of a tile's books with all behind them.
    fn pairs_of_tile(&self, tile: usize, pairs: &mut Vec<Candidate>) {
        let rows = tile * TILE..(tile * TILE + TILE).min(self.codes.len());
        let chunks = rows.start / CHUNK..self.codes.len().div_ceil(CHUNK);
        self.heads.for_each_near(rows, chunks, self.max_distance, |at, chunk| {
            let books = (chunk * CHUNK).max(at + 1)..((chunk + 1) * CHUNK).min(self.codes.len());
            pairs.extend(books.filter_map(|other| self.codes.candidate(at, other, self.max_distance)));
        });
    }

    /// Takes tiles until there are none left.
    fn work(&self, next_tile: &AtomicUsize) -> Vec<Candidate> {
        let mut pairs = Vec::new();
        loop {
            let tile = next_tile.fetch_add(1, Ordering::Relaxed);
            if tile >= self.codes.len().div_ceil(TILE) {
                return pairs;
            }
            self.pairs_of_tile(tile, &mut pairs);
        }
    }
}

impl Index for Hamming {
    type Sketch = Bits;

    fn pairs(&self) -> Vec<Candidate> {
        let next_tile = AtomicUsize::new(0);
        let n_helpers = self.n_threads.clamp(1, self.codes.len().div_ceil(TILE).max(1)) - 1;
        let mut pairs = thread::scope(|scope| {
            let helpers: Vec<_> = (0..n_helpers).map(|_| scope.spawn(|| self.work(&next_tile))).collect();
            let mut pairs = self.work(&next_tile);
            for helper in helpers {
                pairs.extend(helper.join().expect("comparing codes does not panic"));
            }
            pairs
        });
        pairs.sort_unstable();
        pairs
    }

    fn neighbours(&self, code: &Bits) -> Vec<Neighbour> {
        let query = self.codes.query(code);
        (0..self.codes.len()).filter_map(|at| self.codes.neighbour(&query, at, self.max_distance)).collect()
    }
}

/// The first words of all codes.
#[derive(Debug)]
enum Heads {
    One(HeadsOf<1>),
    Two(HeadsOf<2>),
    Three(HeadsOf<3>),
    Four(HeadsOf<4>),
}

impl Heads {
    /// So many words that unrelated codes, which differ in half of their bits, seldom come near by them: the distance
    /// is less than a quarter of the bits.
    fn new(codes: &Codes, max_distance: u32) -> Heads {
        let enough = max_distance as usize / 16 + 1;
        match enough.min(codes.n_words()) {
            0 | 1 => Heads::One(HeadsOf::new(codes)),
            2 => Heads::Two(HeadsOf::new(codes)),
            3 => Heads::Three(HeadsOf::new(codes)),
            _ => Heads::Four(HeadsOf::new(codes)),
        }
    }

    /// Calls back for each row and chunk in which a book is near by its first words.
    fn for_each_near(
        &self,
        rows: Range<usize>,
        chunks: Range<usize>,
        max_distance: u32,
        near: impl FnMut(usize, usize),
    ) {
        match self {
            Heads::One(heads) => heads.for_each_near(rows, chunks, max_distance, near),
            Heads::Two(heads) => heads.for_each_near(rows, chunks, max_distance, near),
            Heads::Three(heads) => heads.for_each_near(rows, chunks, max_distance, near),
            Heads::Four(heads) => heads.for_each_near(rows, chunks, max_distance, near),
        }
    }
}

/// The first `N` words of all codes, twice: book by book, and in chunks word by word.
#[derive(Debug)]
struct HeadsOf<const N: usize> {
    rows: Vec<[u64; N]>,
    chunks: Vec<[[u64; CHUNK]; N]>,
}

impl<const N: usize> HeadsOf<N> {
    fn new(codes: &Codes) -> HeadsOf<N> {
        let word = |at: usize, no: usize| codes.row(at).get(no).copied().unwrap_or(0);
        let rows: Vec<[u64; N]> = (0..codes.len()).map(|at| std::array::from_fn(|no| word(at, no))).collect();
        // Places behind the last book repeat it: they are near only where it is.
        let chunk = |books: &[[u64; N]]| {
            std::array::from_fn(|no| std::array::from_fn(|at| books[at.min(books.len() - 1)][no]))
        };
        HeadsOf { chunks: rows.chunks(CHUNK).map(chunk).collect(), rows }
    }

    fn for_each_near(
        &self,
        rows: Range<usize>,
        chunks: Range<usize>,
        max_distance: u32,
        mut near: impl FnMut(usize, usize),
    ) {
        let mut near_rows = Vec::new();
        for chunk in chunks {
            find_near_rows(
                &self.rows[rows.clone()],
                &self.chunks[chunk],
                max_distance.into(),
                &mut near_rows,
            );
            near_rows.drain(..).for_each(|row| near(rows.start + row, chunk));
        }
    }
}

/// Adds the rows that are near a book of a chunk, by their first words.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn find_near_rows<const N: usize>(
    rows: &[[u64; N]],
    chunk: &[[u64; CHUNK]; N],
    max_distance: u64,
    near_rows: &mut Vec<usize>,
) {
    for (at, row) in rows.iter().enumerate() {
        let mut is_near = false;
        // No closure, which would not be compiled for the target, and no way out at the first that is near: only then
        // do vector units take eight books at a time.
        #[expect(clippy::needless_range_loop, reason = "words of all books first, then of each")]
        for book in 0..CHUNK {
            let mut distance = 0;
            for no in 0..N {
                distance += u64::from((row[no] ^ chunk[no][book]).count_ones());
            }
            is_near |= distance <= max_distance;
        }
        if is_near {
            near_rows.push(at);
        }
    }
}
