//! The rules by which a match becomes a relation: the first that holds decides.
//!
//! Most constants were set on the tuned half of the real pairs and are flat (a step moves less than half a point). `CONTAINED_LOW`,
//! its `MAX_UNALIGNED_LOW` and `SOUND` of `matter` were set when the errors of both halves had been seen: no half of the corpus
//! tells how well they do on other books. So were `SAME`, `SAME_LOW_LONG`, `LEAST_IDENTITY`, `CONTAINED_LOW_IDENTITY`, `LONG_RUN` and
//! both of `SEVERAL_RUNS`, when coverage came to mean common text; `SEVERAL_RUNS` was lowered twice for pairs of both halves.

use super::facts::Facts;
use super::{Class, Work};
use crate::align::{AloneKind, Pagination};

/// Both books are one text when the less covered is covered this far,
const SAME: f64 = 0.81;
/// or this far where the other is not covered much better: two bad scans, or a yearly book with every third sentence new.
const SAME_LOW: f64 = 0.70;
const SAME_HIGH: f64 = 0.88;
/// Where text was replaced all over, either book lacks as much of the other: the coverages differ by no more than this.
const ALIKE: f64 = 0.08;
/// What two bad scans lack of each other is scattered; a stretch longer than this share is other text.
const SCATTERED: f64 = 0.16;
/// Generated copies of over 5,000 letters with errors in ten of a hundred characters each have an identity of 0.84 or more;
/// of 767 copies of any length two have less than this, both short. A Danish page and a Norwegian one, whose words look
/// alike, had 0.79.
const LEAST_IDENTITY: f64 = 0.80;
/// Text that is common in part only and hardly equal even there is not the same: no two of the real pairs are.
const LEAST_IDENTITY_LOW: f64 = 0.86;
/// Texts of so many letters have samples enough to be sure of less, if what differs are sentences: no stretch is longer than
/// this share of the text. Two chapters in five that are new make another book.
const LONG_TEXT: f64 = 20_000.0;
const SAME_LOW_LONG: f64 = 0.60;
const LEAST_IDENTITY_LOW_LONG: f64 = 0.84;
const SENTENCES: f64 = 0.025;
/// Up to this many letters, two pages made from one template, each about its own subject, look like two copies. What their
/// titles say decides.
const TEMPLATE: u32 = 5000;
/// Up to this many, words that differ say it too: a short text that was revised cannot be told from another page of its
/// template. In longer texts a paragraph that is new is a small part, as in versions of a short paper.
const PAGE_OF_TEMPLATE: u32 = 2400;
/// Letters that were misread all over crowd here and there, and look like other words. Of 5,669 short pairs in which words
/// differ, 275 agree less than this, nearly all of them tables; of generated copies with 10 % errors each, two thirds do.
const CLEAN: f64 = 0.90;
/// Unless all but the title is common: both pages are covered this far,
const ALL_BUT_TITLE: f64 = 0.95;
/// hardly a letter differs in what is common, where a page about another subject names it again,
const NAMES_NO_SUBJECT: f64 = 0.995;
/// and it is so long. Of 14,913 pairs of Free Pascal reference pages that are covered so far, each about its own subject, 1,012
/// are as equal; all of these but two share less than 1,100 letters, and none more than 1,765.
const MORE_THAN_TEMPLATE: u32 = 2000;
/// A copy is annotated when all of the other is in it,
const ANNOTATED_INNER: f64 = 0.90;
/// no more than half of it is notes,
const ANNOTATED_OUTER: f64 = 0.50;
/// they are spread evenly: the tenth of it with most notes has this part of the common text that it has on average,
const EVENLY: f64 = 0.40;
/// and none of them is longer than this share of it.
const LONGEST_NOTE: f64 = 0.03;
/// Shorter texts have too few places to show what is even: pages that list two similar character sets look annotated.
const MIN_ANNOTATED: u32 = 10_000;
/// A book stands in another more than once when this many of its letters are found for each that is there.
pub(super) const REPEATED: f64 = 1.6;
/// A book lies in another when it is covered this far
const CONTAINED: f64 = 0.77;
/// and no stretch of it longer than this share is missing: a mis-bound volume is half of two books, not part of one.
const MAX_UNALIGNED: f64 = 0.12;
/// or two thirds, as where every third sentence was changed, if no stretch of it longer than this is missing
const CONTAINED_LOW: f64 = 0.66;
const MAX_UNALIGNED_LOW: f64 = 0.08;
const CONTAINED_LOW_IDENTITY: f64 = 0.85;
/// and what it lacks is no more than this part of what the other lacks: else both are parts of something.
const MAX_LACK: f64 = 0.5;
/// End matter is all there is when the body has less than this share of it.
const BODY_BY_ENDS: f64 = 0.25;
/// A run of so many letters is substantial,
const LONG_RUN: f64 = 850.0;
/// or of so many if the common body is this share of the shorter book.
const SHORT_RUN: f64 = 400.0;
const SHORT_RUN_SHARE: f64 = 0.15;
/// or of so many if that is most of the shorter book: a leaflet.
const MOST_RUN: f64 = 150.0;
const MOST: f64 = 0.5;
/// Several shorter runs are substantial together if they have so many letters and this share of the shorter book.
const SEVERAL_RUNS: f64 = 800.0;
const SEVERAL_RUNS_SHARE: f64 = 0.022;
/// Page breaks tell something when there are two at least in either book.
const MIN_BREAKS: u32 = 2;

/// One line of the table.
pub struct Rule {
    /// What it says of the two books.
    pub name: &'static str,
    pub(super) id: RuleId,
    pub(super) holds: fn(&Facts<'_>) -> bool,
    pub(super) class: fn(&Facts<'_>) -> Class,
}

/// Names a rule for its margin and its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleId {
    Equal,
    NothingCommon,
    BothCovered,
    Annotated,
    OneCovered,
    EndMatter,
    CommonRun,
    NoRun,
}

/// The rules, in order.
pub static RULES: [Rule; 8] = [
    Rule {
        name: "the texts are equal, letter by letter",
        id: RuleId::Equal,
        holds: |facts| facts.is_equal(),
        class: same_text,
    },
    Rule {
        name: "nothing is common",
        id: RuleId::NothingCommon,
        holds: |facts| facts.found.segments.is_empty(),
        class: |_| Class::Unrelated,
    },
    Rule {
        name: "both books are covered",
        id: RuleId::BothCovered,
        holds: |facts| {
            let (least, least_identity) = replaced_all_over(facts);
            let badly_read = facts.small >= least
                && facts.big < SAME_HIGH
                && facts.big - facts.small <= ALIKE
                && facts.longest_alone <= SCATTERED
                && facts.identity >= least_identity;
            (facts.small >= SAME || badly_read) && may_be_same(facts) && !of_a_template(facts)
        },
        class: same_text,
    },
    Rule {
        name: "both books are covered but for notes all over one of them",
        id: RuleId::Annotated,
        holds: |facts| {
            let outer = facts.outer();
            let notes = outer.alone.iter().filter(|alone| alone.kind == AloneKind::Inserted);
            let longest = notes.map(|alone| alone.letters.end - alone.letters.start).max().unwrap_or(0);
            facts.big >= ANNOTATED_INNER
                && outer.coverage >= ANNOTATED_OUTER
                && outer.least_tenth >= EVENLY * outer.coverage
                && f64::from(longest) <= LONGEST_NOTE * f64::from(outer.n_letters)
                && facts.longest_alone <= SCATTERED
                && facts.inner().n_letters >= MIN_ANNOTATED
                && may_be_same(facts)
        },
        class: same_text,
    },
    Rule {
        name: "one book is covered, without a gap",
        id: RuleId::OneCovered,
        holds: |facts| {
            let lacks_less = Facts::lacks(facts.inner()) <= MAX_LACK * Facts::lacks(facts.outer());
            let covered = facts.big >= CONTAINED && facts.unaligned <= MAX_UNALIGNED;
            let changed_throughout = facts.big >= CONTAINED_LOW
                && facts.unaligned <= MAX_UNALIGNED_LOW
                && facts.identity >= CONTAINED_LOW_IDENTITY;
            // Pages of one template have as much of each other: neither is a part.
            let either = facts.small >= SAME && of_a_template(facts);
            (covered || changed_throughout)
                && lacks_less
                && !either
                && facts.identity >= LEAST_IDENTITY
                && !facts.other_language
        },
        class: part,
    },
    Rule {
        name: "only end matter is common",
        id: RuleId::EndMatter,
        holds: |facts| facts.matter.ends > 0.0 && facts.matter.body < BODY_BY_ENDS * facts.matter.ends,
        class: |_| Class::Unrelated,
    },
    Rule {
        name: "a substantial run is common, or several",
        id: RuleId::CommonRun,
        holds: |facts| {
            let matter = &facts.matter;
            let short_run = matter.longest >= SHORT_RUN && matter.body >= SHORT_RUN_SHARE * facts.shorter();
            let several =
                matter.several >= SEVERAL_RUNS && matter.several >= SEVERAL_RUNS_SHARE * facts.shorter();
            let most = matter.body >= MOST * facts.shorter() && matter.longest >= MOST_RUN;
            matter.longest >= LONG_RUN || short_run || several || most
        },
        class: |_| Class::OverlappingText,
    },
    Rule {
        name: "no substantial run is common",
        id: RuleId::NoRun,
        holds: |_| true,
        class: |_| Class::Unrelated,
    },
];

/// The rule that decides.
pub(super) fn first(facts: &Facts<'_>) -> &'static Rule {
    RULES.iter().find(|rule| (rule.holds)(facts)).expect("the last rule always holds")
}

/// How far both books must be covered, and how equal what is common, where text was replaced or misread all over.
fn replaced_all_over(facts: &Facts<'_>) -> (f64, f64) {
    match facts.shorter() >= LONG_TEXT && facts.longest_alone <= SENTENCES {
        true => (SAME_LOW_LONG, LEAST_IDENTITY_LOW_LONG),
        false => (SAME_LOW, LEAST_IDENTITY_LOW),
    }
}

/// Whether nothing speaks against one text, however much is common.
fn may_be_same(facts: &Facts<'_>) -> bool {
    facts.identity >= LEAST_IDENTITY && !facts.other_language && !titles_differ(facts)
}

/// Whether two short texts have titles that give each its own subject.
fn titles_differ(facts: &Facts<'_>) -> bool {
    facts.work == Work::Other && is_up_to(TEMPLATE, facts)
}

/// Whether two short texts are pages of one template, or may be: their titles differ, or words do all over, which is how
/// such pages look without titles (manual pages, stubs of a catalogue) or with one title for all of them.
pub(super) fn of_a_template(facts: &Facts<'_>) -> bool {
    let words_differ = facts.is_revised() && facts.identity >= CLEAN;
    titles_differ(facts) || (words_differ && is_up_to(PAGE_OF_TEMPLATE, facts))
}

/// Whether a text has up to so many letters, and more than its title differs.
fn is_up_to(limit: u32, facts: &Facts<'_>) -> bool {
    let shorter = facts.found.a.n_letters.min(facts.found.b.n_letters);
    let only_title_differs =
        facts.small >= ALL_BUT_TITLE && facts.identity >= NAMES_NO_SUBJECT && shorter >= MORE_THAN_TEMPLATE;
    shorter <= limit && !only_title_differs
}

/// Same text: which class depends on the pages.
fn same_text(facts: &Facts<'_>) -> Class {
    match (facts.both_paged(), same_pages(facts)) {
        (false, _) => Class::SameText,
        (true, true) => Class::SamePagination,
        (true, false) => Class::DifferentPagination,
    }
}

fn part(facts: &Facts<'_>) -> Class {
    if same_pages(facts) { Class::ContiguousSubset } else { Class::ContainedText }
}

/// Whether pages are the same: they go one to one, and their breaks agree.
pub(super) fn same_pages(facts: &Facts<'_>) -> bool {
    let n_breaks = |pages: &Pagination| pages.n_breaks_a.min(pages.n_breaks_b);
    facts.found.pagination.is_some_and(|pages| {
        // A leaflet has no breaks to compare, or one: it must be all of them.
        let leaflet = facts.found.a.n_pages == facts.found.b.n_pages
            && facts.found.a.n_pages.is_some_and(|n| n <= MIN_BREAKS && n_breaks(&pages) + 1 == n);
        let breaks_agree = pages.breaks_agree() || n_breaks(&pages) == 0;
        (n_breaks(&pages) >= MIN_BREAKS || leaflet) && breaks_agree && (pages.is_one_to_one() || leaflet)
    })
}

/// How far inside its rule a match lies, in steps that each count about the same.
pub(super) mod margins {
    use super::*;

    pub(in crate::relate) fn same(facts: &Facts<'_>) -> f64 {
        let badly_read = (facts.small - replaced_all_over(facts).0)
            .min(SAME_HIGH - facts.big)
            .min(ALIKE - (facts.big - facts.small))
            .min(SCATTERED - facts.longest_alone);
        (facts.small - SAME).max(badly_read) / 0.06
    }

    pub(in crate::relate) fn contained(facts: &Facts<'_>) -> f64 {
        let lacks_less = MAX_LACK * Facts::lacks(facts.outer()) - Facts::lacks(facts.inner());
        let within =
            |covered, unaligned| f64::min((facts.big - covered) / 0.06, (unaligned - facts.unaligned) / 0.04);
        let covered = within(CONTAINED, MAX_UNALIGNED).max(within(CONTAINED_LOW, MAX_UNALIGNED_LOW));
        covered.min(lacks_less / 0.04)
    }

    pub(in crate::relate) fn annotated(facts: &Facts<'_>) -> f64 {
        let outer = facts.outer();
        let covered = (facts.big - ANNOTATED_INNER) / 0.04;
        let notes = (outer.coverage - ANNOTATED_OUTER) / 0.06;
        covered.min(notes).min((outer.least_tenth / outer.coverage.max(0.01) - EVENLY) / 0.15)
    }

    /// How clear it is that the common text is that of copies, by how much of it is equal.
    pub(in crate::relate) fn identity(facts: &Facts<'_>) -> f64 {
        (facts.identity - LEAST_IDENTITY) / 0.02
    }

    /// How clear it is whether the pages are the same.
    pub(in crate::relate) fn pages(facts: &Facts<'_>) -> f64 {
        let Some(pages) = facts.found.pagination else { return 8.0 };
        let slope = match pages.n_mapped < Pagination::MIN_FOR_SLOPE {
            true => 2.0,
            false => (Pagination::SLOPE_ONE - pages.off_one()) / 0.015,
        };
        let breaks = (pages.breaks_agree - Pagination::BREAKS_AGREE) / 0.12;
        let in_step = (pages.in_step - Pagination::IN_STEP) / 0.12;
        let n_breaks = f64::from(pages.n_breaks_a.min(pages.n_breaks_b));
        breaks.min(in_step).min(slope).min((n_breaks - 1.0) / 2.0).abs()
    }

    pub(in crate::relate) fn run(facts: &Facts<'_>) -> f64 {
        libm::log(facts.matter.longest.max(1.0) / LONG_RUN) / 0.5
    }

    pub(in crate::relate) fn share(facts: &Facts<'_>) -> f64 {
        let aligned = facts.matter.body + facts.matter.ends;
        libm::log((aligned / facts.shorter()).max(1e-6) / 0.05) / 0.6
    }
}
