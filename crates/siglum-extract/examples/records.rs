//! Reads catalogues and tells how many records there are and how fast they were read.
//!
//! `records FILE…`, or `records --show FILE…` to see each record, bad ones and warnings.

use siglum_extract::records::{RecordOptions, RecordReader};
use std::fs::File;
use std::io::{self, Write};
use std::time::Instant;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let is_shown = std::env::args().any(|argument| argument == "--show");
    for name in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let start = Instant::now();
        let options = RecordOptions { name: name.clone(), ..RecordOptions::default() };
        let mut reader = match RecordReader::open(File::open(&name)?, &options) {
            Ok(reader) => reader,
            Err(failure) => {
                writeln!(out, "{name}: {failure}")?;
                continue;
            }
        };
        if let Some(columns) = reader.columns().filter(|_| is_shown) {
            writeln!(out, "{columns}")?;
        }
        let (mut n_good, mut n_bad, mut n_warnings, mut n_chars) = (0u64, 0u64, 0, 0);
        for read in reader.by_ref() {
            match read {
                Ok(read) => {
                    n_good += 1;
                    n_warnings += read.warnings.len();
                    n_chars += read.record.metadata.title.as_ref().map_or(0, String::len);
                    if is_shown {
                        writeln!(out, "{} {:?} {:?}", read.number, read.record, read.warnings)?;
                    }
                }
                Err(bad) => {
                    n_bad += 1;
                    if is_shown {
                        writeln!(out, "{bad}")?;
                    }
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let rate = (n_good + n_bad) as f64 / seconds;
        let end = match reader.end() {
            Some(Err(failure)) => format!("; {failure}"),
            _ => String::new(),
        };
        writeln!(
            out,
            "{name}: {} {n_good} records, {n_bad} bad, {n_warnings} warnings, {n_chars} bytes of titles, {} bytes, \
             {seconds:.2} s, {rate:.0} records/s{end}",
            reader.format(),
            reader.n_bytes()
        )?;
    }
    Ok(())
}
