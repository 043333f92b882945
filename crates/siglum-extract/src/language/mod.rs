//! Which language a book is in: by vote of samples, or as it declares itself.
//!
//! A sample of a few hundred characters can be a quotation, a table or a list of names; twenty spread over the book
//! rarely agree on the wrong language. whatlang judges each.
//! To doubt: Norwegian before 1907 is written nearly as Danish, and is called Danish. Croatian and Serbian in Latin
//! letters are called Croatian.

mod codes;

use codes::CODES;
use whatlang::Lang;

/// How many samples vote.
const N_SAMPLES: usize = 20;
/// The length of a sample, in characters.
const SAMPLE_CHARS: usize = 300;
/// A book with fewer letters than this is too short.
const MIN_LETTERS: usize = 120;
/// A sample of which less than this share is letters tells nothing.
const MIN_LETTER_SHARE: f64 = 0.5;
/// The share of votes that decides.
const MIN_SHARE: f64 = 0.5;
/// The share of votes that needs no more votes, and how many make it.
const UNANIMOUS: f64 = 0.9;
const MIN_UNANIMOUS: usize = 10;
/// A vote with less confidence is none.
const MIN_CONFIDENCE: f64 = 0.05;
/// A language is certain when this share of the samples votes for it,
const SURE: f64 = 0.8;
/// no more than one in so many votes for another,
const MAX_OTHERS: usize = 10;
/// and there are so many samples; with fewer, the beginning of the text must have so many letters, or so many of those that
/// stand for a word or a syllable.
const FEW_VOTES: usize = 5;
const SHORT_TEXT: usize = 4000;
const SURE_LETTERS: usize = 300;
const SURE_WIDE_LETTERS: usize = 100;
/// One in so many letters of Greek before 1982 has a breathing or an accent of old; less is a quotation.
const LETTERS_FOR_ONE_BREATHING: usize = 50;

/// Particles of modern Greek that ancient Greek has not, in old and new spelling.
const MODERN_GREEK: [&str; 12] =
    ["να", "νὰ", "θα", "θὰ", "δεν", "δὲν", "είναι", "εἶναι", "στο", "στὸ", "στην", "στὴν"];

const ANCIENT_GREEK: &str = "grc";

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    /// As a code of ISO 639-1 where there is one.
    pub code: &'static str,
    /// Whether so much of the text says so that another language can be ruled out: two texts that are surely in different
    /// languages are never the same text.
    pub is_sure: bool,
}

/// The language of a text; `None` where samples are few or disagree.
pub fn detect(text: &str) -> Option<Detected> {
    let samples: Vec<&str> = samples(text).filter(|sample| is_prose(sample)).collect();
    let n_letters: usize =
        samples.iter().map(|sample| sample.chars().filter(|c| c.is_alphabetic()).count()).sum();
    if n_letters < MIN_LETTERS && !samples.iter().any(|sample| is_ideographic(sample)) {
        return None;
    }
    // Every other sample is enough where they agree.
    let mut votes: Vec<Option<Lang>> = samples.iter().step_by(2).map(|sample| vote(sample)).collect();
    let unanimous = majority(&votes, UNANIMOUS).filter(|_| votes.len() >= MIN_UNANIMOUS);
    let winner = unanimous.or_else(|| {
        votes.extend(samples.iter().skip(1).step_by(2).map(|sample| vote(sample)));
        majority(&votes, MIN_SHARE)
    })?;
    let code = if winner == Lang::Ell && is_ancient(&samples) { ANCIENT_GREEK } else { short(winner.code()) };
    Some(Detected { code, is_sure: is_sure(winner, &votes, text) })
}

/// Whether a language can be taken for certain: nearly all samples say so and none says another, from letters enough.
fn is_sure(winner: Lang, votes: &[Option<Lang>], text: &str) -> bool {
    let n_others = votes.iter().filter(|vote| vote.is_some_and(|lang| lang != winner)).count();
    if majority(votes, SURE) != Some(winner) || n_others * MAX_OTHERS > votes.len() {
        return false;
    }
    if votes.len() >= FEW_VOTES {
        return true;
    }
    // A text of a page or less is judged as a whole, by what the detector itself calls reliable.
    let whole = &text[..text.floor_char_boundary(SHORT_TEXT)];
    let enough = if is_ideographic(whole) { SURE_WIDE_LETTERS } else { SURE_LETTERS };
    let n_letters = whole.chars().filter(|c| is_letter(*c)).count();
    n_letters >= enough
        && whatlang::detect(whole).is_some_and(|info| info.lang() == winner && info.is_reliable())
}

/// A declared language as a tag of BCP 47: `eng`, `English` and `EN` become `en`; `en_us` becomes `en-US`. What is
/// not known stays as it is.
pub(crate) fn normalise_declared(language: &str) -> String {
    let first = language.split([';', ',', '/']).next().unwrap_or_default().trim();
    let lower = first.to_lowercase();
    if let Some((code, ..)) = CODES.iter().find(|(.., name)| *name == lower) {
        return (*code).to_owned();
    }
    let mut subtags = lower.split(['-', '_']);
    let primary = subtags.next().unwrap_or_default();
    if !(2..=3).contains(&primary.len()) || !primary.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return first.to_owned();
    }
    subtags
        .filter(|subtag| !subtag.is_empty())
        .fold(short_or_same(primary), |tag, subtag| tag + "-" + &cased(subtag))
}

/// Stretches spread evenly over a text; all of it, if it is short.
fn samples(text: &str) -> impl Iterator<Item = &str> {
    let stride = text.len() / N_SAMPLES;
    (0..N_SAMPLES).filter_map(move |n| {
        let at = text.ceil_char_boundary(n * stride);
        let rest = &text[at..text.floor_char_boundary(((n + 1) * stride).max(at + SAMPLE_CHARS * 4))];
        let end = rest.char_indices().nth(SAMPLE_CHARS).map_or(rest.len(), |(end, _)| end);
        let sample = rest[..end].trim();
        (!sample.is_empty() && (n == 0 || stride >= SAMPLE_CHARS / 2)).then_some(sample)
    })
}

fn is_prose(sample: &str) -> bool {
    let (mut n_letters, mut n_other) = (0, 0);
    for c in sample.chars().filter(|c| !c.is_whitespace()) {
        if is_letter(c) { n_letters += 1 } else { n_other += 1 }
    }
    n_letters as f64 >= MIN_LETTER_SHARE * (n_letters + n_other) as f64
}

/// Letters, and the marks of scripts that write vowels as marks.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '\u{900}'..='\u{dff}' | '\u{e30}'..='\u{e4f}')
}

fn is_ideographic(sample: &str) -> bool {
    sample.chars().filter(|c| matches!(c, '\u{3040}'..='\u{9fff}')).count() > 20
}

fn vote(sample: &str) -> Option<Lang> {
    whatlang::detect(sample).filter(|info| info.confidence() > MIN_CONFIDENCE).map(|info| info.lang())
}

/// The language with at least this share of the votes; who abstains is counted too.
fn majority(votes: &[Option<Lang>], share: f64) -> Option<Lang> {
    let count = |lang: Lang| votes.iter().filter(|vote| **vote == Some(lang)).count();
    let winner = votes.iter().copied().flatten().max_by_key(|lang| (count(*lang), lang.code()))?;
    (count(winner) as f64 >= share * votes.len() as f64).then_some(winner)
}

/// Whether Greek is written with breathings and without the particles of modern Greek.
fn is_ancient(samples: &[&str]) -> bool {
    let (mut n_letters, mut n_breathings, mut n_words, mut n_modern) = (0, 0, 0, 0);
    for sample in samples {
        n_letters += sample.chars().filter(|c| c.is_alphabetic()).count();
        n_breathings +=
            sample.chars().filter(|c| matches!(c, '\u{1f00}'..='\u{1fff}' | '\u{313}' | '\u{314}')).count();
        let words = sample.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        for word in words {
            n_words += 1;
            n_modern += usize::from(MODERN_GREEK.contains(&word));
        }
    }
    n_breathings * LETTERS_FOR_ONE_BREATHING > n_letters && n_modern * 100 < n_words
}

/// The code of two letters, where there is one.
fn short(code: &'static str) -> &'static str {
    match code {
        "cmn" => "zh",
        "pes" => "fa",
        "lvs" => "lv",
        "ekk" => "et",
        _ => CODES.iter().find(|(_, three, ..)| *three == code).map_or(code, |(two, ..)| two),
    }
}

/// The code of a language that [`detect`] may find; `None` for any other text.
pub(crate) fn known(code: &str) -> Option<&'static str> {
    if code == ANCIENT_GREEK {
        return Some(ANCIENT_GREEK);
    }
    Lang::all().iter().map(|lang| short(lang.code())).find(|known| *known == code)
}

fn short_or_same(code: &str) -> String {
    let found = CODES.iter().find(|(_, three, library, _)| *three == code || *library == code);
    found.map_or(code, |(two, ..)| two).to_owned()
}

/// A script as `Latn`, a region as `US`, anything else small.
fn cased(subtag: &str) -> String {
    match subtag.len() {
        2 => subtag.to_uppercase(),
        4 if subtag.is_ascii() && !subtag.starts_with(|c: char| c.is_ascii_digit()) => {
            subtag[..1].to_uppercase() + &subtag[1..]
        }
        _ => subtag.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, language: &str) {
        let detected = detect(&sentence.repeat(40));
        assert_eq!(detected.map(|detected| detected.code), Some(language), "{sentence}");
    }

    #[test]
    fn books_are_told_by_their_text() {
        check("The old man walked down to the river and sat there for a while, looking at the water. ", "en");
        check("Der alte Mann ging zum Fluss hinunter und saß dort eine Weile und sah auf das Wasser. ", "de");
        check("Le vieil homme descendit vers la rivière et resta assis un moment à regarder l'eau. ", "fr");
        check("Старик спустился к реке и долго сидел на берегу, глядя на тёмную воду. ", "ru");
        check("Старий чоловік спустився до річки і довго сидів на березі, дивлячись на воду. ", "uk");
        check("老人は川まで歩いて行き、しばらくそこに座って水を眺めていた。", "ja");
        check("老人走到河边，在那里坐了很久，看着流水，想起了从前的日子。", "zh");
        check("ירד הזקן אל הנהר וישב שם זמן רב והביט במים השקטים. ", "he");
        check("نزل الرجل العجوز إلى النهر وجلس هناك وقتا طويلا ينظر إلى الماء. ", "ar");
        check("बूढ़ा आदमी नदी के किनारे गया और वहाँ देर तक बैठा रहा, पानी को देखता रहा। ", "hi");
    }

    #[test]
    fn greek_is_ancient_or_modern() {
        check("Ο γέρος κατέβηκε στο ποτάμι και κάθισε εκεί για να κοιτάζει το νερό που δεν σταματά. ", "el");
        check("Ὁ γέρος κατέβηκε στὸ ποτάμι νὰ κοιτάζει τὸ νερὸ καὶ δὲν μίλησε. ", "el");
        check("ὁ γέρων πρὸς τὸν ποταμὸν κατέβη καὶ ἐκεῖ ἐκάθητο τὸ ὕδωρ βλέπων ἄχρι τῆς ἑσπέρας. ", "grc");
    }

    #[test]
    fn what_is_short_or_mixed_or_no_prose_is_not_guessed() {
        assert_eq!(detect(""), None);
        assert_eq!(detect("The end."), None);
        assert_eq!(detect(&"12,5 34 + 77 = 99; x 3.14 ".repeat(300)), None);
    }

    #[test]
    fn declared_languages_become_tags() {
        for (declared, tag) in [
            ("eng", "en"),
            ("English", "en"),
            ("EN", "en"),
            ("en-us", "en-US"),
            ("en_GB", "en-GB"),
            ("ger", "de"),
            ("deu", "de"),
            ("zh-hant-tw", "zh-Hant-TW"),
            ("fre; eng", "fr"),
            ("grc", "grc"),
            ("und", "und"),
            ("Greek", "el"),
            ("no idea", "no idea"),
            ("", ""),
        ] {
            assert_eq!(normalise_declared(declared), tag);
        }
    }
}
