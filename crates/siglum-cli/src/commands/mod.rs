//! One module a command.

pub(crate) mod check;
pub(crate) mod clusters;
pub(crate) mod compare;
pub(crate) mod demo;
pub(crate) mod distance;
mod files;
pub(crate) mod find;
pub(crate) mod forget;
pub(crate) mod formats;
pub(crate) mod id;
mod library;
pub(crate) mod matches;
pub(crate) mod not_same;
pub(crate) mod pairs;
pub(crate) mod repair;
pub(crate) mod scan;
pub(crate) mod schemes;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod text;

use crate::args::{ConfinementArgs, ReadArgs};
use crate::output::complain;
use data_encoding::BASE64;
use siglum_extract::worker::Confinement;
use siglum_extract::{Bytes, Extracted, Failure, How, Judge, Options, Reader, Tidy};
use std::path::Path;
use std::sync::Once;

/// Reads book files as the arguments say.
struct BookReader {
    reader: Reader,
    how: How,
}

impl BookReader {
    fn new(args: &ReadArgs, tidy: Tidy, bytes: Bytes) -> Result<BookReader, Failure> {
        let reader = confined_reader(args.confinement)?;
        let options = Options { encoding: args.encoding.clone(), pdf_engine: args.pdf_engine.into() };
        Ok(BookReader { reader, how: How { options, tidy, bytes, judge: Judge::Text } })
    }

    /// Without language and quality, where nobody asks for them.
    fn unjudged(mut self) -> BookReader {
        self.how.judge = Judge::Nothing;
        self
    }

    /// Reads a file, or standard input for `-`.
    fn read(&self, path: &Path) -> Result<Extracted, Failure> {
        match path.to_str() {
            Some("-") => self.reader.read_stream(std::io::stdin().lock(), &self.how),
            _ => self.reader.read_file(path, &self.how),
        }
    }
}

/// What reads files, as far from this process as the arguments say. Of a missing sandbox a person hears once.
fn confined_reader(args: ConfinementArgs) -> Result<Reader, Failure> {
    static TOLD: Once = Once::new();
    let confinement = match args.require_sandbox {
        true => Confinement::Required,
        false => Confinement::Told(|problem| TOLD.call_once(|| complain(problem))),
    };
    Reader::new(args.isolation.into())?.confined(confinement)
}

/// What a person should know about a book that was read.
fn warnings(name: &str, read: &Extracted) -> Vec<String> {
    let truncated = read.truncated.iter();
    let truncated =
        truncated.map(|failure| format!("read only part of {name}: {failure} ({})", failure.reason));
    truncated.chain(read.warnings.iter().map(|warning| format!("{name}: {warning}"))).collect()
}

/// A path as JSON has it: absolute, links not resolved; and its bytes, where it is not UTF-8.
fn json_path(path: &Path) -> (Option<String>, Option<String>) {
    if path.as_os_str() == "-" {
        return (None, None);
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let bytes = absolute.to_str().is_none().then(|| BASE64.encode(absolute.as_os_str().as_encoded_bytes()));
    (Some(absolute.to_string_lossy().into_owned()), bytes)
}
