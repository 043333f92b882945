//! What is claimed, and giving it back.

use super::answers::record_report;
use super::terminal::description;
use crate::args::CheckArgs;
use crate::commands::library::{aligned, open};
use crate::output::{Exit, Output, complain};
use crate::width::cut;
use anyhow::Result;
use siglum::report::printable;
use siglum_library::Access;
use siglum_library::records::{RecordRow, day, now};

/// What a line of CSV has.
const CSV: [&str; 11] =
    ["id", "title", "creators", "year", "volume", "edition", "isbn", "centre", "state", "since", "until"];

/// Lists what is claimed, by a centre where one is named.
pub(super) fn list(args: &CheckArgs, output: &mut Output) -> Result<Exit> {
    let mut claims = open(&args.library, Access::Read)?.claims(now())?;
    if let Some(centre) = &args.centre {
        claims.retain(|claim| claim.centre.as_deref() == Some(centre.trim()));
    }
    if args.csv {
        output.line(&CSV.join(","))?;
    }
    for claim in claims.iter().filter(|_| args.json || args.csv) {
        if args.json {
            output.json(&record_report(claim))?;
        } else {
            output.csv(&record_report(claim), &CSV)?;
        }
    }
    if !args.json && !args.csv {
        lines(&claims, output.width()).iter().try_for_each(|line| output.line(line))?;
    }
    Ok(if claims.is_empty() { Exit::Nothing } else { Exit::Found })
}

fn lines(claims: &[RecordRow], width: usize) -> Vec<String> {
    let cells = |claim: &RecordRow| {
        let centre = printable(claim.centre.as_deref().unwrap_or_default());
        [
            claim.id.to_string(),
            cut(&centre, 20),
            format!("until {}", claim.until.map(day).unwrap_or_default()),
            description(&claim.record, 200),
        ]
    };
    let cells: Vec<[String; 4]> = claims.iter().map(cells).collect();
    let lines = aligned(&cells, [10, 20, 16, usize::MAX], "");
    lines.iter().map(|line| cut(line, width)).collect()
}

/// Gives claims back.
pub(super) fn release(args: &CheckArgs, output: &mut Output) -> Result<Exit> {
    // A library is not made for this.
    drop(open(&args.library, Access::Read)?);
    let mut library = open(&args.library, Access::Shared)?;
    let mut n_released = 0;
    for &id in &args.release {
        match library.release(id, args.centre.as_deref(), now()) {
            Ok(claim) => {
                n_released += 1;
                if args.json {
                    output.json(&record_report(&claim))?;
                } else {
                    let centre = printable(claim.centre.as_deref().unwrap_or_default());
                    let title = description(&claim.record, output.width().saturating_sub(40).max(30));
                    output.line(&format!("released: {title}, claimed by {centre}"))?;
                }
            }
            Err(error) => complain(&format!("{error:#}")),
        }
    }
    Ok(if n_released == args.release.len() { Exit::Found } else { Exit::Failed })
}
