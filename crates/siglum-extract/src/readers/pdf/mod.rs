//! PDF: the text layer of each page in reading order, with page labels, Info and XMP.
//!
//! Source: ISO 32000-1, §9 (text), §12.4.2 (page labels), §14.3 (metadata). Two engines open files: hayro, whose pages
//! our own interpreter reads, and pdfboss, which reads some damaged files hayro does not.
//! We differ from printing: nothing is drawn, annotations and form fields are left out, invisible text (the layer
//! under a scanned page) is kept.
//! Holds: one bad page costs one page; a document costs no more than its budgets.

mod chars;
mod content;
mod engine;
mod fonts;
mod hayro;
mod info;
mod interpreter;
mod labels;
mod layout;
mod pdfboss;
mod sfnt;
#[cfg(test)]
mod tests;
mod xmp;

use crate::draft::{Lines, Out};
use crate::failure::{Failure, Reason};
use crate::input::{Input, PdfEngine};
use crate::origin;
use crate::readers::text_layer::TextLayer;
use engine::{Document, PageText};

/// The share of unreadable characters from which a text layer is called bad.
const BAD_LAYER: f64 = 0.01;

/// How far from the end of a file its last words may stand.
const TAIL_BYTES: usize = 4096;

/// Reads a PDF file.
pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let (name, document) = open(input)?;
    out.begin(name, Lines::Printed)?;
    out.metadata(document.metadata())?;
    out.origin(document.origin())?;
    out.origin(origin::of_printed(input.bytes))?;
    let labels = document.labels();
    let mut tally = Tally::default();
    document.read_pages(&mut |page| {
        let label = labels.get(tally.n_pages).map(String::as_str);
        out.start_page(label)?;
        tally.add(page.as_ref());
        page.map_or(Ok(()), |page| out.text(&page.text))
    })?;
    tally.judge(out)?;
    if !has_end(input.bytes) {
        out.warn("damaged or cut off: what could be found is read")?;
    }
    Ok(())
}

/// Whether the file ends as PDF files do, with the place of its table of objects.
fn has_end(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(TAIL_BYTES)..];
    tail.windows(9).any(|window| window == b"startxref")
}

/// Opens a file with the engine asked for. The second is tried where the first cannot open it.
fn open(input: &Input<'_>) -> Result<(&'static str, Box<dyn Document>), Failure> {
    let by_hayro =
        || hayro::Hayro::open(input.bytes).map(|opened| ("pdf", Box::new(opened) as Box<dyn Document>));
    let by_pdfboss = || {
        pdfboss::Pdfboss::open(input.bytes)
            .map(|opened| ("pdf-pdfboss", Box::new(opened) as Box<dyn Document>))
    };
    match input.options.pdf_engine {
        PdfEngine::Hayro => by_hayro(),
        PdfEngine::Pdfboss => by_pdfboss(),
        PdfEngine::Auto => by_hayro().or_else(|first| by_pdfboss().map_err(|_| first)),
    }
}

/// What was seen of a document's pages.
#[derive(Debug, Default)]
struct Tally {
    n_pages: usize,
    n_with_text: usize,
    n_image_only: usize,
    n_lost: usize,
    n_glyphs: usize,
    n_unmapped: usize,
    n_with_image: usize,
    layer: TextLayer,
    first_cut: Option<usize>,
}

impl Tally {
    fn add(&mut self, page: Option<&PageText>) {
        self.n_pages += 1;
        let Some(page) = page else {
            self.n_lost += 1;
            return;
        };
        let has_text = page.n_glyphs > page.n_unmapped && !page.text.trim().is_empty();
        self.n_with_text += usize::from(has_text);
        self.n_image_only += usize::from(!has_text && page.has_image);
        self.n_with_image += usize::from(page.has_image);
        self.layer.add_page(&page.text);
        self.n_glyphs += page.n_glyphs;
        self.n_unmapped += page.n_unmapped;
        if page.is_cut {
            self.first_cut.get_or_insert(self.n_pages);
        }
    }

    /// Says what a person should know, and fails where there is no text.
    fn judge(&self, out: &mut Out<'_>) -> Result<(), Failure> {
        let Tally { n_pages, n_image_only, n_lost, .. } = *self;
        if self.n_with_text == 0 {
            return Err(self.nothing());
        }
        // Where most characters have no meaning, letters that have one are few for another reason.
        if self.n_unmapped * 2 < self.n_glyphs
            && let Some(doubt) = self.layer.judge(self.n_with_image * 2 > n_pages)?
            && n_image_only == 0
        {
            out.warn(&doubt)?;
        }
        if n_image_only > 0 {
            out.warn(&format!("{n_image_only} of {n_pages} pages are images without text"))?;
        }
        if n_lost > 0 {
            out.warn(&format!("{n_lost} of {n_pages} pages cannot be read"))?;
        }
        if let Some(page) = self.first_cut {
            out.warn(&format!("draws too much: not all is read from page {page} on"))?;
        }
        let share = self.n_unmapped as f64 / self.n_glyphs.max(1) as f64;
        if share > BAD_LAYER {
            let percent = (100.0 * share).round();
            out.warn(&format!("a bad text layer: {percent} % of its characters cannot be read"))?;
        }
        Ok(())
    }

    fn nothing(&self) -> Failure {
        let pages = |n: usize| if n == 1 { "1 page".to_owned() } else { format!("{n} pages") };
        if self.n_image_only > 0 {
            return Failure::new(Reason::ImageOnly, format!("{} of images and no text", pages(self.n_pages)));
        }
        if self.n_lost > 0 {
            return Failure::corrupt(format!("{} and none can be read", pages(self.n_pages)));
        }
        if self.n_unmapped > 0 {
            let message = format!("{}, no character of which can be read", pages(self.n_pages));
            return Failure::new(Reason::Empty, message);
        }
        if self.first_cut.is_some() {
            return Failure::too_large("draws too much to be read");
        }
        Failure::new(Reason::Empty, format!("{} and no text", pages(self.n_pages)))
    }
}
