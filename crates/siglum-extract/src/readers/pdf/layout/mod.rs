//! From glyphs to text: glyphs are chained to pieces of lines, pieces found to stand in columns are read column by
//! column, and pieces on one baseline make a line.
//!
//! Whatever direction glyphs are written in, they are looked at as if they ran to the right: `u` grows along the
//! line, `v` from line to line. Vertical Japanese is text that runs down, its next line to the left.
//! Holds: time grows with n log n of the glyphs, whatever their places.

mod columns;
mod line;
mod pieces;
mod rtl;

use super::fonts::Fonts;
use super::interpreter::{Direction, Glyph};
use columns::{Row, rows_in_order};
use pieces::{Placed, pieces};

/// A gap between lines this much larger than is usual on the page is a blank line.
const PARAGRAPH_GAP: f32 = 1.35;

/// The text of a page: lines end in line breaks, paragraphs that stand apart in blank lines.
pub(super) fn text(glyphs: &[Glyph], fonts: &Fonts<'_>) -> String {
    let mut text = String::with_capacity(glyphs.len() + glyphs.len() / 16);
    for direction in directions(glyphs) {
        let placed: Vec<Placed> =
            glyphs.iter().filter(|glyph| glyph.direction == direction).map(turned).collect();
        let pieces = pieces(&placed);
        let is_rtl = pieces.iter().filter(|piece| piece.is_rtl).count() * 2 > pieces.len();
        let rows = rows_in_order(pieces, is_rtl);
        if !text.is_empty() {
            text.push('\n');
        }
        write(&rows, &placed, fonts, is_rtl, &mut text);
    }
    text
}

/// The directions that are written in, the most common first.
fn directions(glyphs: &[Glyph]) -> Vec<Direction> {
    let all = [Direction::Right, Direction::Up, Direction::Left, Direction::Down];
    let mut counts = [0_usize; 4];
    for glyph in glyphs {
        counts[glyph.direction as usize] += 1;
    }
    let mut used: Vec<Direction> = all.into_iter().filter(|at| counts[*at as usize] > 0).collect();
    used.sort_by_key(|at| std::cmp::Reverse(counts[*at as usize]));
    used
}

/// A glyph as if its line ran to the right.
fn turned(glyph: &Glyph) -> Placed {
    let (u, v) = match glyph.direction {
        Direction::Right => (glyph.x, -glyph.y),
        Direction::Up => (glyph.y, glyph.x),
        Direction::Left => (-glyph.x, glyph.y),
        Direction::Down => (-glyph.y, -glyph.x),
    };
    Placed { u, v, advance: glyph.advance, size: glyph.size.max(0.1), c: glyph.c, string: glyph.string }
}

fn write(rows: &[Row], placed: &[Placed], fonts: &Fonts<'_>, is_rtl: bool, text: &mut String) {
    let usual = usual_gap(rows);
    let mut last: Option<&Row> = None;
    for row in rows {
        if let Some(last) = last
            && !row.starts_column
            && row.v - last.v > PARAGRAPH_GAP * usual.max(row.size.min(last.size))
        {
            text.push('\n');
        }
        let before = text.len();
        line::write(row, placed, fonts, is_rtl, text);
        if text.len() > before {
            text.push('\n');
            last = Some(row);
        }
    }
}

/// The usual distance from line to line.
fn usual_gap(rows: &[Row]) -> f32 {
    let mut gaps: Vec<f32> = rows
        .windows(2)
        .filter(|pair| !pair[1].starts_column && pair[1].v > pair[0].v)
        .map(|pair| pair[1].v - pair[0].v)
        .collect();
    gaps.sort_by(f32::total_cmp);
    gaps.get(gaps.len() / 2).copied().unwrap_or(0.0)
}
