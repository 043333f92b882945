//! What must hold for any input, one function a fuzz target. An ordinary test replays `testdata/regressions` with them.

pub mod compare;
pub mod extract;
pub mod journal;
pub mod match_bytes;
pub mod reason_bytes;
pub mod records;
pub mod postings;

use siglum::sketch::Input;
use siglum::sketch::siglum::Composite;
use siglum::text::{Letters, chars, tokens, words};
use siglum::{Book, Comparison, Features, Scheme, Siglum, Sketch};
use std::fmt::{Debug, Display};
use std::str::FromStr;
use unicode_normalization::UnicodeNormalization;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// Bytes that are a sketch, or the number of a scheme and a sketch's payload, are the only ones of that sketch.
pub fn sketch_bytes(bytes: &[u8]) {
    if let Ok(sketch) = Sketch::from_bytes(bytes) {
        assert_eq!(sketch.to_bytes(), bytes);
        check_sketch(&sketch);
    }
    let Some((&scheme_no, payload)) = bytes.split_first() else { return };
    let schemes = Scheme::all();
    if let Ok(sketch) = Sketch::from_payload(schemes[usize::from(scheme_no) % schemes.len()], payload) {
        assert_eq!(sketch.payload(), payload);
        check_sketch(&sketch);
    }
}

/// A string that is read is written as a string that reads as its equal.
pub fn sketch_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    check_text::<Siglum>(&text);
    check_text::<Composite>(&text);
    if let Ok(sketch) = Sketch::parse(&text) {
        check_sketch(&sketch);
    }
    if let Ok(composite) = text.parse::<Composite>() {
        assert_eq!(Sketch::parse(&text), Ok(composite.siglum.into()), "a composite is read as its siglum");
    }
}

/// Every scheme sketches the text or says why not; page breaks and normal forms change no letter.
pub fn text_sketches(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (left, right) = text.split_at(text.floor_char_boundary(text.len() / 2));
    check_letters(&text, left, right);

    let flowing = titled(Book::from_text(format!("{left}\n{right}")));
    let paged = titled(Book::from_text(format!("{left}\u{c}{right}")));
    let flowing = Features::new(&flowing).with_bytes(bytes);
    let paged = Features::new(&paged).with_bytes(bytes);
    let tf4 = Scheme::parse("simhash-tf4-256").expect("a scheme").sketch(&paged);
    assert_eq!(tf4.ok().map(|sketch| sketch.payload()), slow_tf4(paged.book().text()));
    for scheme in Scheme::all() {
        let sketch = scheme.sketch(&paged);
        sketch.iter().for_each(check_sketch);
        if scheme.input() == Input::Text {
            assert_eq!(sketch, scheme.sketch(&flowing), "{scheme} is made of text, wherever its pages break");
        }
    }
}

/// Tokens, words and characters have the shape their modules promise, in either canonical normal form.
pub fn tokens(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let cut = Cut::of(&text);
    cut.check();
    assert_eq!(cut, Cut::of(&text.nfc().to_string()));
    assert_eq!(cut, Cut::of(&text.nfd().to_string()));
}

fn check_sketch(sketch: &Sketch) {
    assert_eq!(Sketch::from_bytes(&sketch.to_bytes()).as_ref(), Ok(sketch));
    assert_eq!(Sketch::from_payload(sketch.scheme(), &sketch.payload()).as_ref(), Ok(sketch));
    assert_eq!(Sketch::parse(&one_word(sketch)).as_ref(), Ok(sketch));
    match sketch.compare(sketch) {
        Ok(comparison) => check_same(comparison),
        // Of composites the text codes are compared, and a book without text has none.
        Err(error) => assert_eq!(sketch.scheme().to_string(), "iscc", "{error}"),
    }
}

fn check_same(comparison: Comparison) {
    match comparison {
        Comparison::Hamming { distance, .. } => assert_eq!(distance, 0),
        Comparison::Signature { distance, printed, jaccard, .. } => {
            assert_eq!((distance, printed, jaccard), (0, 0.0, 0.0));
        }
        Comparison::Resemblance(share) => assert_eq!(share, 1.0),
        Comparison::Siglum(same) => {
            assert_eq!((same.distance, same.length_ratio), (0, 1.0));
            assert!((0.0..=1.0).contains(&same.probability), "{same:?}");
        }
    }
}

fn check_text<T: FromStr + Display + Debug + PartialEq>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(one_word(&value).parse().ok(), Some(value), "from {text:?}");
    }
}

/// Its text, which has to survive a command line and a file name.
fn one_word(value: &impl Display) -> String {
    let text = value.to_string();
    assert!(text.bytes().all(|byte| byte.is_ascii_graphic()), "{text:?} is not one word");
    text
}

fn check_letters(text: &str, left: &str, right: &str) {
    let letters = Letters::of_text(text);
    let written: String = letters.as_slice().iter().map(|&l| char::from_u32(l).expect("a letter")).collect();
    let pages = Book::from_pages([(None, left), (None, right)]).expect("a short book");
    let of_pages = Letters::of_book(&pages);
    assert_eq!(of_pages.as_slice(), letters.as_slice(), "in two pages");
    assert_eq!(of_pages.n_wide(), letters.n_wide());
    assert_eq!(Letters::of_text(&written), letters, "letters of letters");
    for form in
        [text.nfc().to_string(), text.nfd().to_string(), text.nfkc().to_string(), text.nfkd().to_string()]
    {
        assert_eq!(Letters::of_text(&form), letters, "of {text:?} as {form:?}");
    }
}

/// The first line as title and the second as creator, for the schemes that read those.
fn titled(book: siglum::Result<Book>) -> Book {
    let mut book = book.expect("a short book");
    let mut lines = book.text().lines().map(str::to_owned);
    (book.metadata.title, book.metadata.creators) = (lines.next(), lines.next().into_iter().collect());
    book
}

/// `simhash-tf4-256` without tables and batches: every gram adds to or takes from every bit.
fn slow_tf4(text: &str) -> Option<Vec<u8>> {
    let chars: Vec<char> = Cut::of(text).chars.chars().collect();
    let mut sums = [0i32; 256];
    for gram in chars.windows(4) {
        let gram: String = gram.iter().collect();
        let digest = [0, 1].map(|seed| xxh3_128_with_seed(gram.as_bytes(), seed).to_be_bytes());
        for (bit, sum) in sums.iter_mut().enumerate() {
            let is_one = digest.as_flattened()[bit / 8] << (bit % 8) & 0x80 != 0;
            *sum += if is_one { 1 } else { -1 };
        }
    }
    let byte = |sums: &[i32]| sums.iter().fold(0, |byte, sum| byte << 1 | u8::from(*sum > 0));
    (chars.len() >= 4).then(|| sums.chunks(8).map(byte).collect())
}

/// A text cut in the three ways of the papers.
#[derive(Debug, PartialEq)]
struct Cut {
    tokens: Vec<String>,
    words: Vec<String>,
    chars: String,
}

impl Cut {
    fn of(text: &str) -> Cut {
        let mut cut = Cut { tokens: Vec::new(), words: Vec::new(), chars: String::new() };
        let utf8 = |bytes: &[u8]| str::from_utf8(bytes).expect("whole characters").to_owned();
        tokens::for_each_token(text, |token| cut.tokens.push(utf8(token)));
        words::for_each_word(text, |word| cut.words.push(utf8(word)));
        chars::for_each_block(text, |block| cut.chars.extend(block));
        cut
    }

    fn check(&self) {
        for token in &self.tokens {
            assert!(!token.is_empty() && !token.contains(char::is_whitespace), "{token:?}");
        }
        for word in &self.words {
            assert!(
                !word.is_empty() && word.chars().all(char::is_alphanumeric) && is_lower(word),
                "{word:?}"
            );
        }
        let spaced: Vec<&str> = self.chars.split_whitespace().collect();
        assert_eq!(spaced.join(" "), self.chars, "one space between words and none at the ends");
        assert!(is_lower(&self.chars), "{:?}", self.chars);
    }
}

/// Whether lower-casing every character by itself changes none.
fn is_lower(text: &str) -> bool {
    text.chars().all(|c| c.to_lowercase().eq([c]))
}
