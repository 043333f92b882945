//! Strings and facts of a PDF file's catalogue and information dictionary.
//!
//! We differ from many readers: the date a file was made is not when the book was published, and is left out. A
//! title that is the name of a program's document says nothing, and is left out too.

use siglum::Metadata;

/// A text string: UTF-16 or UTF-8 by its mark, else PDFDocEncoding.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => bytes.iter().map(|&byte| pdf_doc(byte)).collect(),
    }
}

/// What title and author say, if they say anything.
pub(super) fn from_info(title: Option<&[u8]>, author: Option<&[u8]>) -> Metadata {
    Metadata {
        title: title.map(text_string).and_then(|title| real_title(&title)),
        creators: author.map(text_string).map(|author| people(&author)).unwrap_or_default(),
        ..Metadata::default()
    }
}

/// A title, unless it is the name of a file or a program's default.
pub(super) fn real_title(title: &str) -> Option<String> {
    let title = title.trim();
    let title = ["Microsoft Word - ", "Microsoft PowerPoint - "]
        .iter()
        .find_map(|prefix| title.strip_prefix(prefix))
        .map_or(title, |rest| if is_file_name(rest) { "" } else { rest });
    let lower = title.to_lowercase();
    let is_default =
        ["untitled", "unknown", "title", "none", "(anonymous)", "no title", "document", "layout 1"]
            .iter()
            .any(|default| lower == *default || lower.strip_prefix(default).is_some_and(is_counter));
    (!title.is_empty() && !is_default && !is_file_name(title) && title.chars().any(char::is_alphabetic))
        .then(|| title.to_owned())
}

/// A counter after a default title, such as ` 1` or `-2`.
fn is_counter(rest: &str) -> bool {
    let digits = rest.trim_start_matches([' ', '-', '_', '.']);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

/// Whether a title is the name of a file: one word with an extension of a program.
fn is_file_name(title: &str) -> bool {
    const EXTENSIONS: [&str; 17] = [
        "doc", "docx", "dvi", "eps", "htm", "html", "indd", "odt", "p65", "pdf", "pm6", "ps", "qxd", "rtf",
        "tex", "txt", "wpd",
    ];
    let extension = title.rsplit_once('.').map(|(_, extension)| extension.trim().to_lowercase());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

/// The people of an author field; only semicolons part them, since commas stand within names.
pub(super) fn people(author: &str) -> Vec<String> {
    let is_person = |name: &&str| {
        name.chars().any(char::is_alphabetic)
            && !["unknown", "anonymous", "user", "admin", "administrator", "author", "owner"]
                .contains(&name.to_lowercase().as_str())
    };
    author.split(';').map(str::trim).filter(is_person).map(str::to_owned).collect()
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    without_language(&text)
}

/// A string may name its language between escape characters.
fn without_language(text: &str) -> String {
    text.split('\u{1B}').step_by(2).collect()
}

/// PDFDocEncoding: Latin-1 but for two stretches (ISO 32000-1, annex D.3).
fn pdf_doc(byte: u8) -> char {
    const LOW: [char; 8] =
        ['\u{2D8}', '\u{2C7}', '\u{2C6}', '\u{2D9}', '\u{2DD}', '\u{2DB}', '\u{2DA}', '\u{2DC}'];
    const HIGH: [char; 33] = [
        '\u{2022}', '\u{2020}', '\u{2021}', '\u{2026}', '\u{2014}', '\u{2013}', '\u{192}', '\u{2044}',
        '\u{2039}', '\u{203A}', '\u{2212}', '\u{2030}', '\u{201E}', '\u{201C}', '\u{201D}', '\u{2018}',
        '\u{2019}', '\u{201A}', '\u{2122}', '\u{FB01}', '\u{FB02}', '\u{141}', '\u{152}', '\u{160}',
        '\u{178}', '\u{17D}', '\u{131}', '\u{142}', '\u{153}', '\u{161}', '\u{17E}', '\u{FFFD}', '\u{20AC}',
    ];
    match byte {
        0x18..=0x1F => LOW[usize::from(byte - 0x18)],
        0x80..=0xA0 => HIGH[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_utf16_utf8_or_pdf_doc() {
        assert_eq!(text_string(b"\xFE\xFF\x00\xE9\xD8\x35\xDD\x0A"), "é𝔊");
        assert_eq!(text_string(b"\xFF\xFE\xE9\x00"), "é");
        assert_eq!(text_string(b"\xEF\xBB\xBF\xC3\xA9"), "é");
        assert_eq!(text_string(b"\x8DEmma\x8E \xE9 \xA0"), "“Emma” é €");
        assert_eq!(text_string(b"\xFE\xFF\x00\x1B\x00e\x00n\x00\x1B\x00A"), "A");
    }

    #[test]
    fn titles_of_files_are_none() {
        for junk in
            ["untitled", "Untitled-3", "Microsoft Word - thesis.doc", "main.dvi", "", "1234", "Unknown"]
        {
            assert_eq!(real_title(junk), None, "{junk}");
        }
        assert_eq!(real_title("Microsoft Word - Emma").as_deref(), Some("Emma"));
        assert_eq!(real_title(" Mr. Midshipman Easy ").as_deref(), Some("Mr. Midshipman Easy"));
    }

    #[test]
    fn authors_are_parted_by_semicolons() {
        let info = from_info(None, Some(b"Austen, Jane; Shelley, Mary; user"));
        assert_eq!(info.creators, ["Austen, Jane", "Shelley, Mary"]);
    }
}
