//! An experiment as a value: a name, a line of help, its arguments, and a run that returns a [`Report`].

use crate::report::Report;
use crate::texts::RealTexts;
use anyhow::Result;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// What an experiment is asked for, and how it answers. Each module of `experiments` that asks for more than the corpus has one.
pub trait Run: Args {
    fn run(&self) -> Result<Report>;
}

/// One line of the table of experiments.
pub struct Experiment {
    pub name: &'static str,
    help: &'static str,
    arguments: fn(Command) -> Command,
    run: Task,
}

/// What runs it: with arguments of its own, or on the corpus alone.
enum Task {
    Arguments(fn(&ArgMatches) -> Result<Report>),
    Texts(fn(&RealTexts) -> Result<Report>),
}

impl Experiment {
    pub const fn new<A: Run>(name: &'static str, help: &'static str) -> Experiment {
        Experiment {
            name,
            help,
            arguments: A::augment_args,
            run: Task::Arguments(|matches| A::from_arg_matches(matches)?.run()),
        }
    }

    /// An experiment whose only argument is the corpus.
    pub const fn of_texts(
        name: &'static str,
        help: &'static str,
        run: fn(&RealTexts) -> Result<Report>,
    ) -> Experiment {
        Experiment { name, help, arguments: RealTexts::augment_args, run: Task::Texts(run) }
    }

    pub fn command(&self) -> Command {
        (self.arguments)(Command::new(self.name)).about(self.help).long_about(None)
    }

    pub fn run(&self, matches: &ArgMatches) -> Result<Report> {
        match self.run {
            Task::Arguments(run) => run(matches),
            Task::Texts(run) => run(&RealTexts::from_arg_matches(matches)?),
        }
    }
}
