//! Books made up for tests: words of a small invented language, the same for the same seed.

/// A stream of numbers, the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// Sentences of made-up words.
pub(crate) fn prose(seed: u64, n_words: usize) -> String {
    const SYLLABLES: [&str; 24] = [
        "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we",
        "xi", "yo", "zu", "an", "el", "or", "is",
    ];
    let mut dice = Dice::new(seed);
    let mut text = String::new();
    for at in 1..=n_words {
        for _ in 0..1 + dice.below(3) {
            text.push_str(SYLLABLES[dice.below(SYLLABLES.len() as u64) as usize]);
        }
        text.push_str(if at % 12 == 0 { ".\n" } else { " " });
    }
    text
}

/// The text in pages of so many lines.
pub(crate) fn paged(text: &str, lines: usize) -> String {
    let pages: Vec<String> =
        text.lines().collect::<Vec<_>>().chunks(lines).map(|page| page.join("\n")).collect();
    pages.join("\u{c}")
}

/// The text with one letter in so many misread.
pub(crate) fn misread(text: &str, seed: u64, one_in: u64) -> String {
    let mut dice = Dice::new(seed);
    let misread = |c: char| match c.is_alphabetic() && dice.below(one_in) == 0 {
        true => 'q',
        false => c,
    };
    text.chars().map(misread).collect()
}

/// A publisher's catalogue, as it stands behind many books.
fn catalogue() -> String {
    prose(4711, 1_500)
}

/// A catalogue that only two books of the [`shelf`] have: too few to know that it is one.
pub(crate) fn rare_catalogue() -> String {
    prose(4712, 1_500)
}

/// A shelf on which every relation stands: name and text of each file.
pub(crate) fn shelf() -> Vec<(String, String)> {
    let novel = prose(1, 9_000);
    let (first, rest) = novel.split_at(novel.len() / 3);
    let story = prose(2, 2_500);
    let mut files = vec![
        ("novel.txt".to_owned(), novel.clone()),
        ("copies/novel.txt".to_owned(), novel.clone()),
        ("novel-pages.txt".to_owned(), paged(&novel, 25)),
        ("novel-other-pages.txt".to_owned(), paged(&novel, 33)),
        ("novel-scan.txt".to_owned(), paged(&misread(&novel, 3, 40), 25)),
        ("novel-lines.txt".to_owned(), novel.replace('\n', " \n\n")),
        ("volume-1.txt".to_owned(), first.to_owned()),
        ("volume-2.txt".to_owned(), rest.to_owned()),
        ("story.txt".to_owned(), story.clone()),
        ("collection.txt".to_owned(), format!("{}{story}{}", prose(5, 3_000), prose(6, 3_000))),
        ("other-collection.txt".to_owned(), format!("{}{}{}", prose(7, 3_000), story, prose(8, 4_000))),
        ("letter.txt".to_owned(), "a letter too short for anything but its own text".to_owned()),
        ("letter-again.txt".to_owned(), "A letter, too short for anything but its own text!".to_owned()),
    ];
    let house = (0..6).map(|at| (format!("house/novel-{at}.txt"), prose(100 + at, 5_000) + &catalogue()));
    let press =
        (0..2).map(|at| (format!("press/novel-{at}.txt"), prose(200 + at, 4_000) + &rare_catalogue()));
    files.extend(house.chain(press));
    files
}
