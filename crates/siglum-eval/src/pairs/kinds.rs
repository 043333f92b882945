//! The kinds of pairs, and how each is made.

use super::{Pair, Popular, Shelf, Truth, bind, n_letters, pages};
use crate::mutate::{replace_sentences, split_sentences};
use crate::rng::Rng;
use siglum::{Class, Direction, Variant};

/// What is done to make one book of the other: the kinds, what tables call them, and how a clean pair of each is made.
macro_rules! kinds {
    ($($kind:ident, $name:literal, $desk:ident => $made:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($kind),*
        }

        impl Kind {
            pub const ALL: [Kind; [$(Kind::$kind),*].len()] = [$(Kind::$kind),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name),*
                }
            }
        }

        pub fn make(kind: Kind, shelf: &mut Shelf, rng: &mut Rng) -> Pair {
            let mut desk = Desk::new(shelf, rng);
            match kind {
                $(Kind::$kind => {
                    let $desk = &mut desk;
                    $made
                })*
            }
        }
    };
}

kinds! {
    SamePages, "same pages", desk => desk.same_pages();
    Repaged, "re-paged", desk => desk.repaged(0.0);
    CutElsewhere, "one to one, every page cut elsewhere", desk => desk.cut_elsewhere();
    Preface, "preface 2-10 %", desk => desk.added(0.02..0.10, Added::Front);
    PrefaceRepaged, "preface 2-10 %, re-paged", desk => desk.added_repaged(0.02..0.10);
    LongPreface, "preface 12-17 %", desk => desk.added(0.12..0.17, Added::Front);
    LongPrefaceRepaged, "preface 12-17 %, re-paged", desk => desk.added_repaged(0.12..0.17);
    Appendix, "appendix 2-10 %", desk => desk.added(0.02..0.10, Added::Back);
    TitlePage, "another title page", desk => desk.title_page();
    Revised, "10-20 % of sentences replaced", desk => desk.revised(0.10..0.20);
    RevisedRepaged, "10-20 % of sentences replaced, re-paged", desk => desk.revised_repaged(0.10..0.20);
    Yearly, "yearly book, 5 % changed", desk => desk.revised(0.05..0.05);
    Unpaged, "unpaged copies", desk => desk.unpaged();
    Volume, "one volume of three", desk => desk.volume();
    VolumeOfWhole, "three volumes and one of them", desk => desk.volume().swapped();
    Story, "story in a collection", desk => desk.story(true);
    StoryUnpaged, "story in a collection, unpaged", desk => desk.story(false);
    Poem, "poem of 800-3,000 letters in a book", desk => desk.poem();
    Anthologies, "anthologies with a common story", desk => desk.anthologies();
    Misbound, "mis-bound volume", desk => desk.misbound();
    Commentary, "commentary that quotes half its work", desk => desk.commentary();
    Reordered, "stories in another order, page for page", desk => desk.reordered();
    Twice, "a text and the same text twice", desk => desk.twice();
    Catalogue, "catalogue of 3-15 %", desk => Pair { truth: Truth::of(Class::Unrelated), ..desk.catalogue() };
    CatalogueKnown, "catalogue of 3-15 %, known to the library", desk => desk.catalogue();
    Boilerplate, "licence header and footer", desk => desk.boilerplate();
    Siblings, "sibling volumes", desk => desk.siblings();
    Unrelated, "unrelated", desk => desk.unrelated();
    ShortSame, "300-3,000 letters, unpaged", desk => desk.short(false);
    ShortPaged, "300-3,000 letters on pages", desk => desk.short(true);
    ShortUnrelated, "300-3,000 letters, unrelated", desk => desk.short_unrelated();
}

enum Added {
    Front,
    Back,
}

/// Characters of the letters-and-spaces scripts for one of Chinese or Japanese, about.
const DENSITY: usize = 3;

/// Where pairs are made.
struct Desk<'s> {
    shelf: &'s mut Shelf,
    rng: &'s mut Rng,
    /// Characters on a page.
    page: usize,
    /// Characters on a page of another edition.
    other_page: usize,
    /// Characters of a book.
    book: usize,
}

type Pages = Vec<String>;

fn len(pages: &[String]) -> u32 {
    pages.len() as u32
}

fn pair(a: String, b: String, truth: Truth) -> Pair {
    Pair { a, b, truth }
}

/// Words have fewer bytes.
const LONG_WORD: usize = 60;

/// A place near the middle of a page, between words if they have spaces between them.
fn middle(page: &str) -> usize {
    let half = page.floor_char_boundary(page.len() / 2);
    let space = page[half..].find(char::is_whitespace).filter(|space| *space < LONG_WORD);
    space.map_or(half, |space| half + space + 1)
}

impl<'s> Desk<'s> {
    fn new(shelf: &'s mut Shelf, rng: &'s mut Rng) -> Desk<'s> {
        let (page, other_page) = if shelf.dense { (500, 700) } else { (1_800, 2_500) };
        let book = rng.between(100_000, 300_000) / if shelf.dense { DENSITY } else { 1 };
        Desk { shelf, rng, page, other_page, book }
    }

    /// A length, given in characters of an alphabetic script.
    fn chars(&mut self, least: usize, most: usize) -> usize {
        self.rng.between(least, most) / if self.shelf.dense { DENSITY } else { 1 }
    }

    fn share(&mut self, range: std::ops::Range<f64>) -> f64 {
        range.start + self.rng.unit() * (range.end - range.start)
    }

    fn text(&mut self, n_chars: usize) -> String {
        self.shelf.text(n_chars, self.rng)
    }

    fn pages(&mut self, n_chars: usize) -> Pages {
        pages(&self.text(n_chars), self.page)
    }

    /// Pages of another text as long as such a share of this one, which may be shorter than was asked for.
    fn share_of(&mut self, text: &str, share: std::ops::Range<f64>) -> Pages {
        let share = self.share(share);
        self.pages((text.chars().count() as f64 * share) as usize)
    }

    fn same_pages(&mut self) -> Pair {
        let text = self.pages(self.book);
        let runs = Some(vec![[1, len(&text), 1, len(&text)]]);
        let truth = Truth { variant: Some(Variant::Identical), runs, ..Truth::of(Class::SamePagination) };
        pair(bind([&text[..]]), bind([&text[..]]), truth)
    }

    /// Other page breaks, and a share of the sentences replaced.
    fn repaged(&mut self, replaced: f64) -> Pair {
        let text = self.text(self.book);
        let other = if replaced > 0.0 { self.replaced(&text, replaced) } else { text.clone() };
        let (a, b) = (pages(&text, self.page), pages(&other, self.other_page));
        let variant = if replaced > 0.0 { Variant::Revised } else { Variant::Identical };
        let runs = Some(vec![[1, len(&a), 1, len(&b)]]);
        let truth = Truth { variant: Some(variant), runs, ..Truth::of(Class::DifferentPagination) };
        pair(bind([&a[..]]), bind([&b[..]]), truth)
    }

    fn revised_repaged(&mut self, share: std::ops::Range<f64>) -> Pair {
        let share = self.share(share);
        self.repaged(share)
    }

    fn replaced(&mut self, text: &str, share: f64) -> String {
        let donor = self.text(self.book);
        replace_sentences(text, share, &donor, self.rng)
    }

    /// Pages of the same length, of which the first is only half full.
    fn cut_elsewhere(&mut self) -> Pair {
        let text = self.text(self.book);
        let a = pages(&text, self.page);
        let at = middle(&a[0]);
        let half = [text[..at].to_owned()];
        let rest = pages(&text[at..], self.page);
        let truth = Truth { variant: Some(Variant::Identical), ..Truth::of(Class::DifferentPagination) };
        pair(bind([&a[..]]), bind([&half[..], &rest]), truth)
    }

    /// Pages before or behind a book, which keeps its own.
    fn added(&mut self, share: std::ops::Range<f64>, place: Added) -> Pair {
        let text = self.pages(self.book);
        let added = self.share_of(&text.concat(), share);
        let (b, offset) = match place {
            Added::Front => (bind([&added[..], &text]), len(&added)),
            Added::Back => (bind([&text[..], &added]), 0),
        };
        let runs = Some(vec![[1, len(&text), 1 + offset, len(&text) + offset]]);
        let truth = Truth { variant: Some(Variant::Revised), runs, ..Truth::of(Class::SamePagination) };
        pair(bind([&text[..]]), b, truth)
    }

    fn added_repaged(&mut self, share: std::ops::Range<f64>) -> Pair {
        let text = self.text(self.book);
        let added = self.share_of(&text, share);
        let (a, b) = (pages(&text, self.page), pages(&text, self.other_page));
        let runs = Some(vec![[1, len(&a), 1 + len(&added), len(&b) + len(&added)]]);
        let truth = Truth { variant: Some(Variant::Revised), runs, ..Truth::of(Class::DifferentPagination) };
        pair(bind([&a[..]]), bind([&added[..], &b]), truth)
    }

    fn title_page(&mut self) -> Pair {
        let text = self.pages(self.book);
        let [one, other] = [0, 0].map(|_| vec![self.text(60)]);
        let runs = Some(vec![[2, len(&text) + 1, 2, len(&text) + 1]]);
        pair(
            bind([&one[..], &text]),
            bind([&other[..], &text]),
            Truth { runs, ..Truth::of(Class::SamePagination) },
        )
    }

    fn revised(&mut self, share: std::ops::Range<f64>) -> Pair {
        let text = bind([&self.pages(self.book)[..]]);
        let share = self.share(share);
        let other = self.replaced(&text, share);
        let truth = Truth { variant: Some(Variant::Revised), ..Truth::of(Class::SamePagination) };
        pair(text, other, truth)
    }

    /// One or both without pages.
    fn unpaged(&mut self) -> Pair {
        let text = self.text(self.book);
        let other = if self.rng.chance(0.5) { text.clone() } else { bind([&pages(&text, self.page)[..]]) };
        pair(other, text, Truth { variant: Some(Variant::Identical), ..Truth::of(Class::SameText) })
    }

    fn volume(&mut self) -> Pair {
        let volumes = [0, 0, 0].map(|_| self.pages(self.book / 2));
        let at = self.rng.below(3);
        let before: u32 = volumes[..at].iter().map(|volume| len(volume)).sum();
        let runs = Some(vec![[1, len(&volumes[at]), before + 1, before + len(&volumes[at])]]);
        let truth = Truth { direction: Some(Direction::AInB), runs, ..Truth::of(Class::ContiguousSubset) };
        pair(bind([&volumes[at][..]]), bind(volumes.iter().map(|volume| &volume[..])), truth)
    }

    /// The story is a book of its own; the collection has it on other pages.
    fn story(&mut self, paged: bool) -> Pair {
        let n_chars = self.chars(9_000, 30_000);
        let story = self.text(n_chars);
        let collection = self.collection(&story, self.other_page);
        let direction = Some(Direction::AInB);
        let truth = Truth { direction, ..Truth::of(Class::ContainedText) };
        if !paged {
            return pair(story, collection.concat(), truth);
        }
        let a = pages(&story, self.page);
        pair(bind([&a[..]]), bind([&collection[..]]), truth)
    }

    /// Other stories around one, which never is the last and begins in the middle of a page.
    fn collection(&mut self, story: &str, page: usize) -> Pages {
        let n_stories = self.rng.between(4, 8);
        let at = self.rng.between(1, n_stories - 1);
        let mut text = String::new();
        for other in 0..n_stories {
            if other == at {
                text.push_str(story);
            }
            let n_chars = self.chars(9_000, 30_000);
            text.push_str(&self.text(n_chars));
        }
        pages(&text, page)
    }

    fn poem(&mut self) -> Pair {
        let n_chars = self.chars(1_000, 3_800);
        let poem = self.text(n_chars);
        let around = [0, 0].map(|_| self.text(self.book / 2));
        let truth = Truth { direction: Some(Direction::AInB), ..Truth::of(Class::ContainedText) };
        pair(poem.clone(), bind([&pages(&format!("{}{poem}{}", around[0], around[1]), self.page)[..]]), truth)
    }

    fn anthologies(&mut self) -> Pair {
        let n_chars = self.chars(9_000, 30_000);
        let story = self.text(n_chars);
        let [page, other_page] =
            if self.rng.chance(0.5) { [self.page; 2] } else { [self.page, self.other_page] };
        let (a, b) = (self.collection(&story, page), self.collection(&story, other_page));
        pair(bind([&a[..]]), bind([&b[..]]), Truth::of(Class::OverlappingText))
    }

    /// Half of one novel bound with half of another, against one of them.
    fn misbound(&mut self) -> Pair {
        let (novel, other) = (self.pages(self.book), self.pages(self.book));
        let (at, other_at) = (novel.len() / 2, other.len() / 2);
        let bound = bind([&novel[..at], &other[other_at..]]);
        let runs = Some(vec![[1, at as u32, 1, at as u32]]);
        pair(bound, bind([&novel[..]]), Truth { runs, ..Truth::of(Class::OverlappingText) })
    }

    /// Every other sentence of the work, each with one to four of the commentator's own behind it.
    fn commentary(&mut self) -> Pair {
        let (work, own) = (self.text(self.book), self.text(2 * self.book));
        let mut own = split_sentences(&own);
        let mut commentary = String::new();
        for quoted in split_sentences(&work).step_by(2) {
            commentary.extend([quoted, "\n"]);
            commentary.extend(own.by_ref().take(self.rng.between(1, 4)));
        }
        let (a, b) = (pages(&work, self.page), pages(&commentary, self.page));
        pair(bind([&a[..]]), bind([&b[..]]), Truth::of(Class::OverlappingText))
    }

    /// Pages agree one to one but not in order: a librarian who looks a page up finds another, so the pagination is
    /// another; one who leafs finds every page, so the same pagination is accepted too.
    fn reordered(&mut self) -> Pair {
        let stories = [0; 5].map(|_| self.pages(self.book / 5));
        let order = [2, 0, 4, 1, 3];
        let starts = |order: &[usize]| {
            let mut next = 1;
            let mut starts = [0; 5];
            for &story in order {
                starts[story] = next;
                next += len(&stories[story]);
            }
            starts
        };
        let (in_a, in_b) = (starts(&[0, 1, 2, 3, 4]), starts(&order));
        let run = |story: usize| {
            let more = len(&stories[story]) - 1;
            [in_a[story], in_a[story] + more, in_b[story], in_b[story] + more]
        };
        let truth = Truth {
            also: Some(Class::SamePagination),
            runs: Some((0..5).map(run).collect()),
            ..Truth::of(Class::DifferentPagination)
        };
        let b = bind(order.iter().map(|&story| &stories[story][..]));
        pair(bind(stories.iter().map(|story| &story[..])), b, truth)
    }

    /// The second holds nothing that the first has not: the same text; but the first is also a run of its pages.
    fn twice(&mut self) -> Pair {
        let text = self.pages(self.book / 2);
        let truth = Truth { also: Some(Class::ContiguousSubset), ..Truth::of(Class::SamePagination) };
        pair(bind([&text[..]]), bind([&text[..], &text]), truth)
    }

    /// Unrelated novels with one catalogue behind them, of 3-15 % of the longer.
    fn catalogue(&mut self) -> Pair {
        let novels = [self.pages(self.book), self.pages(self.book * 3 / 4)];
        // Of the book with it, as 3-15 % of all.
        let catalogue = self.share_of(&novels[0].concat(), 0.031..0.176);
        let from = n_letters(&novels[0].concat());
        let popular = Some(Popular { before: 0, from });
        let [a, b] = novels.map(|novel| bind([&novel[..], &catalogue]));
        pair(a, b, Truth { popular, ..Truth::of(Class::Unrelated) })
    }

    /// What a digital library puts before and behind every text.
    fn boilerplate(&mut self) -> Pair {
        let (header, footer) = (self.chars(600, 1_200), self.chars(12_000, 18_000));
        let (header, footer) = (self.text(header), self.text(footer));
        let [a, b] = [0, 0].map(|_| format!("{header}{}{footer}", self.text(self.book)));
        pair(a, b, Truth::of(Class::Unrelated))
    }

    /// Two volumes of one work: one writer, other text.
    fn siblings(&mut self) -> Pair {
        let work = self.pages(self.book * 3 / 2);
        let (first, second) = work.split_at(work.len() / 2);
        pair(bind([first]), bind([second]), Truth::of(Class::Unrelated))
    }

    fn unrelated(&mut self) -> Pair {
        let [a, b] = [0, 0].map(|_| bind([&self.pages(self.book)[..]]));
        pair(a, b, Truth::of(Class::Unrelated))
    }

    fn short_chars(&mut self) -> usize {
        if self.shelf.dense { self.rng.between(330, 3_300) } else { self.rng.between(375, 3_750) }
    }

    fn short(&mut self, paged: bool) -> Pair {
        let n_chars = self.short_chars();
        let text = self.text(n_chars);
        let (text, class) = match paged {
            true => (bind([&pages(&text, n_chars / 4)[..]]), Class::SamePagination),
            false => (text, Class::SameText),
        };
        pair(text.clone(), text, Truth { variant: Some(Variant::Identical), ..Truth::of(class) })
    }

    fn short_unrelated(&mut self) -> Pair {
        let [a, b] = [0, 0].map(|_| self.short_chars()).map(|n_chars| self.text(n_chars));
        pair(a, b, Truth::of(Class::Unrelated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{FORM_FEED, Script};
    use crate::mutate::OcrErrors;

    fn made(kind: Kind) -> Pair {
        make(kind, &mut Shelf::generated(Script::Latin, 1), &mut Rng::new(1))
    }

    fn page_list(text: &str) -> Vec<&str> {
        text.split(FORM_FEED).collect()
    }

    fn is_paged(text: &str) -> bool {
        text.contains(FORM_FEED)
    }

    #[test]
    fn runs_of_equal_pages_are_equal_pages() {
        use Kind::*;
        let paged = [
            SamePages,
            Preface,
            LongPreface,
            Appendix,
            TitlePage,
            Volume,
            VolumeOfWhole,
            Misbound,
            Reordered,
        ];
        for kind in paged {
            let pair = made(kind);
            let (a, b) = (page_list(&pair.a), page_list(&pair.b));
            let runs = pair.truth.runs.unwrap();
            assert!(!runs.is_empty());
            for [a_first, a_last, b_first, b_last] in runs {
                let (a, b) =
                    (&a[a_first as usize - 1..a_last as usize], &b[b_first as usize - 1..b_last as usize]);
                assert_eq!(a, b, "{kind:?}");
            }
        }
    }

    #[test]
    fn the_same_text_is_the_same_text() {
        for kind in [Kind::Repaged, Kind::CutElsewhere, Kind::Unpaged, Kind::ShortSame, Kind::ShortPaged] {
            let pair = made(kind);
            let [a, b] = [&pair.a, &pair.b].map(|text| text.replace(FORM_FEED, ""));
            assert_eq!(a, b, "{kind:?}");
            assert_eq!(pair.truth.variant, Some(Variant::Identical));
        }
    }

    #[test]
    fn a_story_lies_in_its_collection_and_has_other_pages() {
        for kind in [Kind::Story, Kind::StoryUnpaged, Kind::Poem] {
            let pair = made(kind);
            let [story, collection] = [&pair.a, &pair.b].map(|text| text.replace(FORM_FEED, ""));
            assert!(collection.contains(&story) && collection.len() > 3 * story.len(), "{kind:?}");
            assert!(!pair.b.contains(&pair.a) || kind == Kind::StoryUnpaged || kind == Kind::Poem);
            assert_eq!(is_paged(&pair.a), kind == Kind::Story);
        }
    }

    #[test]
    fn a_catalogue_is_the_end_of_both_and_of_its_share() {
        let pair = made(Kind::CatalogueKnown);
        let from = pair.truth.popular.unwrap().from;
        let share = 1.0 - f64::from(from) / f64::from(n_letters(&pair.a));
        assert!((0.02..0.16).contains(&share), "{share}");
        let (a, b) = (page_list(&pair.a), page_list(&pair.b));
        let n_common = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        assert!(n_common >= 2);
        assert_eq!(made(Kind::Catalogue).truth.popular, None);
    }

    #[test]
    fn scanning_keeps_pages_and_what_is_known() {
        let clean = made(Kind::SamePages);
        let scanned = clean.scanned(&OcrErrors { rate: 0.02, clustered: false }, 1);
        assert_ne!(scanned.a, scanned.b);
        assert_eq!(page_list(&scanned.a).len(), page_list(&clean.a).len());
        assert_eq!(scanned.truth, Truth { variant: Some(Variant::Reformatted), ..clean.truth.clone() });
        assert_eq!(clean.scanned(&OcrErrors { rate: 0.0, clustered: false }, 1).truth, clean.truth);
    }
}
