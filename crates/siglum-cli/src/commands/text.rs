//! `siglum text`: what was read of a file.

use super::{BookReader, json_path, warnings};
use crate::args::{PageRange, TextArgs};
use crate::output::{Exit, Output, complain};
use anyhow::{Context, Result, anyhow, bail};
use siglum::book::PAGE_BREAK;
use siglum::report::{MetadataReport, PageReport, TextReport};
use siglum::{Book, Page};
use siglum_extract::{Bytes, Extracted, Tidy};

pub(crate) fn run(args: &TextArgs, output: &mut Output) -> Result<Exit> {
    let tidy = if args.raw { Tidy::Raw } else { Tidy::Tidied };
    let name = args.file.display().to_string();
    let reader = BookReader::new(&args.read, tidy, Bytes::Drop)?;
    let read = reader.read(&args.file);
    let read = read.map_err(|failure| anyhow!("cannot read {name}: {failure} ({})", failure.reason))?;
    let book = &read.book;
    let pages = match args.pages {
        Some(range) => chosen(book, range).with_context(|| name.clone())?,
        None => book.pages().collect(),
    };
    if args.json {
        output.json(&report(args, &read, &pages))?;
    } else if book.is_paged() {
        let texts: Vec<&str> = pages.iter().map(|page| page.text).collect();
        output.text(&texts.join(&PAGE_BREAK.to_string()))?;
    } else {
        output.text(book.text())?;
    }
    warnings(&name, &read).iter().for_each(|warning| complain(warning));
    Ok(Exit::Found)
}

fn chosen(book: &Book, range: PageRange) -> Result<Vec<Page<'_>>> {
    match book.n_pages() {
        None => bail!("it has no pages to choose from"),
        Some(n) if range.first > n => bail!("it has {n} pages"),
        Some(_) => {
            Ok(book.pages().skip(range.first - 1).take(range.last.saturating_sub(range.first - 1)).collect())
        }
    }
}

/// A book without pages is given as one stretch without a number.
fn report(args: &TextArgs, read: &Extracted, pages: &[Page<'_>]) -> TextReport {
    let quality = |page: &Page<'_>| read.page_quality.get(page.page_no - 1).copied().flatten();
    let pages = match read.book.is_paged() {
        true => pages.iter().map(|page| PageReport::new(page, quality(page))).collect(),
        false => vec![PageReport::unpaged(read.book.text(), read.quality)],
    };
    let (file, file_b64) = json_path(&args.file);
    TextReport {
        file,
        file_b64,
        paged: read.book.is_paged(),
        pages,
        metadata: MetadataReport::from(&read.book.metadata),
        language_detected: read.language_detected.map(str::to_owned),
        quality: read.quality.map(siglum::report::rounded),
        extractor: read.extractor.to_string(),
        truncated: read.truncated.as_ref().map(|failure| failure.reason.to_string()),
        warnings: read.warnings.clone(),
    }
}
