//! Answers for a person: the verdict in words first, then the records with what each field says.

use super::told::Told;
use crate::args::CheckArgs;
use crate::commands::library::confidence_text;
use crate::output::{Colour, Output};
use crate::width::{columns, cut, wrapped};
use anyhow::Result;
use siglum::record::{FieldEvidence, Record, Verdict};
use siglum::report::printable;
use siglum_library::records::{Hit, RecordRow, State, day};

/// What of a list of queries is not a title: verdict, score and the spaces between the columns.
const BESIDE_TITLES: usize = VERDICT_WIDTH + 4 + 6;
/// Wider than any description that is told whole.
const WHOLE: usize = 4_000;
/// The verdict's column: as wide as its longest word.
const VERDICT_WIDTH: usize = 13;

/// The word for a verdict.
pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Duplicate => "duplicate",
        Verdict::OtherEdition => "other edition",
        Verdict::OtherVolume => "other volume",
        Verdict::Possible => "possible",
        Verdict::New => "new",
    }
}

fn sentence(verdict: Verdict, best: Option<&Hit>) -> &'static str {
    let is_claimed = best.is_some_and(|hit| hit.row.state == State::Claimed);
    match verdict {
        Verdict::Duplicate if is_claimed => "a centre has said that it will scan this",
        Verdict::Duplicate => "this is already there",
        Verdict::OtherEdition => "the work is there, in another edition",
        Verdict::OtherVolume => "the work is there, in another volume or part",
        Verdict::Possible => "this may be there: look at the records",
        Verdict::New => "nothing like this is there",
    }
}

fn colour(verdict: Verdict) -> Colour {
    match verdict {
        Verdict::Duplicate => Colour::Red,
        Verdict::New => Colour::Green,
        _ => Colour::Yellow,
    }
}

/// One answer, at length.
pub(super) fn print(args: &CheckArgs, query: &Record, told: &Told, output: &mut Output) -> Result<()> {
    let verdict = told.answer.verdict;
    let word = output.coloured(word(verdict), colour(verdict));
    output.line(&format!("{word}: {}", sentence(verdict, told.answer.hits.first())))?;
    for hit in &told.answer.hits {
        output.line("")?;
        for line in record_lines(hit, output.width()) {
            output.line(&line)?;
        }
    }
    if let Some(next) = next(args, query, told) {
        output.line("")?;
        next.iter().try_for_each(|line| output.line(line))?;
    }
    Ok(())
}

/// What to do with an answer.
fn next(args: &CheckArgs, query: &Record, told: &Told) -> Option<Vec<String>> {
    if let Some(claim) = &told.claim {
        let until = claim.until.map(day).unwrap_or_default();
        let centre = printable(claim.centre.as_deref().unwrap_or_default());
        return Some(vec![
            format!("claimed for {centre} until {until}, as record {}", claim.id),
            format!("give it back: siglum check --release {}", claim.id),
        ]);
    }
    let is_own = |hit: &&Hit| {
        let centre = args.centre.as_deref().map(str::trim);
        hit.row.state == State::Claimed && hit.row.centre.as_deref() == centre
    };
    match told.answer.verdict {
        Verdict::New => {
            Some(vec![format!("next: siglum check --claim --centre NAME {}", as_arguments(query))])
        }
        _ if !args.claim => None,
        Verdict::Duplicate if told.answer.hits.first().filter(is_own).is_some() => {
            Some(vec!["not claimed again: the claim is yours".to_owned()])
        }
        Verdict::Duplicate => Some(vec!["not claimed".to_owned()]),
        _ => Some(vec!["not claimed; if it is another book: --claim --anyway".to_owned()]),
    }
}

/// A query as it would be given again.
fn as_arguments(query: &Record) -> String {
    let metadata = &query.metadata;
    let quoted = |text: &str| format!("'{}'", printable(text).replace('\'', "'\\''"));
    let is_string = metadata.creators.is_empty() && metadata.date.is_none() && metadata.isbn.is_empty();
    match &metadata.title {
        Some(title) if is_string && metadata.volume.is_none() && query.edition.is_none() => quoted(title),
        _ => "…".to_owned(),
    }
}

/// A record: what it is, where it stands, and what each field says.
fn record_lines(hit: &Hit, width: usize) -> Vec<String> {
    let Hit { row, likeness } = hit;
    let score = match likeness.distance {
        Some(distance) => format!("{distance:.3}"),
        None => confidence_text(likeness.score),
    };
    let indent = " ".repeat(columns(&score) + 4);
    let room = width.saturating_sub(columns(&indent)).max(20);
    let mut lines = vec![format!("  {score}  {}", description(&row.record, room))];
    lines.push(format!("{indent}{}", cut(&standing(row), room)));
    let evidence: Vec<String> = likeness.fields.iter().map(field_words).collect();
    if !evidence.is_empty() {
        lines.extend(wrapped(&evidence.join("; "), room).iter().map(|line| format!("{indent}{line}")));
    }
    lines
}

/// `title 0.93: "japa" ~ "japan"`.
fn field_words(evidence: &FieldEvidence) -> String {
    let FieldEvidence { field, score, note } = evidence;
    let note = printable(note);
    let note = if note.is_empty() { String::new() } else { format!(": {note}") };
    format!("{field} {}{note}", confidence_text(*score))
}

/// `The Arts of Japan · Dillon, Edward · 1906 · volume 2`, in so many columns; a long title is cut before what follows it.
pub(super) fn description(record: &Record, width: usize) -> String {
    let metadata = &record.metadata;
    let title = printable(metadata.title.as_deref().map_or("(no title)", str::trim));
    let creators = metadata.creators.join(" & ");
    let creators = (!creators.is_empty()).then(|| cut(&printable(&creators), width / 3));
    let year = record.year().map(|year| year.to_string());
    let volume = metadata.volume.as_ref().map(|volume| numbered("volume", volume));
    let edition = record.edition.as_ref().map(|edition| numbered("edition", edition));
    let rest: String =
        [creators, year, volume, edition].into_iter().flatten().map(|part| format!(" · {part}")).collect();
    let rest = cut(&rest, width * 2 / 3);
    cut(&title, width.saturating_sub(columns(&rest))) + &rest
}

/// A number with what it counts; what says so itself is left alone.
fn numbered(what: &str, text: &str) -> String {
    let is_number = text.trim().chars().all(|c| c.is_ascii_digit());
    let text = printable(text.trim());
    if is_number { format!("{what} {text}") } else { text }
}

/// Where a record stands, and where it comes from.
pub(super) fn standing(row: &RecordRow) -> String {
    let centre = row.centre.as_ref().map(|centre| printable(centre));
    let since = day(row.at);
    let until = row.until.map(day).unwrap_or_default();
    let said = match (row.state, &centre) {
        (State::Claimed, Some(centre)) => format!("claimed by {centre} on {since}, until {until}"),
        (State::Claimed, None) => format!("claimed on {since}, until {until}"),
        (State::Scanned, Some(centre)) => format!("scanned by {centre}"),
        (State::Catalogued, Some(centre)) => format!("in the catalogue of {centre}"),
        (state, None) => state.as_str().to_owned(),
    };
    let name =
        row.file.as_ref().and_then(|file| file.file_name()).map(|name| printable(&name.to_string_lossy()));
    let number = row.number.map_or(String::new(), |number| format!(" {number}"));
    let source = name.map_or(String::new(), |name| format!(", {name}{number}"));
    let own_id = row.record.id.as_ref().map_or(String::new(), |id| format!(" ({})", printable(id)));
    format!("record {}, {said}{source}{own_id}", row.id)
}

/// One answer among many, on one line: verdict, score, what was asked and what is there.
pub(super) fn line(query: &Record, told: &Told, width: usize) -> String {
    let room = width.saturating_sub(BESIDE_TITLES).max(40) / 2;
    let pad = |text: &str, width: usize| format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))));
    let best = told.answer.hits.first();
    let score = best.map(|hit| confidence_text(hit.likeness.distance.unwrap_or(hit.likeness.score)));
    let found = match (&told.claim, best) {
        (Some(claim), _) => format!("claimed as record {}", claim.id),
        (None, Some(hit)) if hit.row.state == State::Claimed => {
            cut(&format!("claimed by {}", printable(hit.row.centre.as_deref().unwrap_or("a centre"))), room)
        }
        (None, Some(hit)) => cut(&description(&hit.row.record, WHOLE), room),
        (None, None) => String::new(),
    };
    let line = [
        pad(word(told.answer.verdict), VERDICT_WIDTH),
        pad(&score.unwrap_or_default(), 4),
        pad(&cut(&description(query, WHOLE), room), room),
        found,
    ];
    line.join("  ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_says_what_is_known() {
        let mut record = Record::default();
        assert_eq!(description(&record, 80), "(no title)");
        record.metadata.title = Some("The Crisis\u{1b}[2J".into());
        record.metadata.creators = vec!["Churchill, Winston".into()];
        record.metadata.date = Some("c1901.".into());
        record.metadata.volume = Some("3".into());
        record.edition = Some("2nd ed.".into());
        let whole = "The Crisis\u{fffd}[2J · Churchill, Winston · 1901 · volume 3 · 2nd ed.";
        assert_eq!(description(&record, 80), whole);
        assert_eq!(description(&record, 50), "The Crisis\u{fffd}[2J · Churchill, Wins… · 1901 · vol…");
    }

    #[test]
    fn a_query_is_given_again_as_a_shell_takes_it() {
        let mut query = Record::default();
        query.metadata.title = Some("Alice's Adventures".into());
        assert_eq!(as_arguments(&query), r"'Alice'\''s Adventures'");
        query.metadata.volume = Some("2".into());
        assert_eq!(as_arguments(&query), "…");
    }
}
