//! A reason as a sentence, with the names of the books that its reader knows.

use super::{
    At, Clause, Layout, LongestRun, Pages, PagesFinding, Pair, Passage, Passages, Rate, Reason, Runs, Share,
    Span, Which, Who,
};
use crate::align::by_pages::WORDS_PER_PIECE;
use std::ops::Range;

/// End matter of fewer letters is more likely a title page than a catalogue.
const CATALOGUE: u32 = 1000;

/// What the two books are called where a sentence is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names<'n> {
    /// The first.
    pub a: &'n str,
    /// The second.
    pub b: &'n str,
}

impl Names<'static> {
    /// A and B, as JSON has it, and wherever the books are shown with these letters.
    pub const LETTERS: Names<'static> = Names { a: "A", b: "B" };
}

impl<'n> Names<'n> {
    fn of(self, which: Which) -> &'n str {
        match which {
            Which::A => self.a,
            Which::B => self.b,
        }
    }

    /// One book as the subject of a sentence, or what both are called.
    fn subject(self, who: Who, both: &'n str) -> &'n str {
        match who {
            Who::One(which) => self.of(which),
            Who::Both => both,
        }
    }
}

impl Reason {
    /// The reason in one sentence, with page numbers.
    ///
    /// ```
    /// use siglum::relate::{Names, Reason};
    ///
    /// let reason = Reason::same_text(true);
    /// assert_eq!(reason.sentence(Names::LETTERS), "the same text, character by character, page for page");
    /// ```
    pub fn sentence(&self, names: Names<'_>) -> String {
        self.clauses.iter().map(|clause| clause.words(names)).collect::<Vec<_>>().join("; ")
    }
}

impl Clause {
    fn words(&self, names: Names<'_>) -> String {
        let Names { a, b } = names;
        match self {
            Clause::Unrecorded => {
                "an earlier version of Siglum judged this; the next scan records the reason".into()
            }
            Clause::SameFile => "the same file twice".into(),
            Clause::EqualText(layout) => {
                format!("the same text, character by character{}", layout.words(names))
            }
            Clause::EqualLetters(layout) => {
                format!("the same letters{}; digits, marks or case differ", layout.words(names))
            }
            Clause::SameText { layout, covered, identity } => {
                format!("the same text{}: {}{}", layout.words(names), both(covered, names), equal(*identity))
            }
            Clause::Part { inner, covered, layout, within, identity } => {
                let outer = names.of(inner.other());
                let within = within.as_ref().map_or(String::new(), |span| format!(" ({span} of {outer})"));
                let (layout, inner) = (layout.words(names), names.of(*inner));
                format!("{covered} of {inner} is in {outer}{layout}{within}{}", equal(*identity))
            }
            Clause::Overlap { covered, longest, identity } => format!(
                "{}; the longest passage in common has {}{}",
                both(covered, names),
                longest.words(names),
                equal(*identity)
            ),
            Clause::EndMatter { n_letters, places: at, n_holders } => format!(
                "only {} are common, at the beginning or the end of both books{}; {}",
                counted(*n_letters, "letter", "letters"),
                places(at.as_ref(), names),
                held(*n_letters, *n_holders)
            ),
            Clause::ShortPassage(passage) => {
                format!(
                    "the longest passage in common has {}, no more than a quotation",
                    passage.words(names)
                )
            }
            Clause::NothingCommon => "no common text was found".into(),
            Clause::NoLetters(Who::Both) => "neither book has letters to compare".into(),
            Clause::NoLetters(Who::One(which)) => format!("{} has no letters to compare", names.of(*which)),
            Clause::TooFewLetters { book, n_letters } => format!(
                "no common text was found; {} has only {}, too few to compare",
                names.subject(*book, "each book"),
                counted(*n_letters, "letter", "letters")
            ),
            Clause::Repetitive => {
                "both books repeat the same few phrases, so their passages cannot be matched".into()
            }
            Clause::WithoutPages(Who::Both) => "neither book has pages".into(),
            Clause::WithoutPages(Who::One(which)) => format!("{} has no pages", names.of(*which)),
            Clause::SentencesDiffer(share) => format!("at least {share} of the sentences differ"),
            Clause::Annotated { copy, notes } => format!(
                "{} is annotated: {notes} of it is notes or other additions, spread evenly over its text",
                names.of(*copy)
            ),
            Clause::Repeats(Who::Both) => "both books contain the common text more than once".into(),
            Clause::Repeats(Who::One(which)) => {
                format!("{} contains the common text more than once", names.of(*which))
            }
            Clause::Reordered => "the parts are in a different order".into(),
            Clause::Only(passages) => {
                let only = [passages.a.words(a), passages.b.words(b)];
                only.into_iter().flatten().collect::<Vec<_>>().join("; ")
            }
            Clause::OtherLanguages => {
                "the books are in different languages: the common text is code, names or quotations".into()
            }
            Clause::BetweenDiffers(share) => {
                format!("between the common passages {share} of the text differs")
            }
            Clause::OtherTitles => "their titles differ: pages made from one template look like this".into(),
            Clause::ShortAndWordsDiffer => {
                "both are short and words differ: pages made from one template look like this, as do revised pages"
                    .into()
            }
            Clause::MaybeCatalogue => {
                "the common text is at the beginning or the end of both books and may be a catalogue".into()
            }
            Clause::SameWork => "their titles or identifiers agree: a version of the same work".into(),
            Clause::MatchingPages { finding, longest, covered, similarity } => {
                let longest = longest.map_or(String::new(), |longest| format!("{}; ", longest.words(names)));
                let similarity = similarity.map_or(String::new(), |similarity| {
                    format!(", mean page similarity {:.2}", f64::from(similarity.parts()) / 1e4)
                });
                let Pair { a: of_a, b: of_b } = covered;
                format!(
                    "{}: {longest}{of_a} of {a} and {of_b} of {b} are on matching pages{similarity}",
                    finding.words()
                )
            }
            Clause::NoMatchingPages { is_equal: true } => "the texts are equal, but no pages match".into(),
            Clause::NoMatchingPages { is_equal: false } => "no run of pages matches".into(),
            Clause::CutIntoPieces(Who::Both) => {
                format!("neither book has pages: both were cut into pages of {WORDS_PER_PIECE} words")
            }
            Clause::CutIntoPieces(Who::One(which)) => {
                format!("{} has no pages: it was cut into pages of {WORDS_PER_PIECE} words", names.of(*which))
            }
        }
    }
}

/// How much of each book is in the other.
fn both(covered: &Pair<Share>, Names { a, b }: Names<'_>) -> String {
    format!("{} of {a} is in {b} and {} of {b} is in {a}", covered.a, covered.b)
}

fn equal(identity: Option<Share>) -> String {
    identity.map_or(String::new(), |identity| {
        // "1.000" means that all of it is equal.
        let most = if identity == Share::ALL { 1000 } else { 999 };
        let thousandths = ((identity.parts() + 5) / 10).min(most);
        format!(", identity {}.{:03}", thousandths / 1000, thousandths % 1000)
    })
}

/// Who else contains what is common at the ends of two books.
fn held(n_letters: u32, n_holders: u32) -> String {
    match n_holders {
        0 if n_letters < CATALOGUE => "it may be a title page or an imprint".into(),
        0 => "it may be a catalogue, an advertisement or a licence".into(),
        1 => "1 other book contains them too: a catalogue, an advertisement or a licence".into(),
        n => format!("{n} other books contain them too: a catalogue, an advertisement or a licence"),
    }
}

impl Layout {
    /// From the comma on.
    fn words(&self, names: Names<'_>) -> String {
        let (how, runs, more) = match self {
            Layout::Unpaged => return String::new(),
            Layout::PageForPage { runs, breaks } => (", page for page", runs, breaks.map(breaks_in_words)),
            Layout::OneToOne(runs) => (", page by page but with other page breaks", runs, None),
            Layout::OtherPages { runs, rate } => {
                (", on other pages", runs, rate.map(|rate| rate.words(names)))
            }
        };
        let details: Vec<String> = runs.words(names).into_iter().chain(more).collect();
        match details.is_empty() {
            true => how.into(),
            false => format!("{how} ({})", details.join(", ")),
        }
    }
}

fn breaks_in_words(agree: Share) -> String {
    match agree {
        Share::ALL => "all page breaks agree".into(),
        agree => format!("{agree} of page breaks agree"),
    }
}

impl Runs {
    /// The names stand with the first run; the others follow in the same order.
    fn words(&self, names: Names<'_>) -> Option<String> {
        let Pair { a, b } = self.named.first()?;
        let pages = if a.first == a.last { "page" } else { "pages" };
        let first = format!("{pages} {} of {} = {} of {}", a.numbers(), names.a, b.numbers(), names.b);
        let others = self.named[1..].iter().map(|run| format!(", {} = {}", run.a.numbers(), run.b.numbers()));
        let more = if self.are_more { " and more" } else { "" };
        Some(first + &others.collect::<String>() + more)
    }
}

impl Rate {
    fn words(self, names: Names<'_>) -> String {
        let (more, fewer) = (names.of(self.more), names.of(self.more.other()));
        format!(
            "{}.{:02} pages of {more} per page of {fewer}",
            self.per_hundred / 100,
            self.per_hundred % 100
        )
    }
}

impl Passage {
    fn words(&self, names: Names<'_>) -> String {
        format!("{}{}", counted(self.n_letters, "letter", "letters"), places(self.places.as_ref(), names))
    }
}

/// Where something is in both books.
fn places(places: Option<&Pair<Span>>, names: Names<'_>) -> String {
    places.map_or(String::new(), |Pair { a, b }| format!(" ({a} of {}, {b} of {})", names.a, names.b))
}

impl Passages {
    fn words(&self, name: &str) -> Option<String> {
        let named: Vec<String> =
            self.named.iter().map(|(span, at)| format!("{span}{}", at.words())).collect();
        let more = match self.n_more {
            0 => None,
            1 => Some("one shorter passage".to_owned()),
            n => Some(format!("{n} shorter passages")),
        };
        let all: Vec<String> = named.into_iter().chain(more).collect();
        (!all.is_empty()).then(|| format!("only {name} has {}", listed(&all)))
    }
}

impl At {
    fn words(self) -> &'static str {
        match self {
            At::Beginning => " at its beginning",
            At::Middle => "",
            At::End => " at its end",
        }
    }
}

impl PagesFinding {
    fn words(self) -> &'static str {
        match self {
            PagesFinding::SamePages => "the same text on the same pages",
            PagesFinding::OtherPages => "the same text on other pages",
            PagesFinding::SameText => "the same text",
            PagesFinding::Subset => "one book is in the other, on the same pages",
            PagesFinding::TooLittle => "too little is common, or only the ends",
            PagesFinding::Mostly => {
                "most of the text is common, but the pages are not alike enough for a surer class"
            }
            PagesFinding::Partly => "part of the text is common",
        }
    }
}

impl LongestRun {
    fn words(self, names: Names<'_>) -> String {
        let run = match self.pages {
            Some(Pair { a, b }) => {
                let matches = if a.first == a.last { "matches" } else { "match" };
                format!("{} of {} {matches} {} of {}", a.words(), names.a, b.words(), names.b)
            }
            None => {
                format!("the longest passage in common has {}", counted(self.n_letters, "letter", "letters"))
            }
        };
        match self.n_more {
            0 => run,
            1 => format!("{run}, and there is one more run"),
            n => format!("{run}, and there are {n} more runs"),
        }
    }
}

impl Pages {
    /// `page 7`, `pages 7-9`.
    fn words(self) -> String {
        format!("{} {}", if self.first == self.last { "page" } else { "pages" }, self.numbers())
    }

    fn numbers(self) -> String {
        let Pages { first, last } = self;
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Span::Pages(pages) => f.write_str(&pages.words()),
            Span::Letters(Range { start, end }) => {
                write!(f, "letters {}-{}", thousands(u64::from(*start) + 1), thousands((*end).into()))
            }
        }
    }
}

/// `all`, `98 %`, `under 1 %`: "all" only where nothing is missing, and "0 %" only where nothing is there.
impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.parts() {
            1..100 => f.write_str("under 1 %"),
            parts if parts >= Share::ALL.parts() => f.write_str("all"),
            parts => write!(f, "{} %", ((parts + 50) / 100).min(99)),
        }
    }
}

fn counted(n: u32, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n.into()), if n == 1 { one } else { many })
}

fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let head = digits.len() % 3;
    let mut groups: Vec<&str> = Vec::new();
    if head > 0 {
        groups.push(&digits[..head]);
    }
    groups.extend((head..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(clause: Clause, sentence: &str) {
        assert_eq!(Reason::from(clause).sentence(Names::LETTERS), sentence);
    }

    fn pages(first: u32, last: u32) -> Pages {
        Pages { first, last }
    }

    fn runs() -> Runs {
        let run = |a, b| Pair { a, b };
        Runs { named: vec![run(pages(1, 9), pages(2, 8)), run(pages(10, 10), pages(9, 9))], are_more: true }
    }

    #[test]
    fn one_text_is_told_with_its_pages() {
        let covered = Pair { a: Share::ALL, b: Share::new(0.003) };
        let layout = Layout::PageForPage { runs: runs(), breaks: Some(Share::new(0.5)) };
        check(
            Clause::SameText { layout, covered, identity: Some(Share::new(0.999_9)) },
            "the same text, page for page (pages 1-9 of A = 2-8 of B, 10 = 9 and more, 50 % of page breaks agree): \
             all of A is in B and under 1 % of B is in A, identity 0.999",
        );
        let rate = Some(Rate { more: Which::A, per_hundred: 125 });
        check(
            Clause::EqualLetters(Layout::OtherPages { runs: Runs::default(), rate }),
            "the same letters, on other pages (1.25 pages of A per page of B); digits, marks or case differ",
        );
    }

    #[test]
    fn names_are_those_the_reader_knows() {
        let reason = Reason::from(Clause::Part {
            inner: Which::B,
            covered: Share::new(0.99),
            layout: Layout::Unpaged,
            within: Some(Span::Letters(9_143..21_518)),
            identity: Some(Share::ALL),
        });
        let names = Names { a: "A Tale.epub", b: "Plan B.txt" };
        assert_eq!(
            reason.sentence(names),
            "99 % of Plan B.txt is in A Tale.epub (letters 9,144-21,518 of A Tale.epub), identity 1.000"
        );
        assert_eq!(reason.turned().sentence(Names { a: names.b, b: names.a }), {
            "99 % of Plan B.txt is in A Tale.epub (letters 9,144-21,518 of A Tale.epub), identity 1.000"
        });
    }

    #[test]
    fn what_only_one_book_has_is_listed() {
        let of_a = Passages {
            named: vec![(Span::Pages(pages(1, 1)), At::Beginning), (Span::Pages(pages(5, 6)), At::Middle)],
            n_more: 2,
        };
        let of_b = Passages { named: vec![(Span::Letters(0..1000), At::End)], n_more: 0 };
        check(
            Clause::Only(Pair { a: of_a, b: of_b }),
            "only A has page 1 at its beginning, pages 5-6 and 2 shorter passages; only B has letters 1-1,000 at its end",
        );
    }

    #[test]
    fn end_matter_is_told_with_who_else_has_it() {
        let check = |n_letters, n_holders, end: &str| {
            let sentence = Reason::from(Clause::EndMatter { n_letters, places: None, n_holders })
                .sentence(Names::LETTERS);
            assert!(sentence.ends_with(end), "{sentence}");
        };
        check(900, 0, "both books; it may be a title page or an imprint");
        check(9000, 0, "it may be a catalogue, an advertisement or a licence");
        check(9000, 8, "; 8 other books contain them too: a catalogue, an advertisement or a licence");
    }
}
