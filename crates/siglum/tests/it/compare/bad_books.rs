//! Books that hold nothing, or one thing over and over.

use super::*;
use std::time::{Duration, Instant};

/// The verdict, within a time that a faulty step would exceed many times over.
fn soon(a: &str, b: &str) -> Relation {
    let start = Instant::now();
    let (a, b) = (book(a), book(b));
    let (_, relation) = compared(&a, &b);
    by_pages(&a, &b);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    relation
}

fn check(a: &str, b: &str, class: Class, why: &str) {
    let relation = soon(a, b);
    assert!(relation.class == class && relation.why().contains(why), "{relation:?}");
}

#[test]
fn books_without_letters_have_nothing_to_compare() {
    check("", "", Class::Unrelated, "neither book has letters");
    check(" \n", "\u{c}\u{c}", Class::Unrelated, "neither book has letters");
    check("", "some text", Class::Unrelated, "A has no letters");
    check("some\u{c}text", "\u{c}", Class::Unrelated, "B has no letters");
    check("1871 1872", "1873", Class::Unrelated, "neither book has letters");
}

#[test]
fn a_few_words_are_too_few_to_tell() {
    check("a few words", "some other words", Class::Unrelated, "too few to compare");
    check("a few words", "A few\nwords", Class::SameText, "the same letters");
    check("1871 1872", "1871\u{c}1872", Class::SameText, "the same text, character by character");
}

#[test]
fn one_word_repeated_has_an_answer() {
    let (some, more) = ("word ".repeat(200_000), "word ".repeat(400_000));
    check(&some, &some, Class::SameText, "the same text, character by character");
    check(&some, &"other ".repeat(200_000), Class::Unrelated, "no common text");
    check(&some, &prose(1, 0..20_000).join(" "), Class::Unrelated, "no common text");
    // FIXME: should say that both repeat a few phrases, as the next pair does. Here none of the four grams is sampled.
    check(&some, &more, Class::Unrelated, "no common text");
    let phrase = prose(1, 0..40).join(" ") + " ";
    check(&phrase.repeat(2000), &phrase.repeat(4000), Class::Unrelated, "repeat the same few phrases");
}

#[test]
fn a_million_pages_of_one_letter_have_an_answer() {
    let (pages, more) = ("x\u{c}".repeat(1_000_000), "x\u{c}".repeat(1_000_001));
    check(&pages, &pages, Class::SamePagination, "the same text, character by character");
    check(&pages, &more, Class::Unrelated, "");
    check(&pages, &"y\u{c}".repeat(1_000_000), Class::Unrelated, "no common text");
    check(&pages, "x", Class::Unrelated, "too few to compare");
}

#[test]
fn a_text_cut_into_pages_of_one_letter_is_the_same_text() {
    let text = prose(1, 0..5000).join(" ");
    let leaves = |text: &str| text.chars().flat_map(|c| [c, '\u{c}']).collect::<String>();
    check(&text, &leaves(&text), Class::SameText, "the same letters");
    check(&leaves(&text), &leaves(&text), Class::SamePagination, "the same text, character by character");
    for seed in 0..8 {
        let read = misread(&prose(1, 0..5000), 5, seed);
        let pages: Vec<String> = read.chunks(250).map(|page| page.join(" ")).collect();
        check(&leaves(&text), &pages.join("\u{c}"), Class::DifferentPagination, "the same text");
    }
}
