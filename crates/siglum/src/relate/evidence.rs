//! Library evidence: which passages two books share are held by others too, told from the matches a library stored.
//!
//! A publisher's catalogue ties books that have nothing else in common. A book is a *holder* of a passage when it has a
//! good part of it, and little of the two books beyond what they share: it is tied to them by such passages alone. A
//! third copy of either book is no holder, whatever it has of the passage, as it has the rest too; nor is a book that is
//! mostly the passage itself, a story by itself that two collections took in.
//! What a neighbour, a book that shares text with another, has of it is counted in letters of the segments of their match.
//! Several copies of one holder count each, being several books: nothing the two know of them tells copies from
//! neighbours that are alike by chance, and a verdict may not rest on a guess of that.
//! Holds: exchanging the two books changes nothing; neither does the order of neighbours, nor a neighbour that has nothing
//! of the passages.

use super::work::Work;
use crate::align::Match;
use std::ops::Range;

/// A holder has at least this share of a passage,
const HELD_SHARE: f64 = 1.0 / 8.0;
/// less than this share of either book beyond what the two share (of the real pairs as many are right from 0.18 to 0.40),
const MAX_REST: f64 = 0.25;
/// and less than this part of its share of the passage.
const REST_BY_HELD: f64 = 0.5;
/// Less than this share of it is found in either book.
const MAX_INSIDE: f64 = 0.5;

/// What a library knows of the common text, beyond the two books.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// For every segment of the match, how many other books hold that passage and little else of the two books; `None`
    /// where no library was asked.
    pub holders: Option<Vec<u32>>,
    /// What titles, creators and identifiers say.
    pub work: Work,
    /// Whether the two are certainly in different languages: see [`super::language`].
    pub other_language: bool,
}

/// A book and all that share text with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbourhood {
    book: u32,
    neighbours: Vec<Neighbour>,
}

/// A book that shares text with another, and which of the other's letters it has.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    book: u32,
    held: Vec<Held>,
    /// The share of the neighbour that is found in the book.
    inside: f64,
}

/// Letters of a book that a neighbour has, evenly from end to end.
#[derive(Debug, Clone, PartialEq)]
struct Held {
    letters: Range<u32>,
    /// The share of them that are aligned.
    density: f64,
    /// How many letters are held before these.
    before: f64,
}

/// How many other books hold each segment of a match, and little else of the two books.
pub fn holders(found: &Match, of_a: &Neighbourhood, of_b: &Neighbourhood) -> Vec<u32> {
    let common_a = Common::new(found.a.n_letters, found.segments.iter().map(|segment| &segment.a));
    let common_b = Common::new(found.b.n_letters, found.segments.iter().map(|segment| &segment.b));
    let mut holders = vec![0; found.segments.len()];
    for (in_a, in_b) in side_by_side(of_a, of_b) {
        let Some(rest) = rest_of_a_holder(&common_a, in_a, &common_b, in_b) else { continue };
        for (segment, holders) in found.segments.iter().zip(&mut holders) {
            // Whoever has the passage of one book has that of the other, found or not.
            let held = held_share(in_a, &segment.a).max(held_share(in_b, &segment.b));
            *holders += u32::from(held >= HELD_SHARE && rest < REST_BY_HELD * held);
        }
    }
    holders
}

impl Neighbourhood {
    /// A book and its neighbours, in any order, each once.
    pub fn new(book: u32, mut neighbours: Vec<Neighbour>) -> Neighbourhood {
        neighbours.sort_by_key(|neighbour| neighbour.book);
        Neighbourhood { book, neighbours }
    }
}

impl Neighbour {
    /// The second book of a match as the neighbour of the first.
    pub fn of_first(neighbour: u32, found: &Match) -> Neighbour {
        let held = found.segments.iter().map(|segment| (segment.a.clone(), segment.aligned_a));
        Neighbour::new(neighbour, held.collect(), found.b.coverage)
    }

    /// The first book of a match as the neighbour of the second.
    pub fn of_second(neighbour: u32, found: &Match) -> Neighbour {
        let held = found.segments.iter().map(|segment| (segment.b.clone(), segment.aligned_b));
        Neighbour::new(neighbour, held.collect(), found.a.coverage)
    }

    /// Of passages that overlap, as where a book holds a text twice, the first counts.
    fn new(book: u32, mut passages: Vec<(Range<u32>, u32)>, inside: f64) -> Neighbour {
        passages.sort_unstable_by_key(|(letters, aligned)| (letters.start, letters.end, *aligned));
        let mut held: Vec<Held> = Vec::with_capacity(passages.len());
        let (mut reached, mut before) = (0, 0.0);
        for (letters, aligned) in passages {
            let density = f64::from(aligned) / f64::from(letters.end - letters.start).max(1.0);
            let beyond = letters.start.max(reached)..letters.end;
            if !beyond.is_empty() {
                reached = beyond.end;
                let n = f64::from(beyond.end - beyond.start);
                held.push(Held { letters: beyond, density, before });
                before += density * n;
            }
        }
        Neighbour { book, held, inside }
    }

    /// How many letters it has of a stretch.
    fn n_letters(&self, stretch: &Range<u32>) -> f64 {
        (self.n_before(stretch.end) - self.n_before(stretch.start)).max(0.0)
    }

    fn n_before(&self, letter: u32) -> f64 {
        let at = self.held.partition_point(|held| held.letters.start < letter);
        at.checked_sub(1).map_or(0.0, |last| {
            let Held { letters, density, before } = &self.held[last];
            before + density * f64::from(letter.min(letters.end) - letters.start)
        })
    }
}

/// Every neighbour of either book, but the two themselves, as it stands to both.
fn side_by_side<'n>(
    of_a: &'n Neighbourhood,
    of_b: &'n Neighbourhood,
) -> impl Iterator<Item = (Option<&'n Neighbour>, Option<&'n Neighbour>)> {
    let (mut left, mut right) = (of_a.neighbours.iter().peekable(), of_b.neighbours.iter().peekable());
    let pair = [of_a.book, of_b.book];
    std::iter::from_fn(move || {
        let next = [left.peek(), right.peek()].into_iter().flatten().map(|neighbour| neighbour.book).min()?;
        Some((left.next_if(|n| n.book == next), right.next_if(|n| n.book == next)))
    })
    .filter(move |(left, right)| !left.or(*right).is_some_and(|neighbour| pair.contains(&neighbour.book)))
}

/// What one of two books shares with the other.
struct Common {
    /// Stretches in order that do not overlap.
    stretches: Vec<Range<u32>>,
    /// Letters of the book beyond them.
    n_beyond: u32,
}

impl Common {
    fn new<'s>(n_letters: u32, segments: impl Iterator<Item = &'s Range<u32>>) -> Common {
        let mut segments: Vec<&Range<u32>> = segments.collect();
        segments.sort_unstable_by_key(|segment| (segment.start, segment.end));
        let (mut stretches, mut reached, mut n_beyond) = (Vec::with_capacity(segments.len()), 0, n_letters);
        for segment in segments {
            let stretch = segment.start.max(reached)..segment.end;
            if !stretch.is_empty() {
                reached = stretch.end;
                n_beyond = n_beyond.saturating_sub(stretch.end - stretch.start);
                stretches.push(stretch);
            }
        }
        Common { stretches, n_beyond }
    }

    /// The share of the book beyond what is common that a neighbour has.
    fn rest_share(&self, neighbour: Option<&Neighbour>) -> f64 {
        let Some(neighbour) = neighbour else { return 0.0 };
        let common: f64 = self.stretches.iter().map(|stretch| neighbour.n_letters(stretch)).sum();
        (neighbour.n_before(u32::MAX) - common) / f64::from(self.n_beyond.max(1))
    }
}

/// The larger share of the rest of either book that a neighbour has, if that may be a holder.
fn rest_of_a_holder(
    common_a: &Common,
    in_a: Option<&Neighbour>,
    common_b: &Common,
    in_b: Option<&Neighbour>,
) -> Option<f64> {
    let inside = [in_a, in_b].into_iter().flatten().map(|neighbour| neighbour.inside).fold(0.0, f64::max);
    let rest = common_a.rest_share(in_a).max(common_b.rest_share(in_b));
    (inside < MAX_INSIDE && rest < MAX_REST).then_some(rest)
}

/// The share of a passage that a neighbour has.
fn held_share(neighbour: Option<&Neighbour>, passage: &Range<u32>) -> f64 {
    let length = f64::from(passage.end - passage.start).max(1.0);
    neighbour.map_or(0.0, |neighbour| neighbour.n_letters(passage) / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::{Equality, Segment, Side, Signals};
    use proptest::prelude::*;

    const N: u32 = 1000;

    /// Two books of a thousand letters with passages at these places of both.
    fn found(passages: &[(Range<u32>, Range<u32>)]) -> Match {
        let side = || Side {
            n_letters: N,
            n_pages: None,
            coverage: 0.0,
            longest_alone: 0.0,
            changed: 0.0,
            least_tenth: 0.0,
            alone: Vec::new(),
        };
        let segment = |(a, b): &(Range<u32>, Range<u32>)| Segment {
            a: a.clone(),
            b: b.clone(),
            pages_a: None,
            pages_b: None,
            aligned_a: a.len() as u32,
            aligned_b: b.len() as u32,
            longest_run: a.len() as u32,
            n_anchors: 1,
            survival: 1.0,
            identity: 1.0,
            links: Vec::new(),
        };
        let mut segments: Vec<Segment> = passages.iter().map(segment).collect();
        segments.sort_by_key(|segment| (segment.a.start, segment.b.start));
        Match {
            equality: Equality::None,
            a: side(),
            b: side(),
            identity: None,
            drift: 0.0,
            segments,
            page_map: Vec::new(),
            page_map_back: Vec::new(),
            page_runs: Vec::new(),
            pagination: None,
            signals: Signals::default(),
        }
    }

    /// A neighbour that has these letters of a book.
    fn neighbour(book: u32, held: &[Range<u32>]) -> Neighbour {
        let passages: Vec<_> =
            held.iter().map(|letters| (letters.clone(), 0..letters.len() as u32)).collect();
        Neighbour::of_first(book, &found(&passages))
    }

    /// The first and the end of stretches of a book.
    type Places = &'static [(u32, u32)];

    /// How many hold what both books have at their ends, of neighbours that have so much of the one and of the other.
    fn check(neighbours: &[(Places, Places)], n_holders: u32) {
        let catalogue = found(&[(900..1000, 800..900)]);
        let of = |book: u32, sides: Vec<Places>| {
            let held = |places: Places| places.iter().map(|&(from, to)| from..to).collect::<Vec<_>>();
            let near = (2..).zip(sides).filter(|(_, places)| !places.is_empty());
            Neighbourhood::new(book, near.map(|(z, places)| neighbour(z, &held(places))).collect())
        };
        let of_a = of(0, neighbours.iter().map(|held| held.0).collect());
        let of_b = of(1, neighbours.iter().map(|held| held.1).collect());
        assert_eq!(holders(&catalogue, &of_a, &of_b), [n_holders]);
        assert_eq!(holders(&catalogue.swapped(), &of_b, &of_a), [n_holders]);
    }

    #[test]
    fn a_book_with_the_passage_alone_holds_it() {
        check(&[(&[(900, 1000)], &[(800, 900)])], 1);
        check(&[(&[(900, 1000)], &[])], 1);
        check(&[(&[], &[(810, 830)])], 1);
        check(&[(&[(900, 1000)], &[]), (&[], &[(800, 900)]), (&[(950, 1000)], &[(850, 900)])], 3);
    }

    #[test]
    fn a_book_with_little_of_the_passage_does_not() {
        check(&[(&[(900, 912)], &[(800, 812)])], 0);
        check(&[(&[(0, 50)], &[(0, 50)])], 0);
    }

    #[test]
    fn a_copy_of_either_book_does_not() {
        check(&[(&[(0, 1000)], &[(800, 900)]), (&[(900, 1000)], &[(0, 1000)])], 0);
        check(&[(&[(600, 1000)], &[])], 0);
    }

    #[test]
    fn a_book_that_is_mostly_the_passage_does_not() {
        let catalogue = found(&[(900..1000, 800..900)]);
        let mut story = found(&[(900..1000, 0..100)]);
        story.b.coverage = 0.9;
        let of_a = Neighbourhood::new(0, vec![Neighbour::of_first(7, &story)]);
        let of_b = Neighbourhood::new(1, Vec::new());
        assert_eq!(holders(&catalogue, &of_a, &of_b), [0]);
        story.b.coverage = 0.4;
        let of_a = Neighbourhood::new(0, vec![Neighbour::of_first(7, &story)]);
        assert_eq!(holders(&catalogue, &of_a, &of_b), [1]);
    }

    #[test]
    fn a_book_with_all_the_two_share_holds_each_part() {
        let catalogue = found(&[(600..700, 700..800), (900..1000, 800..900), (0..200, 300..500)]);
        let of_a = Neighbourhood::new(0, vec![Neighbour::of_first(7, &catalogue)]);
        let of_b = Neighbourhood::new(1, Vec::new());
        assert_eq!(holders(&catalogue, &of_a, &of_b), [1, 1, 1]);
    }

    #[test]
    fn a_book_with_as_much_of_the_rest_does_not() {
        check(&[(&[(900, 915), (0, 90)], &[])], 0);
    }

    #[test]
    fn the_two_books_are_not_their_own_witnesses() {
        let catalogue = found(&[(900..1000, 800..900)]);
        let of_a = Neighbourhood::new(0, vec![Neighbour::of_first(1, &catalogue)]);
        let of_b = Neighbourhood::new(1, vec![Neighbour::of_second(0, &catalogue)]);
        assert_eq!(holders(&catalogue, &of_a, &of_b), [0]);
    }

    #[test]
    fn a_text_held_twice_counts_once() {
        let twice = Neighbour::of_first(7, &found(&[(100..200, 0..100), (100..200, 500..600)]));
        assert_eq!(twice.n_letters(&(0..N)), 100.0);
    }

    fn any_ranges() -> impl Strategy<Value = Vec<Range<u32>>> {
        proptest::collection::vec((0..N, 1..300u32).prop_map(|(at, n)| at..(at + n).min(N)), 0..5)
    }

    /// What a neighbour has of the one book, and of the other.
    type OfBoth = (Vec<Range<u32>>, Vec<Range<u32>>);

    fn any_neighbours() -> impl Strategy<Value = Vec<OfBoth>> {
        proptest::collection::vec((any_ranges(), any_ranges()), 0..8)
    }

    /// Letter by letter: which passages of a match tie a neighbour to its books.
    fn held_slowly(found: &Match, held: &OfBoth) -> Vec<bool> {
        let share = |held: &[Range<u32>], letters: Vec<u32>| {
            let has = |letter: &&u32| held.iter().any(|range| range.contains(letter));
            letters.iter().filter(has).count() as f64 / letters.len().max(1) as f64
        };
        let beyond = |side: fn(&Segment) -> &Range<u32>| {
            let common = |letter: &u32| found.segments.iter().any(|segment| side(segment).contains(letter));
            (0..N).filter(|letter| !common(letter)).collect::<Vec<u32>>()
        };
        let rest = share(&held.0, beyond(|s| &s.a)).max(share(&held.1, beyond(|s| &s.b)));
        let is_held = |segment: &Segment| {
            let passage = share(&held.0, segment.a.clone().collect());
            let passage = passage.max(share(&held.1, segment.b.clone().collect()));
            passage >= 0.125 && rest < 0.25 && rest < 0.5 * passage
        };
        found.segments.iter().map(is_held).collect()
    }

    proptest! {
        #[test]
        fn holders_are_those_a_slow_count_finds(
            a in any_ranges(), b in any_ranges(), neighbours in any_neighbours(), turn in 0usize..8,
        ) {
            let passages: Vec<_> = a.into_iter().zip(b).collect();
            let found = found(&passages);
            let mut slow = vec![0; found.segments.len()];
            for held in &neighbours {
                slow.iter_mut().zip(held_slowly(&found, held)).for_each(|(n, held)| *n += u32::from(held));
            }
            let mut of_a: Vec<_> = (2..).zip(&neighbours).map(|(z, held)| neighbour(z, &held.0)).collect();
            let of_b: Vec<_> = (2..).zip(&neighbours).map(|(z, held)| neighbour(z, &held.1)).collect();
            if !of_a.is_empty() {
                let n = of_a.len();
                of_a.rotate_left(turn % n);
            }
            let (of_a, of_b) = (Neighbourhood::new(0, of_a), Neighbourhood::new(1, of_b));
            prop_assert_eq!(holders(&found, &of_a, &of_b), slow.clone());
            let swapped = found.clone().swapped();
            let places = |found: &Match, turned: bool| -> Vec<(u32, u32)> {
                found.segments.iter().map(|s| if turned { (s.b.start, s.a.start) } else { (s.a.start, s.b.start) }).collect()
            };
            let mut there: Vec<_> = places(&found, true).into_iter().zip(slow).collect();
            let mut back: Vec<_> = places(&swapped, false).into_iter().zip(holders(&swapped, &of_b, &of_a)).collect();
            there.sort_unstable();
            back.sort_unstable();
            prop_assert_eq!(there, back);
        }
    }
}
