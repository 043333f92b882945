//! PML, the markup of eReader books, as text files (`.pml`) or packed by calibre (`.pmlz`).
//!
//! Source: the PML tags of the eReader "Makebook" manual, as calibre writes them. A tag is a backslash and a letter, and
//! some take a value: `\Q="anchor"`. Lines are paragraphs. Footnotes and sidebars are XML elements at the end, whose text
//! is kept.
//! We differ: what is no tag stays as it is; what is hidden (`\v`) is left out as other hidden text is.

use crate::archive::Archive;
use crate::draft::{Lines, Out};
use crate::encoding;
use crate::failure::Failure;
use crate::input::{Input, extension};
use crate::readers::html::natural_order;
use siglum::Origin;
use std::str::Chars;

/// Text is handed on when there is this much of it.
const FLUSH_BYTES: usize = 64 << 10;
/// The longest value of a tag. What is longer has lost its closing quotation mark.
const MAX_VALUE_CHARS: usize = 1000;

/// Reads a text file, or an archive of one.
pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("pml", Lines::Flowing)?;
    if !input.bytes.starts_with(b"PK") {
        return read_text(input, input.bytes, out);
    }
    // Publishers wrote PML as text; the archive is what calibre converts other formats into.
    out.origin(Origin { made_by: None, is_conversion: true })?;
    let mut archive = Archive::open(input.bytes)?;
    let mut places: Vec<usize> =
        (0..archive.names().len()).filter(|&at| extension(&archive.names()[at]) == "pml").collect();
    places.sort_by(|&one, &other| natural_order(&archive.names()[one], &archive.names()[other]));
    for at in places {
        let bytes = archive.read_at(at)?;
        read_text(input, &bytes, out)?;
    }
    Ok(())
}

fn read_text(input: &Input<'_>, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Failure> {
    let forced = input.options.encoding.as_deref();
    let text = encoding::decode(bytes, forced, Some("windows-1252"))?.text;
    let mut writer = Writer { text: String::new(), is_hidden: false };
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => rest = writer.tag(rest),
            '<' => rest = writer.element(rest),
            '\r' | '\0' => {}
            c => writer.push(c),
        }
        if writer.text.len() > FLUSH_BYTES {
            out.text(&writer.text)?;
            writer.text.clear();
        }
    }
    writer.push('\n');
    out.text(&writer.text)
}

struct Writer {
    text: String,
    /// Whether a comment is open.
    is_hidden: bool,
}

impl Writer {
    fn push(&mut self, c: char) {
        if !self.is_hidden {
            self.text.push(c);
        }
    }

    fn end_paragraph(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.push('\n');
        }
    }

    /// Takes the tag behind a backslash; gives what follows it.
    fn tag<'t>(&mut self, at: Chars<'t>) -> Chars<'t> {
        let mut rest = at.clone();
        match rest.next() {
            Some('\\') => self.push('\\'),
            Some('a') => return self.character(at, rest, 3, 10),
            Some('U') => return self.character(at, rest, 4, 16),
            // New pages and chapters end a paragraph.
            Some('p' | 'x') => self.end_paragraph(),
            Some('X' | 'C') => {
                rest.next();
                return without_value(rest);
            }
            Some('S' | 'F') => {
                rest.next();
                return without_value(rest);
            }
            Some('q' | 'Q' | 'm' | 'T' | 'w') => return without_value(rest),
            Some('v') => self.is_hidden = !self.is_hidden,
            Some('c' | 'r' | 't' | 'i' | 'u' | 'o' | 'n' | 's' | 'b' | 'l' | 'B' | 'k' | 'I' | '-') => {}
            _ => {
                self.push('\\');
                return at;
            }
        }
        rest
    }

    /// Takes a character by its number: of windows-1252 (`\a147`) or of Unicode (`\U05D9`).
    fn character<'t>(&mut self, at: Chars<'t>, rest: Chars<'t>, n_digits: usize, radix: u32) -> Chars<'t> {
        let digits = rest.as_str().get(..n_digits).unwrap_or_default();
        let number = u32::from_str_radix(digits, radix).ok().filter(|_| digits.len() == n_digits);
        let found =
            number.and_then(|number| if radix == 10 { of_windows(number) } else { char::from_u32(number) });
        match found.filter(|c| *c != '\0') {
            Some(c) => {
                self.push(c);
                rest.as_str()[n_digits..].chars()
            }
            None => {
                self.push('\\');
                at
            }
        }
    }

    /// Takes the rest of a `<footnote id="x">`, or of its end; any other `<` is text.
    fn element<'t>(&mut self, at: Chars<'t>) -> Chars<'t> {
        let name = at.as_str().trim_start_matches('/');
        let is_known = ["footnote", "sidebar"].iter().any(|known| name.starts_with(known));
        match at.as_str().find('>').filter(|end| is_known && *end < MAX_VALUE_CHARS) {
            Some(end) => {
                self.push('\n');
                at.as_str()[end + 1..].chars()
            }
            None => {
                self.push('<');
                at
            }
        }
    }
}

/// Behind the value of a tag, `="…"`, if it has one.
fn without_value(at: Chars<'_>) -> Chars<'_> {
    let value =
        at.as_str().trim_start_matches(' ').strip_prefix('=').map(|rest| rest.trim_start_matches(' '));
    let Some(value) = value.and_then(|value| value.strip_prefix('"')) else { return at };
    let end = value.char_indices().take(MAX_VALUE_CHARS).find(|(_, c)| *c == '"');
    end.map_or(at, |(end, _)| value[end + 1..].chars())
}

fn of_windows(number: u32) -> Option<char> {
    let byte = [u8::try_from(number).ok()?];
    encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte).0.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Format, detect};
    use crate::input::Options;
    use crate::readers::flow::tests::drafted_with;
    use crate::readers::pages::tests::zipped;
    use proptest::prelude::*;

    fn check(pml: &str, text: &str) {
        let draft = drafted_with(read, "a.pml", pml.as_bytes(), &[]).unwrap();
        let lines: Vec<&str> = draft.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.join("\n"), text, "{pml}");
    }

    #[test]
    fn tags_are_not_text() {
        check("\\p\\x\\BChapter I\\B\\x\n\\c\nOne \\itwo\\i\\Sb3\\Sb.", "Chapter I\nOne two3.");
        check(
            "\\C0=\"I\" \\X0\\BI\\B\\X0\n\\q=\"#a\"here\\q\\Q=\"a\" \\T=\"5%\"in\\m=\"x.png\"",
            "I\nhere in",
        );
        check("a\\vhidden\\vb \\\\c \\w=\"50%\"d exam\\-ple", "ab \\c d example");
    }

    #[test]
    fn characters_have_numbers() {
        check("\\a147Yes\\a148 caf\\a233, \\U05D9\\U05D5\\U05DD", "“Yes” café, יום");
        check("\\a9 \\U05 \\Uzzzz \\UD800", "\\a9 \\U05 \\Uzzzz \\UD800");
    }

    #[test]
    fn notes_are_kept_and_other_angles_are_text() {
        check("a\\Fn=\"n1\"1\\Fn <b\n<footnote id=\"n1\">A note.</footnote>", "a1 <b\nA note.");
    }

    #[test]
    fn an_archive_is_read_in_the_order_of_its_names() {
        let bytes = zipped(&[("b/10.pml", "last"), ("b/9.pml", "\\ifirst\\i"), ("img/cover.png", "x")]);
        let options = Options::default();
        let input = Input::new("a.pmlz", &bytes, &options);
        assert_eq!(detect(&input), Ok(Format::Pml));
        let draft = drafted_with(read, "a.pmlz", &bytes, &[]).unwrap();
        assert_eq!(draft.text, "first\nlast\n");
        assert!(draft.origin.is_conversion);
    }

    #[test]
    fn a_tag_cut_off_at_the_end_is_text() {
        for end in ["\\", "\\a", "\\U05D", "\\Q=\"a", "\\X", "\\F", "<footnote", "\\C0="] {
            drafted_with(read, "a.pml", end.as_bytes(), &[]).unwrap();
        }
    }

    proptest! {
        #[test]
        fn any_pml_ends(pml in "(\\\\[a-zA-Z\\\\-]|[0-9=\"<>/ äא]|footnote|\n){0,80}") {
            let draft = drafted_with(read, "a.pml", pml.as_bytes(), &[]).unwrap();
            prop_assert!(draft.text.len() <= 2 * pml.len() + 1);
        }
    }
}
