//! Queries are answered in parallel and told in their order.

use super::queries::Asked;
use super::terminal;
use super::told::Told;
use crate::args::{CheckArgs, CheckMethodArg, DistanceArg};
use crate::commands::library::file_path;
use crate::numbers::counted;
use crate::output::{Exit, Output, complain};
use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;
use siglum::record::{Record, Verdict};
use siglum::report::check::{CheckLine, CheckReport, ClaimReport, QueryReport, RecordReport};
use siglum::sketch::signature::SignatureShape;
use siglum_library::Access;
use siglum_library::records::index::Distance;
use siglum_library::records::{self, BySignature, Checker, Claim, Hit, RecordRow};
use std::path::Path;
use std::sync::Mutex;

/// What a line of CSV has.
const CSV: [&str; 18] = [
    "query_number",
    "query_title",
    "query_creators",
    "verdict",
    "id",
    "title",
    "creators",
    "year",
    "volume",
    "edition",
    "isbn",
    "centre",
    "state",
    "score",
    "distance",
    "until",
    "claim",
    "error",
];

/// A query and its answer.
pub(super) struct Answered {
    pub(super) number: Option<u64>,
    pub(super) query: Record,
    pub(super) outcome: Result<Told>,
}

/// Answers queries.
pub(super) struct Answerer<'a> {
    args: &'a CheckArgs,
    checkers: Vec<Mutex<Checker>>,
    pool: rayon::ThreadPool,
    signatures: Option<BySignature>,
}

impl<'a> Answerer<'a> {
    /// Opens the library; one query needs no threads, and claims follow each other.
    pub(super) fn open(args: &'a CheckArgs, directory: &Path, is_one: bool) -> Result<Answerer<'a>> {
        let access = if args.claim { Access::Shared } else { Access::Read };
        let mut checker = Checker::open(directory, access)?;
        let signatures = match args.method {
            Some(CheckMethodArg::Signature) => Some(by_signature(args, &mut checker)?),
            _ => None,
        };
        let threads = if is_one || args.claim { 1 } else { args.threads.map_or(0, usize::from) };
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
        let others = (1..pool.current_num_threads()).map(|_| Ok(Mutex::new(checker.another()?)));
        let mut checkers: Vec<Mutex<Checker>> = others.collect::<Result<_>>()?;
        checkers.insert(0, Mutex::new(checker));
        Ok(Answerer { args, checkers, pool, signatures })
    }

    pub(super) fn n_threads(&self) -> usize {
        self.checkers.len()
    }

    /// Says why the index of records was made again, if it was: what was damaged once may be damaged again.
    pub(super) fn tell_rebuilt(&self) {
        let checkers = self.checkers.iter().filter_map(|checker| checker.lock().ok());
        let problem = checkers.filter_map(|checker| checker.rebuilt().map(str::to_owned)).next();
        if let Some(problem) = problem {
            complain(&format!("the index of records was made again: {problem}"));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.checkers[0].lock().is_ok_and(|checker| checker.n_records() == 0)
    }

    /// Answers in the order of the queries.
    pub(super) fn answer(&self, asked: Vec<Asked>) -> Vec<Answered> {
        let answer = |Asked { number, query }: Asked| match query {
            Ok(query) => Answered { number, outcome: self.answer_one(&query), query },
            Err(reason) => Answered { number, query: Record::default(), outcome: Err(anyhow!(reason)) },
        };
        match asked.len() {
            0..2 => asked.into_iter().map(answer).collect(),
            _ => self.pool.install(|| asked.into_par_iter().map(answer).collect()),
        }
    }

    fn answer_one(&self, query: &Record) -> Result<Told> {
        let checker = &self.checkers[rayon::current_thread_index().unwrap_or(0)];
        let mut checker = checker.lock().map_err(|_| anyhow!("another query failed in this thread"))?;
        let top = self.args.top.into();
        if let (true, Some(centre)) = (self.args.claim, &self.args.centre) {
            let now = records::now();
            let until = now + self.args.duration.as_secs();
            let claimed =
                checker.claim(query, top, &Claim { centre, now, until, anyway: self.args.anyway })?;
            return Ok(Told { answer: claimed.answer, claim: claimed.claim });
        }
        let answer = match &self.signatures {
            Some(signatures) => checker.answer_by(signatures, query, top)?,
            None => checker.answer(query, top)?,
        };
        Ok(Told { answer, claim: None })
    }
}

fn by_signature(args: &CheckArgs, checker: &mut Checker) -> Result<BySignature> {
    let arguments = &args.signature;
    let shape = SignatureShape::new(arguments.bits, arguments.ones)
        .context("a signature has 2 to 128 bits, and a word sets fewer of them")?;
    let mut signatures = checker.by_signature(shape, arguments.within.as_ref())?;
    signatures.max_distance = arguments.max_distance;
    signatures.distance = match arguments.distance {
        DistanceArg::Printed => Distance::Printed,
        DistanceArg::Jaccard => Distance::Jaccard,
    };
    Ok(signatures)
}

/// Tells answers and counts them.
pub(super) struct Tally<'a> {
    args: &'a CheckArgs,
    is_one: bool,
    n_of: [u64; 5],
    n_claimed: u64,
    n_failed: u64,
}

/// In the order in which they are told.
const VERDICTS: [Verdict; 5] =
    [Verdict::Duplicate, Verdict::OtherEdition, Verdict::OtherVolume, Verdict::Possible, Verdict::New];

impl<'a> Tally<'a> {
    pub(super) fn new(args: &'a CheckArgs, is_one: bool, output: &mut Output) -> Result<Tally<'a>> {
        if args.csv {
            output.line(&CSV.join(","))?;
        }
        Ok(Tally { args, is_one, n_of: [0; 5], n_claimed: 0, n_failed: 0 })
    }

    /// A file that could not be read, or not to its end.
    pub(super) fn failed(&mut self, problem: &str) {
        self.n_failed += 1;
        complain(problem);
    }

    pub(super) fn print(&mut self, answered: Vec<Answered>, output: &mut Output) -> Result<()> {
        for answered in answered {
            self.count(&answered);
            if self.args.json {
                output.json(&report(&answered))?;
            } else if self.args.csv {
                output.csv(&CheckLine::from(report(&answered)), &CSV)?;
            } else if let Ok(told) = &answered.outcome {
                let width = output.width();
                match self.is_one {
                    true => terminal::print(self.args, &answered.query, told, output)?,
                    false => output.line(&terminal::line(&answered.query, told, width))?,
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, answered: &Answered) {
        match &answered.outcome {
            Ok(told) => {
                let at = VERDICTS.iter().position(|verdict| *verdict == told.answer.verdict);
                self.n_of[at.unwrap_or(0)] += 1;
                self.n_claimed += u64::from(told.claim.is_some());
            }
            Err(error) => {
                self.n_failed += 1;
                let query = answered.number.map_or(String::new(), |number| format!("query {number}: "));
                complain(&format!("{query}{error:#}"));
            }
        }
    }

    /// Sums up many queries, and says how the command ends.
    pub(super) fn end(&self) -> Exit {
        let n: u64 = self.n_of.iter().sum();
        if !self.is_one && n > 0 && !self.args.json && !self.args.csv {
            let parts = VERDICTS.iter().zip(self.n_of).filter(|(_, n)| *n > 0);
            let parts =
                parts.map(|(verdict, n)| counted(n, terminal::word(*verdict), terminal::word(*verdict)));
            let claimed = (self.n_claimed > 0).then(|| counted(self.n_claimed, "claimed", "claimed"));
            let failed = (self.n_failed > 0).then(|| counted(self.n_failed, "failed", "failed"));
            let parts: Vec<String> = parts.chain(claimed).chain(failed).collect();
            complain(&format!("{}: {}", counted(n, "query", "queries"), parts.join(", ")));
        }
        match n - self.n_of[4] {
            // "All is new" would be believed of every query.
            _ if self.n_failed > 0 => Exit::Failed,
            1.. => Exit::Found,
            0 => Exit::Nothing,
        }
    }
}

fn report(answered: &Answered) -> CheckReport {
    let query = QueryReport::new(&answered.query, answered.number);
    match &answered.outcome {
        Ok(Told { answer, claim }) => CheckReport {
            query,
            verdict: Some(answer.verdict.as_str()),
            records: answer
                .hits
                .iter()
                .map(|Hit { row, likeness }| record_report(row).with(likeness))
                .collect(),
            claim: claim.as_ref().map(claim_report),
            error: None,
        },
        Err(error) => CheckReport { query, error: Some(format!("{error:#}")), ..CheckReport::default() },
    }
}

/// A record as JSON has it.
pub(super) fn record_report(row: &RecordRow) -> RecordReport {
    RecordReport {
        centre: row.centre.clone(),
        state: row.state.as_str(),
        since: records::day(row.at),
        until: row.until.map(records::day),
        file: row.file.as_ref().map(|file| file_path(file).file),
        number: row.number,
        ..RecordReport::new(row.id, &row.record)
    }
}

fn claim_report(row: &RecordRow) -> ClaimReport {
    ClaimReport {
        id: row.id,
        centre: row.centre.clone(),
        since: records::day(row.at),
        until: row.until.map(records::day),
    }
}
