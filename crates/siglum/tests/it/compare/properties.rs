//! What holds of any two books.

use super::*;
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

/// A book of stretches of few texts, so that two of them often have something in common, read well or badly.
#[derive(Debug, Clone)]
struct Recipe {
    /// Which text, its first word, how many words.
    stretches: Vec<(u64, usize, usize)>,
    words_per_page: Option<usize>,
    misread_per_mille: u64,
    seed: u64,
}

impl Recipe {
    fn book(&self) -> Book {
        let words: Vec<String> =
            self.stretches.iter().flat_map(|&(seed, at, n)| prose(seed, at..at + n)).collect();
        let words = misread(&words, self.misread_per_mille, self.seed);
        match self.words_per_page {
            Some(n) => paged(&words, n),
            None => flowing(&words),
        }
    }
}

fn any_book() -> impl Strategy<Value = Recipe> {
    let stretches = proptest::collection::vec((0u64..3, 0usize..1500, 0usize..900), 0..4);
    let words_per_page = proptest::option::weighted(0.8, 15usize..200);
    let recipe = |(stretches, words_per_page, misread_per_mille, seed)| Recipe {
        stretches,
        words_per_page,
        misread_per_mille,
        seed,
    };
    (stretches, words_per_page, 0u64..60, 0u64..1000).prop_map(recipe)
}

/// Whatever may stand in a file: letters of several scripts, marks, digits, spaces and page breaks, often repeated.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-d \u{c}]{0,40}",
        "\\PC{0,30}",
        "[\u{c}\n\u{301}\u{1100}\u{1161}\u{11a8}天地か\u{3099}한שָׁ\u{feff}\u{200d}\0]{0,30}",
        (0u64..2, 0usize..20, 0usize..200).prop_map(|(seed, at, n)| prose(seed, at..at + n).join(" ")),
    ];
    let repeated = (piece, 1usize..6).prop_map(|(piece, n)| piece.repeat(n));
    proptest::collection::vec(repeated, 0..5).prop_map(|pieces| pieces.join("\u{c}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_match_lies_in_its_books_and_is_mirrored(a in any_book(), b in any_book()) {
        compared(&a.book(), &b.book());
    }

    #[test]
    fn the_papers_match_lies_in_its_books_and_is_mirrored(a in any_book(), b in any_book()) {
        let (a, b) = (a.book(), b.book());
        let ((found, relation), (back, mirrored)) = (by_pages(&a, &b), by_pages(&b, &a));
        check_match(&found, &a, &b);
        check_share(relation.confidence);
        check_mirrored(&found, &back);
        check_same_verdict(&relation, &mirrored);
    }

    #[test]
    fn a_book_is_the_same_text_as_itself(book in any_book()) {
        let book = book.book();
        let n_letters = Letters::of_book(&book).len();
        let (found, relation) = compared(&book, &book);
        if n_letters == 0 {
            return Ok(());
        }
        let class = if book.is_paged() { Class::SamePagination } else { Class::SameText };
        prop_assert_eq!((relation.class, relation.variant), (class, Some(Variant::Identical)));
        prop_assert_eq!((found.a.coverage, found.b.coverage), (1.0, 1.0));
        prop_assert!(found.a.alone.is_empty() && found.b.alone.is_empty());
        prop_assert_eq!(found.page_map.len(), book.n_pages().unwrap_or(0));
        prop_assert!(found.page_map.iter().all(|pair| pair.a == pair.b && pair.share == 1.0));
        prop_assert!(found.page_runs.iter().all(|run| run.slope == 1.0 && run.offset == 0.0));
    }

    #[test]
    fn normal_forms_and_white_space_do_not_change_the_verdict(a in any_book(), b in any_book()) {
        let (a, b) = (a.book(), b.book());
        let accented = |book: &Book| book.text().replace('e', "é").replace('o', "ộ");
        let decomposed: String = accented(&a).nfd().collect();
        let (as_written, otherwise) = (
            compared(&super::book(&accented(&a)), &b),
            compared(&super::book(&decomposed.replace(' ', "\r\n  ")), &b),
        );
        prop_assert_eq!(as_written, otherwise);
    }

    #[test]
    fn two_arbitrary_texts_have_an_answer(a in any_text(), b in any_text()) {
        let (a, b) = (book(&a), book(&b));
        compared(&a, &b);
        compared(&a, &a);
        let (found, relation) = by_pages(&a, &b);
        check_match(&found, &a, &b);
        check_same_verdict(&relation, &by_pages(&b, &a).1);
    }
}
