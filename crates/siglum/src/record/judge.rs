//! The verdict on two records: the same book, another edition or volume, perhaps, or nothing.
//!
//! Recipe: the study of the catalogue check. Whether two records are of one work is a matter of words
//! ([`super::score`]); whether they are the same book of it is judged from numbers, editions and years, which rank
//! candidates too. A shared ISBN, OCLC or LCCN number goes before all words.
//! Holds: a duplicate has no telling word of the main title without a partner, and no number, edition or year against it.

use super::alignment::{Alignment, Side};
use super::features::log_odds;
use super::fields::{Described, IdentifierKind};
use super::judgement::Judgement;
use super::numbers::Agreement;
use super::score::{Measures, probability};
use super::weights::WordCounts;
use super::years::{YearAgreement, Years};
use super::{Likeness, Record, Verdict, evidence};

/// Compares two records, each in its best form, given how common words are.
pub fn compare(query: &Record, record: &Record, counts: &impl WordCounts) -> Likeness {
    let mut best: Option<(f64, Likeness)> = None;
    for query in Described::forms(query) {
        let query_words = query.weighed(counts);
        let query = query.side(&query_words);
        for record in Described::forms(record) {
            let record_words = record.weighed(counts);
            let record = record.side(&record_words);
            let judgement = judge(&query, &record);
            if best.as_ref().is_none_or(|(rank, _)| judgement.rank > *rank) {
                best = Some((judgement.rank, judgement.likeness(&query, &record)));
            }
        }
    }
    // Every record has a form.
    best.map_or_else(Likeness::none, |(_, likeness)| likeness)
}

/// What two records come to.
pub fn judge(query: &Side, record: &Side) -> Judgement {
    let alignment = Alignment::of(query, record);
    let measures = Measures::of(query, record, &alignment);
    let features = measures.features();
    let log_odds = log_odds(&features).max(measures.beginning.least_log_odds());
    let editions = query.edition.zip(record.edition);
    let mut judgement = Judgement {
        rank: 0.0,
        log_odds,
        verdict: Verdict::New,
        features,
        measures,
        alignment,
        numbers: query
            .numbers
            .with_years_of(record.numbers)
            .agreement(&record.numbers.with_years_of(query.numbers)),
        editions_differ: editions.is_some_and(|(a, b)| a != b),
        years: Years::of(query, record),
        number_differs: query.numbers.has_its_own(record.numbers)
            || record.numbers.has_its_own(query.numbers),
        identifier: shared_identifier(query.identifiers, record.identifiers),
    };
    judgement.rank = judgement.ranked();
    judgement.verdict = judgement.judged(query);
    judgement
}

/// From these log-odds on two records are the same work, and from these on perhaps; the latter also where the query names
/// no author. Measured: `siglum-eval check`, the fewest false duplicates and the most found.
const SAME: f64 = 2.0;
const PERHAPS: f64 = -2.2;
const PERHAPS_NAMELESS: f64 = -2.25;
/// What a shared identifier adds to the rank: more than all else.
const IDENTIFIER_RANK: f64 = 50.0;
/// What equal names add to the rank: of two records as likely, the one whose author agrees in full comes first.
const NAMES_RANK: f64 = 1.5;
/// Below these log-odds a shared identifier must be a mistake.
const NOTHING_ALIKE: f64 = -6.0;

impl Judgement {
    /// What is shown of it.
    pub fn likeness(&self, query: &Side, record: &Side) -> Likeness {
        let by_words = probability(self.log_odds);
        let known = self.identifier.is_some() && self.verdict != Verdict::Possible;
        let score = if known { by_words.max(0.995) } else { by_words };
        Likeness {
            score,
            verdict: self.verdict,
            fields: evidence::fields(self, query, record),
            distance: None,
        }
    }

    fn ranked(&self) -> f64 {
        let numbers = match self.numbers {
            Agreement::None => 0.0,
            Agreement::Same => 1.5,
            Agreement::OneSided | Agreement::Within => -1.0,
            Agreement::Conflict => -3.0,
        };
        let edition = if self.editions_differ { -1.5 } else { 0.0 };
        let number_within = if self.number_differs { -1.0 } else { 0.0 };
        let identifier = if self.identifier.is_some() { IDENTIFIER_RANK } else { 0.0 };
        let names = NAMES_RANK * self.measures.name_agreement().unwrap_or(0.0);
        self.log_odds - 0.15 * self.measures.n_number_words.min(6.0)
            + names
            + numbers
            + number_within
            + edition
            + self.years.rank()
            + identifier
    }

    fn judged(&self, query: &Side) -> Verdict {
        if let Some(kind) = self.identifier {
            return self.judged_by_identifier(kind, query);
        }
        let perhaps = if query.lacks_names { PERHAPS_NAMELESS } else { PERHAPS };
        if self.log_odds < perhaps {
            return Verdict::New;
        }
        if self.log_odds < SAME {
            return Verdict::Possible;
        }
        if !matches!(self.numbers, Agreement::None | Agreement::Same) {
            return Verdict::OtherVolume;
        }
        if self.editions_differ || self.years.differ() {
            return Verdict::OtherEdition;
        }
        let is_unsettled = self.number_differs || self.years.agreement == YearAgreement::Unsettled;
        if self.measures.gap > 0.0 || self.measures.other_word || is_unsettled {
            Verdict::Possible
        } else {
            Verdict::Duplicate
        }
    }

    /// A number of OCLC or the Library of Congress may stand for a work of several volumes.
    fn judged_by_identifier(&self, kind: IdentifierKind, query: &Side) -> Verdict {
        let of_a_set = matches!(kind, IdentifierKind::Oclc | IdentifierKind::Lccn);
        match self.numbers {
            _ if query.words.is_empty() => Verdict::Duplicate,
            _ if self.log_odds < NOTHING_ALIKE => Verdict::Possible,
            Agreement::Conflict => Verdict::OtherVolume,
            Agreement::OneSided | Agreement::Within if of_a_set => Verdict::OtherVolume,
            _ => Verdict::Duplicate,
        }
    }
}

impl Likeness {
    fn none() -> Likeness {
        Likeness { score: 0.0, verdict: Verdict::New, fields: Vec::new(), distance: None }
    }
}

/// The first identifier two sorted lists share.
fn shared_identifier(a: &[u64], b: &[u64]) -> Option<IdentifierKind> {
    a.iter()
        .find(|identifier| b.binary_search(identifier).is_ok())
        .map(|&identifier| IdentifierKind::of(identifier))
}
