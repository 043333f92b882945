//! The first engine: hayro-syntax reads the file, our interpreter the pages.

use super::chars::settle_numbers;
use super::engine::{Document, PageText, TakePage};
use super::fonts::Fonts;
use super::interpreter::{Budget, run};
use super::{info, labels, layout, xmp};
use crate::draft::fill;
use crate::failure::{Failure, Reason};
use crate::origin;
use hayro_syntax::object::{Dict, Stream, String as PdfString};
use hayro_syntax::page::Page;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use siglum::{Metadata, Origin};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A file that hayro has opened.
pub(super) struct Hayro {
    pdf: Pdf,
}

impl Hayro {
    /// Opens a file, with the empty password if it is locked.
    pub(super) fn open(bytes: &[u8]) -> Result<Hayro, Failure> {
        let opened = catch_unwind(|| Pdf::new(bytes.to_vec()));
        let opened = opened.map_err(|_| Failure::corrupt("a damaged PDF file"))?;
        let pdf = opened.map_err(|error| match error {
            LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
                Failure::new(Reason::Password, "locked by a password")
            }
            LoadPdfError::Decryption(_) => Failure::unsupported("encrypted in a way not read"),
            LoadPdfError::Invalid => Failure::corrupt("not a PDF file, or damaged beyond reading"),
        })?;
        if pdf.pages().is_empty() {
            return Err(Failure::corrupt("a PDF file without pages"));
        }
        Ok(Hayro { pdf })
    }

    fn catalogue(&self) -> Option<Dict<'_>> {
        let xref = self.pdf.xref();
        xref.get::<Dict<'_>>(xref.root_id())
    }
}

impl Document for Hayro {
    fn n_pages(&self) -> usize {
        self.pdf.pages().len()
    }

    fn labels(&self) -> Vec<String> {
        self.catalogue().map(|catalogue| labels::labels(&catalogue, self.n_pages())).unwrap_or_default()
    }

    fn metadata(&self) -> Metadata {
        let Some(catalogue) = self.catalogue() else { return Metadata::default() };
        let packet = catalogue.get::<Stream<'_>>(b"Metadata").map(|stream| super::content::decoded(&stream));
        let mut found = packet.map(|packet| xmp::metadata(&packet)).unwrap_or_default();
        let info = self.pdf.metadata();
        fill(&mut found, &info::from_info(info.title.as_deref(), info.author.as_deref()));
        let language = catalogue.get::<PdfString<'_>>(b"Lang").map(|language| info::text_string(&language));
        fill(
            &mut found,
            &Metadata { language: language.filter(|l| !l.trim().is_empty()), ..Metadata::default() },
        );
        found
    }

    fn origin(&self) -> Origin {
        let info = self.pdf.metadata();
        let programs = [&info.creator, &info.producer].map(|name| name.as_deref().map(info::text_string));
        origin::made_by_any(programs.iter().flatten().map(String::as_str))
    }

    fn read_pages(&self, take: &mut TakePage<'_>) -> Result<(), Failure> {
        let mut fonts = Fonts::new();
        let mut budget = Budget::default();
        for page in self.pdf.pages().iter() {
            let text = catch_unwind(AssertUnwindSafe(|| read_page(page, &mut fonts, &mut budget)));
            take(text.ok())?;
        }
        Ok(())
    }
}

fn read_page<'a>(page: &Page<'a>, fonts: &mut Fonts<'a>, budget: &mut Budget) -> PageText {
    let mut shown = run(page, fonts, budget);
    settle_numbers(shown.glyphs.iter_mut().map(|glyph| &mut glyph.c));
    let is_ink = |c: char| c != ' ';
    PageText {
        n_glyphs: shown.glyphs.iter().filter(|glyph| is_ink(glyph.c)).count(),
        n_unmapped: shown.glyphs.iter().filter(|glyph| glyph.c == super::chars::UNMAPPED).count(),
        text: layout::text(&shown.glyphs, fonts),
        has_image: shown.has_image,
        is_cut: shown.is_cut,
    }
}
