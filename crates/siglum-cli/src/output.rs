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

/// The colours of terminals, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Red = 31,
    Green = 32,
    Yellow = 33,
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

    /// A word in a colour, which adds to what it says: for a person alone, and not where they want none.
    pub(crate) fn coloured(&self, word: &str, colour: Colour) -> String {
        let is_wanted = self.is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        if is_wanted { format!("\x1b[1;{}m{word}\x1b[0m", colour as u8) } else { word.to_owned() }
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

    /// Fields of an object as comma-separated values (RFC 4180); a list is one value, its parts separated by semicolons.
    pub(crate) fn csv(&mut self, value: &impl serde::Serialize, fields: &[&str]) -> Result<()> {
        let value = serde_json::to_value(value)?;
        let cells: Vec<String> = fields.iter().map(|field| csv_cell(&csv_text(&value[*field]))).collect();
        let line = cells.join(",");
        // A program gets line ends and all that a name has; a person nothing that steers the terminal.
        self.line(&if self.is_terminal { printable(&line) } else { line })
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

fn csv_text(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(parts) => parts.iter().map(csv_text).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

fn csv_cell(text: &str) -> String {
    let is_plain = !text.contains(['"', ',', '\n', '\r']);
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
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

/// Says on standard error what went wrong, and on a line of its own what a person can do about it.
#[expect(clippy::print_stderr, reason = "the one place that complains")]
pub(crate) fn complain(problem: &str) {
    const HINT: &str = "\nhint: ";
    match problem.rsplit_once(HINT) {
        Some((problem, hint)) => eprintln!("siglum: {}\nhint: {}", printable(problem), printable(hint)),
        None => eprintln!("siglum: {}", printable(problem)),
    }
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        cause.downcast_ref::<io::Error>().map(io::Error::kind).or(json)
    };
    error.chain().any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let check = |text: &str, expected: &str| assert_eq!(csv_cell(text), expected);
        check("Emma", "Emma");
        check("Emma, or \"Emma\"", "\"Emma, or \"\"Emma\"\"\"");
        check("two\nlines", "\"two\nlines\"");
        assert_eq!(csv_text(&serde_json::json!(["a", "b"])), "a; b");
        assert_eq!(csv_text(&serde_json::json!(0.5)), "0.5");
    }
}
