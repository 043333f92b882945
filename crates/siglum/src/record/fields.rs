//! A record as it is compared: words, each with its field, and numbers, edition, year and identifiers apart.
//!
//! Recipe: the study of the catalogue check. A title is cut into main title and subtitle where one is to be seen; a
//! name into surname and given names; responsibility behind " / " stands in for authors that are missing.
//! Holds: the order of the words of a field is kept for evidence and never changes a score by more than a tie.

use super::Record;
use super::numbers::{self, Numbers};
use super::tokens::{Token, tokens};
use crate::book::Metadata;
use xxhash_rust::xxh3::xxh3_64;

/// Where a word stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The main title.
    Title = 0,
    /// The subtitle, or a series named with the title.
    Subtitle = 1,
    /// A given name.
    Given = 2,
    /// A surname.
    Surname = 3,
}

impl Field {
    /// Whether it is part of a name.
    pub fn is_name(self) -> bool {
        matches!(self, Field::Given | Field::Surname)
    }

    /// The field of this number.
    pub fn from_number(number: u32) -> Field {
        match number & 3 {
            0 => Field::Title,
            1 => Field::Subtitle,
            2 => Field::Given,
            _ => Field::Surname,
        }
    }
}

/// A word of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its letters: lower case, without marks; a number begins with `#`.
    pub text: String,
    /// Where it stands.
    pub field: Field,
}

/// One form of a record as it is compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Described {
    /// Words of the title, then of the names.
    pub words: Vec<Word>,
    /// Volumes and other numbers.
    pub numbers: Numbers,
    /// Which edition.
    pub edition: Option<u16>,
    /// When it was published.
    pub year: Option<u16>,
    /// Identifiers that stand for one book, as hashes: see [`IdentifierKind`].
    pub identifiers: Vec<u64>,
}

/// Which catalogue an identifier is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentifierKind {
    /// ISBN.
    Isbn,
    /// OCLC's number.
    Oclc,
    /// The Library of Congress's number.
    Lccn,
    /// Digital object identifier.
    Doi,
}

impl IdentifierKind {
    /// Which kind a hash in [`Described::identifiers`] is of.
    pub fn of(identifier: u64) -> IdentifierKind {
        match identifier >> 62 {
            0 => IdentifierKind::Isbn,
            1 => IdentifierKind::Oclc,
            2 => IdentifierKind::Lccn,
            _ => IdentifierKind::Doi,
        }
    }

    /// Its name in evidence.
    pub fn as_str(self) -> &'static str {
        match self {
            IdentifierKind::Isbn => "isbn",
            IdentifierKind::Oclc => "oclc",
            IdentifierKind::Lccn => "lccn",
            IdentifierKind::Doi => "doi",
        }
    }

    fn hash(self, identifier: &str) -> u64 {
        (self as u64) << 62 | xxh3_64(identifier.as_bytes()) >> 2
    }
}

/// At most so many words of title and names are compared.
const MOST_TITLE_WORDS: usize = 74;
const MOST_NAME_WORDS: usize = 16;
/// The most words a form of a record has.
pub const MOST_WORDS: usize = MOST_TITLE_WORDS + MOST_NAME_WORDS;

impl Described {
    /// The forms of a record: as it is, and in the other scripts its source has.
    pub fn forms(record: &Record) -> Vec<Described> {
        let mut forms =
            vec![Described::form(record, record.metadata.title.as_deref(), &record.metadata.creators)];
        for other in &record.other_forms {
            let title = other.title.as_deref().or(record.metadata.title.as_deref());
            let creators =
                if other.creators.is_empty() { &record.metadata.creators } else { &other.creators };
            let form = Described::form(record, title, creators);
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        forms
    }

    fn form(record: &Record, title: Option<&str>, creators: &[String]) -> Described {
        let mut described = Described::default();
        let title = TitleParts::of(title.unwrap_or_default());
        described.read_title(&title);
        described.read_volume(record.metadata.volume.as_deref().unwrap_or_default());
        if let Some(edition) = &record.edition {
            described.edition = numbers::edition_of(edition, &tokens(edition)).or(described.edition);
        }
        described.words.truncate(MOST_TITLE_WORDS);
        described.read_names(creators, &title.responsibility);
        described.words.truncate(MOST_WORDS);
        described.numbers.sort();
        described.year = record.metadata.date.as_deref().and_then(year);
        described.identifiers = identifiers(&record.metadata);
        described
    }

    /// Whether it has no author: a query of one string, or of a title alone.
    pub fn lacks_names(&self) -> bool {
        !self.words.iter().any(|word| word.field.is_name())
    }

    /// Whether there is nothing to compare by.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.identifiers.is_empty()
    }

    fn read_title(&mut self, title: &TitleParts) {
        for (part, field) in [(&title.main, Field::Title), (&title.subtitle, Field::Subtitle)] {
            let words = numbers::read(part, &tokens(part), &mut self.numbers, &mut self.edition);
            self.words.extend(words.into_iter().map(|text| Word { text, field }));
        }
        let series = numbers::words_only(&title.series, &tokens(&title.series));
        self.words.extend(series.into_iter().map(|text| Word { text, field: Field::Subtitle }));
    }

    /// A volume in a field of its own counts where the title names none.
    fn read_volume(&mut self, volume: &str) {
        let mut volumes = numbers::volumes_of(volume, &tokens(volume));
        volumes.truncate(3);
        self.numbers.all.extend(&volumes);
        if self.numbers.volumes.is_empty() {
            self.numbers.volumes = volumes;
        }
    }

    fn read_names(&mut self, creators: &[String], responsibility: &str) {
        let n_before = self.words.len();
        for creator in creators.iter().filter(|creator| !is_nobody(creator)) {
            read_names(creator, &mut self.words);
        }
        if self.words.len() == n_before {
            read_names(responsibility, &mut self.words);
        }
    }
}

/// A title cut into its parts.
#[derive(Debug, Default, PartialEq, Eq)]
struct TitleParts {
    main: String,
    subtitle: String,
    series: String,
    responsibility: String,
}

impl TitleParts {
    fn of(title: &str) -> TitleParts {
        let end = title.char_indices().nth(super::tokens::MOST_CHARS).map_or(title.len(), |(at, _)| at);
        let title = &title[..end];
        let (title, responsibility) = title.split_once(" / ").unwrap_or((title, ""));
        let series_at = title.rfind('(').filter(|&at| title[at..].contains('#'));
        let (title, series) = title.split_at(series_at.unwrap_or(title.len()));
        let (main, subtitle) = match subtitle_at(title) {
            Some((at, n_bytes)) => (&title[..at], &title[at + n_bytes..]),
            None => (title, ""),
        };
        TitleParts {
            main: main.to_owned(),
            subtitle: subtitle.to_owned(),
            series: series.to_owned(),
            responsibility: responsibility.to_owned(),
        }
    }
}

/// Where a subtitle begins, and how long the sign before it is: the first that leaves two words of three letters in
/// front. A full stop counts only behind a word of four letters, so that "Vol. 2" and "Mr. X" stay whole.
fn subtitle_at(title: &str) -> Option<(usize, usize)> {
    const SIGNS: [&str; 8] = [" : ", ": ", "; ", " — ", " -- ", ". ", " or, ", ", or "];
    let places = SIGNS
        .iter()
        .flat_map(|sign| title.match_indices(sign).map(|(at, sign)| (at, sign.len(), *sign == *". ")));
    let mut places: Vec<(usize, usize, bool)> = places.collect();
    places.sort_unstable();
    let after_word = |at: usize| title[..at].chars().rev().take_while(|c| c.is_alphanumeric()).count() >= 4;
    let enough =
        |at: usize| tokens(&title[..at]).iter().filter(|token| token.text.chars().count() > 2).count() >= 2;
    let found = places.into_iter().find(|&(at, _, stop)| (!stop || after_word(at)) && enough(at));
    found.map(|(at, n_bytes, _)| (at, n_bytes))
}

/// Words of one or several names in one string.
fn read_names(names: &str, words: &mut Vec<Word>) {
    for name in names.split([';', '|']).flat_map(|names| names.split(" and ")) {
        let parts: Vec<&str> = name.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        if are_several(&parts) {
            parts.iter().for_each(|part| read_direct_name(part, words));
        } else if parts.len() <= 1 {
            read_direct_name(name, words);
        } else {
            for (i, part) in parts.iter().enumerate() {
                let field = if i == 0 { Field::Surname } else { Field::Given };
                words.extend(name_words(part).map(|text| Word { text, field }));
            }
        }
    }
}

/// Whether parts between commas are several people, as in "A B, C D", rather than a surname and given names.
fn are_several(parts: &[&str]) -> bool {
    let n_words = |part: &str| name_words(part).count();
    parts.len() >= 2
        && n_words(parts[0]) >= 2
        && n_words(parts[1]) >= 2
        && !parts[0].contains("de ")
        && parts.iter().all(|part| n_words(part) <= 4)
}

/// A name in the order in which it is spoken; what stands in brackets is left out.
fn read_direct_name(name: &str, words: &mut Vec<Word>) {
    let mut open = 0;
    let outside = name.chars().filter(|&c| {
        open += i32::from(c == '(');
        let kept = open <= 0;
        open -= i32::from(c == ')');
        kept
    });
    let parts: Vec<String> = name_words(&outside.collect::<String>()).collect();
    let n = parts.len();
    let field = |i: usize| if i + 1 == n { Field::Surname } else { Field::Given };
    words.extend(parts.into_iter().enumerate().map(|(i, text)| Word { text, field: field(i) }));
}

fn name_words(name: &str) -> impl Iterator<Item = String> + use<> {
    let is_name = |token: &Token| !token.is_digits() && !is_role(&token.text);
    tokens(name).into_iter().filter(is_name).map(|token| token.text)
}

/// Words that stand in the place of a name.
pub(super) fn says_nobody(word: &str) -> bool {
    matches!(word, "various" | "anonymous" | "unknown")
}

/// Words that stand with names and are none.
pub(super) fn is_role(word: &str) -> bool {
    matches!(
        word,
        "editor"
            | "ed"
            | "eds"
            | "edited"
            | "by"
            | "translator"
            | "trans"
            | "tr"
            | "illustrator"
            | "ill"
            | "jr"
            | "sr"
            | "sir"
            | "mrs"
            | "mr"
            | "mme"
            | "madame"
            | "dr"
            | "prof"
            | "rev"
            | "saint"
            | "baron"
            | "lord"
            | "lady"
            | "active"
            | "approximately"
            | "century"
            | "pseud"
            | "et"
            | "al"
            | "fl"
            | "ca"
            | "bce"
            | "bc"
            | "author"
            | "hrsg"
            | "herausgeber"
            | "ubersetzer"
            | "traducteur"
    )
}

/// Whether a name says that there is none.
fn is_nobody(name: &str) -> bool {
    let first = tokens(name).into_iter().next();
    first.is_none_or(|token| {
        matches!(token.text.as_str(), "various" | "anonymous" | "unknown" | "anon" | "none" | "null" | "nan")
    })
}

/// The first year in a date, from 1000 to 2100.
pub(super) fn year(date: &str) -> Option<u16> {
    let numbers = date.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 4);
    numbers.filter_map(|digits| digits.parse().ok()).find(|year| (1000..=2100).contains(year))
}

fn identifiers(metadata: &Metadata) -> Vec<u64> {
    use IdentifierKind::{Doi, Isbn, Lccn, Oclc};
    let lists =
        [(Isbn, &metadata.isbn), (Oclc, &metadata.oclc), (Lccn, &metadata.lccn), (Doi, &metadata.doi)];
    let all = lists.into_iter().flat_map(|(kind, list)| list.iter().map(move |text| kind.hash(text.trim())));
    let mut all: Vec<u64> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(title: &str, creators: &[&str]) -> Described {
        let metadata = Metadata {
            title: Some(title.into()),
            creators: creators.iter().map(|&name| name.into()).collect(),
            ..Metadata::default()
        };
        Described::forms(&Record { metadata, ..Record::default() }).remove(0)
    }

    fn check(title: &str, creators: &[&str], expected: &str) {
        let words = described(title, creators).words.into_iter();
        let words: Vec<String> = words
            .map(|word| format!("{}{}", word.text, ["", "/s", "/g", "/n"][word.field as usize]))
            .collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn a_title_has_main_title_and_subtitle() {
        check("The Arts of Japan : a handbook", &[], "the arts of japan a/s handbook/s");
        check("Mr. Pickwick", &[], "mr pickwick");
        check("Emma: a novel", &[], "emma a novel");
        check("History of Rome, Vol. 2", &[], "history of rome vol #2");
    }

    #[test]
    fn a_series_is_words_without_numbers() {
        let read = described("Stone (Harry Potter, #1)", &[]);
        assert_eq!(read.numbers, Numbers::default());
        check("Stone (Harry Potter, #1)", &[], "stone harry/s potter/s #1/s");
    }

    #[test]
    fn names_come_in_either_order() {
        check("", &["Dillon, Edward"], "dillon/n edward/g");
        check("", &["Edward Dillon"], "edward/g dillon/n");
        check("", &["J.K. Rowling, Mary GrandPré"], "j/g k/g rowling/n mary/g grandpre/n");
        check("", &["Baum, L. Frank (Lyman Frank), 1856-1919"], "baum/n l/g frank/g lyman/g frank/g");
        check("", &["Various"], "");
    }

    #[test]
    fn responsibility_stands_in_for_an_author() {
        check("Logic / by John Smith", &[], "logic john/g smith/n");
        check("Logic / by John Smith", &["Mill, J."], "logic mill/n j/g");
    }

    #[test]
    fn years_are_found_in_dates() {
        assert_eq!(year("c1962."), Some(1962));
        assert_eq!(year("[18--?]"), None);
        assert_eq!(year("1890-07-05"), Some(1890));
    }

    #[test]
    fn a_volume_field_counts_where_the_title_names_none() {
        let of = |title: &str, volume: &str| {
            let metadata =
                Metadata { title: Some(title.into()), volume: Some(volume.into()), ..Metadata::default() };
            Described::forms(&Record { metadata, ..Record::default() }).remove(0).numbers.volumes
        };
        assert_eq!(of("History", "v.2"), [2]);
        assert_eq!(of("History", "iii"), [3]);
        assert_eq!(of("History, vol. 1", "2"), [1]);
    }

    #[test]
    fn long_titles_keep_their_names() {
        let read = described(&"word ".repeat(100_000), &["Edward Dillon"]);
        assert_eq!(read.words.len(), MOST_TITLE_WORDS + 2);
    }
}
