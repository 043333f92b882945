//! The second engine: pdfboss, which opens some damaged files that the first does not.

use super::chars::{UNMAPPED, text_of};
use super::engine::{Document, PageText, TakePage};
use super::{info, xmp};
use crate::draft::{collapsed, fill};
use crate::failure::{Failure, Reason};
use crate::limits::{MAX_LABEL_BYTES, MAX_PAGES};
use crate::origin;
use pdfboss_core::{Error, Object};
use pdfboss_output::{FontCache, ReadingOrder, extract_text_reporting_cached};
use siglum::{Metadata, Origin};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A file that pdfboss has opened.
pub(super) struct Pdfboss {
    document: pdfboss_core::Document,
}

impl Pdfboss {
    /// Opens a file, with the empty password if it is locked.
    pub(super) fn open(bytes: &[u8]) -> Result<Pdfboss, Failure> {
        let opened = catch_unwind(|| pdfboss_core::Document::load(bytes.to_vec()));
        let document =
            opened.map_err(|_| Failure::corrupt("a damaged PDF file"))?.map_err(|error| match error {
                Error::Encrypted => Failure::new(Reason::Password, "locked by a password"),
                _ => Failure::corrupt("not a PDF file, or damaged beyond reading"),
            })?;
        let opened = Pdfboss { document };
        if opened.n_pages() == 0 {
            return Err(Failure::corrupt("a PDF file without pages"));
        }
        Ok(opened)
    }

    fn packet(&self) -> Option<Vec<u8>> {
        let root = self.document.resolve(self.document.xref().trailer.get("Root")?).ok()?;
        let Object::Dict(root) = root else { return None };
        let Object::Stream(stream) = self.document.resolve(root.get("Metadata")?).ok()? else { return None };
        self.document.stream_data(&stream).ok()
    }

    fn page(&self, at: usize, fonts: &FontCache) -> Option<PageText> {
        let page = self.document.page(at).ok()?;
        let (text, _) =
            extract_text_reporting_cached(&self.document, &page, fonts, ReadingOrder::Content).ok()?;
        let mut found = PageText {
            n_glyphs: text.chars().filter(|c| !c.is_whitespace()).count(),
            n_unmapped: text.chars().filter(|c| *c == UNMAPPED).count(),
            ..PageText::default()
        };
        // Looked for only where it matters: it costs as much as the text.
        if found.n_glyphs == 0 {
            found.has_image =
                pdfboss_text::placed_images(&self.document, &page).is_ok_and(|images| !images.is_empty());
        }
        found.text = plain(&text);
        Some(found)
    }
}

impl Document for Pdfboss {
    fn n_pages(&self) -> usize {
        let counted = catch_unwind(AssertUnwindSafe(|| self.document.flattened_page_count()));
        counted.unwrap_or(0).min(MAX_PAGES + 1)
    }

    fn labels(&self) -> Vec<String> {
        let labels = catch_unwind(AssertUnwindSafe(|| {
            let ranges = self.document.page_labels()?;
            let label = |page: usize| collapsed(&pdfboss_core::page_label(&ranges, page), MAX_LABEL_BYTES);
            Some((0..self.n_pages()).map(label).collect())
        }));
        labels.ok().flatten().unwrap_or_default()
    }

    fn metadata(&self) -> Metadata {
        let found = catch_unwind(AssertUnwindSafe(|| {
            let mut found = self.packet().map(|packet| xmp::metadata(&packet)).unwrap_or_default();
            let said = self.document.metadata();
            let title = said.title.as_deref().and_then(info::real_title);
            let creators = said.author.as_deref().map(info::people).unwrap_or_default();
            fill(
                &mut found,
                &Metadata { title, creators, language: self.document.language(), ..Metadata::default() },
            );
            found
        }));
        found.unwrap_or_default()
    }

    fn origin(&self) -> Origin {
        let found = catch_unwind(AssertUnwindSafe(|| {
            let said = self.document.metadata();
            origin::made_by_any([said.creator.as_deref(), said.producer.as_deref()].into_iter().flatten())
        }));
        found.unwrap_or_default()
    }

    fn read_pages(&self, take: &mut TakePage<'_>) -> Result<(), Failure> {
        let fonts = FontCache::default();
        for at in 0..self.n_pages() {
            take(catch_unwind(AssertUnwindSafe(|| self.page(at, &fonts))).ok().flatten())?;
        }
        Ok(())
    }
}

/// Ligatures and presentation forms as letters; the rest as it is.
fn plain(text: &str) -> String {
    let mut buffer = [0; 4];
    let mut plain = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        match c {
            '\n' | '\t' => plain.push(c),
            c => match text_of(c.encode_utf8(&mut buffer)) {
                Some(text) => plain.push_str(&text),
                None => plain.push(UNMAPPED),
            },
        }
    }
    plain.push('\n');
    plain
}
