//! Glyphs chained, in the order they are drawn, to pieces of lines.

use super::super::chars::is_rtl;

/// The widest gap within a piece, in ems: justified lines have wide spaces, columns stand further apart.
const MAX_GAP: f32 = 1.2;
/// The widest gap over which pieces are joined that were not drawn one after the other.
const MAX_LATER_GAP: f32 = 0.6;
/// How far a glyph may step back over the one before it.
const MAX_OVERLAP: f32 = 0.5;
/// How far from its line's baseline a glyph may stand.
const SAME_LINE: f32 = 0.25;
/// How far a smaller glyph may stand from it: footnote marks, indices.
const RAISED: f32 = 0.6;
/// A glyph this much smaller than its line may be raised.
const SMALLER: f32 = 0.9;
/// Two glyphs of one text closer than this are one, printed twice to look bold.
const SAME_PLACE: f32 = 0.15;

/// The longest line, in glyphs and in stretches of them, in which text printed twice is looked for.
const MAX_TWINS: usize = 512;
const MAX_TWIN_STRETCHES: usize = 32;

/// A glyph as if its line ran to the right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) u: f32,
    pub(super) v: f32,
    pub(super) advance: f32,
    pub(super) size: f32,
    pub(super) c: char,
    pub(super) string: u32,
}

impl Placed {
    pub(super) fn end(&self) -> f32 {
        self.u + self.advance
    }
}

/// Part of a line.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) u0: f32,
    pub(super) u1: f32,
    /// The baseline.
    pub(super) v: f32,
    pub(super) size: f32,
    /// Its glyphs, as stretches of all glyphs in the order they were drawn.
    pub(super) glyphs: Vec<(u32, u32)>,
    pub(super) n_glyphs: usize,
    pub(super) is_rtl: bool,
}

impl Piece {
    fn new(at: usize, glyph: &Placed) -> Piece {
        Piece {
            u0: glyph.u,
            u1: glyph.end(),
            v: glyph.v,
            size: glyph.size,
            glyphs: vec![(at as u32, at as u32 + 1)],
            n_glyphs: 1,
            is_rtl: is_rtl(glyph.c),
        }
    }

    fn add(&mut self, at: usize, glyph: &Placed) {
        self.u0 = self.u0.min(glyph.u);
        self.u1 = self.u1.max(glyph.end());
        // The baseline is that of the larger glyphs.
        if glyph.size > self.size {
            (self.v, self.size) = (glyph.v, glyph.size);
        }
        if let Some(stretch) = self.glyphs.last_mut() {
            stretch.1 = at as u32 + 1;
        }
        self.n_glyphs += 1;
        self.is_rtl |= is_rtl(glyph.c);
    }

    /// Takes in a piece that stands beside it.
    fn join(&mut self, other: Piece) {
        self.u0 = self.u0.min(other.u0);
        self.u1 = self.u1.max(other.u1);
        if other.size > self.size {
            (self.v, self.size) = (other.v, other.size);
        }
        self.glyphs.extend(other.glyphs);
        self.n_glyphs += other.n_glyphs;
        self.is_rtl |= other.is_rtl;
    }
}

/// All pieces. Blanks begin and end none.
pub(super) fn pieces(glyphs: &[Placed]) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut current: Option<Piece> = None;
    let mut last: Option<&Placed> = None;
    for (at, glyph) in glyphs.iter().enumerate() {
        if let (Some(piece), Some(last)) = (&mut current, last) {
            if is_printed_twice(glyph, last) || follows(glyph, last, piece) {
                piece.add(at, glyph);
            } else {
                found.extend(current.take());
            }
        }
        if glyph.c != ' ' {
            current.get_or_insert_with(|| Piece::new(at, glyph));
            last = Some(glyph);
        } else if current.is_none() {
            last = None;
        }
    }
    found.extend(current);
    joined(found, glyphs)
}

fn follows(glyph: &Placed, last: &Placed, piece: &Piece) -> bool {
    let em = piece.size.max(glyph.size);
    let off = (glyph.v - piece.v).abs();
    let ahead = glyph.u - last.end();
    let behind = last.u - glyph.end();
    let is_raised = glyph.size < SMALLER * piece.size || piece.size < SMALLER * glyph.size;
    let is_near = ahead.abs() < MAX_OVERLAP * em || behind.abs() < MAX_OVERLAP * em;
    let is_on_line = off < SAME_LINE * em || (is_raised && is_near && off < RAISED * em);
    let goes_on = ahead > -MAX_OVERLAP * em && ahead < MAX_GAP * em;
    // Right-to-left text is often drawn in the order it is read.
    let goes_back = (is_rtl(glyph.c) || glyph.c == ' ' || piece.is_rtl)
        && behind > -MAX_OVERLAP * em
        && behind < MAX_GAP * em;
    is_on_line && (goes_on || goes_back)
}

/// Whether a glyph is the one before once more, printed to look bold.
pub(super) fn is_printed_twice(glyph: &Placed, last: &Placed) -> bool {
    let near = SAME_PLACE * glyph.size;
    glyph.c == last.c
        && glyph.string == last.string
        && glyph.c != ' '
        && glyph.advance > near
        && (glyph.u - last.u).abs() < near
        && (glyph.v - last.v).abs() < near
}

/// Joins pieces on one line that stand close to one another though they were not drawn together.
fn joined(mut pieces: Vec<Piece>, glyphs: &[Placed]) -> Vec<Piece> {
    pieces.sort_by(|a, b| a.v.total_cmp(&b.v));
    let mut done: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut row: Vec<Piece> = Vec::new();
    for piece in pieces {
        if row.first().is_some_and(|first| piece.v - first.v > SAME_LINE * first.size.max(piece.size)) {
            join_row(&mut row, glyphs, &mut done);
        }
        row.push(piece);
    }
    join_row(&mut row, glyphs, &mut done);
    done
}

fn join_row(row: &mut Vec<Piece>, glyphs: &[Placed], done: &mut Vec<Piece>) {
    row.sort_by(|a, b| a.u0.total_cmp(&b.u0));
    let first = done.len();
    for piece in row.drain(..) {
        let last = if done.len() > first { done.last_mut() } else { None };
        match last {
            Some(last) if is_again(&piece, last, glyphs) => {}
            Some(last) if is_again(last, &piece, glyphs) => *last = piece,
            Some(last) if piece.u0 - last.u1 < MAX_LATER_GAP * last.size.max(piece.size) => last.join(piece),
            _ => done.push(piece),
        }
    }
}

/// Whether all of a piece stands in another already: printed twice to look bold, or as its own shadow.
fn is_again(piece: &Piece, other: &Piece, glyphs: &[Placed]) -> bool {
    let near = SAME_PLACE * piece.size;
    if other.n_glyphs > MAX_TWINS || other.glyphs.len() > MAX_TWIN_STRETCHES {
        return false;
    }
    if piece.u0 < other.u0 - near || piece.u1 > other.u1 + near || piece.n_glyphs > other.n_glyphs {
        return false;
    }
    let (piece, other) = (in_place(piece, glyphs), in_place(other, glyphs));
    let mut rest = other.iter();
    piece.iter().all(|glyph| rest.any(|twin| is_printed_twice(glyph, twin)))
}

/// The glyphs of a piece, blanks left out, from left to right.
fn in_place<'g>(piece: &Piece, glyphs: &'g [Placed]) -> Vec<&'g Placed> {
    let stretches = piece.glyphs.iter().flat_map(|&(from, to)| &glyphs[from as usize..to as usize]);
    let mut found: Vec<&Placed> = stretches.filter(|glyph| glyph.c != ' ').collect();
    found.sort_by(|a, b| a.u.total_cmp(&b.u));
    found
}
