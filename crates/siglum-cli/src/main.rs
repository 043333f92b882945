//! The `siglum` command: which books are the same text.

mod args;
mod commands;
mod numbers;
mod output;
mod own_file;
mod progress;
mod width;

use args::{Args, Command};
use clap::Parser;
use output::{Exit, Output};
use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: a worker wants nothing of the command line.
    if std::env::args_os().nth(1).is_some_and(|arg| arg == siglum_extract::worker::WORKER_ARGUMENT) {
        return siglum_extract::worker::serve();
    }
    let args = Args::parse();
    let mut output = Output::new();
    let exit = match &args.command {
        Command::Scan(args) => commands::scan::run(args, &mut output),
        Command::Clusters(args) => commands::clusters::run(args, &mut output),
        Command::Matches(args) => commands::matches::run(args, &mut output),
        Command::Pairs(args) => commands::pairs::run(args, &mut output),
        Command::Find(args) => commands::find::run(args, &mut output),
        Command::Show(args) => commands::show::run(args, &mut output),
        Command::Status(args) => commands::status::run(args, &mut output),
        Command::Check(args) => commands::check::run(args, &mut output),
        Command::NotSame(args) => commands::not_same::run(args, &mut output),
        Command::Forget(args) => commands::forget::run(args, &mut output),
        Command::Repair(args) => commands::repair::run(args, &mut output),
        Command::Demo(args) => commands::demo::run(args, &mut output),
        Command::Id(args) => commands::id::run(args, &mut output),
        Command::Text(args) => commands::text::run(args, &mut output),
        Command::Compare(args) => commands::compare::run(args, &mut output),
        Command::Distance(args) => commands::distance::run(args, &mut output),
        Command::Schemes(args) => commands::schemes::run(args, &mut output),
        Command::Formats(args) => commands::formats::run(args, &mut output),
    };
    let exit = exit.and_then(|exit| output.finish().map(|()| exit));
    match exit {
        Ok(exit) => exit.into(),
        // Whoever reads our output has seen enough.
        Err(error) if output::is_broken_pipe(&error) => Exit::Found.into(),
        Err(error) => {
            output::complain(&format!("{error:#}"));
            Exit::Failed.into()
        }
    }
}
