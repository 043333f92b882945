//! Identifiers of books: found in metadata and on the first pages, checked, and written one way.
//!
//! Sources: the ISBN Users' Manual (check digits, ranges by the `isbn` crate); the DOI Handbook §2; the Library of
//! Congress, "LCCN namespace" (normalisation); OCLC's prefixes.
//! Holds: what is normalised stays as it is when normalised again; a wrong check digit is never accepted.

use crate::draft::truncated;
use crate::language::normalise_declared;
use isbn::{Isbn, Isbn13};
use siglum::Metadata;

/// How much of the start of a text is looked through for ISBNs: title pages and imprint.
const FIRST_BYTES: usize = 20 << 10;
/// How much of the end: imprints of some countries, and back covers.
const LAST_BYTES: usize = 5 << 10;
/// A DOI printed here is the article's own; further on, it is one that is cited.
pub(crate) const DOI_BYTES: usize = 3 << 10;
/// How far "ISBN" may stand before the number.
const KEYWORD_BYTES: usize = 48;
/// Longer than any DOI.
const MAX_DOI_BYTES: usize = 256;

/// Writes identifiers one way, moves those that stand in the wrong field, and drops what is none.
pub(crate) fn normalise(metadata: &mut Metadata) {
    let isbn = std::mem::take(&mut metadata.isbn);
    let doi = std::mem::take(&mut metadata.doi);
    for raw in isbn.iter().chain(&doi) {
        if let Some(doi) = doi_in(raw) {
            push(&mut metadata.doi, doi);
        } else if let Some(isbn) = isbn_of(raw) {
            push(&mut metadata.isbn, isbn);
        }
    }
    for raw in std::mem::take(&mut metadata.oclc) {
        oclc_of(&raw).into_iter().for_each(|oclc| push(&mut metadata.oclc, oclc));
    }
    for raw in std::mem::take(&mut metadata.lccn) {
        lccn_of(&raw).into_iter().for_each(|lccn| push(&mut metadata.lccn, lccn));
    }
    metadata.language = metadata.language.take().map(|language| normalise_declared(&language));
}

/// ISBNs on the first and last pages of a text, as ISBN-13 without hyphens, in the order they stand.
pub(crate) fn find_isbn(text: &str) -> Vec<String> {
    let first = truncated(text, FIRST_BYTES);
    let last = &text[text.ceil_char_boundary(text.len().saturating_sub(LAST_BYTES)).max(first.len())..];
    let mut found = Vec::new();
    for stretch in [first, last] {
        find_isbn_in(stretch, &mut found);
    }
    found
}

/// The DOI printed on the first page of an article.
pub(crate) fn find_doi(text: &str) -> Option<String> {
    doi_in(truncated(text, DOI_BYTES))
}

fn push(list: &mut Vec<String>, value: String) {
    if !list.contains(&value) {
        list.push(value);
    }
}

fn find_isbn_in(text: &str, found: &mut Vec<String>) {
    let mut named_until = None;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        if is_keyword(&bytes[at..]) {
            named_until = Some(at + 4 + KEYWORD_BYTES);
        }
        let is_start = bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        let Some(number) = is_start.then(|| Number::at(&text[at..])).flatten() else {
            at += 1;
            continue;
        };
        let is_named = named_until.is_some_and(|until| at <= until);
        match number.isbn(is_named) {
            Some(isbn) => {
                push(found, isbn);
                at += number.len;
                // One keyword may stand before a list of numbers.
                named_until = named_until.filter(|_| is_named).map(|_| at + KEYWORD_BYTES);
            }
            None => at += 1,
        }
    }
}

fn is_keyword(bytes: &[u8]) -> bool {
    bytes.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"isbn"))
        || bytes.get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"i.s.b.n"))
}

/// Digits that may be an ISBN, with single hyphens or spaces between them.
struct Number {
    digits: String,
    n_separators: usize,
    len: usize,
}

impl Number {
    /// The longest run of 10 or 13 digits at the start of a text that is not part of a longer one.
    fn at(text: &str) -> Option<Number> {
        let n_wanted = if text.starts_with('9') && Number::of(text, 13).is_some() { 13 } else { 10 };
        Number::of(text, n_wanted)
    }

    fn of(text: &str, n_wanted: usize) -> Option<Number> {
        let mut number = Number { digits: String::with_capacity(13), n_separators: 0, len: 0 };
        let mut is_separated = true;
        for (at, c) in text.char_indices() {
            match c {
                '0'..='9' => number.digits.push(c),
                'X' | 'x' if number.digits.len() == 9 && n_wanted == 10 => number.digits.push('X'),
                '-' | ' ' | '\u{a0}' | '\u{ad}' | '‐' | '‑' | '–' | '—' | '−' if !is_separated => {
                    is_separated = true;
                    number.n_separators += 1;
                    continue;
                }
                _ => return None,
            }
            is_separated = false;
            if number.digits.len() == n_wanted {
                number.len = at + c.len_utf8();
                let is_cut = text[number.len..].starts_with(|c: char| c.is_ascii_alphanumeric());
                return (!is_cut).then_some(number);
            }
        }
        None
    }

    /// With its check digit right. A row of one digit has it right too.
    fn checked(&self) -> Option<Isbn> {
        let is_row = self.digits.bytes().all(|byte| byte == self.digits.as_bytes()[0]);
        self.digits.parse().ok().filter(|_| !is_row)
    }

    /// An ISBN-13, if the check digit is right. Without the word before it, it must begin as one, and be hyphenated
    /// fully or not at all.
    fn isbn(&self, is_named: bool) -> Option<String> {
        let isbn = self.checked()?;
        let in_range = isbn.hyphenate().is_ok();
        let looks_alone = self.digits.len() == 13 && (self.n_separators == 4 || self.n_separators == 0);
        (in_range && (is_named || looks_alone)).then(|| thirteen(isbn)).flatten()
    }
}

/// As ISBN-13 without hyphens; `None` for numbers of other goods.
fn thirteen(isbn: Isbn) -> Option<String> {
    let isbn = match isbn {
        Isbn::_10(ten) => Isbn13::from(ten),
        Isbn::_13(thirteen) => thirteen,
    };
    let digits: String = isbn.to_string().chars().filter(char::is_ascii_digit).collect();
    (digits.starts_with("978") || digits.starts_with("979")).then_some(digits)
}

/// The ISBN of a metadata field: `urn:isbn:978…`, `0-19-853453-1 (pbk.)`. Ranges newer than ours are accepted.
fn isbn_of(raw: &str) -> Option<String> {
    let start = raw.char_indices().find(|(_, c)| c.is_ascii_digit())?.0;
    Number::at(&raw[start..])?.checked().and_then(thirteen)
}

/// The first DOI of a text, rather one with `doi` before it.
fn doi_in(text: &str) -> Option<String> {
    let starts = text.match_indices("10.").map(|(at, _)| at);
    let dois = starts.filter_map(|at| doi_at(text, at).map(|doi| (at, doi))).take(8);
    let is_named = |at: usize| {
        let before = &text[text.floor_char_boundary(at.saturating_sub(24))..at];
        before.to_ascii_lowercase().contains("doi")
    };
    dois.min_by_key(|(at, _)| (!is_named(*at), *at)).map(|(_, doi)| doi)
}

fn doi_at(text: &str, at: usize) -> Option<String> {
    if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.') {
        return None;
    }
    let rest = truncated(&text[at..], MAX_DOI_BYTES);
    let end = rest.find(|c: char| c.is_whitespace() || "\"<>”’»".contains(c)).unwrap_or(rest.len());
    let (prefix, suffix) = rest[..end].split_once('/')?;
    let registrant = prefix.strip_prefix("10.")?;
    let n_digits = registrant.bytes().take_while(u8::is_ascii_digit).count();
    let is_prefix = registrant.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let suffix = trimmed(suffix);
    ((4..=9).contains(&n_digits) && is_prefix && !suffix.is_empty())
        .then(|| format!("{prefix}/{suffix}").to_lowercase())
}

/// Without the punctuation of the sentence around it; a bracket that was opened inside stays.
fn trimmed(suffix: &str) -> &str {
    let mut suffix = suffix;
    loop {
        let Some(last) = suffix.chars().next_back() else { return suffix };
        let count = |c: char| suffix.matches(c).count();
        let is_outside = match last {
            ')' => count(')') > count('('),
            ']' => count(']') > count('['),
            '}' => count('}') > count('{'),
            _ => ".,;:'\"*&†‡。，、".contains(last),
        };
        if !is_outside {
            return suffix;
        }
        suffix = &suffix[..suffix.len() - last.len_utf8()];
    }
}

/// `(OCoLC)ocm00012345`, `on1234567890`, `oclc:12345` become digits.
fn oclc_of(raw: &str) -> Option<String> {
    let lower = raw.trim().to_ascii_lowercase();
    let digits = lower.trim_start_matches(|c: char| c.is_ascii_alphabetic() || "():/.-# ".contains(c));
    let digits = digits.trim_end_matches(['#', '/', ' ']).trim_start_matches('0');
    let is_number = (1..=14).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.to_owned())
}

/// By the rules of the Library of Congress: no blanks, nothing after a slash, six digits after the hyphen.
fn lccn_of(raw: &str) -> Option<String> {
    let bare: String = raw.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    let bare = bare.trim_start_matches("urn:").trim_start_matches("lccn").trim_start_matches(':');
    let bare = bare.split('/').next().unwrap_or_default();
    let lccn = match bare.split_once('-') {
        Some((year, serial)) if serial.len() <= 6 => format!("{year}{serial:0>6}"),
        Some(_) => return None,
        None => bare.to_owned(),
    };
    let n_letters = lccn.bytes().take_while(u8::is_ascii_lowercase).count();
    let digits = &lccn[n_letters..];
    let is_known =
        n_letters <= 3 && (8..=10).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    is_known.then_some(lccn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_isbn(text: &str, isbn: &[&str]) {
        assert_eq!(find_isbn(text), isbn, "{text}");
    }

    #[test]
    fn isbns_beside_the_word_are_found() {
        check_isbn("ISBN 0-19-853453-1", &["9780198534532"]);
        check_isbn("ISBN-13: 978-0-19-853453-2", &["9780198534532"]);
        check_isbn("ISBN-10: 0198534531 (hbk.), 0-8044-2957-X", &["9780198534532", "9780804429573"]);
        check_isbn("I.S.B.N. 0 19 853453 1", &["9780198534532"]);
        check_isbn("ISBN 978–0–19–853453–2\nISBN 0-19-853453-1", &["9780198534532"]);
    }

    #[test]
    fn an_isbn_of_thirteen_digits_needs_no_word() {
        check_isbn("printed 978-0-19-853453-2 in", &["9780198534532"]);
        check_isbn("9780198534532", &["9780198534532"]);
        check_isbn("979-10-90636-07-1", &["9791090636071"]);
    }

    #[test]
    fn numbers_that_are_none_are_not_found() {
        check_isbn("ISBN 0-19-853453-2", &[]);
        check_isbn("ISBN O-19-853453-1", &[]);
        check_isbn("call 0198534531 now", &[]);
        check_isbn("978-0-19-853453-3", &[]);
        check_isbn("ISBN 0000000000 and 97801985345321", &[]);
        check_isbn("97 80198534532", &[]);
    }

    #[test]
    fn isbns_in_the_midst_of_a_book_are_of_other_books() {
        let text = format!("{} ISBN 0-19-853453-1 {}", "word ".repeat(5000), "word ".repeat(5000));
        check_isbn(&text, &[]);
        check_isbn(&text[..text.len() - 22000], &["9780198534532"]);
    }

    #[test]
    fn the_doi_of_the_first_page_is_found() {
        assert_eq!(find_doi("see https://doi.org/10.1000/ABC.1.").as_deref(), Some("10.1000/abc.1"));
        assert_eq!(
            find_doi("(DOI: 10.1016/S0021-8502(98)00123-4)").as_deref(),
            Some("10.1016/s0021-8502(98)00123-4")
        );
        assert_eq!(find_doi("10.1000/cited; doi 10.1000/own").as_deref(), Some("10.1000/own"));
        assert_eq!(find_doi("version 10.2/3, 110.1000/2, 10.12/x"), None);
        assert_eq!(find_doi(&format!("{}10.1000/1", " ".repeat(4000))), None);
    }

    #[test]
    fn fields_are_written_one_way() {
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let mut metadata = Metadata {
            isbn: list(&[
                "urn:isbn:0198534531",
                "978-0-19-853453-2 (pbk.)",
                "12345",
                "doi:10.1000/A",
                "0000000000",
            ]),
            doi: list(&["https://doi.org/10.1000/a", "nothing", "9791090636071"]),
            oclc: list(&["(OCoLC)ocm00012345", "on1234567890", "oclc:", "12345"]),
            lccn: list(&["n78-890351", "  85000002 ", "75-425165//r75", "2001-000002", "agr 25000003", "x"]),
            language: Some("eng".into()),
            ..Metadata::default()
        };
        normalise(&mut metadata);
        assert_eq!(metadata.isbn, ["9780198534532", "9791090636071"]);
        assert_eq!(metadata.doi, ["10.1000/a"]);
        assert_eq!(metadata.oclc, ["12345", "1234567890"]);
        assert_eq!(metadata.lccn, ["n78890351", "85000002", "75425165", "2001000002", "agr25000003"]);
        assert_eq!(metadata.language.as_deref(), Some("en"));
        let mut again = metadata.clone();
        normalise(&mut again);
        assert_eq!(again, metadata);
    }

    proptest! {
        #[test]
        fn any_text_is_looked_through(text in "([0-9Xx –—isbnISBN./10]|\\PC){0,200}") {
            for isbn in find_isbn(&text) {
                prop_assert!(isbn.parse::<Isbn>().is_ok());
            }
            let _ = find_doi(&text);
            let list = vec![text];
            let mut metadata = Metadata { isbn: list.clone(), doi: list.clone(), oclc: list.clone(), lccn: list, ..Metadata::default() };
            normalise(&mut metadata);
            let once = metadata.clone();
            normalise(&mut metadata);
            prop_assert_eq!(metadata, once);
        }
    }
}
