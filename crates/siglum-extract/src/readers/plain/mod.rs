//! Plain text: in any encoding, pages separated by form feeds.
//!
//! N form feeds make N + 1 pages. Line ends of any system become `\n`. Texts of Aozora Bunko lose their readings and
//! notes ([`aozora`]); headers and footers of Project Gutenberg stay and are set aside later
//! ([`crate::gutenberg::frame`]), so that the raw text still has them.

mod aozora;

use crate::draft::{Lines, Out};
use crate::encoding::{self, Decoded};
use crate::failure::Failure;
use crate::gutenberg;
use crate::input::Input;
use crate::readers::internet_archive;
use siglum::book::PAGE_BREAK;
use std::borrow::Cow;

/// How much is looked at to tell text from other data.
const HEAD_BYTES: usize = 64 << 10;

/// One control character in so many makes a file no text.
const CHARS_FOR_ONE_CONTROL: usize = 20;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("plain", Lines::Printed)?;
    let decoded = encoding::decode(input.bytes, input.options.encoding.as_deref(), None)?;
    let is_utf8 = decoded.encoding == "UTF-8" && decoded.n_bad == 0 && !input.bytes.contains(&0);
    if !is_utf8 && !is_text(&decoded.text) {
        return Err(Failure::unsupported("not text, nor any format that is read"));
    }
    warn_of_bad_bytes(&decoded, out)?;
    let text = with_plain_line_ends(decoded.text);
    out.metadata(gutenberg::metadata(&text))?;
    let text = if aozora::is_aozora(&text) {
        Cow::Owned(aozora::without_markup(&text))
    } else {
        Cow::Borrowed(&*text)
    };
    if !text.contains(PAGE_BREAK) {
        return out.text(&text);
    }
    let pages: Vec<&str> = text.split(PAGE_BREAK).collect();
    // A form feed behind the last page makes an empty one, which is no leaf.
    let n_leaves = pages.len() - usize::from(pages.last().is_some_and(|page| page.trim().is_empty()));
    let leaves = internet_archive::leaves(input, n_leaves).unwrap_or_default();
    let labels = leaves.iter().map(|leaf| leaf.label.as_deref()).chain(std::iter::repeat(None));
    pages.iter().zip(labels).try_for_each(|(page, label)| out.page(label, page))
}

fn is_text(text: &str) -> bool {
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    let is_control = |c: char| {
        c.is_control() && !matches!(c, '\t' | '\n' | '\r' | PAGE_BREAK | '\0' | '\u{1a}' | '\u{85}')
    };
    let n_controls = head.chars().filter(|c| is_control(*c)).count();
    n_controls * CHARS_FOR_ONE_CONTROL <= head.len()
}

fn warn_of_bad_bytes(decoded: &Decoded, out: &mut Out<'_>) -> Result<(), Failure> {
    let encoding = &decoded.encoding;
    match decoded.n_bad {
        0 => Ok(()),
        1 => out.warn(&format!("1 byte is not {encoding}")),
        n => out.warn(&format!("{n} bytes are not {encoding}")),
    }
}

/// Line ends as `\n`, without zero bytes and the mark DOS ends files with. Done in place: a text may be large.
pub(crate) fn with_plain_line_ends(text: String) -> String {
    if memchr::memchr3(b'\r', 0, 0x1a, text.as_bytes()).is_none() {
        return text;
    }
    let mut bytes = text.into_bytes();
    let mut n_kept = 0;
    for at in 0..bytes.len() {
        let kept = match bytes[at] {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => continue,
            b'\r' => b'\n',
            b'\0' | 0x1a => continue,
            byte => byte,
        };
        bytes[n_kept] = kept;
        n_kept += 1;
    }
    bytes.truncate(n_kept);
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Draft;
    use crate::input::Options;

    fn draft(bytes: &[u8]) -> Draft {
        let mut draft = Draft::default();
        read(&Input::new("a.txt", bytes, &Options::default()), &mut Out::new(&mut draft)).unwrap();
        draft
    }

    #[test]
    fn line_ends_of_any_system_are_plain() {
        assert_eq!(draft(b"a\r\nb\rc\nd\r\r\ne\x1a").text, "a\nb\nc\nd\n\ne");
    }

    #[test]
    fn n_form_feeds_make_n_and_one_pages() {
        let draft = draft(b"a\x0cb\r\n\x0c");
        assert_eq!(draft.pages().map(|(_, text)| text).collect::<Vec<_>>(), ["a", "b\n", ""]);
        assert_eq!(draft.lines, Lines::Printed);
    }

    #[test]
    fn text_without_form_feeds_has_no_pages() {
        assert!(!draft(b"a\nb").is_paged());
    }

    #[test]
    fn bad_bytes_are_counted() {
        let text = "Το πρωί ο ψαράς κατέβηκε στη θάλασσα".as_bytes();
        assert_eq!(draft(&[text, b"\xff \xff"].concat()).warnings, ["2 bytes are not UTF-8"]);
        assert_eq!(draft(&[text, b"\xce"].concat()).warnings, ["1 byte is not UTF-8"]);
        assert!(draft(text).warnings.is_empty());
    }

    #[test]
    fn a_header_of_project_gutenberg_tells_the_title() {
        let text = "The Project Gutenberg eBook of Pebbles\r\n\r\nTitle: Pebbles\r\n\r\nAuthor: A. Stone\r\n\r\n\
                    *** START OF THE PROJECT GUTENBERG EBOOK PEBBLES ***\r\n\r\nOne.\r\n";
        let draft = draft(text.as_bytes());
        assert_eq!(draft.metadata.title.as_deref(), Some("Pebbles"));
        assert!(draft.text.starts_with("The Project Gutenberg eBook"));
    }

    #[test]
    fn data_that_is_no_text_is_refused() {
        let bytes: Vec<u8> = (0..4000u32).map(|n| (n * 7 % 31) as u8).collect();
        let read = read(&Input::new("a", &bytes, &Options::default()), &mut Out::new(&mut Draft::default()));
        assert_eq!(read.unwrap_err().reason, crate::Reason::Unsupported);
    }
}
