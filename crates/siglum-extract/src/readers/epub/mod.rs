//! EPUB 2 and 3: the chapters of the spine in order, pages by the book's page list and its page breaks.
//!
//! Source: EPUB 3.3 and Open Container Format 3.3; OPF and NCX of EPUB 2.0.1.
//! We differ: what is damaged or missing is said and passed over; a book without a usable package is read file by file;
//! a table of contents that is only navigation is left out.
//! Holds: one chapter is in memory at a time.

mod files;
mod lock;
mod package;
mod page_list;

use crate::draft::{Lines, Out};
use crate::failure::{Failure, Reason};
use crate::input::{Input, extension, is_html};
use crate::opf;
use crate::origin;
use crate::readers::html::{self, Marks};
use files::Files;
use package::{Chapter, Package};
use std::collections::HashMap;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("epub", Lines::Flowing)?;
    let mut files = Files::open(input.bytes)?;
    lock::check(&mut files)?;
    let mut chapters = Vec::new();
    let mut marks = HashMap::new();
    if let Some((path, text)) = package::find(&mut files)? {
        out.metadata(opf::metadata(&text))?;
        out.origin(opf::origin(&text))?;
        let package = Package::read(&path, &text);
        marks = page_list::marks(&mut files, &package)?;
        chapters = package.chapters();
    }
    if !chapters.iter().any(|chapter| files.has(&chapter.path)) {
        out.warn("no reading order that fits: chapters are read by their names")?;
        chapters = chapters_by_name(&files);
    }
    for chapter in &chapters {
        let mut marks = marks.remove(&files.key(&chapter.path)).unwrap_or_default();
        marks.skip_navigation = chapter.is_navigation;
        write_chapter(&mut files, chapter, &marks, out)?;
    }
    if out.n_text() == 0 { Err(nothing(&files)) } else { Ok(()) }
}

/// Writes a chapter. One that cannot be read is missed; a trap ends the reading.
fn write_chapter(
    files: &mut Files<'_>,
    chapter: &Chapter,
    marks: &Marks,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    match files.read(&chapter.path) {
        Ok(Some(bytes)) => {
            out.origin(origin::of_markup(&bytes))?;
            html::write_text(&html::decoded(&bytes, None)?, marks, out)
        }
        Ok(None) => out.warn(&format!("a chapter is missing: {}", chapter.path)),
        Err(failure) if matches!(failure.reason, Reason::Corrupt | Reason::Unsupported) => {
            out.warn(&format!("a chapter is damaged: {}", chapter.path))
        }
        Err(failure) => Err(failure),
    }
}

fn chapters_by_name(files: &Files<'_>) -> Vec<Chapter> {
    let mut names: Vec<&String> = files.names().iter().filter(|name| is_html(name)).collect();
    names.sort_by(|left, right| html::natural_order(left, right));
    names.into_iter().map(|name| Chapter { path: name.clone(), is_navigation: false }).collect()
}

fn nothing(files: &Files<'_>) -> Failure {
    let is_picture = |name: &String| {
        matches!(extension(name).as_str(), "jpg" | "jpeg" | "png" | "gif" | "svg" | "webp" | "tif" | "tiff")
    };
    if files.names().iter().any(is_picture) {
        return Failure::new(Reason::ImageOnly, "pictures of pages, without their text");
    }
    Failure::new(Reason::Empty, "a book without any text")
}

#[cfg(test)]
mod tests;
