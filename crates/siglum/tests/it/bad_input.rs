//! Texts no book has: an answer for each, none of them all zeros, and time that grows with the text and not faster.

use siglum::{Book, Features, NoSketch, Scheme, Sketch};
use std::time::{Duration, Instant};

fn sketches(text: &str) -> Vec<(Scheme, Result<Sketch, NoSketch>)> {
    let book = Book::from_text(text).unwrap();
    let features = Features::new(&book).with_bytes(text.as_bytes());
    let timely = Scheme::all().into_iter().filter(|scheme| !matches!(scheme, Scheme::Iscc(_)));
    timely.map(|scheme| (scheme, scheme.sketch(&features))).collect()
}

/// Schemes of the text alone, which have no sketch of these texts.
fn too_short(text: &str, but: &[&str]) {
    let metadata_or_pages = [NoSketch::NoMetadata, NoSketch::NoPages];
    for (scheme, sketch) in sketches(text) {
        let excepted = but.contains(&scheme.to_string().as_str());
        let none = sketch
            .as_ref()
            .err()
            .is_some_and(|why| *why == NoSketch::TooShort || metadata_or_pages.contains(why));
        assert!(none || excepted, "{scheme} of {text:?} is {sketch:?}");
    }
}

const TF4: [&str; 7] = [
    "simhash-tf4-64",
    "simhash-tf4-96",
    "simhash-tf4-128",
    "simhash-tf4-160",
    "simhash-tf4-192",
    "simhash-tf4-224",
    "simhash-tf4-256",
];

#[test]
fn texts_with_next_to_nothing_are_too_short() {
    too_short("", &[]);
    too_short(" \n\u{c}\u{c} ", &[]);
    too_short("\u{feff}", &[]);
    too_short("\0\0", &[]);
    too_short("word", &[&TF4[..], &["simhash-doc", "simhash-doc-nodigits", "simhash-doc-stop-en"]].concat());
    too_short("1816 2,300 3.14", &TF4);
    too_short("?!… —— ;;; ()", &TF4);
}

#[test]
fn short_texts_do_not_match_each_other() {
    let sketch =
        |text: &str| Scheme::Siglum1.sketch(&Features::new(&Book::from_text(text).unwrap())).unwrap();
    let (a, b) = (sketch("nine letters"), sketch("ten other ones"));
    let siglum::Comparison::Siglum(compared) = a.compare(&b).unwrap() else { panic!("sigla") };
    assert!(compared.distance > 60 && compared.probability < 1e-4);
}

/// Twice the text may take twice the time and some, never four times it.
fn linear(piece: &str, n_bytes: usize) {
    let time = |n_bytes: usize| {
        let text = piece.repeat(n_bytes / piece.len());
        let start = Instant::now();
        sketches(&text);
        start.elapsed()
    };
    let (single, double) = (time(n_bytes), time(2 * n_bytes));
    // Fourfold with a floor, since machines are shared; a quadratic step would be a thousandfold of this.
    assert!(double < 8 * single.max(Duration::from_millis(100)), "{piece:?}: {single:?}, then {double:?}");
}

#[test]
fn no_text_takes_quadratic_time() {
    for piece in [
        "a",
        "a b ",
        "\u{301}",
        "e\u{301}\u{302}\u{323}",
        "\u{1100}\u{1161}\u{11a8}",
        "שָׁ",
        "天",
        "7",
        "@",
        "a@a.",
        "http://a",
        "www.",
        "10.1000/",
        "1-",
        "0\u{200d}",
        "\0",
        "\u{c}",
        "_'_",
        "\u{202e}א",
        "'",
    ] {
        linear(piece, 100_000);
    }
}

/// Beginnings of an identifier that the end of the text decides on: 600 kB took minutes when each looked to the end.
#[test]
fn identifiers_that_never_end_are_soon_given_up() {
    let start = Instant::now();
    sketches(&("10.".repeat(200_000) + "/"));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn one_line_of_many_megabytes_is_read() {
    assert_eq!(sketches(&"x".repeat(20_000_000)).len(), sketches("x").len());
}
