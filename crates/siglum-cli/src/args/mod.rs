//! What can be asked on the command line: one struct of arguments for each command.

mod books;
mod check;
mod library;
mod pairs;
mod reading;
mod values;

pub(crate) use books::{
    CompareArgs, DistanceArgs, FormatsArgs, IdArgs, MethodArg, PageRange, SchemesArgs, TextArgs,
};
pub(crate) use check::{CheckArgs, CheckMethodArg, DistanceArg};
pub(crate) use library::{
    ClustersArgs, DemoArgs, FindArgs, ForgetArgs, LibraryArgs, MatchesArgs, NotSameArgs, RepairArgs,
    ScanArgs, ShowArgs, StatusArgs,
};
pub(crate) use pairs::{IndexArg, PairsArgs};
pub(crate) use reading::{ConfinementArgs, PdfEngineArg, ReadArgs};

use clap::{Parser, Subcommand};

/// Find out which books are the same text.
#[derive(Debug, Parser)]
#[command(name = "siglum", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read folders of books and bring the library up to date
    Scan(ScanArgs),
    /// List the groups of the same text, each with the copy to keep
    Clusters(ClustersArgs),
    /// List all pairs of related books
    Matches(MatchesArgs),
    /// List near-duplicate pairs by one sketch alone, as its paper does
    Pairs(PairsArgs),
    /// Find the books in the library that are related to a file or near a siglum
    Find(FindArgs),
    /// Show what the library knows about a file
    Show(ShowArgs),
    /// Show the library's contents and health
    Status(StatusArgs),
    /// Check whether a title is already there, before the book is scanned
    Check(Box<CheckArgs>),
    /// Record that two books are not the same
    NotSame(NotSameArgs),
    /// Remove files from the library; the files themselves stay
    Forget(ForgetArgs),
    /// Check the library and restore what is damaged
    Repair(RepairArgs),
    /// Make a sample library and show what Siglum does with it
    Demo(DemoArgs),
    /// Print the identifiers of files
    Id(IdArgs),
    /// Print the text of a file, with form feeds between pages
    Text(TextArgs),
    /// Show how two books relate, and why
    Compare(CompareArgs),
    /// Compare two sigla, or two sketches of one scheme
    Distance(DistanceArgs),
    /// List the sketches Siglum can make
    Schemes(SchemesArgs),
    /// List the formats Siglum reads, and its limits
    Formats(FormatsArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Args::command().debug_assert();
    }
}
