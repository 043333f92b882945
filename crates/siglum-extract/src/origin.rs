//! Which programs convert books, by the names they leave in the files they make.
//!
//! Readers give the name as it stands in the file: a PDF's producer, a package's contributor, a `generator`. Only programs
//! whose output is always a conversion of a file in another format are listed. Word processors, typesetters and
//! publishers' tools are not: what they make is the source, or has the pages that were printed.

use memchr::memmem;
use siglum::Origin;

/// Programs that only convert, in lower case; a name that contains one of them is theirs.
const CONVERTERS: [&str; 19] = [
    "calibre",
    "ebook-convert",
    "wkhtmltopdf",
    "weasyprint",
    "headlesschrome",
    "skia/pdf",
    "pdftohtml",
    "pdf2htmlex",
    "pdftotext",
    "fb2epub",
    "fb2conv",
    "fb2mobi",
    "txt2epub",
    "html2epub",
    "pdf2epub",
    "epub2pdf",
    "ebook.online-convert.com",
    "convertio",
    "cloudconvert",
];
/// What a name contains that looks like a converter's and is none: Google Docs writes PDF files with the library of a
/// browser, and their pages are the author's.
const NOT_CONVERTERS: [&str; 1] = ["google docs"];

/// The longest name that is read.
const MAX_NAME_BYTES: usize = 200;

/// What the name of the program that made a file says about it.
pub(crate) fn made_by(program: &str) -> Origin {
    let name = program.to_lowercase();
    let has = |known: &&str| name.contains(known);
    let is_conversion = CONVERTERS.iter().any(has) && !NOT_CONVERTERS.iter().any(has);
    let made_by = Some(short(program)).filter(|program| !program.is_empty());
    Origin { made_by, is_conversion }
}

/// What several names in one file say: the first that converts, or else the first.
pub(crate) fn made_by_any<'n>(programs: impl IntoIterator<Item = &'n str>) -> Origin {
    let mut found = Origin::default();
    for origin in programs.into_iter().map(made_by) {
        if origin.is_conversion {
            return origin;
        }
        if found.made_by.is_none() {
            found = origin;
        }
    }
    found
}

/// What the markup of a book says: calibre names the styles of everything it converts to HTML, EPUB and AZW3.
pub(crate) fn of_markup(html: &[u8]) -> Origin {
    match memmem::find(html, b"class=\"calibre").is_some() {
        true => made_by("calibre"),
        false => Origin::default(),
    }
}

/// What the bytes of a PDF file say where its information dictionary says nothing: the name of the browser that printed
/// it stays in the file when another program writes a new dictionary, as calibre does.
pub(crate) fn of_printed(pdf: &[u8]) -> Origin {
    const BROWSER: &[u8] = b"(Skia/PDF ";
    let Some(at) = memmem::find(pdf, BROWSER) else { return Origin::default() };
    let name = pdf[at + 1..].iter().take(MAX_NAME_BYTES).take_while(|byte| **byte != b')');
    made_by(&String::from_utf8_lossy(&name.copied().collect::<Vec<u8>>()))
}

/// A name without its address: `calibre (6.13.0) [https://calibre-ebook.com]` is `calibre (6.13.0)`.
fn short(program: &str) -> String {
    let end = program.find(['[', '<']).unwrap_or(program.len());
    program[..end].trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converters_are_known_by_their_names() {
        for name in ["calibre (6.13.0) [https://calibre-ebook.com]", "wkhtmltopdf 0.12.6", "Skia/PDF m102"] {
            assert!(made_by(name).is_conversion, "{name}");
        }
        for name in
            ["pdfTeX-1.40.24", "Microsoft Word", "Adobe InDesign", "Skia/PDF m99 Google Docs Renderer", ""]
        {
            assert!(!made_by(name).is_conversion, "{name}");
        }
    }

    #[test]
    fn a_name_is_told_without_its_address() {
        assert_eq!(
            made_by("calibre (6.13.0) [http://calibre-ebook.com]").made_by.as_deref(),
            Some("calibre (6.13.0)")
        );
        assert_eq!(made_by(" ").made_by, None);
    }

    #[test]
    fn calibre_is_known_by_its_styles_and_a_browser_by_what_it_leaves() {
        assert!(of_markup(b"<body epub:type='x' class=\"calibre1\"><p>").is_conversion);
        assert!(!of_markup(b"<p class=\"body\">made with calibre").is_conversion);
        let left = of_printed(b"<</Producer(Alex Cabal)>> <</Creator(Chromium)/Producer(Skia/PDF m102)>>");
        assert_eq!((left.made_by.as_deref(), left.is_conversion), (Some("Skia/PDF m102"), true));
        assert!(!of_printed(b"/Producer(Skia/PDF m99 Google Docs Renderer)").is_conversion);
        assert_eq!(of_printed(b"/Producer(pdfTeX)"), Origin::default());
    }

    #[test]
    fn of_several_names_a_converters_counts() {
        let origin = made_by_any(["", "Chromium", "calibre 5", "Word"]);
        assert_eq!((origin.made_by.as_deref(), origin.is_conversion), (Some("calibre 5"), true));
        assert_eq!(made_by_any(["", "Chromium", "Word"]).made_by.as_deref(), Some("Chromium"));
        assert_eq!(made_by_any([]), Origin::default());
    }
}
