//! Whether a query is the beginning of a record's title, alone or with a name of its author.
//!
//! People ask for "Frankenstein", and the catalogue has "Frankenstein; Or, The Modern Prometheus". By the share of words
//! that agree the two have little in common; by the place of the words the query is the main title.
//! Holds: all words of the query are accounted for: words of the title in their order, names of the record, numbers.

use super::alignment::{Side, SideWord};
use super::fields::{is_role, says_nobody};
use super::similarity::is_initial;

/// How much of a record's title a query is that begins as it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Beginning {
    /// Whether the query has the beginning of the title and nothing that is not the record's.
    pub(super) is_one: bool,
    /// Whether it also names somebody of the record, by more than an initial.
    pub(super) is_named: bool,
}

/// A query that is the beginning of one title is as often the beginning of another that is not there: with both halves
/// alike, 51 % of those who ask so mean this work. With a name of the record nearly all do, but the rest of the title is
/// unknown, so that it stays below what makes a duplicate.
const ALONE: f64 = 0.0;
const NAMED: f64 = 1.5;

impl Beginning {
    /// The log-odds that such a query means this work, at the least.
    pub(super) fn least_log_odds(self) -> f64 {
        match (self.is_one, self.is_named) {
            (true, true) => NAMED,
            (true, false) => ALONE,
            (false, _) => f64::NEG_INFINITY,
        }
    }

    pub(super) fn of(query: &Side, record: &Side) -> Beginning {
        let (asked, there) = (title(query), title(record));
        let there = without_article(&there);
        let is_known = |word: &SideWord| {
            let text = word.spelling.text;
            is_name_of(record, word) || word.known.number_like || is_role(text) || says_nobody(text)
        };
        let n_leading = asked.iter().take_while(|word| is_known(word)).count();
        // "Orwell 1984" and "1984 Orwell", but "Emma" by Emma Somebody is a title first.
        for start in [0, n_leading] {
            let title = without_article(&asked[start..]);
            let n_title =
                title.iter().zip(there).take_while(|(a, b)| a.spelling.text == b.spelling.text).count();
            let rest = || asked[..start].iter().chain(&title[n_title..]);
            if n_title > 0 && rest().all(is_known) {
                let is_named = rest().chain(&names(query)).any(|word| names_somebody(record, word));
                let is_one = query.lacks_names || is_named;
                return Beginning { is_one, is_named: is_one && is_named };
            }
        }
        Beginning::default()
    }
}

fn title<'w>(side: &Side<'w>) -> Vec<SideWord<'w>> {
    side.words.iter().filter(|word| !word.field.is_name()).copied().collect()
}

fn names<'w>(side: &Side<'w>) -> Vec<SideWord<'w>> {
    side.words.iter().filter(|word| word.field.is_name()).copied().collect()
}

fn is_name_of(record: &Side, word: &SideWord) -> bool {
    let is_it = |name: &SideWord| {
        name.spelling.text == word.spelling.text
            || (is_initial(word.spelling.text) && name.spelling.text.starts_with(word.spelling.text))
    };
    record.words.iter().any(|name| name.field.is_name() && is_it(name))
}

fn names_somebody(record: &Side, word: &SideWord) -> bool {
    !is_initial(word.spelling.text) && is_name_of(record, word)
}

/// A title without the article it begins with, unless it is nothing else.
fn without_article<'t, 'w>(title: &'t [SideWord<'w>]) -> &'t [SideWord<'w>] {
    match title {
        [first, rest @ ..] if !rest.is_empty() && is_article(first.spelling.text) => rest,
        _ => title,
    }
}

fn is_article(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "a"
            | "an"
            | "le"
            | "la"
            | "les"
            | "l"
            | "un"
            | "une"
            | "der"
            | "die"
            | "das"
            | "den"
            | "ein"
            | "eine"
            | "el"
            | "los"
            | "las"
            | "una"
            | "il"
            | "lo"
            | "gli"
            | "i"
            | "o"
            | "os"
            | "as"
            | "de"
            | "het"
            | "een"
            | "ho"
    )
}
