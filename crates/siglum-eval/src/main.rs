//! `siglum-eval`: the experiments behind every figure Siglum claims.
//!
//! An experiment is a value in [`all::EXPERIMENTS`]; it returns a [`report::Report`]. Only this file prints.
#![allow(unreachable_pub, reason = "nothing here is for another crate")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "reports are printed here")]

mod all;
mod bombs;
mod code;
mod common_runs;
mod corpus;
mod experiment;
mod experiments;
mod generate;
mod machine;
mod made_library;
mod measurements;
mod metrics;
mod mutate;
mod pairs;
mod papers;
mod plot;
mod recombined;
mod report;
mod rng;
mod table;
mod texts;
mod tsv;

use all::EXPERIMENTS;
use anyhow::{Context, Result, ensure};
use clap::{Arg, ArgMatches, Command, value_parser};

use siglum_extract::worker;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Writes the page of latest figures instead of running an experiment.
const LATEST: &str = "latest";

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|arg| arg == worker::WORKER_ARGUMENT) {
        return worker::serve();
    }
    match run(&command().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("siglum-eval: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn command() -> Command {
    let record = Arg::new("record")
        .long("record")
        .value_name("NAME")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("")
        .global(true)
        .help("Write measurements/NAME/DATE.md too, with the commit [default NAME: the experiment's]");
    let pictures = Arg::new("pictures")
        .long("pictures")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .global(true)
        .help("Write pictures into this folder");
    Command::new("siglum-eval")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Run the experiments behind every figure Siglum claims")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args([record, pictures])
        .subcommands(EXPERIMENTS.iter().map(experiment::Experiment::command))
        .subcommand(
            Command::new(LATEST).about("Write measurements/README.md: the latest figures of each experiment"),
        )
}

fn run(matches: &ArgMatches) -> Result<()> {
    let (name, matches) = matches.subcommand().context("no experiment given")?;
    if name == LATEST {
        return measurements::write_latest(Path::new(measurements::FOLDER));
    }
    let experiment = EXPERIMENTS.iter().find(|experiment| experiment.name == name);
    let mut report = experiment.context("no such experiment")?.run(matches)?;
    match matches.get_one::<PathBuf>("pictures") {
        Some(dir) => report.write_pictures(dir)?,
        None => report.drop_pictures(),
    }
    print!("{}", report.markdown(&format!("`{}`, {}", machine::command(), machine::kind())));
    if let Some(said) = matches.get_one::<String>("record") {
        ensure!(report.has_title(), "this prints lines for another program: there is no page to record");
        let name = if said.is_empty() { name } else { said };
        let path = measurements::record(Path::new(measurements::FOLDER), name, &report)?;
        eprintln!("recorded in {}", path.display());
    }
    report.check()
}
