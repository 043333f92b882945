//! The related pairs as the paper finds them: the books of every pair with common text are read again and compared by
//! pages whose min-hashes collide.
//!
//! Paper: Spasojevic & Poncin 2011, §III-§IV. We differ: the pairs come from the library's own candidates, not from the
//! paper's postings of page hashes.

use crate::args::{MatchesArgs, PdfEngineArg, ReadArgs};
use crate::commands::BookReader;
use crate::output::complain;
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::Class;
use siglum::align::by_pages::{PageWitness, align_pages};
use siglum::relate::by_pages::relate_pages;
use siglum_extract::{Bytes, Tidy};
use siglum_library::{Filter, Library, MatchRow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The pairs the paper's method calls related.
pub(super) fn rows(library: &Library, filter: &Filter, args: &MatchesArgs) -> Result<Vec<MatchRow>> {
    let pairs = library.compared()?;
    let files: BTreeSet<&PathBuf> = pairs.iter().flat_map(|(a, b)| [a, b]).collect();
    let threads = args.threads.map_or(0, usize::from);
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
    let read =
        ReadArgs { encoding: None, pdf_engine: PdfEngineArg::default(), confinement: args.confinement };
    let reader = BookReader::new(&read, Tidy::Tidied, Bytes::Drop)?.unjudged();
    pool.install(|| {
        let witnesses: BTreeMap<&Path, PageWitness> =
            files.par_iter().filter_map(|path| Some((path.as_path(), witness(&reader, path)?))).collect();
        let compared = pairs
            .par_iter()
            .filter_map(|(a, b)| compare((a, witnesses.get(a.as_path())?), (b, witnesses.get(b.as_path())?)));
        Ok(compared.filter(|row| is_wanted(row, filter)).collect())
    })
}

fn witness(reader: &BookReader, path: &Path) -> Option<PageWitness> {
    match reader.read(path) {
        Ok(read) => Some(PageWitness::of_book(&read.book)),
        Err(failure) => {
            complain(&format!("cannot read {}: {failure} ({})", path.display(), failure.reason));
            None
        }
    }
}

fn compare((a, of_a): (&PathBuf, &PageWitness), (b, of_b): (&PathBuf, &PageWitness)) -> Option<MatchRow> {
    let found = align_pages(of_a, of_b);
    Some(MatchRow { a: a.clone(), b: b.clone(), relation: relate_pages(&found), extent: (&found).into() })
}

fn is_wanted(row: &MatchRow, filter: &Filter) -> bool {
    row.relation.class != Class::Unrelated && filter.holds(&row.relation)
}
