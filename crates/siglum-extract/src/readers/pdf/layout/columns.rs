//! Reading order: which pieces stand on a row, and which rows stand in columns.
//!
//! Rows are taken from top to bottom. As long as some upright strip stays free between what they hold, they may be
//! columns; a piece that bridges it ends them. They are columns if each side holds running text, and if the file
//! draws one side after the other or the sides are set full: a table is drawn row by row and its cells are ragged.

use super::pieces::Piece;

/// The narrowest strip between columns, in ems.
const MIN_GUTTER: f32 = 0.7;
/// The narrowest column, in ems.
const MIN_WIDTH: f32 = 6.0;
/// The fewest pieces in a column.
const MIN_PIECES: usize = 3;
/// How much of a column's width its pieces fill on average, where only that tells it from a table.
const FULL: f32 = 0.75;
/// Pieces whose baselines are closer than this, in ems, stand on one row.
const SAME_ROW: f32 = 0.4;
/// Columns within columns that are looked for.
const MAX_DEPTH: usize = 3;
/// Pieces of a page from which no columns are looked for, and strips of rows that are kept apart.
const MAX_PIECES: usize = 20_000;
const MAX_SPANS: usize = 64;
/// Rows that are tried again, one row further down, when they turn out to be no columns.
const MAX_RETRY: usize = 40;
/// How much further than from line to line, in ems, the rows above columns may stand.
const MAX_LEAD: f32 = 2.5;

/// A line of text.
#[derive(Debug)]
pub(super) struct Row {
    /// From the beginning of the line to its end.
    pub(super) pieces: Vec<Piece>,
    pub(super) v: f32,
    pub(super) size: f32,
    /// Whether it stands at the top of a column.
    pub(super) starts_column: bool,
}

/// All pieces as rows in reading order.
pub(super) fn rows_in_order(pieces: Vec<Piece>, is_rtl: bool) -> Vec<Row> {
    let mut found = Vec::new();
    let depth = if pieces.len() > MAX_PIECES { MAX_DEPTH } else { 0 };
    order(rows(pieces), is_rtl, depth, &mut found);
    found
}

/// Rows from top to bottom.
fn rows(mut pieces: Vec<Piece>) -> Vec<Row> {
    pieces.sort_by(|a, b| a.v.total_cmp(&b.v));
    let mut rows: Vec<Row> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some(row)
                if piece.v - row.v
                    < SAME_ROW * row.size.min(piece.size).max(0.6 * row.size.max(piece.size)) =>
            {
                row.size = row.size.max(piece.size);
                row.pieces.push(piece);
            }
            _ => rows.push(Row { v: piece.v, size: piece.size, pieces: vec![piece], starts_column: false }),
        }
    }
    for row in &mut rows {
        row.pieces.sort_by(|a, b| a.u0.total_cmp(&b.u0));
    }
    rows
}

/// Puts rows in reading order: columns one after the other, what stands across them where it stands.
fn order(rows: Vec<Row>, is_rtl: bool, depth: usize, found: &mut Vec<Row>) {
    if depth == MAX_DEPTH {
        found.extend(rows);
        return;
    }
    let bands = bands(&rows);
    let mut rows = rows.into_iter();
    for (n_rows, columns) in bands {
        let band: Vec<Row> = rows.by_ref().take(n_rows).collect();
        match columns {
            None => found.extend(band),
            Some(edges) => read_columns(band, &edges, is_rtl, depth, found),
        }
    }
}

fn read_columns(band: Vec<Row>, edges: &[f32], is_rtl: bool, depth: usize, found: &mut Vec<Row>) {
    let mut columns: Vec<Vec<Piece>> = vec![Vec::new(); edges.len() + 1];
    for piece in band.into_iter().flat_map(|row| row.pieces) {
        let middle = (piece.u0 + piece.u1) / 2.0;
        columns[edges.partition_point(|edge| *edge < middle)].push(piece);
    }
    if is_rtl {
        columns.reverse();
    }
    for column in columns {
        let first = found.len();
        order(rows(column), is_rtl, depth + 1, found);
        if let Some(row) = found.get_mut(first) {
            row.starts_column = true;
        }
    }
}

/// Stretches of rows: how many, and where the gutters are if they stand in columns.
fn bands(rows: &[Row]) -> Vec<(usize, Option<Vec<f32>>)> {
    let mut bands: Vec<(usize, Option<Vec<f32>>)> = Vec::new();
    let mut start = 0;
    while start < rows.len() {
        let (end, occupied) = grow(rows, start);
        let may_be_columns = (2..=MAX_SPANS).contains(&occupied.len());
        let edges = if may_be_columns { gutters(&rows[start..end], occupied) } else { None };
        let n_rows = match &edges {
            Some(edges) => end - start + take_lead(rows, start, edges, &mut bands),
            // A row that stands above columns, but not over their gutter, may have hidden them.
            None if end - start <= MAX_RETRY => 1,
            None => end - start,
        };
        start += if edges.is_some() { end - start } else { n_rows };
        bands.push((n_rows, edges));
    }
    bands
}

/// How many of the rows just above belong to the columns: one column may begin higher than the others.
fn take_lead(rows: &[Row], start: usize, edges: &[f32], bands: &mut Vec<(usize, Option<Vec<f32>>)>) -> usize {
    let mut n_taken = 0;
    while let Some((1, None)) = bands.last() {
        let (row, below) = (&rows[start - n_taken - 1], &rows[start - n_taken]);
        let is_near = below.v - row.v < MAX_LEAD * row.size.max(below.size);
        let crosses = |piece: &Piece| edges.iter().any(|edge| piece.u0 < *edge && piece.u1 > *edge);
        if !is_near || row.pieces.iter().any(crosses) {
            break;
        }
        bands.pop();
        n_taken += 1;
    }
    n_taken
}

/// The stretch of rows from `start` on between which a strip stays free.
fn grow(rows: &[Row], start: usize) -> (usize, Vec<Span>) {
    let mut occupied = Vec::new();
    cover(&mut occupied, &rows[start]);
    let mut end = start + 1;
    while end < rows.len() {
        let mut more = occupied.clone();
        cover(&mut more, &rows[end]);
        if more.len() < 2 || more.len() > MAX_SPANS {
            break;
        }
        occupied = more;
        end += 1;
    }
    (end, occupied)
}

/// A stretch of the line's direction that text covers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    u0: f32,
    u1: f32,
}

/// Adds a row to what is covered. Strips too narrow for gutters are covered too. A row of more strips than any columns
/// are is not covered to its end: each piece is held against all strips.
fn cover(occupied: &mut Vec<Span>, row: &Row) {
    for piece in &row.pieces {
        if occupied.len() > 4 * MAX_SPANS {
            return;
        }
        let least = MIN_GUTTER * piece.size;
        let mut span = Span { u0: piece.u0, u1: piece.u1.max(piece.u0) };
        occupied.retain(|known| {
            let apart = known.u0 - span.u1 >= least || span.u0 - known.u1 >= least;
            if !apart {
                span = Span { u0: span.u0.min(known.u0), u1: span.u1.max(known.u1) };
            }
            apart
        });
        let at = occupied.partition_point(|known| known.u0 < span.u0);
        occupied.insert(at, span);
    }
}

/// The middles of the gutters, if the rows stand in columns.
fn gutters(rows: &[Row], mut columns: Vec<Span>) -> Option<Vec<f32>> {
    let pieces: Vec<&Piece> = rows.iter().flat_map(|row| &row.pieces).collect();
    let size = middle(pieces.iter().map(|piece| piece.size).collect());
    while let Some(weak) = weakest(&columns, &pieces, size) {
        merge(&mut columns, weak);
    }
    if columns.len() < 2 || !(is_drawn_by_column(&columns, &pieces) || is_set_full(&columns, &pieces)) {
        return None;
    }
    Some(columns.windows(2).map(|pair| (pair[0].u1 + pair[1].u0) / 2.0).collect())
}

/// A column that is too narrow or too short to be one: labels of lists, page numbers.
fn weakest(columns: &[Span], pieces: &[&Piece], size: f32) -> Option<usize> {
    if columns.len() < 2 {
        return None;
    }
    let mut n_pieces = vec![0; columns.len()];
    pieces.iter().for_each(|piece| n_pieces[column_of(columns, piece)] += 1);
    (0..columns.len())
        .find(|&at| n_pieces[at] < MIN_PIECES || columns[at].u1 - columns[at].u0 < MIN_WIDTH * size)
}

/// Merges a column with its nearer neighbour.
fn merge(columns: &mut Vec<Span>, at: usize) {
    let gap = |left: usize| columns.get(left + 1).map_or(f32::MAX, |right| right.u0 - columns[left].u1);
    let before = if at > 0 { gap(at - 1) } else { f32::MAX };
    let left = if before < gap(at) || at + 1 == columns.len() { at - 1 } else { at };
    let right = columns.remove(left + 1);
    columns[left].u1 = columns[left].u1.max(right.u1);
}

fn column_of(columns: &[Span], piece: &Piece) -> usize {
    let middle = (piece.u0 + piece.u1) / 2.0;
    columns.partition_point(|column| column.u1 < middle).min(columns.len() - 1)
}

/// Whether the file draws one column after the other.
fn is_drawn_by_column(columns: &[Span], pieces: &[&Piece]) -> bool {
    let mut drawn: Vec<(u32, usize)> = pieces
        .iter()
        .map(|piece| (piece.glyphs.first().map_or(0, |stretch| stretch.0), column_of(columns, piece)))
        .collect();
    drawn.sort_unstable();
    let n_changes = drawn.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    n_changes <= (2 * columns.len() - 2).max(pieces.len() / 8)
}

/// Whether the pieces of every column fill it, as running text does.
fn is_set_full(columns: &[Span], pieces: &[&Piece]) -> bool {
    columns.iter().enumerate().all(|(at, column)| {
        let widths: Vec<f32> = pieces
            .iter()
            .filter(|piece| column_of(columns, piece) == at)
            .map(|piece| piece.u1 - piece.u0)
            .collect();
        widths.len() >= 2 * MIN_PIECES
            && widths.iter().sum::<f32>() / widths.len() as f32 > FULL * (column.u1 - column.u0)
    })
}

fn middle(mut numbers: Vec<f32>) -> f32 {
    numbers.sort_by(f32::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_many_pieces_is_no_columns() {
        let piece = |u0: f32| Piece {
            u0,
            u1: u0 + 1.0,
            v: 0.0,
            size: 1.0,
            glyphs: vec![(0, 1)],
            n_glyphs: 1,
            is_rtl: false,
        };
        let rows = rows_in_order((0..MAX_PIECES).map(|i| piece(5.0 * i as f32)).collect(), false);
        assert_eq!((rows.len(), rows[0].pieces.len()), (1, MAX_PIECES));
    }
}
