//! How new a version is, by its date or the number of the version.
//!
//! Holds: the order is total.

use crate::Metadata;
use std::cmp::Reverse;

/// Sorts versions, the newest first: by date, then by the number of the version; those without come last.
pub type Age = (Reverse<Option<(u16, u8, u8)>>, Reverse<Option<u32>>);

/// How new a book is, by what it says about itself.
pub fn age(metadata: &Metadata) -> Age {
    let version = metadata.doi.iter().filter_map(|doi| version_of(doi)).max();
    (Reverse(metadata.date.as_deref().and_then(date)), Reverse(version))
}

/// Whether a book says that it is a newer version of the same paper than another: both name the same DOI with a version.
pub fn supersedes(newer: &Metadata, older: &Metadata) -> bool {
    let replaced_by = |old: &String, new: &String| match (version_of(old), version_of(new)) {
        (Some(old_version), Some(new_version)) => stem(old) == stem(new) && old_version < new_version,
        _ => false,
    };
    older.doi.iter().any(|old| newer.doi.iter().any(|new| replaced_by(old, new)))
}

/// Year, month and day of a date as files write it: `2021-03-05T10:00`, `2021`, `5 March 2021`, `March 5, 2021`. Months and
/// days that are not given are 0.
pub fn date(text: &str) -> Option<(u16, u8, u8)> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_year =
        |word: &&&str| word.len() == 4 && word.parse::<u16>().is_ok_and(|year| (1000..2200).contains(&year));
    // `20210305` and `2021-03-05T10:00:00Z` begin with the year.
    let year = words.iter().find(is_year);
    let Some(year) = year else {
        let compact = words
            .iter()
            .find(|word| word.len() >= 8 && word.is_char_boundary(8) && word[..8].parse::<u32>().is_ok())?;
        let number = |range: std::ops::Range<usize>| compact[range].parse::<u16>().ok();
        let (year, month, day) = (number(0..4)?, number(4..6)? as u8, number(6..8)? as u8);
        return ((1000..2200).contains(&year) && month <= 12 && day <= 31).then_some((year, month, day));
    };
    let at = words.iter().position(|word| word == year)?;
    let year = year.parse().ok()?;
    let small = |word: &str, most: u8| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let digits = digits.split(['T', 't']).next().unwrap_or(digits);
        digits.parse::<u8>().ok().filter(|n| (1..=most).contains(n))
    };
    if let Some(month) = words.iter().find_map(|word| month(word)) {
        let day =
            words.iter().enumerate().filter(|(other, _)| *other != at).find_map(|(_, word)| small(word, 31));
        return Some((year, month, day.unwrap_or(0)));
    }
    let month = words.get(at + 1).and_then(|word| small(word, 12)).unwrap_or(0);
    let day = words
        .get(at + 2)
        .filter(|_| month > 0)
        .and_then(|word| small(word.split(['T', 't']).next().unwrap_or(word), 31));
    Some((year, month, day.unwrap_or(0)))
}

fn month(word: &str) -> Option<u8> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let lower = word.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| lower.starts_with(month) && lower.len() <= 9)?;
    u8::try_from(at + 1).ok()
}

/// The version a DOI ends with, as those of preprints do: `…v2`, `…/v2`, and eLife's `….2`.
fn version_of(doi: &str) -> Option<u32> {
    let stem = stem(doi);
    let version = doi[stem.len()..].parse().ok()?;
    let is_elife = stem.starts_with("10.7554/elife.") && stem.matches('.').count() == 3;
    (stem.ends_with('v') || is_elife).then_some(version)
}

/// A DOI without the number it ends with.
fn stem(doi: &str) -> &str {
    doi.trim_end_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_files_write_them() {
        let check = |text: &str, expected| assert_eq!(date(text), expected, "{text}");
        check("2021-03-05", Some((2021, 3, 5)));
        check("2021-03-05T10:00:00+00:00", Some((2021, 3, 5)));
        check("20210305", Some((2021, 3, 5)));
        check("D:20210305101500Z", Some((2021, 3, 5)));
        check("2021", Some((2021, 0, 0)));
        check("c1897.", None);
        check("[1897]", Some((1897, 0, 0)));
        check("5 March 2021", Some((2021, 3, 5)));
        check("March 5, 2021", Some((2021, 3, 5)));
        check("Mar 2021", Some((2021, 3, 0)));
        check("", None);
        check("no date", None);
    }

    fn book(date: Option<&str>, doi: &[&str]) -> Metadata {
        Metadata {
            date: date.map(str::to_owned),
            doi: doi.iter().map(|&doi| doi.to_owned()).collect(),
            ..Metadata::default()
        }
    }

    #[test]
    fn a_later_version_of_the_same_doi_supersedes() {
        let check = |newer: &str, older: &str, expected| {
            assert_eq!(supersedes(&book(None, &[newer]), &book(None, &[older])), expected, "{newer} {older}");
        };
        check("10.48550/arxiv.2101.00001v10", "10.48550/arxiv.2101.00001v9", true);
        check("10.48550/arxiv.2101.00001v2", "10.48550/arxiv.2101.00001v2", false);
        check("10.48550/arxiv.2101.00002v2", "10.48550/arxiv.2101.00001v1", false);
        check("10.1000/2", "10.1000/1", false);
        assert!(
            !supersedes(&book(Some("2022"), &[]), &book(Some("2021"), &[])),
            "files carry dates of conversion"
        );
    }

    #[test]
    fn the_newest_comes_first() {
        let newest_first = [
            book(Some("2022-01-01"), &[]),
            book(Some("2021-12-31"), &[]),
            book(Some("2021"), &[]),
            book(None, &["10.48550/arxiv.2101.00001v2"]),
            book(None, &["10.7554/elife.85930.1"]),
            book(None, &[]),
        ];
        assert!(newest_first.is_sorted_by_key(age));
        assert!(newest_first.windows(2).all(|pair| age(&pair[0]) != age(&pair[1])));
    }
}
