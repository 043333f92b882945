//! An experiment as a value: a name, a line of help, its arguments, and a run that returns a [`Report`].

use crate::report::Report;
use anyhow::Result;
use clap::{ArgMatches, Args, Command};

/// What an experiment is asked for, and how it answers. Each module of `experiments` has one.
pub trait Run: Args {
    fn run(&self) -> Result<Report>;
}

/// One line of the table of experiments.
pub struct Experiment {
    pub name: &'static str,
    help: &'static str,
    arguments: fn(Command) -> Command,
    run: fn(&ArgMatches) -> Result<Report>,
}

impl Experiment {
    pub const fn new<A: Run>(name: &'static str, help: &'static str) -> Experiment {
        Experiment {
            name,
            help,
            arguments: A::augment_args,
            run: |matches| A::from_arg_matches(matches)?.run(),
        }
    }

    pub fn command(&self) -> Command {
        (self.arguments)(Command::new(self.name)).about(self.help).long_about(None)
    }

    pub fn run(&self, matches: &ArgMatches) -> Result<Report> {
        (self.run)(matches)
    }
}
