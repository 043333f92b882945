//! What was counted in a text, and what each kind of damage costs it.

/// A text with fewer characters than this, without white space, is not judged.
const MIN_CHARS: usize = 80;

/// What each kind of damage costs, as a share of the score for each share of the text, beyond what clean text has.
/// Weights are near those of a least-squares fit of the character error rate over ICDAR 2017 and 2019 and the
/// Gutenberg-HathiTrust pairs, so that the score of a damaged text is near its share of right characters.
const COSTS: Costs = Costs {
    junk: Cost { allowed: 0.0, weight: 3.0, most: 1.0 },
    // Each is one wrong character: the share of right ones falls by as much.
    lost: Cost { allowed: 0.0, weight: 1.0, most: 1.0 },
    signs: Cost { allowed: 0.002, weight: 4.0, most: 1.0 },
    unseen: Cost { allowed: 0.005, weight: 1.3, most: 1.0 },
    unseen_anywhere: Cost { allowed: 0.05, weight: 1.3, most: 1.0 },
    mixed: Cost { allowed: 0.004, weight: 1.0, most: 1.0 },
    // Old spelling and quotations are foreign too: much of it says that the language is another.
    foreign: Cost { allowed: 0.02, weight: 0.4, most: 0.03 },
    inner: Cost { allowed: 0.002, weight: 1.0, most: 0.05 },
    single: Cost { allowed: 0.16, weight: 0.5, most: 0.3 },
};

/// So much of what is unseen is allowed for what is foreign: the ratio in clean texts of the 15th to 18th centuries.
const UNSEEN_FOR_ONE_FOREIGN: f64 = 0.25;

struct Costs {
    junk: Cost,
    lost: Cost,
    signs: Cost,
    unseen: Cost,
    /// Of a language without a table.
    unseen_anywhere: Cost,
    mixed: Cost,
    foreign: Cost,
    inner: Cost,
    single: Cost,
}

#[derive(Clone, Copy)]
struct Cost {
    allowed: f64,
    weight: f64,
    most: f64,
}

impl Cost {
    fn of(self, n: usize, n_all: usize) -> f64 {
        let share = n as f64 / n_all.max(1) as f64;
        ((share - self.allowed) * self.weight).clamp(0.0, self.most)
    }
}

/// What was counted in a text. Counts of pages add up to those of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    /// Characters but white space.
    pub(super) n_chars: usize,
    /// Characters that are no text: unmapped, private, control.
    pub(super) n_junk: usize,
    /// Characters that look like text and stand for letters that were lost, as [`crate::damage`] counts them.
    pub(super) n_lost: usize,
    /// Signs that prose hardly has.
    pub(super) n_signs: usize,
    /// Words with letters.
    pub(super) n_words: usize,
    /// Characters in words with sequences of letters that no language of their alphabet has.
    pub(super) n_unseen: usize,
    /// Characters in words with sequences of letters that only other languages have.
    pub(super) n_foreign: usize,
    /// Characters in words that mix what should not be mixed, or are too long.
    pub(super) n_mixed: usize,
    /// Words with punctuation between letters.
    pub(super) n_inner: usize,
    /// Words of one letter, in scripts that part words.
    pub(super) n_single: usize,
    /// Whether the language has a table of its own.
    pub(super) has_table: bool,
}

impl Tally {
    pub(super) fn score(&self) -> Option<f64> {
        let unseen = if self.has_table { COSTS.unseen } else { COSTS.unseen_anywhere };
        // Where spelling is old or words are foreign, sequences that no language has today are more frequent too.
        let n_allowed = (self.n_foreign as f64 * UNSEEN_FOR_ONE_FOREIGN) as usize;
        let cost = COSTS.junk.of(self.n_junk, self.n_chars)
            + COSTS.lost.of(self.n_lost, self.n_chars)
            + COSTS.signs.of(self.n_signs, self.n_chars)
            + unseen.of(self.n_unseen.saturating_sub(n_allowed), self.n_chars)
            + COSTS.mixed.of(self.n_mixed, self.n_chars)
            + COSTS.foreign.of(self.n_foreign, self.n_chars)
            + COSTS.inner.of(self.n_inner, self.n_words)
            + COSTS.single.of(self.n_single, self.n_words);
        (self.n_chars >= MIN_CHARS).then(|| (1.0 - cost).max(0.0))
    }

    pub(super) fn add(&mut self, other: &Tally) {
        self.n_chars += other.n_chars;
        self.n_junk += other.n_junk;
        self.n_lost += other.n_lost;
        self.n_signs += other.n_signs;
        self.n_words += other.n_words;
        self.n_unseen += other.n_unseen;
        self.n_foreign += other.n_foreign;
        self.n_mixed += other.n_mixed;
        self.n_inner += other.n_inner;
        self.n_single += other.n_single;
        self.has_table |= other.has_table;
    }
}
