//! The stored form of a reason: its clauses, each by its number.
//!
//! Holds: a reason is read whole, in the one form it would be written in, or refused. Lists are as short as `relate` makes
//! them, so that reading allocates little, whatever the bytes say.

use super::{
    At, Clause, Layout, LongestRun, MOST_NAMED, Pages, PagesFinding, Pair, Passage, Passages, Rate, Reason,
    Runs, Share, Span, Which, Who,
};
use crate::error::{Error, Result};
use crate::sketch::codec::{Decoder, Encoder, Stored};

/// Version of the stored form.
const VERSION: u8 = 1;
/// No reason has more clauses.
const MOST_CLAUSES: usize = 16;
/// No list has more: two runs that only differ by the book they are in are both named.
const MOST_LISTED: usize = MOST_NAMED + 1;

impl Reason {
    /// Its bytes for storage. Equal reasons have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        out.u8(VERSION);
        out.u8(self.clauses.len() as u8);
        self.clauses.iter().for_each(|clause| write_clause(&mut out, clause));
        out.bytes
    }

    /// Reads back what [`Reason::to_bytes`] gave; anything else is refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Reason> {
        let mut input = Decoder::new(Stored::Reason, bytes);
        match input.u8()? {
            VERSION => {}
            found => return Err(Error::CodecVersion { found }),
        }
        let n_clauses = usize::from(input.u8()?);
        if !(1..=MOST_CLAUSES).contains(&n_clauses) {
            return Err(input.bad("too many clauses or none"));
        }
        let clauses = (0..n_clauses).map(|_| read_clause(&mut input)).collect::<Result<_>>()?;
        input.finish()?;
        Ok(Reason { clauses })
    }
}

fn write_clause(out: &mut Encoder, clause: &Clause) {
    match clause {
        Clause::Unrecorded => out.u8(0),
        Clause::SameFile => out.u8(1),
        Clause::EqualText(layout) => {
            out.u8(2);
            write_layout(out, layout);
        }
        Clause::EqualLetters(layout) => {
            out.u8(3);
            write_layout(out, layout);
        }
        Clause::SameText { layout, covered, identity } => {
            out.u8(4);
            write_layout(out, layout);
            write_shares(out, covered);
            out.option(*identity, write_share);
        }
        Clause::Part { inner, covered, layout, within, identity } => {
            out.u8(5);
            write_which(out, *inner);
            write_share(out, *covered);
            write_layout(out, layout);
            out.option(within.as_ref(), write_span);
            out.option(*identity, write_share);
        }
        Clause::Overlap { covered, longest, identity } => {
            out.u8(6);
            write_shares(out, covered);
            write_passage(out, longest);
            out.option(*identity, write_share);
        }
        Clause::EndMatter { n_letters, places, n_holders } => {
            out.u8(7);
            out.varint(*n_letters);
            out.option(places.as_ref(), write_places);
            out.varint(*n_holders);
        }
        Clause::ShortPassage(passage) => {
            out.u8(8);
            write_passage(out, passage);
        }
        Clause::NothingCommon => out.u8(9),
        Clause::NoLetters(who) => {
            out.u8(10);
            write_who(out, *who);
        }
        Clause::TooFewLetters { book, n_letters } => {
            out.u8(11);
            write_who(out, *book);
            out.varint(*n_letters);
        }
        Clause::Repetitive => out.u8(12),
        Clause::WithoutPages(who) => {
            out.u8(13);
            write_who(out, *who);
        }
        Clause::SentencesDiffer(share) => {
            out.u8(14);
            write_share(out, *share);
        }
        Clause::Annotated { copy, notes } => {
            out.u8(15);
            write_which(out, *copy);
            write_share(out, *notes);
        }
        Clause::Repeats(who) => {
            out.u8(16);
            write_who(out, *who);
        }
        Clause::Reordered => out.u8(17),
        Clause::Only(passages) => {
            out.u8(18);
            write_passages(out, &passages.a);
            write_passages(out, &passages.b);
        }
        Clause::OtherLanguages => out.u8(19),
        Clause::BetweenDiffers(share) => {
            out.u8(20);
            write_share(out, *share);
        }
        Clause::OtherTitles => out.u8(21),
        Clause::MaybeCatalogue => out.u8(22),
        Clause::SameWork => out.u8(23),
        Clause::MatchingPages { finding, longest, covered, similarity } => {
            out.u8(24);
            out.u8(*finding as u8);
            out.option(*longest, write_longest);
            write_shares(out, covered);
            out.option(*similarity, write_share);
        }
        Clause::NoMatchingPages { is_equal } => {
            out.u8(25);
            out.u8((*is_equal).into());
        }
        Clause::CutIntoPieces(who) => {
            out.u8(26);
            write_who(out, *who);
        }
        Clause::ShortAndWordsDiffer => out.u8(27),
    }
}

fn read_clause(input: &mut Decoder<'_>) -> Result<Clause> {
    Ok(match input.u8()? {
        0 => Clause::Unrecorded,
        1 => Clause::SameFile,
        2 => Clause::EqualText(read_layout(input)?),
        3 => Clause::EqualLetters(read_layout(input)?),
        4 => Clause::SameText {
            layout: read_layout(input)?,
            covered: read_shares(input)?,
            identity: input.option(read_share)?,
        },
        5 => Clause::Part {
            inner: read_which(input)?,
            covered: read_share(input)?,
            layout: read_layout(input)?,
            within: input.option(read_span)?,
            identity: input.option(read_share)?,
        },
        6 => Clause::Overlap {
            covered: read_shares(input)?,
            longest: read_passage(input)?,
            identity: input.option(read_share)?,
        },
        7 => Clause::EndMatter {
            n_letters: input.varint()?,
            places: input.option(read_places)?,
            n_holders: input.varint()?,
        },
        8 => Clause::ShortPassage(read_passage(input)?),
        9 => Clause::NothingCommon,
        10 => Clause::NoLetters(read_who(input)?),
        11 => Clause::TooFewLetters { book: read_who(input)?, n_letters: input.varint()? },
        12 => Clause::Repetitive,
        13 => Clause::WithoutPages(read_who(input)?),
        14 => Clause::SentencesDiffer(read_share(input)?),
        15 => Clause::Annotated { copy: read_which(input)?, notes: read_share(input)? },
        16 => Clause::Repeats(read_who(input)?),
        17 => Clause::Reordered,
        18 => Clause::Only(Pair { a: read_passages(input)?, b: read_passages(input)? }),
        19 => Clause::OtherLanguages,
        20 => Clause::BetweenDiffers(read_share(input)?),
        21 => Clause::OtherTitles,
        22 => Clause::MaybeCatalogue,
        23 => Clause::SameWork,
        24 => Clause::MatchingPages {
            finding: read_finding(input)?,
            longest: input.option(read_longest)?,
            covered: read_shares(input)?,
            similarity: input.option(read_share)?,
        },
        25 => Clause::NoMatchingPages { is_equal: read_bool(input)? },
        26 => Clause::CutIntoPieces(read_who(input)?),
        27 => Clause::ShortAndWordsDiffer,
        _ => return Err(input.bad("an unknown clause")),
    })
}

fn write_layout(out: &mut Encoder, layout: &Layout) {
    match layout {
        Layout::Unpaged => out.u8(0),
        Layout::PageForPage { runs, breaks } => {
            out.u8(1);
            write_runs(out, runs);
            out.option(*breaks, write_share);
        }
        Layout::OneToOne(runs) => {
            out.u8(2);
            write_runs(out, runs);
        }
        Layout::OtherPages { runs, rate } => {
            out.u8(3);
            write_runs(out, runs);
            out.option(*rate, |out, rate| {
                write_which(out, rate.more);
                out.varint(rate.per_hundred);
            });
        }
    }
}

fn read_layout(input: &mut Decoder<'_>) -> Result<Layout> {
    Ok(match input.u8()? {
        0 => Layout::Unpaged,
        1 => Layout::PageForPage { runs: read_runs(input)?, breaks: input.option(read_share)? },
        2 => Layout::OneToOne(read_runs(input)?),
        3 => Layout::OtherPages { runs: read_runs(input)?, rate: input.option(read_rate)? },
        _ => return Err(input.bad("an unknown layout")),
    })
}

fn read_rate(input: &mut Decoder<'_>) -> Result<Rate> {
    let rate = Rate { more: read_which(input)?, per_hundred: input.varint()? };
    if rate.per_hundred > 100 { Ok(rate) } else { Err(input.bad("more pages that are fewer")) }
}

fn write_runs(out: &mut Encoder, runs: &Runs) {
    out.u8(runs.named.len() as u8);
    for run in &runs.named {
        write_pages(out, run.a);
        write_pages(out, run.b);
    }
    out.u8(runs.are_more.into());
}

fn read_runs(input: &mut Decoder<'_>) -> Result<Runs> {
    let n = read_listed(input)?;
    let run = |input: &mut Decoder<'_>| Ok(Pair { a: read_pages(input)?, b: read_pages(input)? });
    let named = (0..n).map(|_| run(input)).collect::<Result<Vec<_>>>()?;
    if !named.is_sorted() {
        return Err(input.bad("runs out of order"));
    }
    Ok(Runs { named, are_more: read_bool(input)? })
}

fn write_passages(out: &mut Encoder, passages: &Passages) {
    out.u8(passages.named.len() as u8);
    for (span, at) in &passages.named {
        write_span(out, span);
        out.u8(*at as u8);
    }
    out.varint(passages.n_more);
}

fn read_passages(input: &mut Decoder<'_>) -> Result<Passages> {
    let n = read_listed(input)?;
    let named = (0..n).map(|_| Ok((read_span(input)?, read_at(input)?))).collect::<Result<_>>()?;
    Ok(Passages { named, n_more: input.varint()? })
}

fn read_at(input: &mut Decoder<'_>) -> Result<At> {
    match input.u8()? {
        0 => Ok(At::Beginning),
        1 => Ok(At::Middle),
        2 => Ok(At::End),
        _ => Err(input.bad("an unknown part of a book")),
    }
}

fn write_passage(out: &mut Encoder, passage: &Passage) {
    out.varint(passage.n_letters);
    out.option(passage.places.as_ref(), write_places);
}

fn read_passage(input: &mut Decoder<'_>) -> Result<Passage> {
    Ok(Passage { n_letters: input.varint()?, places: input.option(read_places)? })
}

fn write_places(out: &mut Encoder, places: &Pair<Span>) {
    write_span(out, &places.a);
    write_span(out, &places.b);
}

fn read_places(input: &mut Decoder<'_>) -> Result<Pair<Span>> {
    Ok(Pair { a: read_span(input)?, b: read_span(input)? })
}

fn write_span(out: &mut Encoder, span: &Span) {
    match span {
        Span::Pages(pages) => {
            out.u8(0);
            write_pages(out, *pages);
        }
        Span::Letters(letters) => {
            out.u8(1);
            out.varint(letters.start);
            out.varint(letters.end.saturating_sub(letters.start));
        }
    }
}

fn read_span(input: &mut Decoder<'_>) -> Result<Span> {
    match input.u8()? {
        0 => Ok(Span::Pages(read_pages(input)?)),
        1 => {
            let (start, end) = read_interval(input)?;
            Ok(Span::Letters(start..end))
        }
        _ => Err(input.bad("an unknown kind of place")),
    }
}

fn write_pages(out: &mut Encoder, pages: Pages) {
    out.varint(pages.first);
    out.varint(pages.last.saturating_sub(pages.first));
}

fn read_pages(input: &mut Decoder<'_>) -> Result<Pages> {
    let (first, last) = read_interval(input)?;
    if first == 0 { Err(input.bad("a page that is not there")) } else { Ok(Pages { first, last }) }
}

/// A number, and another from which it is so far.
fn read_interval(input: &mut Decoder<'_>) -> Result<(u32, u32)> {
    let (start, length) = (input.varint()?, input.varint()?);
    start.checked_add(length).map(|end| (start, end)).ok_or_else(|| input.bad("a place beyond any book"))
}

fn write_longest(out: &mut Encoder, longest: LongestRun) {
    out.option(longest.pages, |out, pages| {
        write_pages(out, pages.a);
        write_pages(out, pages.b);
    });
    out.varint(longest.n_letters);
    out.varint(longest.n_more);
}

fn read_longest(input: &mut Decoder<'_>) -> Result<LongestRun> {
    let pages = |input: &mut Decoder<'_>| Ok(Pair { a: read_pages(input)?, b: read_pages(input)? });
    Ok(LongestRun { pages: input.option(pages)?, n_letters: input.varint()?, n_more: input.varint()? })
}

fn read_finding(input: &mut Decoder<'_>) -> Result<PagesFinding> {
    Ok(match input.u8()? {
        0 => PagesFinding::SamePages,
        1 => PagesFinding::OtherPages,
        2 => PagesFinding::SameText,
        3 => PagesFinding::Subset,
        4 => PagesFinding::TooLittle,
        5 => PagesFinding::Mostly,
        6 => PagesFinding::Partly,
        _ => return Err(input.bad("an unknown finding")),
    })
}

fn write_shares(out: &mut Encoder, shares: &Pair<Share>) {
    write_share(out, shares.a);
    write_share(out, shares.b);
}

fn read_shares(input: &mut Decoder<'_>) -> Result<Pair<Share>> {
    Ok(Pair { a: read_share(input)?, b: read_share(input)? })
}

fn write_share(out: &mut Encoder, share: Share) {
    out.varint(share.0.into());
}

fn read_share(input: &mut Decoder<'_>) -> Result<Share> {
    let parts = input.varint()?;
    let share = u16::try_from(parts).ok().filter(|parts| *parts <= Share::ALL.0);
    share.map(Share).ok_or_else(|| input.bad("more than all"))
}

fn write_which(out: &mut Encoder, which: Which) {
    out.u8(which as u8);
}

fn read_which(input: &mut Decoder<'_>) -> Result<Which> {
    match input.u8()? {
        0 => Ok(Which::A),
        1 => Ok(Which::B),
        _ => Err(input.bad("a third book")),
    }
}

fn write_who(out: &mut Encoder, who: Who) {
    match who {
        Who::One(which) => write_which(out, which),
        Who::Both => out.u8(2),
    }
}

fn read_who(input: &mut Decoder<'_>) -> Result<Who> {
    match input.u8()? {
        0 => Ok(Who::One(Which::A)),
        1 => Ok(Who::One(Which::B)),
        2 => Ok(Who::Both),
        _ => Err(input.bad("a third book")),
    }
}

fn read_bool(input: &mut Decoder<'_>) -> Result<bool> {
    match input.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(input.bad("something neither so nor not")),
    }
}

fn read_listed(input: &mut Decoder<'_>) -> Result<usize> {
    let n = usize::from(input.u8()?);
    if n <= MOST_LISTED { Ok(n) } else { Err(input.bad("a longer list than any reason has")) }
}

#[cfg(test)]
mod tests {
    use super::super::Names;
    use super::*;
    use proptest::prelude::*;

    fn any_pages() -> impl Strategy<Value = Pages> {
        (1u32..2000, 0u32..500).prop_map(|(first, n)| Pages { first, last: first + n })
    }

    fn any_pair<T: std::fmt::Debug>(
        any: impl Strategy<Value = T>,
        other: impl Strategy<Value = T>,
    ) -> impl Strategy<Value = Pair<T>> {
        (any, other).prop_map(|(a, b)| Pair { a, b })
    }

    fn any_span() -> impl Strategy<Value = Span> {
        prop_oneof![
            any_pages().prop_map(Span::Pages),
            (any::<u16>(), any::<u16>())
                .prop_map(|(start, n)| Span::Letters(start.into()..u32::from(start) + u32::from(n)))
        ]
    }

    fn any_share() -> impl Strategy<Value = Share> {
        (0.0..=1.0f64).prop_map(Share::new)
    }

    fn any_which() -> impl Strategy<Value = Which> {
        prop_oneof![Just(Which::A), Just(Which::B)]
    }

    fn any_who() -> impl Strategy<Value = Who> {
        prop_oneof![any_which().prop_map(Who::One), Just(Who::Both)]
    }

    fn any_runs() -> impl Strategy<Value = Runs> {
        let named = proptest::collection::vec(any_pair(any_pages(), any_pages()), 0..MOST_LISTED);
        (named, any::<bool>()).prop_map(|(mut named, are_more)| {
            named.sort_unstable();
            Runs { named, are_more }
        })
    }

    fn any_layout() -> impl Strategy<Value = Layout> {
        let rate = (any_which(), 101u32..100_000).prop_map(|(more, per_hundred)| Rate { more, per_hundred });
        prop_oneof![
            Just(Layout::Unpaged),
            (any_runs(), proptest::option::of(any_share()))
                .prop_map(|(runs, breaks)| Layout::PageForPage { runs, breaks }),
            any_runs().prop_map(Layout::OneToOne),
            (any_runs(), proptest::option::of(rate))
                .prop_map(|(runs, rate)| Layout::OtherPages { runs, rate }),
        ]
    }

    fn any_passage() -> impl Strategy<Value = Passage> {
        (any::<u32>(), proptest::option::of(any_pair(any_span(), any_span())))
            .prop_map(|(n_letters, places)| Passage { n_letters, places })
    }

    fn any_passages() -> impl Strategy<Value = Passages> {
        let at = prop_oneof![Just(At::Beginning), Just(At::Middle), Just(At::End)];
        (proptest::collection::vec((any_span(), at), 0..MOST_LISTED), 0u32..3)
            .prop_map(|(named, n_more)| Passages { named, n_more })
    }

    fn any_finding() -> impl Strategy<Value = PagesFinding> {
        use PagesFinding::*;
        proptest::sample::select(vec![SamePages, OtherPages, SameText, Subset, TooLittle, Mostly, Partly])
    }

    fn any_clause() -> impl Strategy<Value = Clause> {
        let shares = || any_pair(any_share(), any_share());
        let maybe = || proptest::option::of(any_share());
        let longest = (proptest::option::of(any_pair(any_pages(), any_pages())), any::<u32>(), 0u32..3)
            .prop_map(|(pages, n_letters, n_more)| LongestRun { pages, n_letters, n_more });
        prop_oneof![
            proptest::sample::select(vec![
                Clause::Unrecorded,
                Clause::SameFile,
                Clause::NothingCommon,
                Clause::Repetitive,
                Clause::Reordered,
                Clause::OtherLanguages,
                Clause::OtherTitles,
                Clause::ShortAndWordsDiffer,
                Clause::MaybeCatalogue,
                Clause::SameWork,
                Clause::NoMatchingPages { is_equal: true },
                Clause::NoMatchingPages { is_equal: false },
            ]),
            any_layout().prop_map(Clause::EqualText),
            any_layout().prop_map(Clause::EqualLetters),
            (any_layout(), shares(), maybe()).prop_map(|(layout, covered, identity)| Clause::SameText {
                layout,
                covered,
                identity
            }),
            (any_which(), any_share(), any_layout(), proptest::option::of(any_span()), maybe()).prop_map(
                |(inner, covered, layout, within, identity)| Clause::Part {
                    inner,
                    covered,
                    layout,
                    within,
                    identity
                }
            ),
            (shares(), any_passage(), maybe()).prop_map(|(covered, longest, identity)| Clause::Overlap {
                covered,
                longest,
                identity
            }),
            (any_passage(), 0u32..9).prop_map(|(passage, n_holders)| Clause::EndMatter {
                n_letters: passage.n_letters,
                places: passage.places,
                n_holders
            }),
            any_passage().prop_map(Clause::ShortPassage),
            any_who().prop_map(Clause::NoLetters),
            (any_who(), any::<u32>()).prop_map(|(book, n_letters)| Clause::TooFewLetters { book, n_letters }),
            any_who().prop_map(Clause::WithoutPages),
            any_share().prop_map(Clause::SentencesDiffer),
            (any_which(), any_share()).prop_map(|(copy, notes)| Clause::Annotated { copy, notes }),
            any_who().prop_map(Clause::Repeats),
            any_pair(any_passages(), any_passages()).prop_map(Clause::Only),
            any_share().prop_map(Clause::BetweenDiffers),
            (any_finding(), proptest::option::of(longest), shares(), maybe()).prop_map(
                |(finding, longest, covered, similarity)| Clause::MatchingPages {
                    finding,
                    longest,
                    covered,
                    similarity
                }
            ),
            any_who().prop_map(Clause::CutIntoPieces),
        ]
    }

    fn any_reason() -> impl Strategy<Value = Reason> {
        proptest::collection::vec(any_clause(), 1..5).prop_map(|clauses| Reason { clauses })
    }

    proptest! {
        #[test]
        fn a_reason_comes_back(reason in any_reason()) {
            let bytes = reason.to_bytes();
            prop_assert_eq!(Reason::from_bytes(&bytes), Ok(reason.clone()));
            for n in 0..bytes.len() {
                prop_assert!(Reason::from_bytes(&bytes[..n]).is_err(), "{} of {} bytes", n, bytes.len());
            }
            prop_assert!(Reason::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
        }

        #[test]
        fn a_changed_byte_is_refused_or_is_another_reason(reason in any_reason(), at: usize, change in 1u8..) {
            let mut bytes = reason.to_bytes();
            let at = at % bytes.len();
            bytes[at] ^= change;
            if let Ok(other) = Reason::from_bytes(&bytes) {
                prop_assert!(other != reason);
                prop_assert_eq!(other.to_bytes(), bytes);
            }
        }

        #[test]
        fn a_reason_turned_twice_is_the_reason(reason in any_reason()) {
            prop_assert_eq!(reason.clone().turned().turned(), reason);
        }

        #[test]
        fn a_turned_reason_names_each_book_as_before(reason in any_reason()) {
            // What is said of both books is said of the first first: only the words agree.
            let words = |reason: &Reason, names| {
                let sentence = reason.sentence(names);
                let mut words: Vec<String> = sentence.split([' ', ',', ';', '(', ')', ':']).map(str::to_owned).collect();
                words.retain(|word| word != "page" && word != "pages" && word != "match" && word != "matches");
                words.sort();
                words
            };
            let (there, back) = (Names { a: "Emma.txt", b: "Anna.txt" }, Names { a: "Anna.txt", b: "Emma.txt" });
            let turned = reason.clone().turned();
            let count = |words: &[String], name: &str| words.iter().filter(|word| *word == name).count();
            let (one, other) = (words(&reason, there), words(&turned, back));
            prop_assert_eq!(count(&one, "Emma.txt"), count(&other, "Emma.txt"));
            prop_assert_eq!(count(&one, "Anna.txt"), count(&other, "Anna.txt"));
            prop_assert_eq!(one.len(), other.len());
        }
    }

    #[test]
    fn a_version_from_the_future_is_named() {
        let mut bytes = Reason::same_file().to_bytes();
        bytes[0] = VERSION + 1;
        assert_eq!(Reason::from_bytes(&bytes), Err(Error::CodecVersion { found: VERSION + 1 }));
    }

    /// Bytes of version 1 that libraries have.
    #[test]
    fn bytes_of_version_1_are_read() {
        assert_eq!(Reason::from_bytes(&[1, 1, 1]), Ok(Reason::same_file()));
        assert_eq!(Reason::from_bytes(&[1, 1, 2, 1, 0, 0, 0]), Ok(Reason::same_text(true)));
        let bytes = [1, 2, 5, 1, 0xAC, 0x4D, 0, 1, 1, 0xB7, 0x47, 0xD7, 0x60, 1, 0x90, 0x4E, 23];
        assert_eq!(
            Reason::from_bytes(&bytes).unwrap().sentence(Names::LETTERS),
            "99 % of B is in A (letters 9,144-21,518 of A), identity 1.000; \
             their titles or identifiers agree: a version of the same work"
        );
    }

    #[test]
    fn nothing_is_no_reason() {
        for bytes in [&[][..], &[1], &[1, 0], &[1, 255, 0]] {
            assert!(Reason::from_bytes(bytes).is_err(), "{bytes:?}");
        }
    }
}
