//! `siglum pairs`: near-duplicate pairs by one sketch alone, as its paper finds them.
//!
//! Every book that has a file is compared by its sketch and nothing else: no text is aligned, no decision of a person
//! and no calibre folder is heeded. Files of one content are pairs like any other.

mod method;
mod sketches;

use super::json_path;
use super::library::{Standpoint, open};
use crate::args::PairsArgs;
use crate::numbers::{counted, grouped};
use crate::output::{Exit, Output, complain};
use anyhow::Result;
use method::{Nearness, PairSearch};
use siglum::Scheme;
use siglum::index::{Candidate, Likeness};
use siglum::report::pairs::PairReport;
use siglum::report::rounded;
use siglum_library::Access;
use sketches::Shelf;
use std::path::Path;

pub(crate) fn run(args: &PairsArgs, output: &mut Output) -> Result<Exit> {
    let method = PairSearch::new(args.scheme, args.index, args.max_distance, args.min_resemblance)?;
    let library = open(&args.library, Access::Read)?;
    let shelf = Shelf::load(&library, args)?;
    let found = method.find(shelf.sketches(), threads(args));
    if found.n_capped > 0 {
        let buckets = counted(found.n_capped as u64, "min-hash", "min-hashes");
        complain(&format!(
            "{buckets} ignored: more than {} books have each",
            grouped(found.max_bucket as u64)
        ));
    }
    let mut page = Page { args, output, standpoint: Standpoint::here(), n_pairs: 0 };
    page.heading()?;
    page.copies(&shelf, method.nearness)?;
    for candidate in &found.candidates {
        page.candidate(&shelf, candidate)?;
    }
    let n_pairs = page.n_pairs;
    complain(&format!("{} among {}, {method}", counted(n_pairs, "pair", "pairs"), shelf.summary()));
    Ok(if n_pairs == 0 { Exit::Nothing } else { Exit::Found })
}

fn threads(args: &PairsArgs) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    args.threads.map_or_else(processors, usize::from)
}

/// Pairs, printed as they come: a thousand copies make half a million of them.
struct Page<'a> {
    args: &'a PairsArgs,
    output: &'a mut Output,
    standpoint: Standpoint,
    n_pairs: u64,
}

impl Page<'_> {
    fn heading(&mut self) -> Result<()> {
        if self.args.csv { self.output.line(&FIELDS.join(",")) } else { Ok(()) }
    }

    /// Files of one content.
    fn copies(&mut self, shelf: &Shelf, nearness: Nearness) -> Result<()> {
        for (files, sketch) in &shelf.books {
            let Some(likeness) = sketch.as_ref().map(|_| nearness.equal()) else { continue };
            for (at, file) in files.iter().enumerate() {
                files[at + 1..].iter().try_for_each(|other| self.pair(file, other, likeness))?;
            }
        }
        Ok(())
    }

    /// Files of two books.
    fn candidate(&mut self, shelf: &Shelf, candidate: &Candidate) -> Result<()> {
        let files = |id: u32| &shelf.books[id as usize].0;
        for file in files(candidate.a) {
            files(candidate.b).iter().try_for_each(|other| self.pair(file, other, candidate.likeness))?;
        }
        Ok(())
    }

    fn pair(&mut self, a: &Path, b: &Path, likeness: Likeness) -> Result<()> {
        self.n_pairs += 1;
        if !self.args.json && !self.args.csv {
            let near = match likeness {
                Likeness::Distance(distance) => format!("{distance:>4}"),
                Likeness::Collisions { .. } => format!("{:.2}", likeness.resemblance().unwrap_or(0.0)),
            };
            return self.output.line(&format!(
                "{near}  {}\n      {}",
                self.standpoint.name(a),
                self.standpoint.name(b)
            ));
        }
        let report = report(self.args.scheme, a, b, likeness);
        if self.args.csv { self.output.csv(&report, &FIELDS) } else { self.output.json(&report) }
    }
}

const FIELDS: [&str; 5] = ["a", "b", "scheme", "distance", "resemblance"];

fn report(scheme: Scheme, a: &Path, b: &Path, likeness: Likeness) -> PairReport {
    let ((a, a_b64), (b, b_b64)) = (json_path(a), json_path(b));
    PairReport {
        a: a.unwrap_or_default(),
        b: b.unwrap_or_default(),
        a_b64,
        b_b64,
        scheme: scheme.to_string(),
        distance: likeness.distance(),
        resemblance: likeness.resemblance().map(rounded),
    }
}
