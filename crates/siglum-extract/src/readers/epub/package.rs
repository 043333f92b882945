//! The package file: which files a book has, and in which order they are read.

use super::files::Files;
use crate::failure::Failure;
use crate::input::{extension, is_html};
use crate::limits::MAX_ENTRIES;
use crate::readers::reference::resolve;
use crate::xml::{Piece, Tag, Xml};
use std::collections::{HashMap, HashSet};

/// How many fallbacks are followed from a file that is not text.
const MAX_FALLBACKS: usize = 8;

/// What is read as one chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chapter {
    pub(super) path: String,
    /// Whether it is the navigation document.
    pub(super) is_navigation: bool,
}

/// A package file.
#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) path: String,
    items: Vec<Item>,
    by_id: HashMap<String, usize>,
    /// The `idref` of each item of the spine.
    spine: Vec<String>,
    spine_ids: HashMap<String, usize>,
    toc: Option<String>,
}

#[derive(Debug)]
struct Item {
    path: String,
    media_type: String,
    is_navigation: bool,
    fallback: Option<String>,
}

/// Finds the package file and its text: where the container says, or any that is there.
pub(super) fn find(files: &mut Files<'_>) -> Result<Option<(String, String)>, Failure> {
    let container = files.read_xml("META-INF/container.xml")?.unwrap_or_default();
    let mut paths = root_files(&container);
    paths.extend(files.names().iter().filter(|name| extension(name) == "opf").cloned());
    for path in paths {
        if let Some(text) = files.read_xml(&path)? {
            return Ok(Some((path, text)));
        }
    }
    Ok(None)
}

fn root_files(container: &str) -> Vec<String> {
    let mut xml = Xml::new(container);
    let mut paths = Vec::new();
    while let Ok(Some(piece)) = xml.next() {
        let Piece::Open(tag) = piece else { continue };
        let media_type = tag.attribute("media-type").unwrap_or_default();
        if tag.local() == "rootfile" && (media_type.is_empty() || media_type.contains("oebps-package")) {
            paths.extend(tag.attribute("full-path").map(|path| resolve("", &path).0));
        }
    }
    paths
}

impl Package {
    /// Reads a package file as far as it goes.
    pub(super) fn read(path: &str, text: &str) -> Package {
        let mut package = Package { path: path.to_owned(), ..Package::default() };
        let mut xml = Xml::new(text);
        while let Ok(Some(piece)) = xml.next() {
            let Piece::Open(tag) = piece else { continue };
            match tag.local() {
                "item" => package.add_item(&tag),
                "spine" => package.toc = tag.attribute("toc"),
                "itemref" => package.add_to_spine(&tag),
                _ => {}
            }
        }
        package
    }

    /// The chapters in the order of the spine, each once; without a spine, in the order of the manifest.
    pub(super) fn chapters(&self) -> Vec<Chapter> {
        let spine: Vec<&Item> = self.spine.iter().filter_map(|id| self.item(id)).collect();
        let items = if spine.is_empty() { self.items.iter().collect() } else { spine };
        let mut seen = HashSet::new();
        let readable = items.into_iter().filter_map(|item| self.readable(item));
        readable
            .filter(|item| seen.insert(item.path.clone()))
            .map(|item| Chapter { path: item.path.clone(), is_navigation: item.is_navigation })
            .collect()
    }

    /// The path of the navigation document.
    pub(super) fn navigation(&self) -> Option<&str> {
        self.items.iter().find(|item| item.is_navigation).map(|item| item.path.as_str())
    }

    /// The path of the NCX, which EPUB 2 has instead.
    pub(super) fn ncx(&self) -> Option<&str> {
        let by_toc = self.toc.as_ref().and_then(|id| self.item(id));
        let by_type = || self.items.iter().find(|item| item.media_type == "application/x-dtbncx+xml");
        by_toc.or_else(by_type).map(|item| item.path.as_str())
    }

    /// The path of a spine item, by its `id` or its place from 0.
    pub(super) fn spine_path(&self, id: Option<&str>, place: usize) -> Option<&str> {
        let by_id = id.and_then(|id| self.spine_ids.get(id)).copied();
        let idref = self.spine.get(by_id.unwrap_or(place))?;
        self.item(idref).map(|item| item.path.as_str())
    }

    fn add_item(&mut self, tag: &Tag<'_>) {
        let (Some(id), Some(href)) = (tag.attribute("id"), tag.attribute("href")) else { return };
        if self.items.len() >= MAX_ENTRIES {
            return;
        }
        let properties = tag.attribute("properties").unwrap_or_default();
        self.by_id.entry(id).or_insert(self.items.len());
        self.items.push(Item {
            path: resolve(&self.path, &href).0,
            media_type: tag.attribute("media-type").unwrap_or_default().trim().to_ascii_lowercase(),
            is_navigation: properties.split_ascii_whitespace().any(|property| property == "nav"),
            fallback: tag.attribute("fallback"),
        });
    }

    fn add_to_spine(&mut self, tag: &Tag<'_>) {
        let Some(idref) = tag.attribute("idref").filter(|_| self.spine.len() < MAX_ENTRIES) else { return };
        if let Some(id) = tag.attribute("id") {
            self.spine_ids.entry(id).or_insert(self.spine.len());
        }
        self.spine.push(idref);
    }

    fn item(&self, id: &str) -> Option<&Item> {
        self.by_id.get(id).map(|&at| &self.items[at])
    }

    /// The item, or the fallback of it, that is text.
    fn readable<'p>(&'p self, item: &'p Item) -> Option<&'p Item> {
        let mut item = item;
        for _ in 0..MAX_FALLBACKS {
            if item.is_text() {
                return Some(item);
            }
            item = self.item(item.fallback.as_ref()?)?;
        }
        None
    }
}

impl Item {
    fn is_text(&self) -> bool {
        let is_text_type = matches!(
            self.media_type.as_str(),
            "application/xhtml+xml"
                | "text/html"
                | "text/x-oeb1-document"
                | "application/x-dtbook+xml"
                | "image/svg+xml"
        );
        is_text_type || (!self.media_type.starts_with("image/") && is_html(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_follow_the_spine_through_fallbacks() {
        let opf = "<package><manifest>
            <item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>
            <item id='b' href='b.pdf' media-type='application/pdf' fallback='c'/>
            <item id='c' href='t/c.html' media-type='application/xhtml+xml' properties='scripted nav'/>
            <item id='d' href='d.pdf' media-type='application/pdf' fallback='d'/>
            <item id='e' href='e.css' media-type='text/css'/></manifest>
            <spine><itemref idref='b'/><itemref idref='none'/><itemref idref='d'/><itemref idref='a' linear='no'/>
            <itemref idref='a'/></spine></package>";
        let chapters = Package::read("O/x.opf", opf).chapters();
        let told: Vec<(&str, bool)> = chapters.iter().map(|c| (c.path.as_str(), c.is_navigation)).collect();
        assert_eq!(told, [("O/t/c.html", true), ("O/a.xhtml", false)]);
        let without_spine = Package::read("O/x.opf", opf.split("<spine>").next().unwrap()).chapters();
        assert_eq!(without_spine.len(), 2);
    }
}
