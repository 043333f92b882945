//! `siglum not-same`: a person's decision that two books are not the same; it is remembered for that pair.

use super::library::{Standpoint, aligned, file_path, open};
use crate::args::NotSameArgs;
use crate::output::{Exit, Output};
use anyhow::{Result, bail};
use siglum::report::library::DecisionReport;
use siglum_library::{Access, Decision};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) fn run(args: &NotSameArgs, output: &mut Output) -> Result<Exit> {
    match (&args.a, &args.b) {
        (Some(a), Some(b)) => decide(args, a, b, output),
        _ if args.list => list(args, output),
        _ => bail!("two files are needed"),
    }
}

fn decide(args: &NotSameArgs, a: &Path, b: &Path, output: &mut Output) -> Result<Exit> {
    let mut library = open(&args.library, Access::Shared)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let was_done = if args.undo {
        library.undo_not_same(a, b, now)?
    } else {
        library.decide_not_same(a, b, now)?;
        true
    };
    let standpoint = Standpoint::here();
    let [a, b] = [a, b].map(|path| standpoint.name(path));
    let said = match (args.undo, was_done) {
        (false, _) => format!("{a} and {b} are not the same (--undo takes it back)"),
        (true, true) => format!("{a} and {b} are judged by their text again"),
        (true, false) => format!("there is no decision about {a} and {b}"),
    };
    if args.json {
        output.json(&serde_json::json!({ "a": a, "b": b, "not_same": !args.undo, "changed": was_done }))?;
    } else {
        output.line(&said)?;
    }
    Ok(if was_done { Exit::Found } else { Exit::Nothing })
}

fn list(args: &NotSameArgs, output: &mut Output) -> Result<Exit> {
    let decisions = open(&args.library, Access::Read)?.decisions()?;
    if args.json {
        decisions.iter().try_for_each(|decision| output.json(&report(decision)))?;
    } else {
        let standpoint = Standpoint::here();
        // A book of which no file is left has no name; the decision is kept for when it comes back.
        let name =
            |files: &[PathBuf]| files.first().map_or("(forgotten)".to_owned(), |file| standpoint.name(file));
        let cells = |decision: &Decision| [decision.day(), name(&decision.a), name(&decision.b)];
        let cells: Vec<[String; 3]> = decisions.iter().map(cells).collect();
        aligned(&cells, [10, 60, usize::MAX], "").iter().try_for_each(|line| output.line(line))?;
    }
    Ok(if decisions.is_empty() { Exit::Nothing } else { Exit::Found })
}

fn report(decision: &Decision) -> DecisionReport {
    let files = |files: &[PathBuf]| files.iter().map(|file| file_path(file)).collect();
    DecisionReport { a: files(&decision.a), b: files(&decision.b), at: decision.day() }
}
