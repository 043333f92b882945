//! Encodings by name, and how each is decoded.

use super::{Decoded, korean};
use encoding_rs::{DecoderResult, Encoding};
use oem_cp::code_table::DECODING_TABLE_CP_MAP;
use oem_cp::code_table_type::TableType;
use std::array;

/// Some names, to tell a person what may be said.
pub(super) const NAMES: &str = "utf-8, utf-16le, windows-1252, iso-8859-2, koi8-r, shift_jis, gb18030, big5, \
                                macintosh, cp437, cp850, cp852, cp866";

/// Names beside those of the Encoding Standard.
const ALIASES: &[(&str, &str)] = &[
    ("cp932", "shift_jis"),
    ("cp936", "gbk"),
    ("cp949", "euc-kr"),
    ("cp950", "big5"),
    ("mac-roman", "macintosh"),
    ("macroman", "macintosh"),
    ("mac-cyrillic", "x-mac-cyrillic"),
    ("maccyrillic", "x-mac-cyrillic"),
    ("cp10000", "macintosh"),
    ("cp10007", "x-mac-cyrillic"),
    ("latin-1", "latin1"),
    ("latin-2", "latin2"),
    ("latin-9", "iso-8859-15"),
    ("latin9", "iso-8859-15"),
    ("utf8", "utf-8"),
    ("utf-8-sig", "utf-8"),
    ("utf16", "utf-16"),
];

/// How much is decoded at once.
const CHUNK_BYTES: usize = 64 << 10;

/// An encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    /// One of the Encoding Standard.
    Web(&'static Encoding),
    /// A code page of DOS.
    Dos(u16),
    /// UTF-32, least byte first.
    Utf32Le,
    /// UTF-32, greatest byte first.
    Utf32Be,
    /// Korean of KS X 1001, annex 3.
    Johab,
    /// Korean of RFC 1557.
    Iso2022Kr,
}

impl Charset {
    pub(super) const UTF_8: Charset = Charset::Web(encoding_rs::UTF_8);

    /// The encoding of a name.
    pub(super) fn named(name: &str) -> Option<Charset> {
        let name = name.trim().to_ascii_lowercase();
        match name.replace('_', "-").as_str() {
            "utf-32" | "utf32" | "utf-32le" | "utf-32-le" | "ucs-4" | "ucs-4le" => {
                return Some(Charset::Utf32Le);
            }
            "utf-32be" | "utf-32-be" | "ucs-4be" => return Some(Charset::Utf32Be),
            "johab" | "cp1361" => return Some(Charset::Johab),
            "iso-2022-kr" | "iso2022-kr" | "csiso2022kr" => return Some(Charset::Iso2022Kr),
            "utf-16-le" => return Some(Charset::Web(encoding_rs::UTF_16LE)),
            "utf-16-be" => return Some(Charset::Web(encoding_rs::UTF_16BE)),
            _ => {}
        }
        let hyphened = name.replace('_', "-");
        let alias = ALIASES.iter().find(|(alias, _)| *alias == hyphened).map(|(_, label)| *label);
        let web = |label: &str| Encoding::for_label_no_replacement(label.as_bytes());
        let web = alias.and_then(web).or_else(|| web(&name)).or_else(|| web(&hyphened));
        web.map(Charset::Web).or_else(|| dos(&name))
    }

    /// Its name.
    pub(super) fn name(self) -> String {
        match self {
            Charset::Web(encoding) => encoding.name().to_owned(),
            Charset::Dos(page) => format!("cp{page}"),
            Charset::Utf32Le => "UTF-32LE".to_owned(),
            Charset::Utf32Be => "UTF-32BE".to_owned(),
            Charset::Johab => "Johab".to_owned(),
            Charset::Iso2022Kr => "ISO-2022-KR".to_owned(),
        }
    }

    /// Whether its units are of two or four bytes: what such a file declares in ASCII is not true.
    pub(super) fn is_wide(self) -> bool {
        let utf16 = [Charset::Web(encoding_rs::UTF_16LE), Charset::Web(encoding_rs::UTF_16BE)];
        utf16.contains(&self) || matches!(self, Charset::Utf32Le | Charset::Utf32Be)
    }

    /// Decodes bytes without a byte order mark.
    pub(super) fn decode(self, bytes: &[u8]) -> Decoded {
        let (text, n_bad) = match self {
            Charset::Web(encoding) => by_web(bytes, encoding),
            Charset::Dos(page) => by_code_page(bytes, page),
            Charset::Utf32Le => by_units(bytes, u32::from_le_bytes),
            Charset::Utf32Be => by_units(bytes, u32::from_be_bytes),
            Charset::Johab => korean::decode_johab(bytes),
            Charset::Iso2022Kr => by_web(&korean::iso_2022_kr_as_euc(bytes), encoding_rs::EUC_KR),
        };
        Decoded { text, encoding: self.name(), n_bad }
    }
}

/// A code page of DOS by its name: `cp850`, `ibm850`, `dos-850`, `850`.
fn dos(name: &str) -> Option<Charset> {
    let prefixes = ["cp", "ibm", "dos", "oem", "msdos", ""];
    let digits = prefixes.iter().find_map(|prefix| {
        let rest = name.strip_prefix(prefix)?.trim_start_matches(['-', '_', ' ']);
        rest.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
    })?;
    let page = digits.parse().ok()?;
    DECODING_TABLE_CP_MAP.get(&page).map(|_| Charset::Dos(page))
}

fn by_web(bytes: &[u8], encoding: &'static Encoding) -> (String, usize) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len());
    let mut n_bad = 0;
    let mut at = 0;
    loop {
        let chunk = &bytes[at..bytes.len().min(at + CHUNK_BYTES)];
        let is_last = at + chunk.len() == bytes.len();
        text.reserve(decoder.max_utf8_buffer_length_without_replacement(chunk.len()).unwrap_or(CHUNK_BYTES));
        let (result, n_read) = decoder.decode_to_string_without_replacement(chunk, &mut text, is_last);
        at += n_read;
        match result {
            DecoderResult::InputEmpty if is_last => return (text, n_bad),
            DecoderResult::Malformed(..) => {
                text.push(char::REPLACEMENT_CHARACTER);
                n_bad += 1;
            }
            DecoderResult::InputEmpty | DecoderResult::OutputFull => {}
        }
    }
}

/// The characters of an encoding of one byte from 0x80 on; `None` where it has none.
pub(super) fn upper_chars(charset: Charset) -> [Option<char>; 128] {
    let table = match charset {
        Charset::Dos(page) => DECODING_TABLE_CP_MAP.get(&page),
        _ => None,
    };
    match (table, charset) {
        (Some(TableType::Complete(table)), _) => table.map(Some),
        (Some(TableType::Incomplete(table)), _) => **table,
        (None, Charset::Web(web)) => array::from_fn(|at| {
            let byte = [0x80 | at as u8];
            web.decode_without_bom_handling_and_without_replacement(&byte).and_then(|c| c.chars().next())
        }),
        (None, _) => [None; 128],
    }
}

fn by_code_page(bytes: &[u8], page: u16) -> (String, usize) {
    let table = upper_chars(Charset::Dos(page));
    let mut n_bad = 0;
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 2);
    for &byte in bytes {
        let c = if byte.is_ascii() { Some(char::from(byte)) } else { table[usize::from(byte & 0x7f)] };
        n_bad += usize::from(c.is_none());
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    (text, n_bad)
}

fn by_units(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> (String, usize) {
    let units = bytes.chunks_exact(4);
    let mut n_bad = usize::from(!units.remainder().is_empty());
    let mut text = String::with_capacity(bytes.len() / 2);
    for quad in units {
        let c = char::from_u32(unit([quad[0], quad[1], quad[2], quad[3]]));
        n_bad += usize::from(c.is_none());
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !bytes.len().is_multiple_of(4) {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    (text, n_bad)
}
