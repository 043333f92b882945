//! `siglum show`: what the library knows of a file.

use super::library::{Standpoint, aligned, confidence_text, file_path, open, title_of, variant_words, words};
use super::matches;
use crate::args::ShowArgs;
use crate::numbers::{counted, grouped};
use crate::output::{Exit, Output};
use anyhow::{Result, anyhow};
use siglum::Origin;
use siglum::report::library::ShowReport;
use siglum::report::{printable, rounded};
use siglum_library::{Access, BookKey, BookRow, Filter, Library, MatchRow};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &ShowArgs, output: &mut Output) -> Result<Exit> {
    let library = open(&args.library, Access::Read)?;
    for (at, file) in args.files.iter().enumerate() {
        let shown = Shown::load(&library, file)?;
        if args.json {
            output.json(&shown.report())?;
            continue;
        }
        if at > 0 {
            output.line("")?;
        }
        shown.lines(&Standpoint::here()).iter().try_for_each(|line| output.line(line))?;
    }
    Ok(Exit::Found)
}

/// A file, its book, and what is related to it.
struct Shown {
    path: PathBuf,
    book: Option<BookRow>,
    /// Why it could not be read: a code, and words.
    failed: Option<(String, String)>,
    /// The file is A in all of them.
    related: Vec<MatchRow>,
}

impl Shown {
    /// A file, or a book by its id.
    fn load(library: &Library, file: &Path) -> Result<Shown> {
        let path = match file_of_key(library, file)? {
            Some(path) => path,
            None => std::path::absolute(file)?,
        };
        let book = library.book(&path)?;
        let failed = if book.is_none() { library.failed()? } else { Vec::new() };
        let failed = failed.into_iter().find(|failed| failed.path == path);
        let filter = Filter { of: Some(path.clone()), ..Filter::default() };
        let from_it = |row: MatchRow| if row.a == path { row } else { row.turned() };
        let mut related: Vec<MatchRow> = library.matches(&filter)?.rows.into_iter().map(from_it).collect();
        related.sort_by(|one, other| (one.relation.class, &one.b).cmp(&(other.relation.class, &other.b)));
        Ok(Shown { path, book, failed: failed.map(|failed| (failed.reason, failed.message)), related })
    }

    fn state(&self) -> &'static str {
        let file = self.book.as_ref().and_then(|book| book.files.iter().find(|file| file.path == self.path));
        match (&self.failed, file) {
            (Some(_), _) => "failed",
            (_, Some(file)) if file.is_missing => "missing",
            _ => "read",
        }
    }

    fn lines(&self, standpoint: &Standpoint) -> Vec<String> {
        let mut lines = vec![standpoint.name(&self.path)];
        let mut facts: Vec<[String; 2]> = Vec::new();
        let mut fact = |name: &str, value: String| facts.push([name.to_owned(), value]);
        if self.state() == "missing" {
            fact("gone", "it was not there at the last scan".into());
        }
        if let Some((reason, message)) = &self.failed {
            fact("failed", format!("{} ({reason})", printable(message)));
        }
        if let Some(book) = &self.book {
            book_facts(book).into_iter().for_each(|(name, value)| fact(name, value));
            let others = book.files.iter().filter(|file| file.path != self.path);
            others.for_each(|file| fact("same file", standpoint.name(&file.path)));
        }
        lines.extend(aligned(&facts, [10, usize::MAX], "  "));
        if !self.related.is_empty() {
            lines.push("  related".to_owned());
            let cells = |row: &MatchRow| {
                let variant = variant_words(row.relation.variant).unwrap_or_default().to_owned();
                let sure = confidence_text(row.relation.confidence);
                [words(&row.relation).to_owned(), sure, standpoint.name(&row.b), variant]
            };
            let cells: Vec<[String; 4]> = self.related.iter().map(cells).collect();
            lines.extend(aligned(&cells, [22, 4, usize::MAX, usize::MAX], "    "));
        }
        lines
    }

    fn report(&self) -> ShowReport {
        let base = ShowReport {
            path: file_path(&self.path),
            state: self.state(),
            reason: self.failed.as_ref().map(|(reason, _)| reason.clone()),
            message: self.failed.as_ref().map(|(_, message)| message.clone()),
            related: self.related.iter().map(matches::report).collect(),
            ..ShowReport::default()
        };
        let Some(book) = &self.book else { return base };
        let extractor = book.extractor.as_ref().map(ToString::to_string);
        let others = book.files.iter().filter(|file| file.path != self.path);
        ShowReport {
            book: Some(book.key().to_string()),
            extractor,
            outdated: book.is_outdated,
            siglum: book.siglum.map(|siglum| siglum.short().to_string()),
            siglum_long: book.siglum.map(|siglum| siglum.to_string()),
            title: book.metadata.title.clone(),
            creators: book.metadata.creators.clone(),
            isbn: book.metadata.isbn.clone(),
            language: book.metadata.language.clone(),
            language_detected: book.language_detected.clone(),
            format: Some(book.format.clone()),
            paged: book.n_pages.is_some(),
            n_pages: book.n_pages,
            n_chars: Some(book.n_chars),
            n_letters: Some(book.n_letters),
            quality: book.quality.map(rounded),
            damage: book.damage.filter(|damage| damage.n_damaged() > 0).map(|damage| damage.to_string()),
            damaged: book.damage.map(|damage| rounded(damage.share())),
            made_by: book.origin.made_by.clone(),
            conversion: book.origin.is_conversion,
            truncated: book.truncated.clone(),
            warnings: book.warnings.clone(),
            same_content: others.map(|file| file_path(&file.path)).collect(),
            ..base
        }
    }
}

/// The file of a book that is named by its id, one that is there if any is; `None` for what is no id, or the name of a file.
fn file_of_key(library: &Library, named: &Path) -> Result<Option<PathBuf>> {
    let key = named.to_str().and_then(|text| text.parse::<BookKey>().ok()).filter(|_| !named.exists());
    let Some(key) = key else { return Ok(None) };
    let book = library.book_with_key(key)?;
    let files = book.map(|book| book.files).unwrap_or_default();
    let file = files.iter().find(|file| !file.is_missing).or(files.first());
    Ok(Some(file.ok_or_else(|| anyhow!("no book of the library has the id {key}"))?.path.clone()))
}

/// The program that made a file, and whether it converted it.
fn origin_words(origin: &Origin) -> Option<String> {
    let program = origin.made_by.as_ref().map(|program| printable(program));
    match (program, origin.is_conversion) {
        (Some(program), true) => Some(format!("{program}, from another format")),
        (None, true) => Some("a conversion from another format".into()),
        (program, false) => program,
    }
}

/// The reader of a book, and whether there is a newer one.
fn reader_words(book: &BookRow) -> String {
    let reader = book.extractor.as_ref().filter(|extractor| extractor.version > 0);
    let reader = reader.map_or_else(|| "an older version".to_owned(), ToString::to_string);
    let waits = if book.is_outdated { ": the next scan reads it again" } else { "" };
    format!("{}{waits}", printable(&reader))
}

/// What is known of a book, by names.
fn book_facts(book: &BookRow) -> Vec<(&'static str, String)> {
    let metadata = &book.metadata;
    let pages = match (book.n_pages, book.has_labels) {
        (None, _) => "no pages".to_owned(),
        (Some(n), true) => format!("{} with printed numbers", counted(n.into(), "page", "pages")),
        (Some(n), false) => counted(n.into(), "page", "pages"),
    };
    let language = book.language_detected.as_ref().or(metadata.language.as_ref());
    let quality = book.quality.map(|quality| format!("quality {quality:.2}"));
    let text =
        [Some(format!("{} characters", grouped(book.n_chars))), Some(pages), language.cloned(), quality];
    let list = |values: &[String]| (!values.is_empty()).then(|| printable(&values.join(", ")));
    let siglum =
        book.siglum.map_or("none: the text is too short".to_owned(), |siglum| siglum.short().to_string());
    let facts = [
        ("title", title_of(metadata)),
        ("isbn", list(&metadata.isbn)),
        ("siglum", Some(siglum)),
        ("text", Some(printable(&text.into_iter().flatten().collect::<Vec<_>>().join(", ")))),
        ("damage", book.damage.filter(|damage| damage.n_damaged() > 0).map(|damage| damage.to_string())),
        ("made by", origin_words(&book.origin)),
        ("read by", Some(reader_words(book))),
        ("truncated", book.truncated.as_ref().map(|why| format!("reading ended early ({why})"))),
        ("warning", list(&book.warnings)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
