//! What each field of two records says, for a person: `"japa" ~ "japan" 0.78`.
//!
//! Holds: everything shown comes from the alignment the verdict rests on; words are in the form in which they were
//! compared, and so without control characters.

use super::FieldEvidence;
use super::alignment::{Partner, Side, SideWord};
use super::fields::Field;
use super::judgement::Judgement;
use super::numbers::{Agreement, REVISED};
use super::people::Asked;
use super::similarity::is_initial;
use super::tokens::WHOLE;
use super::years::YearAgreement;

/// At most so many words are named in a note.
const MOST_NAMED: usize = 6;

/// What each field says that either record has.
pub(super) fn fields(judgement: &Judgement, query: &Side, record: &Side) -> Vec<FieldEvidence> {
    let mut fields = Vec::new();
    if let Some(kind) = judgement.identifier {
        fields.push(FieldEvidence { field: kind.as_str(), score: 1.0, note: "the same".into() });
    }
    if !query.words.is_empty() {
        fields.push(FieldEvidence {
            field: "title",
            score: judgement.measures.title_agreement(),
            note: words_note(judgement, query, record, |field| !field.is_name()),
        });
        fields.push(author(judgement, query, record));
    }
    fields.extend(numbers(judgement, query, record));
    fields.extend(edition(query, record));
    fields.extend(year(judgement));
    fields
}

fn author(judgement: &Judgement, query: &Side, record: &Side) -> FieldEvidence {
    let names =
        || record.words.iter().zip(&judgement.alignment.record).filter(|(word, _)| word.field.is_name());
    let note = match judgement.measures.name_agreement() {
        Some(_) => words_note(judgement, query, record, Field::is_name),
        None if names().next().is_none() => "none in the record".into(),
        // Too little of a name to count as one, and yet it is there.
        None if names().any(|(_, partner)| partner.is_some()) => {
            words_note(judgement, query, record, Field::is_name)
        }
        None => "none in the query".into(),
    };
    FieldEvidence { field: "author", score: judgement.measures.names_shown(), note }
}

/// Names words that are not equal, and those without a partner on either side.
fn words_note(judgement: &Judgement, query: &Side, record: &Side, of: impl Fn(Field) -> bool) -> String {
    let alignment = &judgement.alignment;
    let mut notes = Vec::new();
    let (mut only_query, mut only_record) = (Vec::new(), Vec::new());
    for (word, partner) in query.words.iter().zip(&alignment.query) {
        match partner {
            // In a query of one string every word is a title's; its partner says of what it is.
            Some(partner) if of(record.words[partner.place].field) => {
                notes.extend(pair_note(word, *partner, &record.words[partner.place]));
            }
            None if of(word.field) => only_query.push(shown(word)),
            _ => {}
        }
    }
    let asked = Asked::of(record, alignment);
    for (at, (word, partner)) in record.words.iter().zip(&alignment.record).enumerate() {
        if partner.is_none() && of(word.field) && (!word.field.is_name() || asked.has(at)) {
            only_record.push(shown(word));
        }
    }
    notes.truncate(MOST_NAMED);
    let lists = [("only in the query", only_query), ("only in the record", only_record)];
    notes.extend(lists.into_iter().filter(|(_, words)| !words.is_empty()).map(|(what, words)| {
        let more = if words.len() > MOST_NAMED { " …" } else { "" };
        format!("{what}: {}{more}", words[..words.len().min(MOST_NAMED)].join(" "))
    }));
    if notes.is_empty() { "the same".into() } else { notes.join("; ") }
}

fn pair_note(word: &SideWord, partner: Partner, other: &SideWord) -> Option<String> {
    let (a, b) = (word.spelling.text, other.spelling.text);
    if a == b {
        return None;
    }
    Some(if is_initial(a) {
        format!("\"{a}\" initial of \"{b}\"")
    } else if is_initial(b) {
        format!("\"{b}\" initial of \"{a}\"")
    } else {
        format!("\"{a}\" ~ \"{b}\" {:.2}", partner.similarity)
    })
}

fn shown(word: &SideWord) -> String {
    format!("\"{}\"", word.spelling.text.trim_start_matches(WHOLE))
}

fn numbers(judgement: &Judgement, query: &Side, record: &Side) -> Option<FieldEvidence> {
    let score = match judgement.numbers {
        Agreement::None => return None,
        Agreement::Same => 1.0,
        Agreement::OneSided | Agreement::Within => 0.5,
        Agreement::Conflict => 0.0,
    };
    // Numbers that are words of both titles are among the words.
    let has_any = |side: &Side| !side.numbers.volumes.is_empty() || !side.numbers.others.is_empty();
    if !has_any(query) && !has_any(record) {
        return None;
    }
    let list = |side: &Side| {
        let numbers =
            if side.numbers.volumes.is_empty() { &side.numbers.others } else { &side.numbers.volumes };
        let small: Vec<String> = numbers.iter().filter(|&&n| n < 10_000).map(u32::to_string).collect();
        if small.is_empty() { "none".to_owned() } else { small.join(", ") }
    };
    Some(FieldEvidence { field: "volume", score, note: format!("{} / {}", list(query), list(record)) })
}

fn edition(query: &Side, record: &Side) -> Option<FieldEvidence> {
    let (a, b) = query.edition.zip(record.edition)?;
    let shown = |edition: u16| if edition == REVISED { "revised".to_owned() } else { edition.to_string() };
    let score = if a == b { 1.0 } else { 0.0 };
    Some(FieldEvidence { field: "edition", score, note: format!("{} / {}", shown(a), shown(b)) })
}

fn year(judgement: &Judgement) -> Option<FieldEvidence> {
    let years = &judgement.years;
    let score = match years.agreement {
        YearAgreement::None => return None,
        YearAgreement::Dates(apart) => 1.0 / (1.0 + f64::from(apart)),
        YearAgreement::TitlesDiffer => 0.0,
        YearAgreement::Unsettled => 0.5,
    };
    let shown = |year: Option<u16>| year.map_or_else(|| "none".to_owned(), |year| year.to_string());
    let note = match (years.agreement, years.shown) {
        (YearAgreement::Dates(0), _) => "the same".to_owned(),
        (_, (query, record)) => format!("{} / {}", shown(query), shown(record)),
    };
    Some(FieldEvidence { field: "year", score, note })
}
