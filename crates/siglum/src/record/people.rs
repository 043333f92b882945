//! The people of a record: which words of names are of one person.
//!
//! A title often has several authors, editors and translators, and a query in one string names one of them. So names
//! are compared person by person: nobody is missed whom the query never meant.
//! Holds: every word of a name is of exactly one person.

use super::alignment::{Alignment, Side};
use super::fields::Field;
use super::similarity::is_initial;
use std::ops::Range;

/// A surname with a partner this like it is of the person who is asked for.
pub(super) const SAME_SURNAME: f64 = 0.7;

/// The words of each person of a side. A list that begins with a surname has surnames first throughout.
fn people(side: &Side) -> Vec<Range<usize>> {
    let is_name = |at: &usize| side.words[*at].field.is_name();
    let names: Vec<usize> = (0..side.words.len()).filter(is_name).collect();
    let is_surname = |at: usize| side.words[at].field == Field::Surname;
    let Some(&first) = names.first() else { return Vec::new() };
    let surname_first = is_surname(first);
    let mut people: Vec<Range<usize>> = Vec::new();
    for &at in &names {
        let begins = match people.last() {
            None => true,
            Some(_) => is_surname(at - 1) != surname_first && is_surname(at) == surname_first,
        };
        match people.last_mut() {
            Some(person) if !begins => person.end = at + 1,
            _ => people.push(at..at + 1),
        }
    }
    people
}

/// The words of names that count in a comparison: those of the people the query names, or of all where it names none.
#[derive(Debug)]
pub(super) struct Asked(Vec<Range<usize>>);

impl Asked {
    pub(super) fn of(record: &Side, alignment: &Alignment) -> Asked {
        let mut people = people(record);
        let is_asked = |person: &Range<usize>| {
            let has_surname = person.clone().any(|at| {
                let word = &record.words[at];
                let like = alignment.record[at].map_or(0.0, |partner| partner.similarity);
                word.field == Field::Surname
                    && like >= SAME_SURNAME
                    && !word.spelling.is_han()
                    && !is_initial(word.spelling.text)
            });
            // Of names written without spaces one character says little.
            let n_found = person.clone().filter(|&at| alignment.record[at].is_some()).count();
            has_surname || 2 * n_found > person.len()
        };
        if people.iter().any(is_asked) {
            people.retain(is_asked);
        }
        Asked(people)
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.0.iter().any(|person| person.contains(&at))
    }
}
