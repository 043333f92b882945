//! Data on standard output, complaints on standard error, and the exit codes.

use anyhow::Result;
use serde_json::ser::{Formatter, Serializer};
use siglum::report::{printable, steers_terminal};
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Found,
    Nothing,
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Found => ExitCode::SUCCESS,
            Exit::Nothing => ExitCode::from(1),
            Exit::Failed => ExitCode::from(2),
        }
    }
}

/// Standard output, buffered.
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    is_terminal: bool,
}

impl Output {
    pub(crate) fn new() -> Output {
        let out = io::stdout().lock();
        Output { is_terminal: out.is_terminal(), out: BufWriter::new(out) }
    }

    /// How many columns a person sees; 80 where nobody looks.
    pub(crate) fn width(&self) -> usize {
        let size = terminal_size::terminal_size_of(io::stdout()).filter(|_| self.is_terminal);
        size.map_or(80, |(width, _)| width.0.into())
    }

    /// A line that was put together here.
    pub(crate) fn line(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.out, "{line}")?)
    }

    /// An object as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> Result<()> {
        value.serialize(&mut Serializer::with_formatter(&mut self.out, HarmlessJson))?;
        Ok(writeln!(self.out)?)
    }

    /// Text of a book: as it is for a program, without anything that steers a terminal for a person.
    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        if !self.is_terminal {
            return Ok(self.out.write_all(text.as_bytes())?);
        }
        for line in text.split_inclusive(['\n', '\t', '\u{c}']) {
            let body = line.trim_end_matches(['\n', '\t', '\u{c}']);
            self.out.write_all(printable(body).as_bytes())?;
            self.out.write_all(&line.as_bytes()[body.len()..])?;
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }
}

/// JSON in which characters that would steer a terminal are escaped; a program reads the same strings.
struct HarmlessJson;

impl Formatter for HarmlessJson {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        for part in fragment.split_inclusive(steers_terminal) {
            let harmless = part.trim_end_matches(steers_terminal);
            out.write_all(harmless.as_bytes())?;
            // All of them are in the Basic Multilingual Plane: one escape each.
            part[harmless.len()..].chars().try_for_each(|c| write!(out, "\\u{:04x}", c as u32))?;
        }
        Ok(())
    }
}

/// Says on standard error what went wrong.
#[expect(clippy::print_stderr, reason = "the one place that complains")]
pub(crate) fn complain(problem: &str) {
    eprintln!("siglum: {}", printable(problem));
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        cause.downcast_ref::<io::Error>().map(io::Error::kind).or(json)
    };
    error.chain().any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}
