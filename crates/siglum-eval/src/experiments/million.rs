//! Postings of a million books, simulated at the level of search keys: time, size, memory and candidates.
//!
//! Model. A book has as many keys as one of the corpus (its quantiles). Half of them no other book has; the others are
//! drawn from phrases of which the r-th is as frequent as (r + 665)^-1.02: these three figures fit best how many keys
//! of 100, 200 and 400 English books of the corpus, one of each group of related ones, are in 1, 2, 3-4, 5-10, 11-30 and
//! 31-100 books. So all books are of one language, which is the hardest case. Every tenth book is a copy of an earlier
//! one that keeps every other key, as at 4 % errors.
//! What it leaves out: real books share phrases by subject and time, so pairs with two common keys are more frequent
//! than here; `candidates` measures those.

use crate::experiments::align_speed::peak_memory;
use crate::experiments::speed::cpu_seconds;
use crate::rng::Rng;
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::hash::splitmix;
use siglum::index::postings::{KeySearch, Posting, Postings, PostingsFile};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Keys of a book: quantiles of the corpus, and of how many books in a hundred.
const N_KEYS: [(f64, f64); 14] = [
    (0.0, 4.0),
    (0.05, 55.0),
    (0.1, 98.0),
    (0.2, 168.0),
    (0.3, 215.0),
    (0.4, 259.0),
    (0.5, 321.0),
    (0.6, 539.0),
    (0.7, 894.0),
    (0.8, 1272.0),
    (0.9, 1835.0),
    (0.95, 2212.0),
    (0.99, 3101.0),
    (1.0, 6264.0),
];
const PRIVATE_SHARE: f64 = 0.5;
const EXPONENT: f64 = 1.02;
const FLAT_RANKS: f64 = 665.0;
/// Every so many books there is a copy, which keeps this share of the keys.
const COPY_EVERY: u32 = 10;
const KEPT_SHARE: f64 = 0.5;
/// Letters between keys.
const STEP: u32 = 256;

/// Books of one file, as a scan might write them.
const BATCH: u32 = 20_000;
const N_SEARCHES: u32 = 2_000;
/// In so many files that a library would have merged them, fewer.
const N_SLOW_SEARCHES: u32 = 100;

/// Builds the index in a folder, searches it, and deletes it.
pub fn report(dir: &Path, n_books: u32) -> Result<String> {
    let folder = dir.join("siglum-million");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let page = measure(&folder, n_books);
    std::fs::remove_dir_all(&folder).with_context(|| format!("cannot delete {}", folder.display()))?;
    page
}

fn measure(folder: &Path, n_books: u32) -> Result<String> {
    let (mut making, mut writing) = (0.0, 0.0);
    let mut files: Vec<Arc<PostingsFile>> = Vec::new();
    for first in (0..n_books).step_by(BATCH as usize) {
        let start = Instant::now();
        let last = n_books.min(first + BATCH);
        let mut postings: Vec<Posting> = (first..last).into_par_iter().flat_map_iter(book).collect();
        making += start.elapsed().as_secs_f64();
        let (path, start) = (folder.join(format!("{first}")), Instant::now());
        PostingsFile::write(&path, &mut postings)?;
        writing += start.elapsed().as_secs_f64();
        files.push(Arc::new(PostingsFile::open(&path)?));
    }
    let building = peak_memory();
    let mut page = String::from(SEARCH_HEAD);
    for n in [1, 5, files.len()].into_iter().filter(|&n| n <= files.len()).collect::<BTreeSet<_>>() {
        let index = Postings::new(files[..n].to_vec(), BTreeSet::new());
        page.push_str(&searches(&index, n_books.min(n as u32 * BATCH))?);
    }

    let (path, start) = (folder.join("merged"), Instant::now());
    let refs: Vec<&PostingsFile> = files.iter().map(AsRef::as_ref).collect();
    PostingsFile::merge(&refs, &|_| false, &path)?;
    let merging = start.elapsed().as_secs_f64();
    let paths: Vec<PathBuf> = files.iter().map(|file| file.path().to_owned()).collect();
    drop(files);
    paths.iter().try_for_each(std::fs::remove_file)?;
    let start = Instant::now();
    let merged = PostingsFile::open(&path)?;
    let opening = start.elapsed().as_secs_f64();
    let (n_postings, n_bytes) = (merged.n_postings(), merged.n_bytes());
    let index_bytes = merged.memory();
    page.push_str(&searches(&Postings::new(vec![Arc::new(merged)], BTreeSet::new()), n_books)?);
    writeln!(
        page,
        "\n{n_books} books, {n_postings} postings: {:.2} GB, {:.0} bytes a book, {:.2} a posting.",
        n_bytes as f64 / 1e9,
        n_bytes as f64 / f64::from(n_books),
        n_bytes as f64 / n_postings as f64
    )?;
    writeln!(
        page,
        "Sorted and written in files of {BATCH} books in {writing:.0} s, merged in {merging:.0} s, opened in {opening:.2} s (books made up in {making:.0} s); wall clock."
    )?;
    writeln!(
        page,
        "Memory: at most {:.0} MB while building; the index of blocks, held while searching, {:.1} MB.",
        building as f64 / 1e6,
        index_bytes as f64 / 1e6
    )?;
    Ok(page)
}

const SEARCH_HEAD: &str = "| books | files | candidates a book: mean | p99 | keys capped, % | copies found, % | search, CPU ms: p50 | p99 | wall ms: p50 | p99 |\n|---|---|---|---|---|---|---|---|---|---|\n";

/// A line of the table: the same searches twice, of which the second, warm, counts.
fn searches(index: &Postings, n_books: u32) -> Result<String> {
    let n_searches = if index.files().len() > 5 { N_SLOW_SEARCHES } else { N_SEARCHES };
    let queries: Vec<u32> =
        (0..n_searches).map(|n| (splitmix(u64::from(n)) % u64::from(n_books)) as u32).collect();
    for &query in &queries {
        index.search_postings(&book(query), Some(query))?;
    }
    let (mut cpu, mut wall, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut n_keys, mut n_capped, mut n_copies, mut n_found) = (0u64, 0u64, 0, 0);
    for &query in &queries {
        let postings = book(query);
        let (mut found, start) = (Ok(KeySearch::default()), Instant::now());
        cpu.push(1e3 * cpu_seconds(|| found = index.search_postings(&postings, Some(query))));
        wall.push(1e3 * start.elapsed().as_secs_f64());
        let found = found?;
        (n_keys, n_capped) = (n_keys + u64::from(found.n_keys), n_capped + u64::from(found.n_capped));
        counts.push(found.neighbours.len() as f64);
        if let Some(original) = original(query) {
            n_copies += 1;
            n_found += u32::from(
                found.neighbours.binary_search_by_key(&original, |neighbour| neighbour.witness).is_ok(),
            );
        }
    }
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let [counts, cpu, wall] =
        [counts, cpu, wall].map(|values| (quantile(&values, 0.5), quantile(&values, 0.99)));
    Ok(format!(
        "| {n_books} | {} | {mean:.2} | {:.0} | {:.2} | {:.1} | {:.2} | {:.2} | {:.2} | {:.2} |\n",
        index.files().len(),
        counts.1,
        100.0 * n_capped as f64 / n_keys as f64,
        100.0 * f64::from(n_found) / f64::from(n_copies.max(1)),
        cpu.0,
        cpu.1,
        wall.0,
        wall.1
    ))
}

fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

/// The postings of a book, which its number makes.
fn book(number: u32) -> Vec<Posting> {
    let mut rng = Rng::new(splitmix(u64::from(number)));
    let keys: Vec<u32> = match original(number) {
        Some(original) => {
            let kept = |key, rng: &mut Rng| if rng.chance(KEPT_SHARE) { key } else { draw(rng) };
            own_keys(original).into_iter().map(|key| kept(key, &mut rng)).collect()
        }
        None => own_keys(number),
    };
    Posting::of_keys(number, keys.into_iter().zip(1..).map(|(key, at)| (key, at * STEP)))
}

/// The earlier book that this one is a copy of.
fn original(number: u32) -> Option<u32> {
    let is_copy = number % COPY_EVERY == COPY_EVERY - 1;
    is_copy
        .then(|| (splitmix(u64::from(number)) % u64::from(number)) as u32)
        .map(|at| at - u32::from(at % COPY_EVERY == COPY_EVERY - 1))
}

fn own_keys(number: u32) -> Vec<u32> {
    let mut rng = Rng::named(u64::from(number), "keys");
    let share = rng.unit();
    let above = N_KEYS.iter().position(|quantile| quantile.0 > share).unwrap_or(N_KEYS.len() - 1);
    let ((from, low), (to, high)) = (N_KEYS[above - 1], N_KEYS[above]);
    let n_keys = low + (high - low) * (share - from) / (to - from);
    (0..n_keys as usize).map(|_| draw(&mut rng)).collect()
}

fn draw(rng: &mut Rng) -> u32 {
    let own = (rng.next_u64() >> 32) as u32;
    // The logarithm of (r + 665) / 665 is exponentially distributed; from 38 on no two books draw the same rank.
    let log = -(1.0 - rng.unit()).ln() / (EXPONENT - 1.0);
    if rng.chance(PRIVATE_SHARE) || log > 38.0 {
        return own;
    }
    let rank = (FLAT_RANKS * (log.exp() - 1.0)) as u64;
    (splitmix(rank ^ 0x5A5A_0000_0000_0000) >> 32) as u32
}
