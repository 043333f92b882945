//! Markup of Aozora Bunko, the library of Japanese books out of copyright: readings in 《》, where a reading begins ｜,
//! and notes of the typist ［＃…］. Other copies of a book have none of it.
//!
//! Source: Aozora Bunko's notes on its text files (注記一覧). A note that describes a character missing in JIS X 0208
//! gives it by its code point where it knows one; otherwise 〓 stands for it, as in print.

use std::borrow::Cow;

/// What the list of marks at the head of a file is called.
const LEGEND: &str = "【テキスト中に現れる記号について】";
/// The legend is near the start.
const HEAD_BYTES: usize = 8 << 10;
/// A text without a legend has at least so many readings.
const MIN_READINGS: usize = 10;
/// Longer than any reading, in bytes.
const MAX_READING_BYTES: usize = 300;
/// Deeper than any brackets in notes: without an end to it, a row of brackets would take the square of its length.
const MAX_DEPTH: usize = 6;
/// Longer than any note, in bytes.
const MAX_NOTE_BYTES: usize = 3000;

/// Whether a text is marked up as in Aozora Bunko: it says so, or nearly all of its 《》 hold kana after kanji.
pub(super) fn is_aozora(text: &str) -> bool {
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    if head.contains(LEGEND) {
        return true;
    }
    let (mut n_readings, mut n_other) = (0, 0);
    let mut before = ' ';
    let mut rest = text;
    while let Some(at) = rest.find('《') {
        before = rest[..at].chars().next_back().unwrap_or(before);
        rest = &rest[at + '《'.len_utf8()..];
        let is_reading = is_kanji(before) && reading(rest).is_some_and(|inner| inner.chars().all(is_kana));
        if is_reading { n_readings += 1 } else { n_other += 1 }
    }
    n_readings >= MIN_READINGS && n_readings >= 10 * n_other
}

/// The text without readings, notes and the legend.
pub(super) fn without_markup(text: &str) -> String {
    let text = without_legend(text);
    let mut plain = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find(['《', '｜', '［', '※']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let mark = rest.chars().next().unwrap_or_default();
        let inner = &rest[mark.len_utf8()..];
        rest = match mark {
            '《' => reading(inner).map(|reading| &inner[reading.len() + '》'.len_utf8()..]),
            '｜' => begins_reading(inner).then_some(inner),
            '※' => note(inner).map(|note| {
                plain.push(described(note));
                &inner[note.len()..]
            }),
            _ => note(rest).map(|note| &rest[note.len()..]),
        }
        .unwrap_or_else(|| {
            plain.push(mark);
            inner
        });
    }
    plain + rest
}

/// Without the list of marks between its two lines of hyphens.
fn without_legend(text: &str) -> Cow<'_, str> {
    let found = || {
        let legend = text[..text.floor_char_boundary(HEAD_BYTES)].find(LEGEND)?;
        let start = text[..legend].rfind("-----")?;
        let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = legend + text[legend..].find("\n-----")? + 1;
        let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        Some((start, end))
    };
    found().map_or(Cow::Borrowed(text), |(start, end)| Cow::Owned([&text[..start], &text[end..]].concat()))
}

/// What stands before the next 》, if that is on the same line and near.
fn reading(inner: &str) -> Option<&str> {
    let near = &inner[..inner.floor_char_boundary(MAX_READING_BYTES)];
    let end = near.find(['》', '\n', '《'])?;
    near[end..].starts_with('》').then(|| &near[..end])
}

fn begins_reading(inner: &str) -> bool {
    let near = &inner[..inner.floor_char_boundary(MAX_READING_BYTES)];
    near.find(['《', '\n', '｜']).is_some_and(|at| near[at..].starts_with('《'))
}

/// A note at the start of a text, with its brackets; notes may hold brackets.
fn note(text: &str) -> Option<&str> {
    if !text.starts_with("［＃") {
        return None;
    }
    let near = &text[..text.floor_char_boundary(MAX_NOTE_BYTES)];
    let mut depth = 0;
    for (at, c) in near.char_indices() {
        match c {
            '［' if depth == MAX_DEPTH => return None,
            '［' => depth += 1,
            '］' if depth == 1 => return Some(&near[..at + c.len_utf8()]),
            '］' => depth -= 1,
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// The character a note describes: by `U+…`, or 〓.
fn described(note: &str) -> char {
    let digits = note.split_once("U+").map_or("", |(_, rest)| rest);
    let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
    u32::from_str_radix(&digits[..end], 16).ok().and_then(char::from_u32).unwrap_or('〓')
}

fn is_kanji(c: char) -> bool {
    matches!(c, '々' | '〆' | 'ヶ' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '／' | '＼' | '″')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(marked: &str, plain: &str) {
        assert_eq!(without_markup(marked), plain);
    }

    #[test]
    fn readings_and_notes_go() {
        check("老人《ろうじん》は歩いた。", "老人は歩いた。");
        check("その｜青い鳥《あおいとり》が", "その青い鳥が");
        check("［＃３字下げ］一［＃「一」は中見出し］\n", "一\n");
        check("［＃「甲［＃「乙」に傍点］」はママ］丙", "丙");
    }

    #[test]
    fn missing_characters_are_given_or_stood_for() {
        check("※［＃「口＋它」、U+5484、12-3］つ", "\u{5484}つ");
        check("※［＃「やまいだれ＋句」、第4水準2-81-44］女", "〓女");
    }

    #[test]
    fn marks_that_mean_something_else_stay() {
        check("※注意［普通］一｜線\n《開いたまま\n》", "※注意［普通］一｜線\n《開いたまま\n》");
    }

    #[test]
    fn brackets_without_end_cost_little() {
        let brackets = "［＃".repeat(200_000);
        check(&brackets, &brackets);
    }

    #[test]
    fn the_legend_goes_and_title_and_author_stay() {
        let head = "題［＃大きく］\n人\n\n-------------------------------------------------------\n【テキスト中に現れる記号について】\n\n\
                    《》：ルビ\n-------------------------------------------------------\n\n山《やま》。\n";
        assert!(is_aozora(head));
        check(head, "題\n人\n\n\n山。\n");
    }

    #[test]
    fn readings_tell_and_titles_do_not() {
        assert!(is_aozora(&"山《やま》と川《かわ》。".repeat(5)));
        assert!(!is_aozora(&"山《やま》と川《かわ》。".repeat(4)));
        assert!(!is_aozora(&"我读《红楼梦》和《三国演义》。".repeat(20)));
    }
}
