//! Queries as people and machines spoil them.
//!
//! Paper: Padmasree et al. 2006, §V: spelling mistakes, words missing, words jumbled. Harder kinds are ours.

use crate::rng::Rng;
use siglum::record::Record;

/// What happens to a query, and what tables call it.
macro_rules! damages {
    ($($damage:ident, $name:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Damage {
            $($damage),*
        }

        impl Damage {
            pub const ALL: [Damage; [$(Damage::$damage),*].len()] = [$(Damage::$damage),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Damage::$damage => $name),*
                }
            }
        }
    };
}

damages! {
    Spelling, "spelling errors";
    Missing, "missing words";
    Jumbled, "jumbled words";
    EveryWord, "a typing error in every word";
    Ocr, "OCR-like, 8 % of characters";
    Abbreviated, "author abbreviated";
    NoAuthor, "author missing";
    Transliterated, "transliterated";
    Cut, "title cut";
    Mixed, "initials, two errors, a word missing";
}

impl Damage {
    /// A damaged query for a record; `None` where there is nothing to damage.
    pub fn apply(self, record: &Record, rng: &mut Rng) -> Option<Record> {
        let mut query = record.clone();
        query.metadata.date = None;
        // Who wrote it is asked in a field of its own.
        let title = record.metadata.title.as_deref()?.split(" / ").next()?.trim().to_owned();
        let author = record.metadata.creators.first().cloned().unwrap_or_default();
        let author = author.trim_end_matches([',', ' ']).to_owned();
        let mut text = Text { title: words(&title), author: words(&author) };
        match self {
            // One or two typing errors.
            Damage::Spelling => {
                for _ in 0..rng.between(1, 2) {
                    text.misspell_one(rng);
                }
            }
            Damage::Missing => {
                let most = if text.len() > 4 { 2 } else { 1 };
                for _ in 0..rng.between(1, most) {
                    text.drop_one(rng)?;
                }
            }
            Damage::Jumbled => {
                // A colon between two words that were never beside each other is nobody's query.
                text.title.retain(|word| n_letters(word) > 0);
                rng.shuffle(&mut text.title);
                // "Last, First" keeps its comma: names are jumbled by writing them in the other order.
                if let Some((last, first)) = author.split_once(", ") {
                    text.author = words(&format!("{first} {last}"));
                }
            }
            // A typing error in every word of three letters or more.
            Damage::EveryWord => {
                let all = text.title.iter_mut().chain(&mut text.author);
                all.filter(|word| n_letters(word) >= 3).for_each(|word| *word = typo(word, rng));
            }
            Damage::Ocr => {
                text = Text { title: words(&misread(&title, rng)), author: words(&misread(&author, rng)) };
            }
            Damage::Abbreviated => text.author = words(&initials(&author)?),
            Damage::NoAuthor if author.is_empty() => return None,
            Damage::NoAuthor => text.author.clear(),
            Damage::Transliterated => {
                let other = |c: char| c.is_alphabetic() && u32::from(c) > 0x24f;
                let han = |c: char| matches!(u32::from(c), 0x2e80..=0x9fff | 0xf900..=0xfaff | 0x20000..);
                if !title.chars().any(other) || title.chars().chain(author.chars()).any(han) {
                    return None;
                }
                text = Text { title: words(&romanised(&title)), author: words(&romanised(&author)) };
            }
            Damage::Cut => {
                let at = [": ", "; ", " — ", " -- "].iter().filter_map(|sign| title.find(sign)).min()?;
                text.title = words(&title[..at]);
            }
            Damage::Mixed => {
                text.author = words(&initials(&author)?);
                text.drop_one(rng)?;
                text.misspell_one(rng);
                text.misspell_one(rng);
            }
        }
        if text.title.is_empty() {
            return None;
        }
        query.metadata.title = Some(text.title.join(" "));
        query.metadata.creators = if text.author.is_empty() { vec![] } else { vec![text.author.join(" ")] };
        (query.metadata != record.metadata).then_some(query)
    }
}

/// A query as one string: title and author in one field; words jumbled across it where they were jumbled.
pub fn one_string(query: &Record, damage: Damage, rng: &mut Rng) -> Record {
    let mut words: Vec<String> = query.metadata.title.iter().flat_map(|title| words(title)).collect();
    words.extend(query.metadata.creators.iter().flat_map(|name| self::words(name)));
    if damage == Damage::Jumbled {
        rng.shuffle(&mut words);
    }
    let mut record = query.clone();
    record.metadata.title = Some(words.join(" "));
    record.metadata.creators.clear();
    record
}

struct Text {
    title: Vec<String>,
    author: Vec<String>,
}

impl Text {
    fn len(&self) -> usize {
        self.title.len() + self.author.len()
    }

    fn misspell_one(&mut self, rng: &mut Rng) {
        let all: Vec<&mut String> =
            self.title.iter_mut().chain(&mut self.author).filter(|word| n_letters(word) >= 2).collect();
        if !all.is_empty() {
            let chosen = rng.below(all.len());
            if let Some(word) = all.into_iter().nth(chosen) {
                *word = typo(word, rng);
            }
        }
    }

    fn drop_one(&mut self, rng: &mut Rng) -> Option<()> {
        if self.len() < 2 || self.title.is_empty() {
            return None;
        }
        let chosen = rng.below(self.len());
        if chosen >= self.title.len() {
            self.author.remove(chosen - self.title.len());
        } else if self.title.len() > 1 {
            self.title.remove(chosen);
        } else {
            self.author.pop()?;
        }
        Some(())
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn n_letters(word: &str) -> usize {
    word.chars().filter(|c| c.is_alphanumeric()).count()
}

/// A word with one typing error: a letter left out, added, changed, or two changed about.
pub fn typo(word: &str, rng: &mut Rng) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = rng.below(letters.len().max(1));
    match rng.below(4) {
        0 if letters.len() > 1 => {
            letters.remove(at);
        }
        1 => letters.insert(at, other_letter(word, rng)),
        2 if letters.len() > 1 => {
            let at = at.min(letters.len() - 2);
            letters.swap(at, at + 1);
        }
        _ if !letters.is_empty() => letters[at] = other_letter(word, rng),
        _ => {}
    }
    letters.into_iter().collect()
}

/// A letter of the script of a word.
fn other_letter(word: &str, rng: &mut Rng) -> char {
    let like = word.chars().find(|c| c.is_alphanumeric()).unwrap_or('a');
    let (first, n) = match u32::from(like) {
        0x30..=0x39 => (0x30, 10),
        0x5d0..=0x5ea => (0x5d0, 27),
        0x370..=0x3ff => (0x3b1, 24),
        0x400..=0x4ff => (0x430, 32),
        0x3040..=0x30ff => (0x3042, 80),
        0x3400..=0x9fff => (0x4e00, 3000),
        _ => (0x61, 26),
    };
    char::from_u32(first + rng.below(n) as u32).unwrap_or('e')
}

/// What reading machines take for each other: a letter, and what it is read as.
const MISREAD: &str = "m:rn l:1 i:l e:c c:e h:b b:h o:0 n:u u:n t:f f:t s:5 a:o g:q y:v d:cl";

fn misread(text: &str, rng: &mut Rng) -> String {
    let mut read = String::new();
    for (at, c) in text.char_indices() {
        if c.is_whitespace() || !rng.chance(0.08) {
            read.push(c);
            continue;
        }
        let pairs = MISREAD.split(' ').filter_map(|pair| pair.split_once(':'));
        let fitting = pairs.filter(|(from, _)| text[at..].to_lowercase().starts_with(from));
        let likely: Vec<&str> = fitting.map(|(_, to)| to).collect();
        match rng.below(10) {
            0 => {}
            1 => {
                read.push(c);
                read.push(other_letter(&c.to_string(), rng));
            }
            2..=7 if !likely.is_empty() => read.push_str(rng.pick::<&str>(&likely)),
            _ => read.push(other_letter(&c.to_string(), rng)),
        }
    }
    read
}

/// A text in Latin letters as a typist writes it: no vowel points, no signs for aleph and ayin.
fn romanised(text: &str) -> String {
    let bare: String = text.chars().filter(|c| !matches!(u32::from(*c), 0x591..=0x5c7)).collect();
    deunicode::deunicode(&bare).replace(['\'', '`', '@'], "")
}

/// A name with its given names as initials.
fn initials(name: &str) -> Option<String> {
    let initial = |name: &str| {
        name.split_whitespace()
            .filter_map(|word| Some(format!("{}.", word.chars().find(|c| c.is_alphabetic())?)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    match name.split_once(',') {
        Some((surname, given)) => Some(format!("{surname}, {}", initial(given.split('(').next()?))),
        None => name.rsplit_once(' ').map(|(given, surname)| format!("{} {surname}", initial(given))),
    }
}
