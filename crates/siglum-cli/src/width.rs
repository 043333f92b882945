//! How wide text stands on a terminal: Chinese, Japanese and Korean characters take two columns, marks none.
//!
//! We differ from Unicode's UAX #11: blocks, not single characters, which is enough to keep tables of file names straight.

/// How many columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// A text in exactly so many columns: filled up with spaces, or cut as [`shortened`] does.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let text = shortened(text, width);
    let missing = width.saturating_sub(columns(&text));
    text + &" ".repeat(missing)
}

/// A path in so many columns at most: without its first folders, or without the beginning of its name, since the end of
/// a path tells more.
pub(crate) fn shortened(path: &str, width: usize) -> String {
    if columns(path) <= width {
        return path.to_owned();
    }
    let slashes = path.char_indices().filter(|(_, c)| std::path::is_separator(*c));
    let mut ends = slashes.map(|(at, _)| &path[at..]);
    match ends.find(|end| columns(end) < width) {
        Some(end) => format!("…{end}"),
        None => shortened_name(path, width),
    }
}

fn shortened_name(name: &str, width: usize) -> String {
    let mut kept = 1;
    let fits = |c: &char| {
        kept += columns_of(*c);
        kept <= width
    };
    let mut end: Vec<char> = name.chars().rev().take_while(fits).collect();
    // Marks whose character was cut off would stand on the sign of omission.
    while end.last().is_some_and(|c| columns_of(*c) == 0) {
        end.pop();
    }
    std::iter::once('…').chain(end.into_iter().rev()).collect()
}

/// A text in so many columns at most, without its end.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut kept = 1;
    let fits = |c: &char| {
        kept += columns_of(*c);
        kept <= width
    };
    let start: String = text.chars().take_while(fits).collect();
    start.trim_end().to_owned() + "…"
}

/// The words of a text on lines of so many columns; a longer word stands alone, and a number keeps its per cent sign.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.replace(" %", "\u{a0}%").split([' ', '\n']).filter(|word| !word.is_empty()) {
        let n_columns = lines.last().map_or(0, |line| columns(line));
        match lines.last_mut() {
            Some(line) if n_columns == 0 => line.push_str(word),
            Some(line) if n_columns + 1 + columns(word) <= width => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

fn columns_of(c: char) -> usize {
    match c as u32 {
        0x300..=0x36F
        | 0x483..=0x489
        | 0x591..=0x5C7
        | 0x610..=0x61A
        | 0x64B..=0x65F
        | 0x670
        | 0x6D6..=0x6ED => 0,
        0x93C | 0x941..=0x948 | 0x94D | 0xE31 | 0xE34..=0xE3A | 0xE47..=0xE4E => 0,
        // Vowels and finals of decomposed Korean stand in the square of their initial.
        0x1160..=0x11FF | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x200B..=0x200D | 0x20D0..=0x20FF => 0,
        0x302A..=0x302D
        | 0x3099..=0x309A
        | 0xFE00..=0xFE0F
        | 0xFE20..=0xFE2F
        | 0xFEFF
        | 0xE0100..=0xE01EF => 0,
        0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0xA4CF | 0xA960..=0xA97F | 0xAC00..=0xD7A3 => 2,
        0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF01..=0xFF60 | 0xFFE0..=0xFFE6 => 2,
        0x1F300..=0x1F64F | 0x1F680..=0x1F6FF | 0x1F900..=0x1FAFF | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_and_marks_are_counted_as_they_stand() {
        let check = |text: &str, expected: usize| assert_eq!(columns(text), expected, "{text}");
        check("book.txt", 8);
        check("本.txt", 6);
        check("책", 2);
        check("\u{110e}\u{1162}\u{11a8}", 2);
        check("cafe\u{301}", 4);
        check("か\u{3099}", 2);
        check("كِتَاب", 4);
    }

    #[test]
    fn a_long_path_loses_its_first_folders() {
        assert_eq!(shortened("shelf/row/book.txt", 18), "shelf/row/book.txt");
        assert_eq!(shortened("shelf/row/book.txt", 17), "…/row/book.txt");
        assert_eq!(shortened("shelf/row/book.txt", 13), "…/book.txt");
        assert_eq!(shortened("shelf/a long name.txt", 9), "…name.txt");
    }

    #[test]
    fn a_long_name_loses_its_beginning() {
        assert_eq!(fitted("book", 6), "book  ");
        assert_eq!(fitted("山の本.txt", 8), "…本.txt ");
        assert_eq!(fitted("ae\u{301}bok", 4), "…bok");
        assert_eq!(columns(&fitted("山山山山", 1)), 1);
    }

    #[test]
    fn a_long_text_loses_its_end() {
        assert_eq!(cut("The Arts of Japan", 17), "The Arts of Japan");
        assert_eq!(cut("The Arts of Japan", 13), "The Arts of…");
        assert_eq!(cut("山の本", 4), "山…");
        assert_eq!(columns(&cut("山の本", 5)), 5);
    }

    #[test]
    fn words_are_kept_whole() {
        assert_eq!(wrapped("the same  text in other pages", 13), ["the same text", "in other", "pages"]);
        assert_eq!(wrapped("unbreakable x", 4), ["unbreakable", "x"]);
        assert_eq!(wrapped("all of 92 % found", 9), ["all of", "92 %", "found"]);
        assert_eq!(wrapped("", 4), [""]);
    }
}
