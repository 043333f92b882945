//! What libraries of texts wrap around a book: headers, licences and colophons of Project Gutenberg and Aozora Bunko.
//!
//! They say nothing of the book, and make any two books of one library alike. They are found in the text of any
//! format. Only their own marks are believed, and only near the start and the end: a book that speaks of Project
//! Gutenberg is not cut.
//! Sources: the header and footer Project Gutenberg writes since 2001 (`*** START OF …`), its "small print" of the
//! 1990s, and Aozora Bunko's 底本 lines.

use siglum::Metadata;
use std::ops::Range;

/// A header is shorter than this; the longest of the 1990s has 20 kB.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// What the first lines name, a text without a header may be.
const FIRST_LINES_BYTES: usize = 1 << 10;
/// A footer with the licence is shorter than this; the licence has 19 kB.
const MAX_TAIL_BYTES: usize = 64 << 10;
/// A colophon of Aozora Bunko is shorter than this.
const MAX_COLOPHON_BYTES: usize = 16 << 10;
/// Who made a text is said in a short paragraph after the header.
const MAX_CREDIT_BYTES: usize = 1500;
/// The most lines a mark may be broken into.
const MAX_MARK_LINES: usize = 4;

/// How the paragraph begins that says who made the text.
const CREDITS: [&str; 11] = [
    "Produced by",
    "E-text prepared by",
    "Etext prepared by",
    "This eBook was produced by",
    "This etext was produced by",
    "This etext was prepared by",
    "This e-text was prepared by",
    "This etext created by",
    "Transcribed by",
    "Transcribed from the",
    "Scanned and proofed by",
];

/// Where the book is in a text that may be wrapped: all of it, if it is not.
pub(crate) fn frame(text: &str) -> Range<usize> {
    let start = head_end(text).unwrap_or(0);
    let is_gutenberg = start > 0 || names_project(first(text, FIRST_LINES_BYTES));
    let end = tail_start(text, start, is_gutenberg).or_else(|| colophon_start(text, start));
    start..end.unwrap_or(text.len())
}

/// What a header of Project Gutenberg says of the book; nothing where there is none.
pub(crate) fn metadata(text: &str) -> Metadata {
    let Some(end) = head_end(text) else { return Metadata::default() };
    let head = &text[..end];
    let mut metadata = Metadata::default();
    for (name, value) in fields(head) {
        match name {
            "Title" if metadata.title.is_none() => metadata.title = Some(value),
            "Author" | "Editor" | "Translator" if metadata.creators.len() < 16 => {
                metadata.creators.push(value);
            }
            "Language" if metadata.language.is_none() => metadata.language = Some(value),
            _ => {}
        }
    }
    if metadata.title.is_none() {
        by_first_line(head, &mut metadata);
    }
    metadata
}

/// Where the last line of the header ends, with the credits that follow it.
fn head_end(text: &str) -> Option<usize> {
    let head = first(text, MAX_HEAD_BYTES);
    let mut end = None;
    for (at, line) in lines(head) {
        if is_start(line) {
            end = Some(at + mark_len(&text[at..]));
        } else if is_end_of_small_print(line) {
            end = Some(at + line.len());
        }
    }
    end.map(|end| end + credit_len(&text[end..]))
}

/// Where the first line of the footer begins.
fn tail_start(text: &str, from: usize, is_gutenberg: bool) -> Option<usize> {
    let from = from.max(text.ceil_char_boundary(text.len().saturating_sub(MAX_TAIL_BYTES)));
    let found = lines(&text[from..]).find(|(_, line)| is_end(line) || (is_gutenberg && is_plain_end(line)));
    found.map(|(at, _)| from + at)
}

fn is_start(line: &str) -> bool {
    is_mark(line, ["START OF THE PROJECT GUTENBERG", "START OF THIS PROJECT GUTENBERG"])
}

fn is_end(line: &str) -> bool {
    is_mark(line, ["END OF THE PROJECT GUTENBERG", "END OF THIS PROJECT GUTENBERG"])
        || is_mark(line, ["START: FULL LICENSE", "START FULL LICENSE"])
}

/// Whether a line is one of two phrases after stars.
fn is_mark(line: &str, phrases: [&str; 2]) -> bool {
    let line = line.trim_start();
    let phrase = line.trim_start_matches(['*', ' ']);
    line.starts_with('*') && phrases.iter().any(|known| starts_with(phrase, known))
}

/// The end of the header of the 1990s: `*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*`.
fn is_end_of_small_print(line: &str) -> bool {
    let line = line.trim_start();
    let phrase = line.trim_start_matches(['*', ' ']);
    line.starts_with('*')
        && starts_with(phrase, "END")
        && starts_with(phrase[3..].trim_start_matches(['*', ' ']), "THE SMALL PRINT")
}

/// `End of the Project Gutenberg EBook of …`, `End of Project Gutenberg's …`.
fn is_plain_end(line: &str) -> bool {
    let line = line.trim_start();
    if !starts_with(line, "End of ") {
        return false;
    }
    let rest = &line["End of ".len()..];
    let articles = ["the ", "this ", ""];
    articles
        .iter()
        .any(|article| starts_with(rest, article) && starts_with(&rest[article.len()..], "Project Gutenberg"))
}

/// A mark ends with stars, perhaps a few lines on, where a long title was broken.
fn mark_len(text: &str) -> usize {
    let mut closing =
        lines(text).take(MAX_MARK_LINES).take_while(|(at, line)| *at == 0 || !line.trim().is_empty());
    let closing = closing.find(|(_, line)| line.trim_end().ends_with('*'));
    closing.or_else(|| lines(text).next()).map_or(0, |(at, line)| at + line.len())
}

/// The length of the paragraph that says who made the text, with the white space before it.
fn credit_len(text: &str) -> usize {
    let blank = text.len() - text.trim_start().len();
    let rest = first(&text[blank..], MAX_CREDIT_BYTES);
    if blank > MAX_CREDIT_BYTES || !CREDITS.iter().any(|credit| starts_with(rest, credit)) {
        return 0;
    }
    let flowing = rest.find('\n').unwrap_or(rest.len());
    rest.find("\n\n").map_or(blank + flowing, |end| blank + end)
}

/// Where the lines begin that say which printed book a text of Aozora Bunko was made from.
fn colophon_start(text: &str, from: usize) -> Option<usize> {
    let from = from.max(text.ceil_char_boundary(text.len().saturating_sub(MAX_COLOPHON_BYTES)));
    let tail = &text[from..];
    let found = lines(tail).find(|(_, line)| line.starts_with("底本：「") || line.starts_with("底本:「"));
    found.filter(|(at, _)| tail[*at..].contains("青空文庫")).map(|(at, _)| from + at)
}

fn names_project(head: &str) -> bool {
    head.contains("Project Gutenberg") || head.contains("PROJECT GUTENBERG")
}

/// Lines like `Title: Emma`, with the lines that continue them.
fn fields(head: &str) -> impl Iterator<Item = (&str, String)> {
    let names = ["Title", "Author", "Editor", "Translator", "Language"];
    lines(head).filter_map(move |(at, line)| {
        let (name, value) = line.split_once(": ")?;
        let name = names.into_iter().find(|known| *known == name.trim())?;
        let more = lines(&head[at + line.len()..]).map(|(_, line)| line.trim()).skip(1);
        let more = more.take_while(|line| !line.is_empty() && !line.contains(": "));
        Some((name, joined([value.trim()].into_iter().chain(more.take(MAX_MARK_LINES)))))
    })
}

/// `Project Gutenberg's Etext of Emma, by Jane Austen`.
fn by_first_line(head: &str, metadata: &mut Metadata) {
    let first = lines(head.trim_start_matches(['*', ' ', '\n'])).map(|(_, line)| line.trim());
    let first = joined(
        first.take(MAX_MARK_LINES).take_while(|line| !line.is_empty() && !line.starts_with(['#', '*'])),
    );
    let openings = ["EText of ", "EBook of ", "Edition of ", "Project Gutenberg's "];
    let title = openings.iter().find_map(|opening| {
        let at = first.to_ascii_lowercase().find(&opening.to_ascii_lowercase())?;
        Some(&first[at + opening.len()..])
    });
    let Some(title) = title else { return };
    let (title, author) =
        title.split_once(", by ").or_else(|| title.rsplit_once(" by ")).unwrap_or((title, ""));
    metadata.title = Some(title.trim_matches(['*', ' ']).to_owned()).filter(|title| !title.is_empty());
    let author = author.trim_matches(['*', ' ']);
    if metadata.creators.is_empty() && !author.is_empty() {
        metadata.creators.push(author.to_owned());
    }
}

fn joined<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.collect::<Vec<_>>().join(" ")
}

fn starts_with(line: &str, phrase: &str) -> bool {
    line.get(..phrase.len()).is_some_and(|start| start.eq_ignore_ascii_case(phrase))
}

/// Lines without their ends, with where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line.trim_end_matches(['\n', '\r']))
    })
}

fn first(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "\n\nCHAPTER I\n\nThe pebble lay on the shore.\n\n";

    fn check(head: &str, tail: &str) {
        for body in [BODY.to_owned(), BODY.repeat(9000)] {
            let text = format!("{head}{body}{tail}");
            assert_eq!(frame(&text), head.len()..head.len() + body.len(), "{head}…{tail}");
        }
    }

    #[test]
    fn the_header_and_footer_of_today_are_outside() {
        check(
            "The Project Gutenberg eBook of Pebbles\n\nTitle: Pebbles\n\n*** START OF THE PROJECT GUTENBERG EBOOK PEBBLES ***",
            "*** END OF THE PROJECT GUTENBERG EBOOK PEBBLES ***\n\nUpdated editions will replace the previous one",
        );
    }

    #[test]
    fn a_mark_may_be_broken_and_credits_may_follow() {
        check(
            "***START OF THIS PROJECT GUTENBERG EBOOK PEBBLES, BEING AN\nACCOUNT OF THE SHORE***\n\n\nProduced by A. Stone\nand B. Sand",
            "End of Project Gutenberg's Pebbles, by A. Stone\n\n*** END OF THIS PROJECT GUTENBERG EBOOK PEBBLES ***\n",
        );
    }

    #[test]
    fn the_small_print_of_the_nineties_is_outside() {
        check(
            "Project Gutenberg's Etext of Pebbles, by A. Stone\n\n***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\n\
             lawyers\n*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
            "End of The Project Gutenberg Etext of Pebbles\n",
        );
    }

    #[test]
    fn a_colophon_of_aozora_is_outside() {
        check("", "底本：「小石」どこか書店\n入力：某\n青空文庫作成ファイル：\n");
    }

    #[test]
    fn a_book_about_project_gutenberg_is_whole() {
        let long = BODY.repeat(9000);
        for text in [
            format!("{long}and that was the End of Project Gutenberg in our town.\n"),
            format!(
                "{long}End of Project Gutenberg, she said, and the START OF THE PROJECT GUTENBERG was in 1971.\n"
            ),
            format!("{long}*** START OF THE PROJECT GUTENBERG EBOOK ***\n{long}"),
            format!("{long}*** END OF THE PROJECT GUTENBERG EBOOK ***\n{long}"),
        ] {
            assert_eq!(frame(&text), 0..text.len());
        }
    }

    #[test]
    fn the_header_tells_title_authors_and_language() {
        let text = "Title: Pebbles\r\n       and Sand\r\n\r\nAuthor: A. Stone\r\n\r\nTranslator: B. Sand\r\nLanguage: \
                    German\r\n\r\n*** START OF THE PROJECT GUTENBERG EBOOK ***\r\nTitle: none\r\n";
        let metadata = metadata(text);
        assert_eq!(metadata.title.as_deref(), Some("Pebbles and Sand"));
        assert_eq!(metadata.creators, ["A. Stone", "B. Sand"]);
        assert_eq!(metadata.language.as_deref(), Some("German"));
    }

    #[test]
    fn the_first_line_of_the_nineties_tells_title_and_author() {
        for line in [
            "Project Gutenberg's Etext of Pebbles, by A. Stone\n#8 in our series",
            "*****The Project Gutenberg Etext of Pebbles by A. Stone*****\n***This file should be named pebbl10.txt***",
            "Project Gutenberg's Pebbles, by A. Stone",
        ] {
            let metadata = metadata(&format!("{line}\n\n*END*THE SMALL PRINT!*END*\n"));
            assert_eq!(metadata.title.as_deref(), Some("Pebbles"));
            assert_eq!(metadata.creators, ["A. Stone"]);
        }
    }

    #[test]
    fn a_book_without_a_header_tells_nothing() {
        assert_eq!(metadata("Title: Pebbles\n\nAuthor: A. Stone\n"), Metadata::default());
    }
}
