//! Which copy of a text is kept: the complete one, then the undamaged one, then the one nearest the source.

use crate::books::{Dice, prose};
use crate::shelf::Shelf;
use siglum_library::{Access, ClusterRow};

fn page(class: &str, text: &str) -> String {
    let paragraphs: String = text.lines().map(|line| format!("<p{class}>{line}</p>")).collect();
    format!("<html><head><title>The Salt Road</title></head><body{class}>{paragraphs}</body></html>")
}

/// The one group of a shelf of these files.
fn group(files: &[(&str, String)]) -> ClusterRow {
    let shelf = Shelf::new();
    files.iter().for_each(|(name, text)| shelf.put(name, text));
    shelf.scan();
    let mut rows = shelf.open(Access::Read).unwrap().clusters(&Default::default()).unwrap();
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

fn check(files: &[(&str, String)], best: &str, why: &str) {
    let row = group(files);
    assert!(row.best.path.ends_with(best), "{} is kept: {}", row.best.path.display(), row.why_best);
    assert_eq!(row.why_best, why);
}

/// One letter in so many became a question mark.
fn lossy(text: &str, one_in: u64) -> String {
    let mut dice = Dice::new(1);
    text.chars().map(|c| if c.is_alphabetic() && dice.below(one_in) == 0 { '?' } else { c }).collect()
}

#[test]
fn a_conversion_does_not_beat_its_source() {
    let text = prose(1, 3_000);
    check(
        &[("made.html", page(" class=\"calibre\"", &text)), ("long/path/source.html", page("", &text))],
        "long/path/source.html",
        "no sign of conversion (another was made by calibre)",
    );
}

#[test]
fn a_source_that_is_damaged_does_not_win() {
    let text = prose(1, 3_000);
    let row = group(&[
        ("made.html", page(" class=\"calibre\"", &text)),
        ("source.html", page("", &lossy(&text, 300))),
    ]);
    assert!(row.best.path.ends_with("made.html"));
    let damage = row.members[0].damage.unwrap();
    assert!(damage.question_marks > 20 && damage.n_damaged() == damage.question_marks, "{damage:?}");
    let why = format!("undamaged (another has {} question marks inside words)", damage.question_marks);
    assert!(row.why_best.starts_with(&why), "{}", row.why_best);
}

#[test]
fn a_source_that_is_not_complete_does_not_win() {
    let text = prose(1, 6_000);
    let row = group(&[
        ("made.html", page(" class=\"calibre\"", &text)),
        ("source.html", page("", &text[..text.len() * 24 / 25])),
    ]);
    assert!(row.best.path.ends_with("made.html"));
    assert!(row.why_best.starts_with("complete"), "{}", row.why_best);
}

#[test]
fn of_copies_that_are_as_good_the_shortest_path_wins_and_then_the_first_name() {
    let text = prose(1, 3_000);
    let why = "as good as the others; shortest path";
    check(&[("a/novel.txt", text.clone()), ("b.txt", text.clone())], "b.txt", why);
    check(&[("a/novel.txt", text.clone()), ("b.txt", text.replace('\n', "\n\n"))], "b.txt", why);
    let why = "as good as the others; first by name";
    check(&[("b.txt", text.clone()), ("a.txt", text.clone())], "a.txt", why);
}

#[test]
fn the_newer_version_of_a_preprint_wins_although_it_is_shorter() {
    let text = prose(1, 6_000);
    let stamped =
        |version: u32, text: &str| format!("arXiv:2101.00001v{version} [cs.CL] 5 Jan 2021\n\n{text}");
    let shorter = &text[..text.len() * 24 / 25];
    let row = group(&[("a.txt", stamped(1, &text)), ("long/path/b.txt", stamped(2, shorter))]);
    assert!(row.best.path.ends_with("long/path/b.txt"), "{}", row.why_best);
    assert!(row.why_best.starts_with("newer version"), "{}", row.why_best);
}

#[test]
fn damage_and_origin_are_stored_with_the_book() {
    let shelf = Shelf::new();
    let text = lossy(&prose(1, 3_000), 300) + " \\u05d9 &eacute; \u{fffd}";
    shelf.put("made.html", page(" class=\"calibre\"", &text.replace('&', "&amp;")));
    shelf.scan();
    let book = shelf.open(Access::Read).unwrap().books().unwrap().remove(0);
    let damage = book.damage.unwrap();
    assert_eq!((damage.escapes, damage.unreadable, damage.n_chars), (2, 1, book.n_chars));
    assert!(damage.question_marks > 20);
    assert_eq!((book.origin.made_by.as_deref(), book.origin.is_conversion), (Some("calibre"), true));
}
