//! How far a scan or an import is: a bar on a terminal, and elsewhere a line now and then.

use crate::numbers::{grouped, time};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use siglum_library::{Phase, Progress};
use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows how far a scan is on standard error.
pub(crate) struct Shown {
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

struct State {
    phase: Option<Phase>,
    began: Instant,
    last_line: Instant,
}

impl Shown {
    pub(crate) fn on_stderr() -> Shown {
        let bar =
            stderr().is_terminal().then(|| ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()));
        let now = Instant::now();
        Shown { bar, state: Mutex::new(State { phase: None, began: now, last_line: now }) }
    }

    /// Leaves nothing on the terminal.
    pub(crate) fn end(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl Progress for Shown {
    fn at(&self, phase: Phase, done: u64, of: u64) {
        let Ok(mut state) = self.state.lock() else { return };
        if state.phase != Some(phase) {
            state.phase = Some(phase);
            state.began = Instant::now();
            self.bar.iter().for_each(|bar| begin(bar, phase, of));
        }
        match &self.bar {
            // Of how many may be an estimate that gets better.
            Some(bar) => {
                bar.set_length(of);
                bar.set_position(done);
            }
            None => state.line(phase, done, of),
        }
    }
}

/// A new bar in the old one's place.
fn begin(bar: &ProgressBar, phase: Phase, of: u64) {
    let template = match of {
        0 => " {msg} {pos} {spinner}",
        _ => " {msg} ▕{bar:28}▏ {pos} of {len}   {per_sec}   {eta} left",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.reset();
    bar.set_style(style.progress_chars("█▓░"));
    bar.set_message(words(phase));
}

impl State {
    #[expect(clippy::print_stderr, reason = "progress is no complaint")]
    fn line(&mut self, phase: Phase, done: u64, of: u64) {
        if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            eprintln!("siglum: {}", line(phase, done, of, self.began.elapsed()));
        }
    }
}

/// `reading 120 of 1,204, 31.2 a second, 35s left`.
fn line(phase: Phase, done: u64, of: u64, elapsed: Duration) -> String {
    let words = words(phase);
    if of == 0 || done == 0 {
        return format!("{words} {}", grouped(done));
    }
    let rate = done as f64 / elapsed.as_secs_f64().max(0.001);
    let left = Duration::from_secs_f64((of.saturating_sub(done) as f64 / rate).clamp(0.0, 1e9));
    format!("{words} {} of {}, {rate:.1} a second, {} left", grouped(done), grouped(of), time(left))
}

fn words(phase: Phase) -> &'static str {
    match phase {
        Phase::Walking => "looking for files",
        Phase::Reading => "reading files",
        Phase::Indexing => "indexing",
        Phase::Matching => "comparing texts",
        Phase::Judging => "judging relations",
        Phase::Importing => "reading records",
        Phase::IndexingRecords => "indexing records",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_rate_and_time_left() {
        let check = |done, of, expected: &str| {
            assert_eq!(line(Phase::Reading, done, of, Duration::from_secs(4)), expected);
        };
        check(120, 1204, "reading files 120 of 1,204, 30.0 a second, 36s left");
        check(0, 1204, "reading files 0");
        check(1500, 1204, "reading files 1,500 of 1,204, 375.0 a second, 0.0s left");
        check(7, 0, "reading files 7");
    }
}
