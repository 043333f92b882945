//! Numbers, spans and beginnings of texts as people read them.

use crate::text::letters::is_wide;

/// A number in groups of three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun.
pub(super) fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A share in percent. All and nothing are said of what is all and nothing, never of what is nearly so.
pub(super) fn percent(share: f64) -> String {
    match share {
        share if !share.is_finite() || share <= 0.0 => "0 %".to_owned(),
        share if share < 0.001 => "under 0.1 %".to_owned(),
        share if share >= 1.0 => "100 %".to_owned(),
        share => format!("{:.1} %", (share * 1000.0).floor() / 10.0),
    }
}

/// A number with up to this many places, none of them needless.
pub(super) fn trimmed(number: f64, places: usize) -> String {
    let text = format!("{number:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// From the first to the last, or the one.
pub(super) fn span(first: &str, last: &str) -> String {
    if first == last { first.to_owned() } else { format!("{first}–{last}") }
}

/// The beginning of a text, of so many characters.
pub(super) fn cut(text: &str, n_chars: usize) -> String {
    match text.char_indices().nth(n_chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// The beginning of a text that takes so much room, in letters of the Latin alphabet; one of Chinese takes two.
pub(super) fn cut_to_width(text: &str, width: usize) -> String {
    let mut room = width;
    let fits = |c: &char| {
        let taken = if is_wide(*c as u32) { 2 } else { 1 };
        room.checked_sub(taken).inspect(|left| room = *left).is_some()
    };
    cut(text, text.chars().take_while(fits).count())
}

/// No word is longer than this, in characters, for the sake of its beginning and end.
const MAX_WORD_CHARS: usize = 24;

/// Back to the beginning of a word, with an opening quotation mark if it has one.
pub(super) fn word_start(text: &str, at: usize) -> usize {
    let in_word = text[..at].chars().rev().take(MAX_WORD_CHARS).take_while(|c| c.is_alphanumeric());
    let at = at - in_word.map(char::len_utf8).sum::<usize>();
    let marks = text[..at].chars().rev().take(2).take_while(|c| !c.is_alphanumeric() && !c.is_whitespace());
    at - marks.map(char::len_utf8).sum::<usize>()
}

/// On to the end of a word, with its punctuation.
pub(super) fn word_end(text: &str, at: usize) -> usize {
    let in_word = text[at..].chars().take(MAX_WORD_CHARS).take_while(|c| c.is_alphanumeric());
    let at = at + in_word.map(char::len_utf8).sum::<usize>();
    let marks = text[at..].chars().take(3).take_while(|c| !c.is_alphanumeric() && !c.is_whitespace());
    at + marks.map(char::len_utf8).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([counted(1, "page"), counted(0, "page")], ["1 page", "0 pages"]);
    }

    #[test]
    fn nearly_all_is_not_all() {
        assert_eq!(
            [1.0, 0.9999, 0.5, 0.0004, 0.0].map(percent),
            ["100 %", "99.9 %", "50.0 %", "under 0.1 %", "0 %"]
        );
    }

    #[test]
    fn places_that_say_nothing_go() {
        assert_eq!([1.0, 1.25, -0.001, 100.0].map(|n| trimmed(n, 2)), ["1", "1.25", "0", "100"]);
        assert_eq!(trimmed(100.0, 0), "100");
    }

    #[test]
    fn a_word_is_taken_whole() {
        let text = "so «words, words»; end";
        assert_eq!(&text[word_start(text, 8)..word_end(text, 15)], "«words, words»;");
        assert_eq!((word_start("", 0), word_end("", 0)), (0, 0));
    }

    #[test]
    fn a_text_is_cut_to_the_room_there_is() {
        assert_eq!(
            [cut_to_width("Emma", 4), cut_to_width("Emma!", 4), cut_to_width("吾輩は猫", 4)],
            ["Emma", "Emma…", "吾輩…"]
        );
    }

    #[test]
    fn a_span_of_one_is_one() {
        assert_eq!([span("xii", "xii"), span("1", "3")], ["xii", "1–3"]);
    }
}
