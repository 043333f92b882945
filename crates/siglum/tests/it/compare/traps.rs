//! The traps that real books set.

use super::*;
use siglum::Evidence;
use siglum::align::{AloneKind, Equality};
use siglum::relate::Work;
use unicode_normalization::UnicodeNormalization;

/// Runs of pages without their lines: first and last of the one, first and last of the other.
fn runs(found: &Match) -> Vec<(u32, u32, u32, u32)> {
    found.page_runs.iter().map(|run| (run.a_first, run.a_last, run.b_first, run.b_last)).collect()
}

fn says(relation: &Relation, words: &[&str]) {
    let why = relation.why();
    assert!(words.iter().all(|words| why.contains(words)), "{words:?} in {why:?}");
}

/// What a library says of passages that so many other books hold.
fn held_by(n: u32, found: &Match) -> Evidence {
    Evidence { holders: Some(vec![n; found.segments.len()]), ..Evidence::default() }
}

#[test]
fn a_catalogue_behind_unrelated_novels_does_not_relate_them() {
    let catalogue = prose(9, 0..2000);
    let novel = |seed, n: usize| paged(&[prose(seed, 0..n), catalogue.clone()].concat(), 250);
    let (_, relation) = verdict(&novel(1, 20_000), &novel(2, 24_000), Class::Unrelated);
    says(&relation, &["the end of both books", "pages 81-88 of A, pages 97-104 of B", "catalogue"]);
}

#[test]
fn a_licence_before_unrelated_novels_does_not_relate_them() {
    let licence = prose(9, 0..600);
    let novel = |seed, n: usize| flowing(&[licence.clone(), prose(seed, 0..n)].concat());
    let (_, relation) = verdict(&novel(1, 20_000), &novel(2, 24_000), Class::Unrelated);
    says(&relation, &["at the beginning or the end of both books", "licence"]);
}

#[test]
fn a_passage_that_a_library_knows_well_does_not_relate_books() {
    let passage = prose(9, 0..7000);
    let end_passage = |seed| paged(&[prose(seed, 0..14_000), passage.clone()].concat(), 250);
    let (found, alone) = verdict(&end_passage(1), &end_passage(2), Class::OverlappingText);
    let known = relate(&found, Some(&held_by(8, &found)));
    assert_eq!(known.class, Class::Unrelated, "{known:?}");
    says(&known, &["8 other books"]);
    let unknown = relate(&found, Some(&held_by(0, &found)));
    assert_eq!((unknown.class, unknown.direction), (alone.class, alone.direction), "{unknown:?}");
}

#[test]
fn a_catalogue_between_two_works_bound_together_does_not_relate_them() {
    let catalogue = prose(9, 0..1000);
    let volume =
        |seed| paged(&[prose(seed, 0..12_000), catalogue.clone(), prose(seed, 12_000..25_000)].concat(), 250);
    let (found, _) = verdict(&volume(1), &volume(2), Class::OverlappingText);
    assert_eq!(relate(&found, Some(&held_by(5, &found))).class, Class::Unrelated);
}

#[test]
fn evidence_for_fewer_or_more_segments_than_there_are_is_no_harm() {
    let (a, b) = (paged(&prose(1, 0..4000), 250), paged(&prose(1, 2000..8000), 250));
    let (found, relation) = verdict(&a, &b, Class::OverlappingText);
    for holders in [None, Some(vec![]), Some(vec![0; 100])] {
        let evidence = Evidence { holders, ..Evidence::default() };
        assert_eq!(relate(&found, Some(&evidence)).class, relation.class);
    }
}

#[test]
fn titles_that_agree_are_said_where_little_more_than_half_is_common() {
    let (a, b) = (flowing(&prose(1, 0..6000)), flowing(&prose(1, 2500..9000)));
    let (found, _) = verdict(&a, &b, Class::OverlappingText);
    let evidence = Evidence { work: Work::Same, ..Evidence::default() };
    says(&relate(&found, Some(&evidence)), &["a version of the same work"]);
}

#[test]
fn a_mis_bound_volume_overlaps() {
    let (one, other) = (prose(1, 0..12_000), prose(2, 0..12_000));
    let mis_bound = paged(&[&one[..6000], &other[6000..]].concat(), 250);
    verdict(&mis_bound, &paged(&one, 250), Class::OverlappingText);
    verdict(&mis_bound, &paged(&other, 250), Class::OverlappingText);
}

#[test]
fn a_volume_with_a_fifth_of_another_novel_is_no_part_of_the_collected_works() {
    let works = [prose(1, 0..12_000), prose(3, 0..20_000)].concat();
    let mis_bound = [&prose(1, 0..9600)[..], &prose(2, 0..2400)].concat();
    verdict(&paged(&mis_bound, 250), &paged(&works, 250), Class::OverlappingText);
}

#[test]
fn a_story_lies_in_a_collection() {
    let collection = [prose(2, 0..8000), prose(1, 0..4000), prose(3, 0..9000)].concat();
    part(&flowing(&prose(1, 0..4000)), &flowing(&collection), Class::ContainedText);
    let (found, relation) =
        part(&paged(&prose(1, 0..4000), 200), &paged(&collection, 320), Class::ContainedText);
    assert_eq!(runs(&found), [(1, 20, 26, 38)]);
    says(&relation, &["of A is in B, on other pages", "pages 1-20 of A = 26-38 of B"]);
}

#[test]
fn a_volume_lies_in_the_volumes_page_for_page() {
    let volumes: Vec<Vec<String>> = (1..4).map(|seed| prose(seed, 0..10_000)).collect();
    let all = paged(&volumes.concat(), 250);
    for (volume, from) in volumes.iter().zip([1, 41, 81]) {
        let (found, relation) = part(&paged(volume, 250), &all, Class::ContiguousSubset);
        assert_eq!(runs(&found), [(1, 40, from, from + 39)]);
        assert_eq!((found.page_runs[0].slope, found.page_runs[0].offset), (1.0, f64::from(from - 1)));
        says(&relation, &[&format!("pages 1-40 of A = {from}-{} of B", from + 39)]);
    }
}

#[test]
fn sibling_volumes_are_unrelated() {
    // The same title page, and running heads on every page.
    let volume = |seed| {
        let mut pages = vec![prose(9, 0..40)];
        pages.extend(prose(seed, 0..10_000).chunks(250).map(|page| [&prose(9, 0..5)[..], page].concat()));
        bound(pages.iter().map(Vec::as_slice))
    };
    let (found, _) = verdict(&volume(1), &volume(2), Class::Unrelated);
    assert!(found.a.coverage < 0.05 && found.b.coverage < 0.05, "{found:?}");
}

#[test]
fn other_pages_of_one_text_differ_in_pagination() {
    let text = prose(1, 0..20_000);
    let (found, relation) =
        verdict(&paged(&text, 250), &paged(&misread(&text, 30, 5), 320), Class::DifferentPagination);
    assert_eq!(relation.variant, Some(Variant::Reformatted), "{relation:?}");
    let slope = found.pagination.unwrap().slope;
    assert!((slope - 250.0 / 320.0).abs() < 0.02, "{slope}");
    assert_eq!(runs(&found), [(1, 80, 1, 63)]);
}

#[test]
fn pages_cut_elsewhere_one_by_one_differ_in_pagination() {
    let text = prose(1, 0..20_000);
    let cut = bound([&text[..110]].into_iter().chain(text[110..].chunks(250)));
    let (found, relation) = verdict(&paged(&text, 250), &cut, Class::DifferentPagination);
    assert!(found.pagination.unwrap().is_one_to_one(), "{:?}", found.pagination);
    says(&relation, &["page by page but with other page breaks"]);
}

#[test]
fn two_bad_scans_of_one_edition_have_its_pages() {
    let text = prose(1, 0..20_000);
    let scan = |seed| paged(&misread(&text, 300, seed), 250);
    let (found, relation) = verdict(&scan(1), &scan(2), Class::SamePagination);
    assert_eq!(relation.variant, Some(Variant::Reformatted), "{relation:?}");
    assert_eq!(runs(&found), [(1, 80, 1, 80)]);
    // One letter of about 5 in 3 words of 10, on both sides.
    let identity = found.identity.unwrap();
    assert!((identity.share - 0.88).abs() < 0.03, "{identity:?}");
}

#[test]
fn stories_in_another_order_are_the_same_text() {
    let stories: Vec<Vec<String>> = (1..5).map(|seed| prose(seed, 0..5000)).collect();
    let moved = [&stories[2], &stories[0], &stories[3], &stories[1]].map(Vec::as_slice).concat();
    let (found, relation) = compared(&paged(&stories.concat(), 250), &paged(&moved, 250));
    assert!(relation.class.is_same_text(), "{relation:?}");
    assert_eq!(runs(&found), [(1, 20, 21, 40), (21, 40, 61, 80), (41, 60, 1, 20), (61, 80, 41, 60)]);
    assert_eq!(found.segments.len(), 4);
    says(&relation, &["in a different order"]);
}

#[test]
fn a_new_preface_is_named_with_its_pages() {
    let text = prose(1, 0..20_000);
    let with_preface = paged(&[prose(2, 0..1750), text.clone()].concat(), 250);
    let (found, relation) = verdict(&paged(&text, 250), &with_preface, Class::SamePagination);
    assert!(found.a.alone.is_empty(), "{:?}", found.a.alone);
    let [preface] = &found.b.alone[..] else { panic!("{:?}", found.b.alone) };
    assert_eq!((preface.pages, preface.kind), (Some((1, 7)), AloneKind::FrontMatter));
    assert_eq!(runs(&found), [(1, 80, 8, 87)]);
    assert_eq!(relation.variant, Some(Variant::Revised));
    says(&relation, &["pages 1-80 of A = 8-87 of B", "only B has pages 1-7 at its beginning"]);
}

#[test]
fn a_dropped_chapter_and_an_index_are_named_with_their_pages() {
    let text = prose(1, 0..20_000);
    let abridged = [&text[..8000], &text[9500..]].concat();
    let with_index = paged(&[&text[..], &prose(2, 0..1500)].concat(), 250);
    let (found, relation) = verdict(&with_index, &paged(&abridged, 250), Class::SamePagination);
    let alone: Vec<_> = found.a.alone.iter().map(|alone| (alone.pages, alone.kind)).collect();
    assert_eq!(
        alone,
        [(Some((33, 38)), AloneKind::Inserted), (Some((81, 86)), AloneKind::EndMatter)],
        "{relation:?}"
    );
    assert_eq!(runs(&found), [(1, 32, 1, 32), (39, 80, 33, 74)]);
}

#[test]
fn a_new_title_page_makes_no_new_edition() {
    let text = prose(1, 0..20_000);
    let titled = |seed| bound([&prose(seed, 0..20)[..]].into_iter().chain(text.chunks(250)));
    let (_, relation) = verdict(&titled(2), &titled(3), Class::SamePagination);
    assert_eq!(relation.variant, Some(Variant::Reformatted), "{relation:?}");
}

#[test]
fn a_yearly_book_keeps_its_class() {
    let text = prose(1, 0..20_000);
    for percent in [5, 33] {
        let next = revised(&text, percent, 7);
        let (found, relation) = verdict(&paged(&text, 250), &paged(&next, 250), Class::SamePagination);
        // FIXME: replaced sentences of a hundred letters are seen where two follow each other: of 5 % hardly any, of
        // 33 % a third. One in twenty replaced may still pass for reformatted.
        assert!(found.a.changed > 0.0 && found.a.changed < 0.01 * percent as f64, "{}", found.a.changed);
        if percent == 33 {
            assert_eq!(relation.variant, Some(Variant::Revised), "{relation:?}");
            says(&relation, &["% of the sentences differ"]);
        }
        verdict(&flowing(&text), &paged(&next, 250), Class::SameText);
    }
}

#[test]
fn other_figures_in_the_same_words_are_not_identical() {
    let table = |year: u32| {
        let line = |(i, word): (usize, &String)| format!("{word} {}", 17 * i as u32 % 97 + year);
        prose(1, 0..3000).iter().enumerate().map(line).collect::<Vec<_>>()
    };
    let (found, relation) = verdict(&flowing(&table(1871)), &flowing(&table(1872)), Class::SameText);
    assert_eq!((found.equality, relation.variant), (Equality::Letters, Some(Variant::Reformatted)));
}

#[test]
fn a_text_that_stands_twice_in_a_file_is_still_found() {
    let text = prose(1, 0..8000);
    let twice = flowing(&[&text[..], &text].concat());
    let (found, relation) = part(&flowing(&text), &twice, Class::ContainedText);
    // What is matched twice counts once: one text cannot be common twice.
    assert!(found.a.coverage > 0.98 && (0.48..0.52).contains(&found.b.coverage), "{:?}", found.b.coverage);
    says(&relation, &["more than once"]);
}

#[test]
fn books_without_pages_are_the_same_text_and_say_so() {
    let text = prose(1, 0..5000);
    let read = misread(&text, 20, 3);
    says(&verdict(&flowing(&text), &flowing(&read), Class::SameText).1, &["neither book has pages"]);
    says(&verdict(&paged(&text, 250), &flowing(&read), Class::SameText).1, &["B has no pages"]);
}

#[test]
fn marks_vowels_and_old_characters_do_not_make_another_text() {
    let greek = stored("vivlio.txt");
    let decomposed = book(&greek.text().nfd().collect::<String>());
    assert_ne!(greek.text(), decomposed.text());
    let identical = |a: &Book, b: &Book, variant| {
        let (found, relation) = verdict(a, b, Class::SameText);
        assert_eq!(relation.variant, Some(variant), "{relation:?}");
        assert!(found.a.coverage > 0.95 && found.b.coverage > 0.95, "{relation:?}");
    };
    identical(&greek, &decomposed, Variant::Identical);
    identical(&stored("chaek.txt"), &stored("chaek-nfd.txt"), Variant::Identical);
    identical(&stored("kitab.txt"), &stored("kitab-plain.txt"), Variant::Reformatted);
    identical(&stored("hon.txt"), &stored("hon-kyu.txt"), Variant::Reformatted);
}

#[test]
fn the_story_of_the_lighthouse_has_a_reissue_and_a_scan() {
    let story = stored("lighthouse.txt");
    let (found, _) = verdict(&story, &stored("lighthouse-reissue.txt"), Class::DifferentPagination);
    let preface = &found.b.alone[0];
    assert_eq!((preface.pages, preface.kind), (Some((1, 1)), AloneKind::FrontMatter));
    let (found, _) = verdict(&story, &stored("lighthouse-scan.txt"), Class::SamePagination);
    assert_eq!(runs(&found), [(1, 5, 1, 5)]);
    verdict(&story, &stored("baker-street-of-bread.txt"), Class::Unrelated);
}

#[test]
fn stories_of_different_scripts_are_unrelated() {
    let names = ["kniga.txt", "vivlio.txt", "kitab.txt", "sefer.txt", "pustak.txt", "shu.txt", "hon.txt"];
    for (i, one) in names.iter().enumerate() {
        for other in &names[i + 1..] {
            verdict(&stored(one), &stored(other), Class::Unrelated);
        }
    }
}

#[test]
fn plates_bound_in_are_named_and_pages_go_on() {
    let text = prose(1, 0..20_000);
    let plate = prose(2, 0..200);
    let mut pages: Vec<&[String]> = text.chunks(200).collect();
    pages.insert(50, &plate);
    let plated = bound(pages);
    let (found, relation) = verdict(&paged(&text, 200), &plated, Class::SamePagination);
    assert_eq!(runs(&found), [(1, 50, 1, 50), (51, 100, 52, 101)]);
    says(&relation, &["pages 1-50 of A = 1-50 of B, 51-100 = 52-101", "only B has page 51"]);
}

#[test]
fn a_plate_behind_every_33_pages_lies_at_the_threshold() {
    let text = prose(1, 0..20_000);
    let plates: Vec<Vec<String>> = (2..5).map(|seed| prose(seed, 0..200)).collect();
    let mut pages: Vec<&[String]> = text.chunks(200).collect();
    for (at, plate) in [33, 67, 101].into_iter().zip(&plates) {
        pages.insert(at, plate);
    }
    let plated = bound(pages);
    let (a, b) = (paged(&text, 200), plated);
    let (there, back) = (relate(&aligned(&a, &b), None), relate(&aligned(&b, &a), None));
    // A slope of 34/33 is as far from one as 33/34: one verdict both ways. Three plates in a hundred pages leave the pages
    // as they are.
    assert_eq!(there.class, back.class, "{there:?}\n{back:?}");
    assert_eq!(there.class, Class::SamePagination, "{there:?}");
}

#[test]
fn few_large_pages_fall_on_many_small_ones() {
    for seed in 0..4 {
        let text = prose(seed, 0..6000);
        let (large, small) = (paged(&text, 3000), paged(&text[1..], 12));
        let (found, relation) = verdict(&large, &small, Class::DifferentPagination);
        let (first, last) = (&found.page_runs[0], &found.page_runs[found.page_runs.len() - 1]);
        assert!(first.b_first <= 2 && last.b_last == 500 && last.a_last == 2, "{:?}", found.page_runs);
        // FIXME: there are 250 pages of B for one of A; between pages a third of the map apart it is none or 167.
        assert!(!relation.why().contains("250.00 pages of B per page of A"), "{relation:?}");
    }
}

/// Every other sentence of a work, each followed by one to three sentences of a commentator.
fn commentary_on(work: &[String], seed: u64) -> Vec<String> {
    let mut own = prose(seed, 0..4 * work.len()).into_iter();
    let quoted = work.chunks(20).step_by(2).enumerate();
    let remarks = |(at, sentence): (usize, &[String])| {
        let n_words = 20 * (1 + at % 3) + at % 7;
        sentence.iter().cloned().chain(own.by_ref().take(n_words)).collect::<Vec<_>>()
    };
    quoted.flat_map(remarks).collect()
}

#[test]
fn a_commentary_that_quotes_every_other_sentence_does_not_contain_its_work() {
    for n_words in [8_000, 80_000] {
        let work = prose(1, 0..n_words);
        let (found, _) = verdict(&flowing(&work), &flowing(&commentary_on(&work, 2)), Class::OverlappingText);
        assert!((0.35..0.65).contains(&found.a.coverage), "{} of {n_words}", found.a.coverage);
    }
}

#[test]
fn a_part_with_a_fifth_of_its_sentences_changed_is_still_a_part() {
    let story = prose(1, 0..6000);
    let collection = [prose(2, 0..20_000), revised(&story, 20, 5), prose(3, 0..20_000)].concat();
    let (_, relation) = verdict(&flowing(&story), &flowing(&collection), Class::ContainedText);
    assert_eq!(relation.direction, Some(Direction::AInB));
}

/// A text of which one sentence in so many is kept and the others are replaced by longer ones.
fn translated(seed: u64, other: u64, n_words: usize, one_in: usize) -> Vec<String> {
    let (kept, own) = (prose(seed, 0..n_words), prose(other, 0..2 * n_words));
    let sentences = kept.chunks(12).zip(own.chunks(15)).enumerate();
    sentences
        .flat_map(|(at, (kept, own))| if at % one_in == 0 { kept.to_vec() } else { own.to_vec() })
        .collect()
}

#[test]
fn a_translation_that_keeps_commands_and_names_is_not_the_same_text() {
    let original = prose(1, 0..12_000);
    for one_in in [4, 5, 10, 20] {
        let (found, relation) = compared(&flowing(&original), &flowing(&translated(1, 2, 12_000, one_in)));
        let kept = 1.0 / one_in as f64;
        assert!((found.a.coverage - kept).abs() < 0.08, "{one_in}: {:.3}", found.a.coverage);
        assert!(!relation.class.is_same_text() && !relation.class.has_direction(), "{one_in}: {relation:?}");
    }
    let (_, relation) = compared(&flowing(&original), &flowing(&translated(1, 2, 12_000, 3)));
    says(&relation, &["between the common passages", "of the text differs"]);
}

#[test]
fn texts_that_are_surely_in_other_languages_are_not_the_same_whatever_they_share() {
    let text = prose(1, 0..6000);
    let (found, alone) = compared(&flowing(&text), &flowing(&misread(&text, 40, 3)));
    assert!(alone.class.is_same_text());
    let evidence = Evidence { other_language: true, ..Evidence::default() };
    let relation = relate(&found, Some(&evidence));
    assert_eq!(relation.class, Class::OverlappingText);
    says(&relation, &["in different languages"]);
}

#[test]
fn short_pages_with_other_titles_are_made_from_one_template() {
    // Two short texts with reading errors are copies as far as letters show; titles may say more.
    let page = |seed| flowing(&misread(&prose(1, 0..160), 20, seed));
    let (found, _) = verdict(&page(3), &page(4), Class::SameText);
    let relate_as = |work| relate(&found, Some(&Evidence { work, ..Evidence::default() }));
    assert_eq!(relate_as(Work::Unknown).class, Class::SameText);
    assert_eq!(relate_as(Work::Other).class, Class::OverlappingText);
    says(&relate_as(Work::Other), &["their titles differ"]);
    // A book that was reissued under another title is long enough to be known.
    let book = |seed| flowing(&misread(&prose(1, 0..6000), 50, seed));
    let (found, _) = verdict(&book(3), &book(4), Class::SameText);
    let reissued = relate(&found, Some(&Evidence { work: Work::Other, ..Evidence::default() }));
    assert_eq!(reissued.class, Class::SameText);
}

#[test]
fn short_pages_whose_words_differ_are_made_from_one_template_whatever_their_titles() {
    let page = |own: usize| {
        flowing(
            &[prose(1, 0..100), prose(2, own..own + 14), prose(1, 100..300), prose(2, own + 14..own + 22)]
                .concat(),
        )
    };
    for work in [Work::Unknown, Work::Same] {
        let (found, _) = verdict(&page(0), &page(100), Class::OverlappingText);
        assert!(found.a.coverage > 0.85 && found.b.coverage > 0.85);
        let relation = relate(&found, Some(&Evidence { work, ..Evidence::default() }));
        assert_eq!(relation.class, Class::OverlappingText);
        says(&relation, &["both are short and words differ"]);
    }
    // The same share of a longer text is a revision.
    let chapter = |own: usize| {
        let chunk = |at: usize| {
            [prose(1, at * 300..at * 300 + 300), prose(2, own + at * 22..own + at * 22 + 22)].concat()
        };
        flowing(&(0..8).flat_map(chunk).collect::<Vec<_>>())
    };
    verdict(&chapter(0), &chapter(1000), Class::SameText);
}

#[test]
fn a_page_whose_title_alone_was_translated_is_the_same_text() {
    let page = |title: usize| flowing(&[prose(2, title..title + 4), prose(1, 0..520)].concat());
    let (found, _) = verdict(&page(0), &page(10), Class::SameText);
    assert!((2000..5000).contains(&found.a.n_letters), "{}", found.a.n_letters);
    let other = Evidence { work: Work::Other, ..Evidence::default() };
    assert_eq!(relate(&found, Some(&other)).class, Class::SameText);
    // A page of the same template about another subject names it all over its text.
    let about = |subject: usize| {
        let text = prose(1, 0..520);
        let named = text.chunks(40).flat_map(|part| [&prose(2, subject..subject + 1), part].concat());
        flowing(&named.collect::<Vec<_>>())
    };
    let (found, _) = verdict(&about(0), &about(10), Class::SameText);
    assert_eq!(relate(&found, Some(&other)).class, Class::OverlappingText);
    // Of a shorter page nobody can tell: what it says of its subject may be a word.
    let stub = |title: usize| flowing(&[prose(2, title..title + 1), prose(1, 0..200)].concat());
    let (found, _) = verdict(&stub(0), &stub(10), Class::SameText);
    assert_ne!(relate(&found, Some(&other)).class, Class::SameText);
}

#[test]
fn an_edition_with_notes_on_every_page_is_annotated() {
    let text = prose(1, 0..12_000);
    let notes = prose(2, 0..12_000);
    let pages: Vec<Vec<String>> =
        text.chunks(200).zip(notes.chunks(100)).map(|(text, notes)| [text, notes].concat()).collect();
    let annotated = bound(pages.iter().map(Vec::as_slice));
    let (_, relation) = verdict(&paged(&text, 200), &annotated, Class::SamePagination);
    assert_eq!(relation.variant, Some(Variant::Annotated));
    says(&relation, &["B is annotated", "% of it is notes"]);
    // The same notes in one piece behind the text are an appendix, and the text is a part of the book.
    let appendix = flowing(&[&text[..], &notes[..6000]].concat());
    part(&flowing(&text), &appendix, Class::ContainedText);
}

#[test]
fn two_texts_of_one_repeated_sentence_are_no_more_than_that() {
    let sentence = prose(1, 0..12);
    let repeated =
        |n: usize| flowing(&std::iter::repeat_n(sentence.clone(), n).flatten().collect::<Vec<_>>());
    let (found, relation) = compared(&repeated(40), &repeated(400));
    assert!(!relation.class.is_same_text(), "{relation:?}");
    assert!(found.a.coverage <= 1.0 && found.b.coverage <= 0.2, "{} {}", found.a.coverage, found.b.coverage);
}

#[test]
fn a_text_and_its_table_of_contents_are_not_the_same_text() {
    let text = prose(1, 0..12_000);
    // The first words of every section.
    let contents: Vec<String> = text.chunks(300).flat_map(|section| section[..8].to_vec()).collect();
    let (_, relation) = compared(&flowing(&text), &flowing(&contents));
    assert!(!relation.class.is_same_text(), "{relation:?}");
}

#[test]
fn a_bilingual_edition_has_either_half_evenly_in_it() {
    let (original, translation) = (prose(1, 0..8000), prose(2, 0..8000));
    let both: Vec<String> =
        original.chunks(40).zip(translation.chunks(38)).flat_map(|(a, b)| [a, b].concat()).collect();
    let (_, relation) = compared(&flowing(&original), &flowing(&both));
    // Half of it is the other language: that is the same text with its translation between the lines.
    assert!(
        relation.class == Class::ContainedText || relation.variant == Some(Variant::Annotated),
        "{relation:?}"
    );
    let (_, halves) = compared(&flowing(&original), &flowing(&translation));
    assert_eq!(halves.class, Class::Unrelated);
}

/// Lines of code, each under a comment in the language of a seed.
fn commented(code: &[String], language: u64) -> Vec<String> {
    let comments = prose(language, 0..code.len());
    code.chunks(16).zip(comments.chunks(16)).flat_map(|(code, comment)| [comment, code].concat()).collect()
}

#[test]
fn one_program_with_comments_in_two_languages_is_common_code_and_no_more() {
    let code = prose(1, 0..6000);
    let (_, relation) = compared(&flowing(&commented(&code, 2)), &flowing(&commented(&code, 3)));
    assert!(!relation.class.is_same_text(), "{relation:?}");
}

#[test]
fn two_editions_of_a_dictionary_are_one_work_only_while_most_entries_stay() {
    // Entries of twenty words; the new edition keeps some as they are and writes the others anew.
    let edition = |keeps_one_in: usize| -> Vec<String> {
        let (old, new) = (prose(1, 0..16_000), prose(2, 0..16_000));
        let entries = old.chunks(20).zip(new.chunks(20)).enumerate();
        entries.flat_map(|(at, (old, new))| if at % keeps_one_in == 0 { old } else { new }.to_vec()).collect()
    };
    let old = flowing(&prose(1, 0..16_000));
    let (found, half) = compared(&old, &flowing(&edition(2)));
    assert_eq!(half.class, Class::OverlappingText, "{half:?}");
    assert!((0.35..0.65).contains(&found.a.coverage), "{}", found.a.coverage);
    let (_, tenth) = compared(&old, &flowing(&edition(10)));
    assert!(!tenth.class.is_same_text(), "{tenth:?}");
}

#[test]
fn a_bible_in_two_translations_of_one_language_is_not_the_same_text() {
    // Of the words of a verse the translators agree on some, in the same order: names, numbers, and turns of phrase.
    let (one, other) = (prose(1, 0..30_000), prose(2, 0..30_000));
    let second = |agree: usize| -> Vec<String> {
        let parts = one.chunks(agree).zip(other.chunks(agree)).enumerate();
        parts.flat_map(|(at, (shared, own))| if at % 2 == 0 { shared } else { own }.to_vec()).collect()
    };
    for agree in [3, 4, 6, 8] {
        let (found, relation) = compared(&flowing(&one), &flowing(&second(agree)));
        assert!(!relation.class.is_same_text(), "{agree} words at a time: {relation:?}");
        let identity = found.identity.unwrap().share;
        assert!(identity < 0.8, "half of the words differ: {identity}");
    }
}

#[test]
fn words_exchanged_cost_words_and_misread_letters_cost_letters() {
    let text = prose(1, 0..30_000);
    let share = |other: &[String]| compared(&flowing(&text), &flowing(other)).0.identity.unwrap().share;
    let other = prose(2, 0..30_000);
    for one_in in [3, 5, 10, 20] {
        let reworded: Vec<String> = text
            .iter()
            .zip(&other)
            .enumerate()
            .map(|(at, (word, new))| if (at * at + at / 7) % one_in == 0 { new } else { word }.clone())
            .collect();
        let (is, should) = (share(&reworded), 1.0 - 1.0 / one_in as f64);
        assert!((is - should).abs() < 0.07, "one word in {one_in}: {is} for {should}");
    }
    // A word has five letters in the mean.
    for words_misread in [100, 250, 500] {
        let (is, should) = (share(&misread(&text, words_misread, 7)), 1.0 - words_misread as f64 / 5000.0);
        assert!((is - should).abs() < 0.04, "{words_misread} of 1,000 words: {is} for {should}");
    }
}
