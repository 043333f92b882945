//! `siglum compare`: how two books relate, and why.
//!
//! Holds: the books are read and nothing else; where the page may be written is settled before they are.

mod drawing;
mod terminal;

use super::{BookReader, json_path, warnings};
use crate::args::CompareArgs;
use crate::output::{Exit, Output, complain};
use crate::own_file::OwnFile;
use anyhow::{Result, anyhow, bail};
use siglum::align::by_pages::{PageWitness, align_pages};
use siglum::relate::by_pages::relate_pages;
use siglum::relate::{Work, language};
use siglum::report::compare::{CompareReport, Method};
use siglum::report::compare_page::{GENERATOR, Named, compare_page};
use siglum::{Book, Class, Evidence, Match, Relation, Witness, align, relate};
use siglum_extract::{Bytes, Extracted, Failure, Tidy, detect_language};
use std::path::Path;
use std::thread;
use terminal::Shown;

pub(crate) fn run(args: &CompareArgs, output: &mut Output) -> Result<Exit> {
    if [&args.a, &args.b].iter().all(|path| path.as_os_str() == "-") {
        bail!("standard input can be one of the two books, not both");
    }
    let paths = [args.a.as_path(), args.b.as_path()];
    let html = args.html.as_deref().map(|path| OwnFile::at(path, GENERATOR, &paths)).transpose()?;
    let reader = BookReader::new(&args.read, Tidy::Tidied, Bytes::Drop)?.unjudged();
    let Some(compared) = compare(&reader, paths, args.method.into())? else { return Ok(Exit::Failed) };
    if let Some(html) = html {
        html.write(&compared.page())?;
        if let Some(path) = &args.html {
            complain(&format!("wrote {}", path.display()));
        }
    }
    let report = compared.report(args);
    if args.json {
        output.json(&report)?;
    } else {
        let Compared { names, found, relation, .. } = &compared;
        Shown { names, found, relation, report: &report }.print(output)?;
    }
    Ok(if compared.relation.class == Class::Unrelated { Exit::Nothing } else { Exit::Found })
}

/// Two books, and how they relate.
struct Compared {
    names: [String; 2],
    books: [Extracted; 2],
    found: Match,
    relation: Relation,
}

/// A book, and what is compared of it.
struct Side<W> {
    read: Extracted,
    witness: W,
}

/// Reads both and compares them; none where one cannot be read, which has then been said.
fn compare(reader: &BookReader, paths: [&Path; 2], method: Method) -> Result<Option<Compared>> {
    let names = paths.map(|path| path.display().to_string());
    let compared = match method {
        Method::Trace => read_both(reader, paths, &names, Witness::of_book)?.map(|[a, b]| {
            let found = align(&a.witness, &b.witness);
            let evidence = Evidence {
                holders: None,
                work: Work::of(&a.read.book.metadata, &b.read.book.metadata),
                other_language: other_language(&a.read.book, &b.read.book),
            };
            let relation = relate(&found, Some(&evidence));
            Compared { names, books: [a.read, b.read], found, relation }
        }),
        Method::Pages => read_both(reader, paths, &names, PageWitness::of_book)?.map(|[a, b]| {
            let found = align_pages(&a.witness, &b.witness);
            let relation = relate_pages(&found);
            Compared { names, books: [a.read, b.read], found, relation }
        }),
    };
    Ok(compared)
}

/// Both at once; each that cannot be read is said.
fn read_both<W: Send>(
    reader: &BookReader,
    paths: [&Path; 2],
    names: &[String; 2],
    witness: impl Fn(&Book) -> W + Sync,
) -> Result<Option<[Side<W>; 2]>> {
    let read = |path: &Path| -> Result<Side<W>, Failure> {
        let read = reader.read(path)?;
        let witness = witness(&read.book);
        Ok(Side { read, witness })
    };
    let (a, b) = thread::scope(|scope| {
        let a = scope.spawn(|| read(paths[0]));
        let b = read(paths[1]);
        (a.join(), b)
    });
    let a = a.map_err(|_| anyhow!("reading {} failed", names[0]))?;
    for (name, side) in names.iter().zip([&a, &b]) {
        match side {
            Ok(side) => warnings(name, &side.read).iter().for_each(|warning| complain(warning)),
            Err(failure) => complain(&format!("cannot read {name}: {failure} ({})", failure.reason)),
        }
    }
    Ok(a.ok().zip(b.ok()).map(<[Side<W>; 2]>::from))
}

impl Compared {
    fn report(&self, args: &CompareArgs) -> CompareReport {
        let (file_a, file_a_b64) = json_path(&args.a);
        let (file_b, file_b_b64) = json_path(&args.b);
        let [a, b] = &self.books;
        let truncated = |read: &Extracted| read.truncated.as_ref().map(|failure| failure.reason.to_string());
        CompareReport {
            file_a,
            file_a_b64,
            file_b,
            file_b_b64,
            truncated_a: truncated(a),
            truncated_b: truncated(b),
            ..CompareReport::new(&a.book, &b.book, &self.found, &self.relation, args.method.into())
        }
    }

    fn page(&self) -> String {
        // A page is read elsewhere: folders of this machine say nothing there.
        let names = self.names.each_ref().map(|name| match Path::new(name).file_name() {
            Some(file) => file.to_string_lossy().into_owned(),
            None => name.clone(),
        });
        let [a, b] = [0, 1].map(|at| Named { name: &names[at], book: &self.books[at].book });
        compare_page(&a, &b, &self.found, &self.relation)
    }
}

/// Whether two books are certainly in different languages.
fn other_language(a: &Book, b: &Book) -> bool {
    let surely = |book: &Book| detect_language(book.text()).filter(|detected| detected.is_sure);
    surely(a).zip(surely(b)).is_some_and(|(a, b)| language::differ(a.code, b.code))
}
