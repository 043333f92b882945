//! How the years of two records agree: years of publication, and years that titles name.
//!
//! A date says when a book was published. A year in a title may be part of it ("1984", "The Campaign of 1812"), or the
//! year of publication, which people type after title and author. Which of the two it is follows from the other side:
//! a year that stands in both titles is a word of them; what is left over is compared with the other's date.
//! Holds: a year never makes a volume; dates more than a year apart, and two years in two titles, are never a duplicate.

use super::alignment::Side;
use super::fields::Field;
use super::tokens::WHOLE;
use super::volume_words::{NumberWord, number_word};

/// Dates this many years apart may be of one edition: publication and copyright.
const TOLERANCE: u16 = 1;

/// How the years of two records agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum YearAgreement {
    /// Nothing can be compared.
    None,
    /// Dates that many years apart.
    Dates(u16),
    /// A year of one title is not the other's.
    TitlesDiffer,
    /// A title names a year of which the other record says nothing.
    Unsettled,
}

/// The years of two records.
#[derive(Debug, Clone, Copy)]
pub(super) struct Years {
    pub(super) agreement: YearAgreement,
    /// What is compared, of the query and of the record.
    pub(super) shown: (Option<u16>, Option<u16>),
    /// Whether both titles name the same year.
    pub(super) in_both_titles: bool,
}

impl Years {
    pub(super) fn of(query: &Side, record: &Side) -> Years {
        let (mut ours, mut theirs): (Vec<u16>, Vec<u16>) =
            (query.numbers.years().collect(), record.numbers.years().collect());
        let n_named = ours.len();
        leave_out_common(&mut ours, &mut theirs);
        let in_both_titles = ours.len() < n_named;
        let (agreement, shown) = compared(query, record, &mut ours, &mut theirs);
        Years { agreement, shown, in_both_titles }
    }

    /// Whether years are against the same edition.
    pub(super) fn differ(&self) -> bool {
        match self.agreement {
            YearAgreement::TitlesDiffer => true,
            YearAgreement::Dates(apart) => apart > TOLERANCE,
            YearAgreement::None | YearAgreement::Unsettled => false,
        }
    }

    /// What years add to the rank: as much as numbers where titles name them.
    pub(super) fn rank(&self) -> f64 {
        let named = if self.in_both_titles { 1.5 } else { 0.0 };
        named
            + match self.agreement {
                YearAgreement::None => 0.0,
                YearAgreement::Dates(0) => 0.7,
                YearAgreement::Dates(1) => 0.2,
                YearAgreement::Dates(2..=3) => -0.3,
                YearAgreement::Dates(_) | YearAgreement::Unsettled => -1.0,
                YearAgreement::TitlesDiffer => -3.0,
            }
    }
}

type Shown = (Option<u16>, Option<u16>);

/// Compares what is left of the years in titles, and dates.
fn compared(
    query: &Side,
    record: &Side,
    ours: &mut Vec<u16>,
    theirs: &mut Vec<u16>,
) -> (YearAgreement, Shown) {
    let dates = (query.year, record.year);
    // A volume that is counted in years, and a date that stands in the other's title too.
    ours.retain(|year| !record.numbers.volumes.contains(&u32::from(*year)));
    theirs.retain(|year| !query.numbers.volumes.contains(&u32::from(*year)) && Some(*year) != query.year);
    let Some(our_date) = query.year else {
        return without_date(query, record, ours, theirs);
    };
    ours.retain(|year| *year != our_date && Some(*year) != record.year);
    match (dates.1.map(|date| our_date.abs_diff(date)), ours.first(), theirs.first()) {
        (_, Some(&our), Some(&their)) => (YearAgreement::TitlesDiffer, (Some(our), Some(their))),
        // "World Factbook" of 1991 is not "The World Factbook 1990", although a year apart.
        (apart, None, Some(&their)) if apart != Some(0) => {
            (YearAgreement::TitlesDiffer, (Some(our_date), Some(their)))
        }
        (Some(apart), None, None) => (YearAgreement::Dates(apart), dates),
        (None, None, None) => (YearAgreement::None, dates),
        (_, our, their) => (YearAgreement::Unsettled, (our.copied(), their.copied())),
    }
}

/// A query without a date: a year it names may be one.
fn without_date(query: &Side, record: &Side, ours: &mut Vec<u16>, theirs: &[u16]) -> (YearAgreement, Shown) {
    let date = record.year.filter(|date| ours.contains(date));
    ours.retain(|year| Some(*year) != date);
    match (ours.last().copied(), theirs.first().copied(), record.year) {
        (Some(our), Some(their), _) => (YearAgreement::TitlesDiffer, (Some(our), Some(their))),
        (None, Some(their), _) => (YearAgreement::Unsettled, (date, Some(their))),
        (None, None, _) if date.is_some() => (YearAgreement::Dates(0), (date, date)),
        (None, None, theirs) => (YearAgreement::None, (None, theirs)),
        (Some(our), None, _) if date.is_some() => (YearAgreement::Unsettled, (Some(our), date)),
        (Some(our), None, Some(their)) => {
            (YearAgreement::Dates(our.abs_diff(their)), (Some(our), Some(their)))
        }
        // Of a record without a date nothing can be said against the year of a book.
        (Some(our), None, None) if ours.len() == 1 && is_of_publication(query, our) => {
            (YearAgreement::None, (Some(our), None))
        }
        (Some(our), None, None) => (YearAgreement::Unsettled, (Some(our), None)),
    }
}

/// Takes out of two sorted lists what both have.
fn leave_out_common(ours: &mut Vec<u16>, theirs: &mut Vec<u16>) {
    ours.retain(|year| match theirs.iter().position(|their| their == year) {
        Some(at) => {
            theirs.remove(at);
            false
        }
        None => true,
    });
}

/// Whether a year in a title is not led in as part of it: "Report for 1923", "July 1890".
fn is_of_publication(query: &Side, year: u16) -> bool {
    let written = format!("{WHOLE}{year}");
    let mut before: Option<&str> = None;
    for word in query.words.iter().filter(|word| matches!(word.field, Field::Title | Field::Subtitle)) {
        if word.spelling.text == written {
            return before.is_none_or(|word| !leads_in(word));
        }
        before = Some(word.spelling.text);
    }
    false
}

/// Words between which and a year nobody would make a pause.
fn leads_in(word: &str) -> bool {
    matches!(number_word(word), Some(NumberWord::Month(_)))
        || matches!(
            word,
            "of" | "in"
                | "for"
                | "from"
                | "to"
                | "until"
                | "since"
                | "till"
                | "year"
                | "years"
                | "anno"
                | "um"
                | "im"
                | "von"
                | "vom"
                | "bis"
                | "seit"
                | "jahr"
                | "jahre"
                | "fur"
                | "de"
                | "du"
                | "en"
                | "an"
                | "annee"
                | "del"
                | "di"
                | "dal"
                | "nel"
                | "av"
                | "van"
                | "tot"
                | "до"
                | "от"
                | "год"
                | "года"
        )
}
