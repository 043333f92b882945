//! Question marks where letters were: what encoders write for characters their encoding does not have.

/// A run of question marks alone is emphasis up to this length ("Hein ???"), unless another run stands beside it.
const MAX_EMPHASIS: usize = 3;
/// The most characters between two such runs.
const MAX_BETWEEN: usize = 4;
/// How far around a question mark the address of a web page is looked for, in bytes.
const MAX_ADDRESS: usize = 200;

/// A run of question marks: where it ends, and how many of it stand for letters.
pub(super) struct Run {
    pub(super) end: usize,
    pub(super) n_damaged: u64,
}

/// Judges the run that begins at a place.
pub(super) fn run(text: &str, start: usize) -> Run {
    let n = text[start..].bytes().take_while(|byte| *byte == b'?').count();
    let end = start + n;
    let is_damaged = match (text[..start].chars().next_back(), text[end..].chars().next()) {
        // Before a capital a space is missing; in scripts without cases that cannot be told.
        (before, Some(next)) if next.is_lowercase() => !is_address(text, start) && before != Some('('),
        (before, next) => {
            let is_alone = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
            is_alone(before) && is_alone(next) && (n > MAX_EMPHASIS || has_neighbour(text, start, end))
        }
    };
    Run { end, n_damaged: if is_damaged { n as u64 } else { 0 } }
}

/// Whether another run of question marks stands beside this one, parted by punctuation and a space.
fn has_neighbour(text: &str, start: usize, end: usize) -> bool {
    let is_between = |c: &char| matches!(c, ' ' | '\n' | ',' | '.' | '(' | '-');
    let n_behind = text[end..].chars().take(MAX_BETWEEN).take_while(is_between).count();
    let n_before = text[..start].chars().rev().take(MAX_BETWEEN).take_while(is_between).count();
    // What stands between is ASCII, so that characters are bytes.
    let behind = n_behind > 0 && text[end + n_behind..].starts_with("??");
    let before = n_before > 0 && text[..start - n_before].ends_with("??");
    (behind || before) && end - start > 1
}

/// Whether the question mark parts an address from its query.
fn is_address(text: &str, at: usize) -> bool {
    let first = text.floor_char_boundary(at.saturating_sub(MAX_ADDRESS));
    let before = text[first..at].rsplit(char::is_whitespace).next().unwrap_or_default();
    let last = text.ceil_char_boundary((at + MAX_ADDRESS).min(text.len()));
    let behind = text[at..last].split(char::is_whitespace).next().unwrap_or_default();
    before.contains("://") || before.contains("www.") || before.contains('/') || behind.contains('=')
}
