//! The text of a line: spaces where glyphs stand apart, accents on their letters, right-to-left in logical order.

use super::super::chars::{accent, composed, is_mark};
use super::super::fonts::Fonts;
use super::columns::Row;
use super::pieces::{Placed, is_printed_twice};

/// The narrowest gap between words, in ems.
const WORD_GAP: f32 = 0.12;

/// Writes a row.
pub(super) fn write(row: &Row, placed: &[Placed], fonts: &Fonts<'_>, is_rtl: bool, text: &mut String) {
    if row.pieces.iter().any(|piece| piece.is_rtl) {
        super::rtl::write(row.pieces.iter().flat_map(|piece| &piece.glyphs), placed, fonts, is_rtl, text);
        return;
    }
    let start = text.len();
    let mut line = Line { fonts, text, start, last: None, accent: None, is_spaced: true };
    for piece in &row.pieces {
        for &(from, to) in &piece.glyphs {
            for glyph in &placed[from as usize..to as usize] {
                line.add(glyph);
            }
        }
    }
    line.drop_accent();
    text.truncate(text.trim_end_matches(' ').len().max(start));
}

struct Line<'l, 'f> {
    fonts: &'l Fonts<'f>,
    text: &'l mut String,
    start: usize,
    last: Option<Placed>,
    /// An accent that waits for the letter under it.
    accent: Option<(Placed, char)>,
    is_spaced: bool,
}

impl Line<'_, '_> {
    fn add(&mut self, glyph: &Placed) {
        if glyph.c == ' ' && glyph.string == 0 {
            self.drop_accent();
            self.space();
            return;
        }
        if let Some((over, mark)) = self.accent {
            if let Some(one) = accented(glyph, &over, mark) {
                self.accent = None;
                self.put(&Placed { c: one, ..*glyph });
                return;
            }
            self.drop_accent();
        }
        if self.last.is_some_and(|last| is_printed_twice(glyph, &last)) {
            return;
        }
        match accent(glyph.c) {
            Some(mark) if glyph.string == 0 => self.add_accent(glyph, mark),
            _ => self.put(glyph),
        }
    }

    /// An accent goes on the letter before it, if it stands over that; else on the next.
    fn add_accent(&mut self, glyph: &Placed, mark: char) {
        let letter = self.last.filter(|_| !self.is_spaced);
        match letter.and_then(|letter| accented(&letter, glyph, mark).map(|one| (letter, one))) {
            Some((letter, one)) => {
                self.text.pop();
                self.text.push(one);
                self.last = Some(Placed { c: one, ..letter });
            }
            None => self.accent = Some((*glyph, mark)),
        }
    }

    /// Writes an accent that stands over nothing.
    fn drop_accent(&mut self) {
        if let Some((glyph, _)) = self.accent.take() {
            self.put(&glyph);
        }
    }

    fn put(&mut self, glyph: &Placed) {
        let em = |last: &Placed| glyph.size.max(last.size);
        if self.last.is_some_and(|last| glyph.u - last.end() > WORD_GAP * em(&last)) {
            self.space();
        }
        match self.fonts.string(glyph.string) {
            Some(string) => self.text.push_str(string),
            None => self.text.push(glyph.c),
        }
        self.is_spaced = false;
        self.last = Some(*glyph);
    }

    fn space(&mut self) {
        if !self.is_spaced && self.text.len() > self.start {
            self.text.push(' ');
            self.is_spaced = true;
        }
    }
}

/// A letter and the accent over it as one, if it is over it and Unicode knows the two as one.
fn accented(letter: &Placed, over: &Placed, mark: char) -> Option<char> {
    if letter.string != 0 || !letter.c.is_alphabetic() {
        return None;
    }
    let middle = over.u + over.advance / 2.0;
    let is_over = middle > letter.u && middle < letter.end();
    if is_over || is_mark(over.c) { composed(letter.c, mark) } else { None }
}
