//! Whether two books are the same work, by what is said about them: titles, creators and identifiers.
//!
//! A preprint and the paper it became, a first and a revised edition are one work in two texts. This is the only definition
//! of it: the library, `find` and `compare` ask here. It is cautious in both directions: what is missing, or says nothing by
//! itself, makes no two books the same work and no two books different works.
//! Holds: exchanging the books changes nothing.

use crate::book::Metadata;
use crate::text::Letters;
use crate::text::letters::is_wide;
use std::collections::BTreeSet;

/// Titles of two versions may differ by a word or two: this share of their words agrees all the same.
const SAME_WORDS: f64 = 0.8;
/// Titles with fewer words must be equal: "Collected poems" and "Selected poems" are two works.
const FEW_WORDS: usize = 5;
/// Titles of which no more agrees are of two works, unless one has all words of the other: it may be a short form.
const OTHER_WORDS: f64 = 0.5;
/// A word of a name with fewer letters is an initial or a particle.
const MIN_NAME: usize = 3;
/// Shorter titles say too little to be told apart from a file name.
const MIN_TITLE: usize = 3;

/// What the metadata of two books says of their works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Work {
    /// They are one work.
    Same,
    /// They are two works.
    Other,
    /// Nothing can be told.
    #[default]
    Unknown,
}

impl Work {
    /// Compares what two books say about themselves.
    pub fn of(a: &Metadata, b: &Metadata) -> Work {
        if share_identifier(a, b) {
            return Work::Same;
        }
        let (Some(left), Some(right)) =
            (a.title.as_deref().map(Title::new), b.title.as_deref().map(Title::new))
        else {
            return Work::Unknown;
        };
        match left.agreement(&right) {
            Agreement::Same if creators_differ(a, b) => Work::Unknown,
            Agreement::Same => Work::Same,
            Agreement::Other => Work::Other,
            Agreement::Unclear => Work::Unknown,
        }
    }
}

/// A DOI names a paper, whichever version; an ISBN one edition of a book.
fn share_identifier(a: &Metadata, b: &Metadata) -> bool {
    let dois: BTreeSet<&str> = a.doi.iter().map(|doi| without_version(doi)).collect();
    b.doi.iter().any(|doi| dois.contains(without_version(doi)))
        || a.isbn.iter().any(|isbn| b.isbn.contains(isbn))
}

/// A DOI without the version of a preprint: `10.48550/arxiv.2101.00001v2`, `10.21203/rs.3.rs-1/v1`, `10.7554/elife.85930.2`.
fn without_version(doi: &str) -> &str {
    let digits = doi.trim_end_matches(|c: char| c.is_ascii_digit());
    if digits.len() == doi.len() {
        return doi;
    }
    let stem = digits.strip_suffix('v').map(|stem| stem.trim_end_matches(['/', '.']));
    let of_elife = || digits.strip_suffix('.').filter(|stem| stem.starts_with("10.7554/elife."));
    stem.filter(|stem| stem.ends_with(|c: char| c.is_ascii_digit())).or_else(of_elife).unwrap_or(doi)
}

/// The words and the numbers of a title, without case, accents and punctuation.
struct Title {
    words: Vec<Vec<u32>>,
    /// Words before the sub-title.
    n_main: usize,
    numbers: Vec<String>,
}

enum Agreement {
    Same,
    Other,
    Unclear,
}

impl Title {
    fn new(title: &str) -> Title {
        let main = title.find([':', ';', '(', '[', '/', '\u{2014}']).or_else(|| title.find(" - "));
        let main = main.filter(|&at| at > 0).unwrap_or(title.len());
        Title {
            words: words(title),
            n_main: words(&title[..main]).len(),
            numbers: title
                .split(|c: char| !c.is_numeric())
                .filter(|number| !number.is_empty())
                .map(str::to_owned)
                .collect(),
        }
    }

    fn agreement(&self, other: &Title) -> Agreement {
        let n_letters = |title: &Title| title.words.iter().map(Vec::len).sum::<usize>();
        if n_letters(self) < MIN_TITLE || n_letters(other) < MIN_TITLE {
            return Agreement::Unclear;
        }
        let common = self.common_words(other);
        if self.numbers != other.numbers {
            // Volumes and years: "Part 1" and "Part 2" are two books, "Part 1" and a title without number may be one.
            let both = !self.numbers.is_empty() && !other.numbers.is_empty();
            return if both || self.is_other(other, common) { Agreement::Other } else { Agreement::Unclear };
        }
        let main = self.n_main.min(other.n_main);
        let same_main = self.n_main == other.n_main
            && main >= 2
            && self.words[..main] == other.words[..main]
            && (self.words.len() == main || other.words.len() == main);
        let many = self.words.len().min(other.words.len()) >= FEW_WORDS;
        if self.words == other.words || same_main || (many && common >= SAME_WORDS) {
            Agreement::Same
        } else if self.is_other(other, common) {
            Agreement::Other
        } else {
            Agreement::Unclear
        }
    }

    fn is_other(&self, other: &Title, common: f64) -> bool {
        let holds = |one: &Title, other: &Title| other.words.iter().all(|word| one.words.contains(word));
        common <= OTHER_WORDS && !holds(self, other) && !holds(other, self)
    }

    /// The share of the words of the longer title that the other has too.
    fn common_words(&self, other: &Title) -> f64 {
        let mut left: Vec<&Vec<u32>> = other.words.iter().collect();
        let common = self.words.iter().filter(|word| {
            let at = left.iter().position(|other| other == word);
            at.map(|at| left.swap_remove(at)).is_some()
        });
        common.count() as f64 / self.words.len().max(other.words.len()).max(1) as f64
    }
}

fn words(text: &str) -> Vec<Vec<u32>> {
    let words =
        text.split(|c: char| !c.is_alphanumeric()).map(|word| Letters::of_text(word).as_slice().to_vec());
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether both books name their creators and have none in common: "Austen, Jane" and "J. Austen" are one.
fn creators_differ(a: &Metadata, b: &Metadata) -> bool {
    let names = |creators: &[String]| -> BTreeSet<Vec<u32>> {
        let long = |word: &Vec<u32>| word.len() >= MIN_NAME || word.iter().any(|&letter| is_wide(letter));
        creators.iter().flat_map(|creator| words(creator)).filter(long).collect()
    };
    let (left, right) = (names(&a.creators), names(&b.creators));
    !left.is_empty() && !right.is_empty() && left.is_disjoint(&right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(title: &str, creators: &[&str]) -> Metadata {
        let creators = creators.iter().map(|&creator| creator.to_owned()).collect();
        Metadata { title: Some(title.to_owned()), creators, ..Metadata::default() }
    }

    #[track_caller]
    fn check(a: &Metadata, b: &Metadata, work: Work) {
        assert_eq!(Work::of(a, b), work);
        assert_eq!(Work::of(b, a), work);
    }

    #[test]
    fn works_are_known_by_title_and_one_creator() {
        let emma = book("Emma", &["Jane Austen"]);
        check(&emma, &book("EMMA.", &["An Editor", "Austen, Jane"]), Work::Same);
        check(&emma, &book("Emma", &[]), Work::Same);
        check(&emma, &book("Emma", &["Jane Doe"]), Work::Same);
        check(&emma, &book("Emma", &["Alexander McCall Smith"]), Work::Unknown);
        check(&emma, &book("Persuasion", &["Jane Austen"]), Work::Other);
        check(&Metadata::default(), &Metadata::default(), Work::Unknown);
        check(&book("?", &["x"]), &book("!", &["x"]), Work::Unknown);
    }

    #[test]
    fn a_sub_title_may_be_missing() {
        let long = book("Middlemarch Revisited: A Study of Provincial Life", &[]);
        check(&long, &book("Middlemarch revisited", &[]), Work::Same);
        check(&long, &book("Middlemarch", &[]), Work::Unknown);
    }

    #[test]
    fn a_long_title_may_be_reworded() {
        let draft = book("Neural populations encode the direction of slow hand movements", &[]);
        check(&draft, &book("Neural populations encode direction of slow hand movements", &[]), Work::Same);
        check(&draft, &book("Neural populations forget", &[]), Work::Other);
        check(&book("TStrings.Delimiter", &[]), &book("TStrings.LineBreak", &[]), Work::Other);
        check(&book("Collected poems", &[]), &book("Selected poems", &[]), Work::Other);
        check(&book("Emma", &[]), &book("Emma Woodhouse", &[]), Work::Unknown);
    }

    #[test]
    fn volumes_and_years_are_different_works() {
        check(&book("Annals, volume 1", &[]), &book("Annals, volume 2", &[]), Work::Other);
        check(&book("Report for 1998", &[]), &book("Report for 1999", &[]), Work::Other);
        check(&book("The Salt Road", &[]), &book("The Salt Road 1", &[]), Work::Unknown);
    }

    #[test]
    fn identifiers_link_versions() {
        let doi = |doi: &str| Metadata { doi: vec![doi.to_owned()], ..Metadata::default() };
        check(&doi("10.48550/arxiv.2101.00001v1"), &doi("10.48550/arxiv.2101.00001v2"), Work::Same);
        check(&doi("10.48550/arxiv.2101.00001v1"), &doi("10.48550/arxiv.2101.00002v1"), Work::Unknown);
        check(&doi("10.7554/elife.85930.1"), &doi("10.7554/elife.85930"), Work::Same);
        check(&doi("10.21203/rs.3.rs-123/v1"), &doi("10.21203/rs.3.rs-123/v2"), Work::Same);
        check(&doi("10.1000/182"), &doi("10.1000/183"), Work::Unknown);
        let isbn = |isbn: &str| Metadata { isbn: vec![isbn.to_owned()], ..book("A", &[]) };
        check(&isbn("9780141439587"), &isbn("9780141439587"), Work::Same);
    }

    #[test]
    fn wide_letters_make_names() {
        check(&book("西遊記", &["呉承恩"]), &book("西遊記", &["呉承恩"]), Work::Same);
        check(&book("西遊記", &["呉承恩"]), &book("西遊記", &["夏目漱石"]), Work::Unknown);
    }
}
