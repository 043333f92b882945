//! docs/schemes.md draws examples of the schemes bit by bit. They are what the program writes.

use crate::testdata;
use siglum::{Book, Features, Scheme};
use std::fmt::Write;

fn page() -> String {
    std::fs::read_to_string(testdata().join("../docs/schemes.md")).unwrap()
}

/// The line of the page that begins with a label, with single spaces.
fn line(label: &str) -> String {
    let page = page();
    let found = page.lines().find(|line| line.trim_start().starts_with(label));
    let found = found.unwrap_or_else(|| panic!("docs/schemes.md has no line {label:?}"));
    found.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

fn payload(scheme: &str, book: &Book) -> Vec<u8> {
    Scheme::parse(scheme).unwrap().sketch(&Features::new(book)).unwrap().payload()
}

fn of_text(scheme: &str, text: &str) -> Vec<u8> {
    payload(scheme, &Book::from_text(text).unwrap())
}

fn of_title(scheme: &str, title: &str) -> Vec<u8> {
    let mut book = Book::from_text("").unwrap();
    book.metadata.title = Some(title.into());
    payload(scheme, &book)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

fn binary(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:08b}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_payload_of_a_trace_is_drawn_byte_by_byte() {
    let bytes = of_text("trace-1", "It was the light that woke her, not the storm.");
    let bytes = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let drawn = line("payload ");
    assert!(drawn.starts_with(&format!("payload {bytes} version")), "{bytes}\n{drawn}");
}

#[test]
fn the_header_of_a_siglum_is_drawn_bit_by_bit() {
    let text = std::fs::read_to_string(testdata().join("books/lighthouse.txt")).unwrap();
    let bytes = of_text("siglum-1", &text);
    let (version, class, content) = (bytes[0], bytes[1], &bytes[2..]);
    // The text form has 4 bits of version, then 8 of the length class, then the content, in groups of five.
    let bits = format!("{version:04b}{class:08b}{}", binary(content).replace(' ', ""));
    let groups: Vec<&str> = (0..6).map(|at| &bits[5 * at..5 * at + 5]).collect();
    assert_eq!(line("00010"), format!("{} checksum", groups.join(" ")));
    assert!(line("vvvvl").ends_with(&format!(
        "version {version:04b}, length class {class:08b} = {class}, content 010 10111 00011 \u{2026}"
    )));
}

#[test]
fn simhashes_are_drawn_with_their_first_bits() {
    for word in ["light", "lamp", "sea", "light lamp sea"] {
        let bytes = of_text("simhash-doc", word);
        let text = data_encoding::BASE32_NOPAD.encode(&bytes).to_lowercase();
        assert!(line(word).contains(&format!("{} \u{2026} {text}", binary(&bytes[..3]))), "{word}");
    }
    for text in ["abcd ", "bcde ", "abcde", "abcdabcd"] {
        let bytes = of_text("simhash-tf4-64", text);
        let drawn = format!("{} {} \u{2026} {}", text.trim(), binary(&bytes[..3]), hexadecimal(&bytes));
        assert!(line(text).starts_with(&drawn), "{drawn}\n{}", line(text));
    }
    let bytes = of_text("simhash-token-64", &"word ".repeat(15));
    assert_eq!(
        line("word × 15"),
        format!("word × 15 {} \u{2026} {}", binary(&bytes[..3]), hexadecimal(&bytes))
    );
}

#[test]
fn lanes_of_min_hashes_are_listed() {
    for words in ["one two three four five  ", "two three four five six  ", "one two three four five six  "] {
        for (scheme, n) in [("minhash-100-word5", 4), ("minhash-84-word5", 3)] {
            let bytes = of_text(scheme, words);
            let lane = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap()).to_string();
            let lanes: Vec<String> = bytes.chunks_exact(4).take(n).map(lane).collect();
            let drawn = format!("{} {} \u{2026}", words.trim(), lanes.join(" "));
            let page = page();
            let mut lines =
                page.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
            assert!(lines.any(|line| line.starts_with(&drawn)), "{drawn}");
        }
    }
}

#[test]
fn patterns_of_a_signature_are_drawn() {
    for title in ["Computer ", "Programming ", "Computer Programming "] {
        let bytes = of_title("signature-12-4", title);
        let bits: String = binary(&bytes).replace(' ', "").chars().take(12).collect();
        let drawn = format!("{} {} {} {}", title.trim(), &bits[..4], &bits[4..8], &bits[8..]);
        assert_eq!(line(title), drawn);
    }
}
