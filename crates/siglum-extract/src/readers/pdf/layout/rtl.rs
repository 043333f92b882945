//! Lines with right-to-left writing. Files place glyphs; where they stand is where they are seen, so a line is first
//! put together as seen, from left to right, and then as read.
//!
//! Source: the Unicode Bidirectional Algorithm, turned round: runs of one direction are found with unicode-bidi's
//! character classes, runs to be read from the right are reversed. A file's own order is not trusted.

use super::super::chars::{is_mark, is_rtl};
use super::super::fonts::Fonts;
use super::pieces::{Placed, is_printed_twice};
use unicode_bidi::{BidiClass, bidi_class};

/// The narrowest gap between words, in ems.
const WORD_GAP: f32 = 0.1;
/// The narrowest gap in which a drawn blank counts: typesetters draw blanks under other letters.
const BLANK_GAP: f32 = 0.05;

/// Some letters that are seen together.
#[derive(Debug, Clone)]
struct Cluster {
    u: f32,
    end: f32,
    size: f32,
    text: String,
}

/// Writes a line of which some is written from right to left.
pub(super) fn write<'p>(
    stretches: impl Iterator<Item = &'p (u32, u32)>,
    placed: &[Placed],
    fonts: &Fonts<'_>,
    is_rtl: bool,
    text: &mut String,
) {
    let mut clusters: Vec<Cluster> = Vec::new();
    for &(from, to) in stretches {
        gather(&placed[from as usize..to as usize], fonts, &mut clusters);
    }
    clusters.sort_by(|a, b| a.u.total_cmp(&b.u));
    logical(&spaced(clusters), is_rtl, text);
}

/// Clusters in the order they are drawn; marks go with the letter they stand on.
fn gather(glyphs: &[Placed], fonts: &Fonts<'_>, clusters: &mut Vec<Cluster>) {
    let first = clusters.len();
    let is_as_seen = is_drawn_as_seen(glyphs);
    let mut last: Option<&Placed> = None;
    let mut early: Vec<String> = Vec::new();
    for glyph in glyphs {
        if last.is_some_and(|last| is_printed_twice(glyph, last)) {
            continue;
        }
        let mut single = [0; 4];
        let said = fonts.string(glyph.string).unwrap_or_else(|| glyph.c.encode_utf8(&mut single));
        if is_mark(glyph.c) {
            match clusters[first..].last_mut() {
                Some(letter) if !is_as_seen => letter.text.push_str(said),
                _ => early.push(said.to_owned()),
            }
            continue;
        }
        last = Some(glyph);
        let text = [said.to_owned()].into_iter().chain(early.drain(..).rev()).collect();
        clusters.push(Cluster { u: glyph.u, end: glyph.end(), size: glyph.size, text });
    }
    if let Some(letter) = clusters[first..].last_mut() {
        letter.text.extend(early.into_iter().rev());
    }
}

/// Whether right-to-left letters are drawn as they are seen, from left to right: marks come before their letters then.
fn is_drawn_as_seen(glyphs: &[Placed]) -> bool {
    let letters: Vec<&Placed> = glyphs.iter().filter(|glyph| is_rtl(glyph.c) && !is_mark(glyph.c)).collect();
    let n_rising = letters.windows(2).filter(|pair| pair[1].u > pair[0].u).count();
    n_rising * 2 > letters.len().saturating_sub(1)
}

/// The clusters with spaces where they stand apart, as seen from left to right.
fn spaced(clusters: Vec<Cluster>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::with_capacity(clusters.len() + clusters.len() / 4);
    let mut end: Option<f32> = None;
    let mut has_blank = false;
    for cluster in clusters {
        if cluster.text == " " {
            has_blank = true;
            continue;
        }
        let least = if has_blank { BLANK_GAP } else { WORD_GAP };
        if end.is_some_and(|end| cluster.u - end > least * cluster.size) {
            seen.push(" ".to_owned());
        }
        has_blank = false;
        end = Some(end.map_or(cluster.end, |end| end.max(cluster.end)));
        seen.push(cluster.text);
    }
    seen
}

/// How a cluster is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Left,
    Right,
    Number,
    Neutral,
}

fn way(cluster: &str) -> Way {
    let Some(c) = cluster.chars().next() else { return Way::Neutral };
    match bidi_class(c) {
        BidiClass::L => Way::Right,
        BidiClass::R | BidiClass::AL => Way::Left,
        BidiClass::EN | BidiClass::AN => Way::Number,
        _ if is_rtl(c) => Way::Left,
        _ => Way::Neutral,
    }
}

/// Puts clusters seen from left to right in the order they are read.
fn logical(seen: &[String], page_is_rtl: bool, text: &mut String) {
    let ways: Vec<Way> = seen.iter().map(|cluster| way(cluster)).collect();
    let count = |wanted: Way| ways.iter().filter(|way| **way == wanted).count();
    let (left, right) = (count(Way::Left), count(Way::Right));
    let line_is_rtl = if page_is_rtl { left > 0 || right == 0 } else { left > right };
    let runs = runs(&ways, line_is_rtl);
    let ordered: Vec<&(usize, usize, bool)> =
        if line_is_rtl { runs.iter().rev().collect() } else { runs.iter().collect() };
    for &&(from, to, is_left) in &ordered {
        if is_left {
            seen[from..to].iter().rev().for_each(|cluster| mirrored(cluster, text));
        } else {
            seen[from..to].iter().for_each(|cluster| text.push_str(cluster));
        }
    }
}

/// Runs of one direction. Neutrals go with their neighbours where these agree, else with the line.
fn runs(ways: &[Way], line_is_rtl: bool) -> Vec<(usize, usize, bool)> {
    let mut is_left: Vec<Option<bool>> = ways
        .iter()
        .map(|way| match way {
            Way::Left => Some(true),
            Way::Right | Way::Number => Some(false),
            Way::Neutral => None,
        })
        .collect();
    settle_neutrals(ways, &mut is_left, line_is_rtl);
    let mut runs: Vec<(usize, usize, bool)> = Vec::new();
    for (at, is_left) in is_left.into_iter().enumerate() {
        let is_left = is_left.unwrap_or(line_is_rtl);
        match runs.last_mut() {
            Some(run) if run.2 == is_left => run.1 = at + 1,
            _ => runs.push((at, at + 1, is_left)),
        }
    }
    runs
}

fn settle_neutrals(ways: &[Way], is_left: &mut [Option<bool>], line_is_rtl: bool) {
    let mut at = 0;
    while at < ways.len() {
        if is_left[at].is_some() {
            at += 1;
            continue;
        }
        let end = (at..ways.len()).find(|i| is_left[*i].is_some()).unwrap_or(ways.len());
        let before = if at > 0 { is_left[at - 1] } else { None };
        let after = is_left.get(end).copied().flatten();
        // Between two numbers only a single separator belongs to them: 1,000 but not 12 – 14.
        let parts_numbers = at > 0
            && end < ways.len()
            && ways[at - 1] == Way::Number
            && ways[end] == Way::Number
            && end - at > 1;
        let settled = if before == after && !parts_numbers { before } else { None };
        is_left[at..end].fill(Some(settled.unwrap_or(line_is_rtl)));
        at = end;
    }
}

/// Brackets are drawn as they are seen; read from the right, an opening one is the closing one.
fn mirrored(cluster: &str, text: &mut String) {
    text.extend(cluster.chars().map(|c| match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        c => c,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seen: &str, read: &str) {
        let clusters: Vec<String> = seen.chars().map(String::from).collect();
        let mut text = String::new();
        logical(&clusters, false, &mut text);
        assert_eq!(text, read);
    }

    #[test]
    fn hebrew_seen_from_the_left_is_read_from_the_right() {
        check("םולש", "שלום");
    }

    #[test]
    fn numbers_and_latin_words_keep_their_order() {
        check(".1948 תנשב abc def םולש", "שלום abc def בשנת 1948.");
        check("3.14 אוה", "הוא 3.14");
    }

    #[test]
    fn brackets_are_turned() {
        check("(םולש)", "(שלום)");
    }

    #[test]
    fn a_latin_line_keeps_its_direction() {
        check("the word םולש means peace", "the word שלום means peace");
    }
}
