//! Prose for sample books, composed from a small stock of words and sentence patterns. It reads like a dream of the sea
//! and means nothing, but no two books of it share more than a phrase.
//!
//! Holds: the text depends on the seed alone, on every machine.

/// Words of a kind; a book uses about half of each.
const NOUNS: &str = "harbour lantern rope kettle ladder window ledger barrel orchard chimney candle sailor widow pilot \
    baker ferry anchor compass needle hammer bucket cellar attic garden bridge market chapel steeple mill quarry meadow \
    river shore gull heron donkey fiddle drum kite letter parcel blanket apron boot hat coat pocket button thimble spoon \
    pan loaf cheese apple plum herring eel oyster crab net oar sail mast keel rudder hull deck cabin hold wharf jetty \
    quay tide current storm fog frost thaw shadow echo whisper quarrel bargain promise secret errand journey map chart \
    almanac clock bell key lock door gate fence wall stair roof beam hearth oven bench stool table cradle coffin crown \
    penny ribbon mirror comb razor saddle wagon wheel lamp match pipe tobacco verse hymn proverb rumour sermon";
const ADJECTIVES: &str = "old new wet dry grey pale dark bright narrow broad crooked straight heavy light quiet loud \
    patient stubborn clever foolish honest careful careless rusty polished broken mended borrowed stolen forgotten \
    remembered bitter sweet salty smoky cold warm frozen early late distant nearby wooden iron copper silver painted \
    faded torn folded empty full hollow shallow deep steep gentle fierce lonely crowded idle busy proud humble shabby \
    handsome weary cheerful solemn doubtful certain secret public northern southern";
const DEEDS: &str = "carried counted mended painted buried borrowed measured weighed polished lowered hoisted followed \
    forbade remembered praised blamed mislaid described opened closed watched ignored greeted questioned answered traded \
    found lost sold bought kept dropped lifted turned dragged pushed emptied filled washed dried burned drowned \
    rescued refused accepted envied pitied mocked copied studied repaired abandoned inherited";
const MOVES: &str = "waited slept laughed whistled wandered hurried limped climbed returned vanished \
    arrived departed listened shivered grumbled prayed dreamed hesitated trembled worked rested drifted rowed \
    knelt stumbled complained recovered";
const PLACES: &str = "behind the church|under the pier|beside the forge|above the weir|along the sea wall|at the \
    crossroads|near the salt pans|in the loft|by the lock gates|beyond the dunes|below the cliff|inside the granary|on \
    the causeway|outside the inn|among the boats|at the head of the stairs|upon the breakwater|between the nets|across \
    the estuary|against the north wall";
const TIMES: &str = "before dawn|after supper|in the second week|that winter|on market days|at the turn of the \
    tide|for a month|until the rain stopped|once a year|when the bell rang|by candlelight|on the last of April|between \
    two storms|in the hour before noon|as often as he dared|every Michaelmas|long after midnight|without a word|to the \
    end of her days|within the hour";
const NAMES: &str = "Marrow Tamsin Ewart Pell Hesper Jory Linnet Cobb Averil Dunstan Merryn Osric Tabitha Gale Corwin \
    Isolde Penrose Wilmot Zennor Barnaby Loveday Silas Thirza Keziah Ambrose Morwenna Jethro Demelza Lowen Senara \
    Hocken Trewin Ursel Fenwick Brome Garrick Yestin Quill Rosenwyn Nance";

/// How sentences are made: 1 stands for a noun, 2 an adjective, 3 a deed, 4 a move, 5 a place, 6 a time, 7 a name; 8 for
/// a time and 9 for a place at the beginning.
const PATTERNS: &[&str] = &[
    "The 2 1 3 the 2 1 5, and 7 4 6.",
    "7 3 the 1 of the 1, for no 1 had 4 6.",
    "There was a 2 1 5; it 4 6.",
    "“Who 3 my 1?” said 7, and the 1 4.",
    "8, 7 3 a 2 1 and a 2 1.",
    "No one 3 the 1 but 7, who 4 5.",
    "The 1 4 5, 2 and 2.",
    "7 and 7 4 5 6, and neither 3 the 1.",
    "It was the 1 that 3 7, not the 2 1.",
    "“I have never 3 a 1 so 2,” 7 answered, “nor a 1 so 2.”",
    "9 the 2 1 4 while the 1 3 the 1.",
    "Whoever 3 the 1 6 would find the 1 2 and the 1 2.",
    "7 4, 3 the 2 1, 4 again, and 3 the 1 5.",
    "Of the 1 nothing was left but a 1, a 2 1 and the 1 of 7.",
    "If the 1 had 4, 7 might have 3 the 2 1 6.",
    "The 1 was 2, the 1 was 2, and 5 a 1 4.",
    "“Give 7 the 1,” they said 5, “and let the 1 be 2.”",
    "8 the 1 4 and the 2 1 4 with it.",
    "7, 2 and 2, 3 each 1 5.",
    "A 1 that 4 6 is worth more than a 1 that 4 5.",
    "So 7 3 the 1, and the 1, being 2, 3 7.",
    "She 3 the 1; he 3 the 1; the 2 1 3 them both.",
];

/// Writes the text of one book.
pub(super) struct Writer {
    rng: Rng,
    /// The words this book uses, by the numbers of the patterns.
    stock: [Vec<&'static str>; 7],
}

impl Writer {
    pub(super) fn new(seed: u64) -> Writer {
        let mut rng = Rng::new(seed);
        let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let phrases = |text: &'static str| text.split('|').collect::<Vec<_>>();
        let [nouns, adjectives, deeds, moves, names] = [NOUNS, ADJECTIVES, DEEDS, MOVES, NAMES].map(words);
        let all = [nouns, adjectives, deeds, moves, phrases(PLACES), phrases(TIMES), names];
        let stock = all.map(|words| about_half(words, &mut rng));
        Writer { rng, stock }
    }

    /// Paragraphs of about so many letters in all.
    pub(super) fn paragraphs(&mut self, n_letters: usize) -> Vec<String> {
        let mut paragraphs = Vec::new();
        let mut n_written = 0;
        while n_written < n_letters {
            let n_sentences = 2 + self.rng.below(5);
            let paragraph = (0..n_sentences).map(|_| self.sentence()).collect::<Vec<_>>().join(" ");
            n_written += paragraph.chars().filter(|c| c.is_alphabetic()).count();
            paragraphs.push(paragraph);
        }
        paragraphs
    }

    /// Books that do not exist, and what the papers said of them.
    pub(super) fn catalogue(&mut self, n_books: usize) -> Vec<String> {
        let entry = |n: usize| {
            let title = format!("The {} {}", capitalised(self.word(2)), capitalised(self.word(1)));
            let (author, price, praise) = (self.word(7), 2 + self.rng.below(5), self.sentence());
            format!("{}. {title}. By {author}. Cloth, {price}s. 6d. — {praise}", n + 1)
        };
        (0..n_books).map(entry).collect()
    }

    pub(super) fn sentence(&mut self) -> String {
        let pattern = PATTERNS[self.rng.below(PATTERNS.len())];
        let mut sentence = String::new();
        for sign in pattern.chars() {
            match sign.to_digit(10) {
                Some(kind @ 8..) => sentence.push_str(&capitalised(self.word(if kind == 8 { 6 } else { 5 }))),
                Some(kind) => self.add(&mut sentence, kind as usize),
                None => sentence.push(sign),
            }
        }
        sentence
    }

    fn add(&mut self, sentence: &mut String, kind: usize) {
        let word = self.word(kind);
        let follows_article = sentence.ends_with(" a ") || sentence.ends_with("“a ") || sentence == "A ";
        if follows_article && word.starts_with(['a', 'e', 'i', 'o', 'u']) {
            sentence.insert(sentence.len() - 1, 'n');
        }
        sentence.push_str(word);
    }

    fn word(&mut self, kind: usize) -> &'static str {
        let words = &self.stock[kind - 1];
        words[self.rng.below(words.len())]
    }
}

/// About half of the words, never none.
fn about_half(words: Vec<&'static str>, rng: &mut Rng) -> Vec<&'static str> {
    let first = words[0];
    let mut kept: Vec<&str> = words.into_iter().filter(|_| rng.below(2) == 0).collect();
    if kept.is_empty() {
        kept.push(first);
    }
    kept
}

/// A copy as a bad scan of worn type gives it: so many of a thousand letters are misread.
pub(super) fn misread(text: &str, per_mille: usize, seed: u64) -> String {
    /// What a letter is taken for.
    const ALIKE: &[(char, &str)] = &[
        ('a', "o"),
        ('b', "h"),
        ('c', "e"),
        ('d', "cl"),
        ('e', "c"),
        ('f', "t"),
        ('g', "q"),
        ('h', "b"),
        ('i', "l"),
        ('l', "1"),
        ('m', "rn"),
        ('n', "u"),
        ('o', "0"),
        ('r', "t"),
        ('s', "5"),
        ('t', "f"),
        ('u', "n"),
        ('v', "y"),
        ('w', "vv"),
    ];
    let mut rng = Rng::new(seed);
    let mut copy = String::with_capacity(text.len());
    for letter in text.chars() {
        let alike = ALIKE.iter().find(|(of, _)| *of == letter).filter(|_| rng.below(1000) < per_mille);
        match alike {
            Some((_, other)) => copy.push_str(other),
            None => copy.push(letter),
        }
    }
    copy
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A source of chance (SplitMix64, Steele, Lea & Flood 2014).
struct Rng {
    state: u64,
}

impl Rng {
    fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((u128::from(z) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn sentences_are_whole() {
        let sentences: Vec<String> = (0..500).map(|seed| Writer::new(seed).sentence()).collect();
        for sentence in &sentences {
            assert!(
                sentence.ends_with(['.', '”']) && !sentence.contains(|c: char| c.is_ascii_digit()),
                "{sentence}"
            );
            assert!(
                ![" a a", " a e", " a i", " a o", " a u"].iter().any(|odd| sentence.contains(odd)),
                "{sentence}"
            );
        }
        assert_eq!(sentences[7], Writer::new(7).sentence());
    }

    #[test]
    fn two_books_share_no_more_than_a_phrase() {
        let text = |seed| Writer::new(seed).paragraphs(20_000).join(" ");
        let grams = |text: String| text.as_bytes().windows(32).map(<[u8]>::to_vec).collect::<BTreeSet<_>>();
        let (one, other) = (grams(text(1)), grams(text(2)));
        assert!(one.intersection(&other).count() * 100 < one.len(), "{}", one.intersection(&other).count());
    }

    #[test]
    fn a_bad_scan_has_about_as_many_errors_as_asked_for() {
        let text = Writer::new(3).paragraphs(20_000).join(" ");
        let n_errors = misread(&"e".repeat(10_000), 40, 1).matches('c').count();
        assert!((320..480).contains(&n_errors), "{n_errors}");
        assert_eq!(misread(&text, 0, 1), text);
    }
}
