//! `siglum text`: what was read of a file.

use super::read;
use crate::args::{PageRange, TextArgs};
use crate::output::{Exit, Output};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use siglum::book::PAGE_BREAK;
use siglum::{Book, Page};
use siglum_extract::Bytes;

pub(crate) fn run(args: &TextArgs, output: &mut Output) -> Result<Exit> {
    let book =
        read(&args.file, Bytes::Drop).with_context(|| format!("cannot read {}", args.file.display()))?.book;
    let pages = match args.pages {
        Some(range) => chosen(&book, range).with_context(|| args.file.display().to_string())?,
        None => book.pages().collect(),
    };
    if args.json {
        output.json(&as_json(args, &book, &pages))?;
    } else if book.is_paged() {
        let texts: Vec<&str> = pages.iter().map(|page| page.text).collect();
        output.text(&texts.join(&PAGE_BREAK.to_string()))?;
    } else {
        output.text(book.text())?;
    }
    Ok(Exit::Found)
}

fn chosen(book: &Book, range: PageRange) -> Result<Vec<Page<'_>>> {
    match book.n_pages() {
        None => bail!("it has no pages to choose from"),
        Some(n) if range.last > n => bail!("it has {n} pages"),
        Some(_) => Ok(book.pages().skip(range.first - 1).take(range.last - range.first + 1).collect()),
    }
}

/// A book without pages is given as one stretch without a number.
fn as_json(args: &TextArgs, book: &Book, pages: &[Page<'_>]) -> Value {
    let pages: Vec<Value> = match book.is_paged() {
        true => {
            pages.iter().map(|p| json!({ "page_no": p.page_no, "label": p.label, "text": p.text })).collect()
        }
        false => vec![json!({ "page_no": null, "label": null, "text": book.text() })],
    };
    let (file, file_b64) = super::id::json_path(&args.file);
    let mut report =
        json!({ "file": file, "paged": book.is_paged(), "pages": pages, "metadata": {}, "warnings": [] });
    if let Some(bytes) = file_b64 {
        report["file_b64"] = bytes.into();
    }
    report
}
