//! The sketches of a library's books by one scheme: as stored, or made now from the files.

use crate::args::PairsArgs;
use crate::commands::BookReader;
use crate::numbers::{counted, grouped};
use crate::output::complain;
use crate::progress::Shown;
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::{Features, Scheme, Sketch};
use siglum_extract::{Bytes, Failure, Tidy};
use siglum_library::{FileRow, Library, Phase, Progress};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Books in memory at a time, for each thread.
const BATCH_PER_THREAD: usize = 4;

/// The books of a library that have a file, by their first.
pub(super) struct Shelf {
    /// The files of each book, and its sketch if it has one.
    pub(super) books: Vec<(Vec<PathBuf>, Option<Sketch>)>,
    n_failed: usize,
}

impl Shelf {
    pub(super) fn load(library: &Library, args: &PairsArgs) -> Result<Shelf> {
        let mut stored: BTreeMap<Vec<FileRow>, Option<Sketch>> =
            library.sketches(args.scheme)?.into_iter().collect();
        let mut shelf = Shelf { books: Vec::new(), n_failed: 0 };
        let mut unsketched = Vec::new();
        let mut books: Vec<Vec<FileRow>> = library.books()?.into_iter().map(|book| book.files).collect();
        books.sort();
        for files in books {
            let sketch = stored.remove(&files);
            let there: Vec<PathBuf> =
                files.into_iter().filter(|file| !file.is_missing).map(|file| file.path).collect();
            if there.is_empty() {
                continue;
            }
            if sketch.is_none() {
                unsketched.push(shelf.books.len());
            }
            shelf.books.push((there, sketch.flatten()));
        }
        shelf.read_again(&unsketched, args)?;
        Ok(shelf)
    }

    /// The books that have a sketch, by their places.
    pub(super) fn sketches(&self) -> impl Iterator<Item = (u32, &Sketch)> {
        let numbered = self.books.iter().enumerate();
        numbered.filter_map(|(place, (_, sketch))| Some((place as u32, sketch.as_ref()?)))
    }

    /// How many books there are, and how many of them cannot be compared.
    pub(super) fn summary(&self) -> String {
        let n_without = self.books.iter().filter(|book| book.1.is_none()).count() - self.n_failed;
        let mut summary = counted(self.books.len() as u64, "book", "books");
        if n_without > 0 {
            summary += &format!(" ({} without a sketch)", grouped(n_without as u64));
        }
        if self.n_failed > 0 {
            summary += &format!(" ({} not read)", grouped(self.n_failed as u64));
        }
        summary
    }

    /// Makes the sketches of books that have none stored, from their first files.
    fn read_again(&mut self, places: &[usize], args: &PairsArgs) -> Result<()> {
        if places.is_empty() {
            return Ok(());
        }
        let n_books = counted(places.len() as u64, "book", "books");
        complain(&format!(
            "reading {n_books} again for {}; `siglum scan --scheme` would store it",
            args.scheme
        ));
        let threads = args.threads.map_or(0, usize::from);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
        let reader = BookReader::new(&args.read, Tidy::Tidied, Bytes::Drop)?.unjudged();
        let (progress, mut n_read) = (Shown::on_stderr(), 0);
        for batch in places.chunks(BATCH_PER_THREAD * pool.current_num_threads()) {
            let read = |&place: &usize| (place, sketch_file(&reader, args.scheme, &self.books[place].0[0]));
            let sketches: Vec<_> = pool.install(|| batch.par_iter().map(read).collect());
            for (place, sketch) in sketches {
                self.take(place, sketch);
            }
            n_read += batch.len() as u64;
            progress.at(Phase::Reading, n_read, places.len() as u64);
        }
        progress.end();
        Ok(())
    }

    fn take(&mut self, place: usize, sketch: Result<Option<Sketch>, Failure>) {
        match sketch {
            Ok(sketch) => self.books[place].1 = sketch,
            Err(failure) => {
                self.n_failed += 1;
                let file = self.books[place].0[0].display();
                complain(&format!("cannot read {file}: {failure} ({})", failure.reason));
            }
        }
    }
}

fn sketch_file(reader: &BookReader, scheme: Scheme, file: &Path) -> Result<Option<Sketch>, Failure> {
    let read = reader.read(file)?;
    Ok(scheme.sketch(&Features::new(&read.book)).ok())
}
