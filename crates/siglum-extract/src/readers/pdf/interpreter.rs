//! Runs the content of a page for its text alone: which glyph stands where.
//!
//! Only operators that place text, images and forms are looked at. Nothing is drawn, no image is decoded, no
//! annotation read. What a document may cost is counted in [`Budget`]: forms that call forms grow exponentially.

use super::chars::UNMAPPED;
use super::content::decoded;
use super::fonts::{Code, Fonts};
use super::info::text_string;
use hayro_syntax::content::{Instruction, UntypedIter};
use hayro_syntax::object::{Array, Dict, Name, Object, Rect, Stream};
use hayro_syntax::page::{Page, Rotation};

/// Operators a document may have run.
const MAX_OPERATORS: usize = 20_000_000;
/// Forms a document may have drawn.
const MAX_FORMS: usize = 20_000;
/// Bytes of content a document may have run, forms as often as they are drawn.
const MAX_CONTENT_BYTES: usize = 2 << 30;
/// The longest text that stands for marked content: it replaces a few glyphs.
const MAX_ACTUAL_BYTES: usize = 1024;
/// How deep forms may lie in one another.
const MAX_FORM_DEPTH: usize = 12;
/// Glyphs a page, and a document, may show. The Bible has 4 million.
const MAX_PAGE_GLYPHS: usize = 1_000_000;
const MAX_GLYPHS: usize = 50_000_000;
/// Saved graphics states, and marked content in one another, that are kept.
const MAX_STACK: usize = 512;
/// How far text may reach over the edge of the page, in points.
const MARGIN: f64 = 2.0;

/// A glyph on a page, seen upright: `y` grows upwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Glyph {
    /// Where the pen stood.
    pub(super) x: f32,
    /// Where the pen stood.
    pub(super) y: f32,
    /// How far the pen moved in the direction of writing.
    pub(super) advance: f32,
    /// The size of its font as it appears on the page.
    pub(super) size: f32,
    /// Its text, or the beginning of it.
    pub(super) c: char,
    /// Its whole text, where it is more than one character; 0 where not.
    pub(super) string: u32,
    /// The direction of writing.
    pub(super) direction: Direction,
}

/// A direction of writing, in quarters of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Direction {
    Right,
    Up,
    Left,
    Down,
}

/// What is left of what a document may cost.
#[derive(Debug)]
pub(super) struct Budget {
    operators: usize,
    forms: usize,
    glyphs: usize,
    content: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { operators: MAX_OPERATORS, forms: MAX_FORMS, glyphs: MAX_GLYPHS, content: MAX_CONTENT_BYTES }
    }
}

/// What stands on a page.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) glyphs: Vec<Glyph>,
    pub(super) has_image: bool,
    /// Whether a budget ran out.
    pub(super) is_cut: bool,
}

/// Runs the content of a page.
pub(super) fn run<'a>(page: &Page<'a>, fonts: &mut Fonts<'a>, budget: &mut Budget) -> Shown {
    if budget.content == 0 {
        return Shown { is_cut: true, ..Shown::default() };
    }
    let content = super::content::of_page(page);
    let mut run = Run { fonts, budget, shown: Shown::default(), window: window(page), marked: Vec::new() };
    let resources = page.resources();
    let scope = Scope {
        fonts: resources.fonts.clone(),
        x_objects: resources.x_objects.clone(),
        properties: resources.properties.clone(),
        states: resources.ext_g_states.clone(),
    };
    run.stream(&content, &scope, State::new(upright(page)), 0);
    run.budget.glyphs = run.budget.glyphs.saturating_sub(run.shown.glyphs.len());
    run.shown
}

type Matrix = [f64; 6];
const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// First `inner`, then `outer`.
fn times(inner: &Matrix, outer: &Matrix) -> Matrix {
    let [a, b, c, d, e, f] = *inner;
    let [g, h, i, j, k, l] = *outer;
    [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l]
}

/// Turns a page upright.
fn upright(page: &Page<'_>) -> Matrix {
    match page.rotation() {
        Rotation::None => IDENTITY,
        Rotation::Horizontal => [0.0, -1.0, 1.0, 0.0, 0.0, 0.0],
        Rotation::Flipped => [-1.0, 0.0, 0.0, -1.0, 0.0, 0.0],
        Rotation::FlippedHorizontal => [0.0, 1.0, -1.0, 0.0, 0.0, 0.0],
    }
}

/// The part of the page that is seen, turned upright; everything, where the file gives nonsense.
fn window(page: &Page<'_>) -> Rect {
    let seen = page.intersected_crop_box();
    if !(seen.width() > 1.0 && seen.height() > 1.0) {
        return Rect::new(f64::MIN, f64::MIN, f64::MAX, f64::MAX);
    }
    let turn = upright(page);
    let corner = |x: f64, y: f64| (x * turn[0] + y * turn[2], x * turn[1] + y * turn[3]);
    let ((x0, y0), (x1, y1)) = (corner(seen.x0, seen.y0), corner(seen.x1, seen.y1));
    Rect::new(x0.min(x1) - MARGIN, y0.min(y1) - MARGIN, x0.max(x1) + MARGIN, y0.max(y1) + MARGIN)
}

/// The named things a stream may use.
struct Scope<'a> {
    fonts: Dict<'a>,
    x_objects: Dict<'a>,
    properties: Dict<'a>,
    states: Dict<'a>,
}

impl<'a> Scope<'a> {
    fn new(resources: &Dict<'a>) -> Scope<'a> {
        let part = |key: &[u8]| resources.get::<Dict<'a>>(key).unwrap_or_default();
        Scope {
            fonts: part(b"Font"),
            x_objects: part(b"XObject"),
            properties: part(b"Properties"),
            states: part(b"ExtGState"),
        }
    }
}

/// The graphics state, as far as text goes.
#[derive(Debug, Clone)]
struct State {
    matrix: Matrix,
    font: Option<usize>,
    size: f64,
    char_spacing: f64,
    word_spacing: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

impl State {
    fn new(matrix: Matrix) -> State {
        State {
            matrix,
            font: None,
            size: 1.0,
            char_spacing: 0.0,
            word_spacing: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

/// Text that replaces the glyphs shown from some place on.
struct Marked {
    replacement: Option<(usize, String)>,
}

struct Run<'r, 'a> {
    fonts: &'r mut Fonts<'a>,
    budget: &'r mut Budget,
    shown: Shown,
    window: Rect,
    marked: Vec<Marked>,
}

/// Where the pen is.
struct Pen {
    text: Matrix,
    line: Matrix,
}

impl Pen {
    fn next_line(&mut self, x: f64, y: f64) {
        self.line = times(&[1.0, 0.0, 0.0, 1.0, x, y], &self.line);
        self.text = self.line;
    }

    fn advance(&mut self, x: f64, y: f64) {
        self.text[4] += x * self.text[0] + y * self.text[2];
        self.text[5] += x * self.text[1] + y * self.text[3];
    }
}

impl<'a> Run<'_, 'a> {
    fn stream(&mut self, content: &[u8], scope: &Scope<'a>, mut state: State, depth: usize) {
        self.budget.content = self.budget.content.saturating_sub(content.len());
        let mut saved: Vec<State> = Vec::new();
        let mut pen = Pen { text: IDENTITY, line: IDENTITY };
        let mut instructions = UntypedIter::new(content);
        while let Some(instruction) = instructions.next() {
            let n_glyphs = self.shown.glyphs.len();
            if self.budget.operators == 0 || n_glyphs > MAX_PAGE_GLYPHS.min(self.budget.glyphs) {
                self.shown.is_cut = true;
                return;
            }
            self.budget.operators -= 1;
            match &**instruction.operator {
                b"q" if saved.len() < MAX_STACK => saved.push(state.clone()),
                b"Q" => state = saved.pop().unwrap_or(state),
                b"cm" => {
                    if let Some(matrix) = numbers(&instruction) {
                        state.matrix = times(&matrix, &state.matrix);
                    }
                }
                b"Do" => self.draw(&instruction, scope, &state, depth),
                b"BI" => self.shown.has_image = true,
                b"BMC" => self.mark(None),
                b"BDC" => self.begin_marked(&instruction, scope),
                b"EMC" => self.end_marked(),
                operator => self.text_operator(operator, &instruction, scope, &mut state, &mut pen),
            }
        }
    }

    fn text_operator(
        &mut self,
        operator: &[u8],
        instruction: &Instruction<'_, '_>,
        scope: &Scope<'a>,
        state: &mut State,
        pen: &mut Pen,
    ) {
        match operator {
            b"BT" => *pen = Pen { text: IDENTITY, line: IDENTITY },
            b"Tf" => self.set_font(instruction, scope, state),
            b"gs" => self.set_state(instruction, scope, state),
            b"Tm" => {
                if let Some(matrix) = numbers(instruction) {
                    *pen = Pen { text: matrix, line: matrix };
                }
            }
            b"Td" | b"TD" => {
                if let Some([x, y]) = numbers(instruction) {
                    if operator == b"TD" {
                        state.leading = -y;
                    }
                    pen.next_line(x, y);
                }
            }
            b"T*" => pen.next_line(0.0, -state.leading),
            b"Tc" => set(&mut state.char_spacing, instruction),
            b"Tw" => set(&mut state.word_spacing, instruction),
            b"TL" => set(&mut state.leading, instruction),
            b"Ts" => set(&mut state.rise, instruction),
            b"Tz" => {
                set(&mut state.scale, instruction);
                state.scale /= 100.0;
            }
            b"Tj" => self.show_last(instruction, state, pen),
            b"TJ" => self.show_array(instruction, state, pen),
            b"'" => {
                pen.next_line(0.0, -state.leading);
                self.show_last(instruction, state, pen);
            }
            b"\"" => {
                if let Some((word, char)) = spacings(instruction) {
                    (state.word_spacing, state.char_spacing) = (word, char);
                }
                pen.next_line(0.0, -state.leading);
                self.show_last(instruction, state, pen);
            }
            _ => {}
        }
    }

    fn set_font(&mut self, instruction: &Instruction<'_, '_>, scope: &Scope<'a>, state: &mut State) {
        let mut operands = instruction.operands();
        if let (Some(Object::Name(name)), Some(Object::Number(size))) = (operands.next(), operands.next()) {
            state.font = self.fonts.find(&scope.fonts, name);
            state.size = size.as_f64();
        }
    }

    /// A graphics state may name a font by its object.
    fn set_state(&mut self, instruction: &Instruction<'_, '_>, scope: &Scope<'a>, state: &mut State) {
        let Some(Object::Name(name)) = instruction.operands().next() else { return };
        let Some(font) =
            scope.states.get::<Dict<'a>>(&**name).and_then(|dict| dict.get::<Array<'a>>(b"Font"))
        else {
            return;
        };
        let mut parts = font.flex_iter();
        if let (Some(dict), Some(size)) = (parts.next::<Dict<'a>>(), parts.next::<f64>()) {
            state.font = Some(self.fonts.find_dict(&dict));
            state.size = size;
        }
    }

    fn show_last(&mut self, instruction: &Instruction<'_, '_>, state: &State, pen: &mut Pen) {
        if let Some(Object::String(bytes)) = instruction.operands().last() {
            self.show(bytes, state, pen);
        }
    }

    fn show_array(&mut self, instruction: &Instruction<'_, '_>, state: &State, pen: &mut Pen) {
        let Some(Object::Array(parts)) = instruction.operands().next() else { return };
        let is_horizontal = state.font.is_none_or(|font| self.fonts.is_horizontal(font));
        for part in parts.iter::<Object<'_>>() {
            match part {
                Object::String(bytes) => self.show(&bytes, state, pen),
                Object::Number(back) => {
                    let back = -back.as_f64() / 1000.0 * state.size;
                    if is_horizontal {
                        pen.advance(back * state.scale, 0.0);
                    } else {
                        pen.advance(0.0, back);
                    }
                }
                _ => {}
            }
        }
    }

    fn show(&mut self, bytes: &[u8], state: &State, pen: &mut Pen) {
        let Some(font) = state.font else { return };
        let is_horizontal = self.fonts.is_horizontal(font);
        let placed = times(&pen.text, &state.matrix);
        let stretch = if is_horizontal { state.scale } else { 1.0 };
        let axis = if is_horizontal { [placed[0], placed[1]] } else { [placed[2], placed[3]] };
        let unit = axis[0].hypot(axis[1]) * stretch.abs();
        let size = (state.size * placed[2].hypot(placed[3])).abs() as f32 * self.fonts.em(font);
        let turn = if is_horizontal { state.size * stretch } else { -state.size };
        let direction = direction(axis[0] * turn, axis[1] * turn);
        let (mut x, mut y) = (placed[4] + state.rise * placed[2], placed[5] + state.rise * placed[3]);
        let (mut at, mut moved) = (0, 0.0);
        while at < bytes.len() {
            let (code, n_bytes) = self.fonts.next_code(font, bytes, at);
            at += n_bytes;
            let Code { advance, c, string } = self.fonts.code(font, code);
            let width = f64::from(advance) / 1000.0 * state.size;
            if c != '\0' {
                let spaced = width + state.char_spacing * width.signum();
                let advance = (spaced.abs() * unit) as f32;
                self.put(Glyph { x: x as f32, y: y as f32, advance, size, c, string, direction });
            }
            let is_blank = n_bytes == 1 && code == 32;
            let step = width + state.char_spacing + if is_blank { state.word_spacing } else { 0.0 };
            x += step * stretch * axis[0];
            y += step * stretch * axis[1];
            moved += step * stretch;
        }
        if is_horizontal {
            pen.advance(moved, 0.0);
        } else {
            pen.advance(0.0, moved);
        }
    }

    fn put(&mut self, glyph: Glyph) {
        let (x, y) = (f64::from(glyph.x), f64::from(glyph.y));
        let window = &self.window;
        let is_seen = x >= window.x0 && x <= window.x1 && y >= window.y0 && y <= window.y1;
        if is_seen && glyph.size.is_finite() && glyph.advance.is_finite() {
            self.shown.glyphs.push(glyph);
        }
    }

    fn draw(&mut self, instruction: &Instruction<'_, '_>, scope: &Scope<'a>, state: &State, depth: usize) {
        let Some(Object::Name(name)) = instruction.operands().next() else { return };
        let Some(object) = scope.x_objects.get::<Stream<'a>>(&**name) else { return };
        match object.dict().get::<Name<'_>>(b"Subtype").as_deref() {
            Some(b"Image") => self.shown.has_image = true,
            Some(b"Form") => self.draw_form(&object, scope, state, depth),
            _ => {}
        }
    }

    fn draw_form(&mut self, form: &Stream<'a>, scope: &Scope<'a>, state: &State, depth: usize) {
        let is_spent = self.budget.forms == 0 || self.budget.content == 0;
        if depth >= MAX_FORM_DEPTH || is_spent {
            self.shown.is_cut |= is_spent;
            return;
        }
        self.budget.forms -= 1;
        let mut inner = state.clone();
        if let Some(matrix) = form.dict().get::<[f64; 6]>(b"Matrix") {
            inner.matrix = times(&matrix, &inner.matrix);
        }
        let content = decoded(form);
        match form.dict().get::<Dict<'a>>(b"Resources") {
            Some(resources) => self.stream(&content, &Scope::new(&resources), inner, depth + 1),
            None => self.stream(&content, scope, inner, depth + 1),
        }
    }

    fn mark(&mut self, replacement: Option<(usize, String)>) {
        if self.marked.len() < MAX_STACK {
            self.marked.push(Marked { replacement });
        }
    }

    fn begin_marked(&mut self, instruction: &Instruction<'_, '_>, scope: &Scope<'a>) {
        let text = match instruction.operands().nth(1) {
            Some(Object::Dict(properties)) => actual_text(properties),
            Some(Object::Name(name)) => {
                scope.properties.get::<Dict<'a>>(&**name).and_then(|properties| actual_text(&properties))
            }
            _ => None,
        };
        self.mark(text.map(|text| (self.shown.glyphs.len(), text)));
    }

    /// Puts the replacement in place of the glyphs shown since, where they stand on one line.
    fn end_marked(&mut self) {
        let Some((from, text)) = self.marked.pop().and_then(|marked| marked.replacement) else { return };
        let Some(shown) = self.shown.glyphs.get(from..).filter(|shown| is_one_line(shown)) else { return };
        let (first, last) = (shown[0], shown[shown.len() - 1]);
        self.shown.glyphs.truncate(from);
        let Some(text) = super::chars::text_of(&text).filter(|text| !text.trim().is_empty()) else { return };
        let Some(c) = text.chars().next() else { return };
        let string = if text.chars().nth(1).is_some() { self.fonts.keep(&text) } else { 0 };
        let along = match first.direction {
            Direction::Right => last.x - first.x,
            Direction::Left => first.x - last.x,
            Direction::Up => last.y - first.y,
            Direction::Down => first.y - last.y,
        };
        // Right-to-left text steps backwards.
        let (start, advance) =
            if along < 0.0 { (last, first.advance - along) } else { (first, along + last.advance) };
        self.shown.glyphs.push(Glyph { advance, c, string, ..start });
    }
}

/// Text that stands for marked content.
fn actual_text(properties: &Dict<'_>) -> Option<String> {
    let text = properties.get::<hayro_syntax::object::String<'_>>(b"ActualText")?;
    (text.len() <= MAX_ACTUAL_BYTES).then(|| text_string(&text))
}

/// Whether glyphs are few and stand on one line: text that replaces more is left to the glyphs.
fn is_one_line(shown: &[Glyph]) -> bool {
    let Some(first) = shown.first() else { return false };
    let across = |glyph: &Glyph| match glyph.direction {
        Direction::Right | Direction::Left => glyph.y,
        Direction::Up | Direction::Down => glyph.x,
    };
    shown.len() <= 32
        && shown.iter().all(|glyph| glyph.direction == first.direction)
        && shown.iter().all(|glyph| (across(glyph) - across(first)).abs() <= 0.6 * first.size.max(1.0))
        && shown.iter().any(|glyph| glyph.c != UNMAPPED || glyph.advance > 0.0)
}

/// The direction nearest to a vector.
fn direction(x: f64, y: f64) -> Direction {
    if x.abs() >= y.abs() {
        if x >= 0.0 { Direction::Right } else { Direction::Left }
    } else if y > 0.0 {
        Direction::Up
    } else {
        Direction::Down
    }
}

/// The last operands as numbers.
fn numbers<const N: usize>(instruction: &Instruction<'_, '_>) -> Option<[f64; N]> {
    let n_operands = instruction.operands().count();
    let mut found = [0.0; N];
    let operands = instruction.operands().skip(n_operands.checked_sub(N)?);
    for (slot, operand) in found.iter_mut().zip(operands) {
        let Object::Number(number) = operand else { return None };
        *slot = number.as_f64();
    }
    Some(found)
}

/// The spacings of words and characters that come before a string.
fn spacings(instruction: &Instruction<'_, '_>) -> Option<(f64, f64)> {
    let mut operands = instruction.operands();
    match (operands.next()?, operands.next()?) {
        (Object::Number(word), Object::Number(char)) => Some((word.as_f64(), char.as_f64())),
        _ => None,
    }
}

fn set(value: &mut f64, instruction: &Instruction<'_, '_>) {
    if let Some([number]) = numbers(instruction) {
        *value = number;
    }
}
