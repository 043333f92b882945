//! Book-like text in nine scripts, made from a seed: for tests and benchmarks that must not need a licensed corpus.
//!
//! Paper: none as such. Word frequencies follow Zipf and Mandelbrot; all other numbers are ours, set so that Latin
//! novels of 300,000 characters measure like real ones (in brackets: English and Czech novels): 9,000 distinct words
//! (5,000-13,000), of which the commonest hundred make 0.48 of the text (0.38-0.60); of the letter 8-grams of two
//! unrelated books 0.06 are common to both (0.02-0.07), and 0.14 (0.08-0.14) of those each has four times or more.
//! A *language* (script and seed) has the sounds, the vocabulary and the everyday phrases its books share. A *book*
//! (seed) has its own names, terms, favourite words, repeated phrases and habits of style.
//! Holds: the text depends on script, language, seed and length alone. Its words mean nothing in any language.

use std::collections::BTreeSet;

use self::writing::{Sounds, Use, Writing, ending_after, skewed, skewed_index, with_final_form};
use crate::rng::{Rng, Weighted, zipf};

mod writing;

/// A writing system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Script {
    Latin,
    Greek,
    Cyrillic,
    Arabic,
    Hebrew,
    Devanagari,
    Han,
    /// Japanese: kanji with kana endings.
    Kana,
    Hangul,
}

impl Script {
    /// Every script.
    pub const ALL: [Script; 9] = {
        use Script::*;
        [Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Han, Kana, Hangul]
    };

    fn is_spaced(self) -> bool {
        !matches!(self, Script::Han | Script::Kana)
    }
}

/// Parts two pages.
pub const FORM_FEED: char = '\u{c}';

/// The same text on pages of another length. Pages are cut after white space, or after any Han or kana character;
/// all white space stays, so that the text without its form feeds is the text before.
pub fn repaginate(text: &str, chars_per_page: usize) -> String {
    let text = without_form_feeds(text);
    let last_letter = text.trim_end().len();
    let mut pages = String::with_capacity(text.len() + text.len() / chars_per_page.max(1) + 1);
    let mut n_chars = 0;
    for (at, c) in text.char_indices() {
        pages.push(c);
        n_chars += 1;
        let may_end = c.is_whitespace() || is_unspaced(c);
        if may_end && n_chars >= chars_per_page && at + c.len_utf8() < last_letter {
            pages.push(FORM_FEED);
            n_chars = 0;
        }
    }
    pages
}

/// What the books of one language share.
#[derive(Clone, Debug)]
pub struct Language {
    script: Script,
    seed: u64,
    writing: &'static Writing,
    stem_sounds: Sounds,
    name_sounds: Sounds,
    function_words: Vec<String>,
    /// Stems, from the commonest to the rarest; affixes come when they are used.
    vocabulary: Vec<String>,
    phrases: Vec<Vec<String>>,
}

/// Function words, stems and everyday phrases of a language.
const N_FUNCTION_WORDS: usize = 110;
const N_STEMS: usize = 14_000;
const N_PHRASES: usize = 5_000;

impl Language {
    /// The language of this seed, written in this script.
    pub fn new(script: Script, seed: u64) -> Language {
        let writing = Writing::of(script);
        let [function_sounds, stem_sounds, name_sounds] =
            [Use::FunctionWords, Use::Stems, Use::Names].map(|used_for| Sounds::new(script, used_for, seed));
        let mut rng = Rng::named(seed, "vocabulary");
        let mut taken = BTreeSet::new();
        let function_words = distinct_words(N_FUNCTION_WORDS, &mut taken, |rank| {
            function_sounds.word(writing.stem.0 + rank.min(75) / 38, &mut rng)
        });
        let vocabulary = distinct_words(N_STEMS, &mut taken, |rank| {
            let longest = if rank < 400 { writing.stem.1 - 1 } else { writing.stem.1 };
            stem_sounds.word(rng.between(writing.stem.0, longest), &mut rng)
        });
        let phrases = vec![];
        let mut language =
            Language { script, seed, writing, stem_sounds, name_sounds, function_words, vocabulary, phrases };
        language.phrases = Habits::of_language(&language).phrases(N_PHRASES, 2..=4, &mut rng);
        language
    }

    /// A book of about `n_chars` characters, without page breaks.
    pub fn book(&self, seed: u64, n_chars: usize) -> String {
        Author::new(self, seed).write(n_chars)
    }

    /// A stem as it stands in a sentence: with a prefix and an ending as often as the language has them.
    fn inflect(&self, stem: &str, rng: &mut Rng) -> String {
        let mut word = String::with_capacity(stem.len() + 12);
        let (prefixed, prefixes) = self.writing.prefixes;
        if rng.chance(prefixed) {
            word.push_str(skewed(prefixes, rng));
        }
        word.push_str(stem);
        let (inflected, endings) = self.writing.endings;
        if rng.chance(inflected) {
            word.push_str(ending_after(stem, skewed(endings, rng)));
        }
        with_final_form(word)
    }
}

/// How often a writer takes each word: by the language's frequencies, bent by taste.
struct Habits<'l> {
    language: &'l Language,
    /// The book's own words, which follow the language's in `stems`.
    terms: Vec<String>,
    function_words: Weighted,
    stems: Weighted,
    /// Of all words, how many are function words.
    function_share: f64,
}

impl<'l> Habits<'l> {
    /// The average writer, who makes the everyday phrases.
    fn of_language(language: &'l Language) -> Habits<'l> {
        Habits {
            language,
            terms: vec![],
            function_words: Weighted::new((0..N_FUNCTION_WORDS).map(|rank| zipf(rank, 1))),
            stems: Weighted::new((0..N_STEMS).map(|rank| zipf(rank, 12))),
            function_share: language.writing.function_share + 0.15,
        }
    }

    /// One writer: likes some words and avoids others, has a topic, and uses terms nobody else does.
    fn of_author(language: &'l Language, rng: &mut Rng) -> Habits<'l> {
        let terms = new_words(&language.stem_sounds, language.writing, 250, rng);
        let topic: BTreeSet<usize> = (0..220).map(|_| 20 + skewed_index(N_STEMS - 20, rng)).collect();
        let function_words =
            Weighted::new((0..N_FUNCTION_WORDS).map(|rank| zipf(rank, 1) * rng.between(2, 6) as u64));
        // Topic words and terms are as frequent as if they stood much higher in the language.
        let vocabulary = (0..N_STEMS + terms.len()).map(|rank| match rank {
            rank if topic.contains(&rank) => zipf(60 + rank / 16, 12) * 16,
            rank if rank < N_STEMS => zipf(rank, 12) * [1, 4, 12, 32][rng.below(4)],
            term => zipf((term - N_STEMS) * 8 + 150, 12) * 16,
        });
        let stems = Weighted::new(vocabulary);
        let function_share = language.writing.function_share + 0.1 * (rng.unit() - 0.5);
        Habits { language, function_words, stems, terms, function_share }
    }

    fn content_word(&self, rng: &mut Rng) -> String {
        let rank = self.stems.pick(rng);
        let known = &self.language.vocabulary;
        let stem = if rank < known.len() { &known[rank] } else { &self.terms[rank - known.len()] };
        self.language.inflect(stem, rng)
    }

    fn word(&self, rng: &mut Rng) -> String {
        if rng.chance(self.function_share) {
            self.language.function_words[self.function_words.pick(rng)].clone()
        } else {
            self.content_word(rng)
        }
    }

    fn phrases(&self, n: usize, n_words: std::ops::RangeInclusive<usize>, rng: &mut Rng) -> Vec<Vec<String>> {
        let phrase = |_| (0..rng.between(*n_words.start(), *n_words.end())).map(|_| self.word(rng)).collect();
        (0..n).map(phrase).collect()
    }
}

struct Author<'l> {
    language: &'l Language,
    habits: Habits<'l>,
    names: Vec<String>,
    name_weights: Weighted,
    own_phrases: Vec<Vec<String>>,
    phrase_weights: Weighted,
    /// How many words a sentence has at most.
    sentence_words: usize,
    sentences_per_paragraph: usize,
    dialogue: f64,
    chars_per_chapter: usize,
    rng: Rng,
}

impl<'l> Author<'l> {
    fn new(language: &'l Language, seed: u64) -> Author<'l> {
        let mut rng = Rng::named(language.seed ^ Rng::named(seed, "author").next_u64(), "book");
        let habits = Habits::of_author(language, &mut rng);
        let names = new_words(&language.name_sounds, language.writing, 40, &mut rng);
        let names: Vec<String> = names.iter().map(|name| capitalised(name)).collect();
        let own_phrases = habits.phrases(160, 3..=6, &mut rng);
        let phrase_weights =
            Weighted::new((0..N_PHRASES).map(|rank| zipf(rank, 20) * rng.between(1, 7) as u64));
        Author {
            language,
            habits,
            name_weights: Weighted::new((0..names.len()).map(|rank| zipf(rank, 1))),
            names,
            own_phrases,
            phrase_weights,
            sentence_words: rng.between(24, 52),
            sentences_per_paragraph: rng.between(4, 9),
            dialogue: 0.1 + 0.4 * rng.unit(),
            chars_per_chapter: rng.between(8_000, 24_000),
            rng,
        }
    }

    fn write(mut self, n_chars: usize) -> String {
        let mut page = Typesetter::new(self.language.script, n_chars);
        let mut n_chapters = 0;
        while !page.is_full() {
            if page.n_chars >= n_chapters * self.chars_per_chapter {
                n_chapters += 1;
                self.heading(n_chapters, &mut page);
            }
            if self.rng.chance(self.dialogue) {
                self.speech(&mut page);
            } else {
                self.paragraph(&mut page);
            }
            page.end_paragraph();
        }
        page.text.truncate(page.text.trim_end().len());
        page.text.push('\n');
        page.text
    }

    fn heading(&mut self, number: usize, page: &mut Typesetter) {
        match self.language.script {
            Script::Han | Script::Kana => page.word(&format!("第{number}章")),
            Script::Hangul => page.word(&format!("제{number}장")),
            _ => page.word(&format!("{} {number}", self.language.vocabulary[300].to_uppercase())),
        }
        page.end_paragraph();
        for _ in 0..self.rng.between(2, 4) {
            let word = self.habits.content_word(&mut self.rng);
            page.word(&word.to_uppercase());
        }
        page.end_paragraph();
    }

    fn paragraph(&mut self, page: &mut Typesetter) {
        for _ in 0..self.rng.between(1, self.sentences_per_paragraph) {
            self.sentence(self.sentence_words, page);
            if page.is_full() {
                break;
            }
        }
    }

    /// Something said, and who said it.
    fn speech(&mut self, page: &mut Typesetter) {
        let [_, stop, _, _, open_quote, close_quote] = self.language.writing.marks;
        page.opening = open_quote;
        for _ in 0..self.rng.between(1, 2) {
            self.sentence(self.sentence_words / 2, page);
        }
        page.push(close_quote);
        if self.rng.chance(0.5) {
            let verb = self.rng.below(3);
            page.word(&self.language.vocabulary[verb]);
            let speaker = self.name_weights.pick(&mut self.rng);
            page.word(&self.names[speaker]);
            page.push(stop);
        }
    }

    fn sentence(&mut self, most_words: usize, page: &mut Typesetter) {
        let [comma, stop, question, exclamation, ..] = self.language.writing.marks;
        let n_words = 2 + self.rng.below(most_words / 2) + self.rng.below(most_words / 2);
        page.capital = true;
        let mut written = 0;
        while written < n_words {
            if written > 2 && self.rng.chance(0.09) {
                page.push(comma);
            }
            written += self.words(page);
        }
        page.push(match self.rng.below(12) {
            0 => question,
            1 => exclamation,
            _ => stop,
        });
    }

    /// A phrase, a name or a word; says how many words that was.
    fn words(&mut self, page: &mut Typesetter) -> usize {
        let rng = &mut self.rng;
        let phrase = match rng.below(100) {
            0..=2 => &self.own_phrases[skewed_index(self.own_phrases.len(), rng)],
            3..=10 => &self.language.phrases[self.phrase_weights.pick(rng)],
            11..=13 => std::slice::from_ref(&self.names[self.name_weights.pick(rng)]),
            _ => {
                page.word(&self.habits.word(rng));
                return 1;
            }
        };
        phrase.iter().for_each(|word| page.word(word));
        phrase.len()
    }
}

/// Puts words into lines.
struct Typesetter {
    text: String,
    spaced: bool,
    n_chars: usize,
    wanted_chars: usize,
    column: usize,
    /// Stands before the next word.
    opening: &'static str,
    /// Whether the next word takes a capital.
    capital: bool,
}

impl Typesetter {
    /// Lines of spaced scripts are no longer than this, unless a word is.
    const WIDTH: usize = 70;

    fn new(script: Script, wanted_chars: usize) -> Typesetter {
        let (text, spaced) = (String::with_capacity(wanted_chars * 3 / 2), script.is_spaced());
        Typesetter { text, spaced, n_chars: 0, wanted_chars, column: 0, opening: "", capital: false }
    }

    fn is_full(&self) -> bool {
        self.n_chars >= self.wanted_chars
    }

    fn word(&mut self, word: &str) {
        if self.spaced && self.column > 0 {
            let fits = self.column + 1 + word.chars().count() <= Self::WIDTH;
            self.push(if fits { " " } else { "\n" });
            self.column = if fits { self.column } else { 0 };
        }
        self.push(self.opening);
        self.opening = "";
        if std::mem::take(&mut self.capital) { self.push(&capitalised(word)) } else { self.push(word) }
    }

    fn end_paragraph(&mut self) {
        self.push("\n\n");
        self.column = 0;
    }

    fn push(&mut self, text: &str) {
        let n_chars = text.chars().count();
        self.text.push_str(text);
        self.n_chars += n_chars;
        self.column += n_chars;
    }
}

/// Words of several syllables, of which the language's vocabulary has few.
fn new_words(sounds: &Sounds, writing: &Writing, n: usize, rng: &mut Rng) -> Vec<String> {
    let (least, most) = writing.stem;
    distinct_words(n, &mut BTreeSet::new(), |_| sounds.word(rng.between(least + 1, most), rng))
}

fn distinct_words(
    n: usize,
    taken: &mut BTreeSet<String>,
    mut word: impl FnMut(usize) -> String,
) -> Vec<String> {
    let mut words: Vec<String> = Vec::with_capacity(n);
    while words.len() < n {
        let word = word(words.len());
        if taken.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Removes page breaks; where one was all that parted two words, a line break does so now.
fn without_form_feeds(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    for page in text.split(FORM_FEED) {
        let parted = |c: char| c.is_whitespace() || is_unspaced(c);
        if !whole.is_empty() && !whole.ends_with(parted) && !page.starts_with(parted) {
            whole.push('\n');
        }
        whole.push_str(page);
    }
    whole
}

/// Han, kana and their punctuation: a page or a line may end after any of these.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::{prop_assert_eq, proptest};

    use super::*;

    fn made(script: Script, language: u64, seed: u64, n_chars: usize) -> String {
        Language::new(script, language).book(seed, n_chars)
    }

    fn counts(text: &str) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
            *counts.entry(word.to_lowercase()).or_insert(0) += 1;
        }
        counts
    }

    fn commonest(text: &str, n: usize) -> BTreeSet<String> {
        let mut by_count: Vec<(String, usize)> = counts(text).into_iter().collect();
        by_count.sort_by(|(left, n_left), (right, n_right)| n_right.cmp(n_left).then(left.cmp(right)));
        by_count.into_iter().take(n).map(|(word, _)| word).collect()
    }

    #[test]
    fn a_generated_book_never_changes() {
        // Every platform and every later version makes these bytes, or recorded figures lose their meaning.
        assert!(
            made(Script::Latin, 1, 1, 200)
                .starts_with("TENRÖM 1\n\nTALNU STEASVEDEA\n\nFi wa hendlis méki ci ")
        );
        let digest = |script| Rng::named(0, &made(script, 1, 1, 2_000)).next_u64();
        let digests = Script::ALL.map(digest).iter().fold(0u64, |all, digest| all.rotate_left(7) ^ digest);
        assert_eq!(digests, 11_977_121_596_142_600_844);
    }

    #[test]
    fn books_of_one_language_share_frequent_words_but_not_their_text() {
        let (left, right) = (made(Script::Latin, 1, 1, 200_000), made(Script::Latin, 1, 2, 200_000));
        let shared = commonest(&left, 50).intersection(&commonest(&right, 50)).count();
        assert!((20..45).contains(&shared), "{shared} of the 50 commonest words");
        let grams = |text: &str| -> BTreeSet<Vec<String>> {
            let words: Vec<String> = text.split_whitespace().map(String::from).collect();
            words.windows(5).map(<[String]>::to_vec).collect()
        };
        let (left, right) = (grams(&left), grams(&right));
        assert!(left.intersection(&right).count() * 1000 < left.len(), "word 5-grams are the book's own");
    }

    #[test]
    fn a_novel_has_the_vocabulary_of_a_novel() {
        let counts = counts(&made(Script::Latin, 1, 1, 300_000));
        let once = counts.values().filter(|&&n| n == 1).count();
        assert!((8_000..15_000).contains(&counts.len()), "{} words", counts.len());
        assert!((40..75).contains(&(once * 100 / counts.len())), "{once} words used once");
    }

    #[test]
    fn pages_are_as_long_as_asked_and_never_empty() {
        for script in Script::ALL {
            let text = repaginate(&made(script, 1, 1, 20_000), 1_800);
            let pages: Vec<usize> = text.split(FORM_FEED).map(|page| page.chars().count()).collect();
            let (last, full) = pages.split_last().unwrap();
            assert!(full.iter().all(|n| (1_800..1_830).contains(n)), "{script:?} {pages:?}");
            assert!(*last > 1, "{script:?}");
            assert_eq!(text.replace(FORM_FEED, ""), made(script, 1, 1, 20_000), "{script:?}");
        }
    }

    #[test]
    fn a_book_can_be_put_on_other_pages() {
        let text = made(Script::Hangul, 1, 1, 9_000);
        let repaged = repaginate(&repaginate(&text, 1_800), 1_000);
        assert_eq!(repaged, repaginate(&text, 1_000));
        assert_eq!(repaginate("one\u{c}two\u{c} three", 100), "one\ntwo three");
        assert_eq!(repaginate("天地\u{c}玄黄", 3), "天地玄\u{c}黄");
        assert_eq!(repaginate("", 10), "");
    }

    proptest! {
        #[test]
        fn paging_adds_form_feeds_and_nothing_else(text in "[^\u{c}]*", chars_per_page in 0usize..40) {
            let paged = repaginate(&text, chars_per_page);
            prop_assert_eq!(paged.trim_end_matches(FORM_FEED), &paged);
            prop_assert_eq!(paged.replace(FORM_FEED, ""), text);
        }
    }
}
