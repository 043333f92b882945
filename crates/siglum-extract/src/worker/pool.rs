//! Workers for as many threads as ask, each used again until its first failure.

use super::job::{Job, Limits};
use super::link::Wire;
use super::parent::{Death, End, Starter, Worker};
use super::protocol::Care;
use super::sandbox::Status;
use super::{STACK_BYTES, WORKER_ARGUMENT, read_guarded};
use crate::draft::{Draft, Out};
use crate::extracted::{self, Extracted};
use crate::failure::{Failure, Reason};
use crate::input::{Companion, Input};
use crate::limits::{MAX_FILE_BYTES, RECORD_CPU_SECONDS, RECORD_WALL_SECONDS};
use crate::{open, readers};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How far files are kept from this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Isolation {
    /// In workers, each used again until its first failure.
    #[default]
    Workers,
    /// In workers, one for each file: a file that has got hold of its worker meets no other.
    Strict,
    /// Not at all: a file may end this process, or take all of its memory and time.
    InProcess,
}

/// Reads files in workers. Shared by all threads that read.
pub struct Pool {
    // Before the starter, so that workers are buried before the thread they would die with.
    idle: Mutex<Vec<Worker>>,
    starter: OnceLock<Starter>,
    program: PathBuf,
    args: Vec<OsString>,
    isolation: Isolation,
    limits: Limits,
    wire: Wire,
    confinement: Confinement,
    /// Whether somebody has been told that a sandbox is missing.
    is_told: AtomicBool,
}

/// What is done where the system has no Landlock or no seccomp, so that a worker is only a process with a time limit.
#[derive(Debug, Clone, Copy, Default)]
pub enum Confinement {
    /// Files are read all the same.
    #[default]
    AsPossible,
    /// Files are read all the same, and somebody hears of it once, in one line.
    Told(fn(&str)),
    /// Nothing is read.
    Required,
}

impl Pool {
    /// A pool whose workers are a program with arguments that make it call [`serve`](super::serve).
    pub fn new(program: PathBuf, args: Vec<OsString>, isolation: Isolation, limits: Limits) -> Pool {
        #[cfg(unix)]
        let wire = Wire::Socket;
        #[cfg(not(unix))]
        let wire = Wire::Pipes;
        Pool {
            idle: Mutex::default(),
            starter: OnceLock::new(),
            program,
            args,
            isolation,
            limits,
            wire,
            confinement: Confinement::default(),
            is_told: AtomicBool::new(false),
        }
    }

    /// The same, with what is done where the system has no Landlock or no seccomp.
    #[must_use]
    pub fn confined(mut self, confinement: Confinement) -> Pool {
        self.confinement = confinement;
        self
    }

    /// A pool whose workers are this same program with [`WORKER_ARGUMENT`].
    pub fn for_this_program(isolation: Isolation) -> Result<Pool, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::new(Reason::Unreadable, format!("a worker does not start: {}", open::plain(&error)))
        })?;
        Ok(Pool::new(program, vec![WORKER_ARGUMENT.into()], isolation, Limits::default()))
    }

    /// The same over pipes, as on systems whose sockets carry no files.
    #[doc(hidden)]
    pub fn over_pipes(mut self) -> Pool {
        self.wire = Wire::Pipes;
        self
    }

    /// Reads a file. What was read before a failure is kept; where that is nothing, the failure is the result.
    pub fn read(&self, job: Job) -> Result<Extracted, Failure> {
        if job.n_bytes() > MAX_FILE_BYTES {
            return Err(Failure::too_large(format!("larger than {} MiB", MAX_FILE_BYTES >> 20)));
        }
        match self.isolation {
            Isolation::InProcess => read_here(job),
            Isolation::Workers | Isolation::Strict => self.read_in_worker(&job),
        }
    }

    /// What keeps the workers of this pool in their place; none where files are read in this process.
    pub fn status(&self) -> Result<Option<Status>, Failure> {
        if self.isolation == Isolation::InProcess {
            return Ok(None);
        }
        let worker = self.worker()?;
        let status = worker.status;
        self.idle().push(worker);
        Ok(Some(status))
    }

    /// A worker that dies of a file may have been sick of an earlier one, so that it is tried once more in a new one;
    /// not where it took too long, which would take as long again.
    fn read_in_worker(&self, job: &Job) -> Result<Extracted, Failure> {
        let mut worker = self.worker()?;
        let (was_used, began) = (worker.is_reused, Instant::now());
        let mut end = worker.read(job, &self.limits, Care::NONE);
        if matches!(&end, End::Died(death) if is_worth_another_try(death, was_used, began.elapsed())) {
            worker = self.new_worker()?;
            end = worker.read(job, &self.limits, Care { announces: true, ..Care::NONE });
        }
        match end {
            End::Said(result) => {
                let result = *result;
                if result.as_ref().is_ok_and(|read| read.truncated.is_none()) {
                    self.put_back(worker);
                }
                result
            }
            End::Died(Death { failure, n_events: Some(stop_after) }) => self
                .read_up_to(stop_after, job)
                .ok_or(failure.clone())
                .map(|read| Extracted { truncated: Some(failure), ..read }),
            End::Died(Death { failure, n_events: None }) | End::Unsent(failure) => Err(failure),
        }
    }

    /// Reads what stands before the place where a worker died, and makes a book of it.
    fn read_up_to(&self, stop_after: u64, job: &Job) -> Option<Extracted> {
        if stop_after == 0 {
            return None;
        }
        let mut worker = self.new_worker().ok()?;
        match worker.read(job, &self.limits, Care { stop_after, announces: false }) {
            End::Said(read) => read.ok(),
            End::Died(_) | End::Unsent(_) => None,
        }
    }

    /// How much of the machine one record of a catalogue may use.
    pub(super) fn record_limits(&self) -> Limits {
        let Limits { memory_bytes, cpu_seconds, wall } = self.limits;
        Limits {
            memory_bytes,
            cpu_seconds: cpu_seconds.min(RECORD_CPU_SECONDS),
            wall: wall.min(Duration::from_secs(RECORD_WALL_SECONDS)),
        }
    }

    pub(super) fn isolation(&self) -> Isolation {
        self.isolation
    }

    pub(super) fn worker(&self) -> Result<Worker, Failure> {
        let idle = self.idle().pop();
        idle.map_or_else(|| self.new_worker(), Ok)
    }

    /// One that has read nothing yet.
    pub(super) fn new_worker(&self) -> Result<Worker, Failure> {
        let worker = Worker::start(self.starter()?)?;
        let missing = worker.status.missing().join(" and no ");
        match self.confinement {
            _ if missing.is_empty() => {}
            Confinement::AsPossible => {}
            Confinement::Told(tell) => {
                if !self.is_told.swap(true, Ordering::Relaxed) {
                    tell(&format!(
                        "this system has no {missing}: the processes that parse files have memory and time limits only"
                    ));
                }
            }
            Confinement::Required => {
                let message = format!("this system has no {missing}, and a sandbox is required");
                return Err(Failure::new(Reason::Unreadable, message));
            }
        }
        Ok(worker)
    }

    pub(super) fn put_back(&self, worker: Worker) {
        if self.isolation == Isolation::Workers && worker.is_reusable() {
            self.idle().push(worker);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn starter(&self) -> Result<&Starter, Failure> {
        if self.starter.get().is_none() {
            let starter = Starter::new(self.program.clone(), self.args.clone(), self.wire);
            let starter = starter.map_err(|error| Failure::new(Reason::Unreadable, open::plain(&error)))?;
            // Where two threads come at once, one starter ends unused.
            let _ = self.starter.set(starter);
        }
        self.starter.get().ok_or_else(|| Failure::new(Reason::Unreadable, "a worker does not start"))
    }
}

/// Who died early is read again at little cost, to learn exactly where: a worker says only now and then how far it is.
const EARLY: Duration = Duration::from_secs(10);

fn is_worth_another_try(death: &Death, was_used: bool, after: Duration) -> bool {
    death.failure.reason != Reason::Timeout && (was_used || (death.n_events.is_some() && after < EARLY))
}

/// Reads in this process, on a thread with the stack a worker has.
fn read_here(job: Job) -> Result<Extracted, Failure> {
    let bytes = job.source.into_bytes()?;
    let companions =
        job.companions.into_iter().map(|(name, source)| Ok(Companion { name, bytes: source.into_bytes()? }));
    let companions = companions.collect::<Result<Vec<_>, Failure>>()?;
    let input =
        Input { name: &job.name, bytes: &bytes, companions: &companions, options: &job.options, depth: 0 };
    let mut draft = Draft::default();
    let result = thread::scope(|scope| {
        let reading = || read_guarded(readers::read_with_sidecar, &input, &mut Out::new(&mut draft));
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, reading);
        let thread = thread.map_err(|error| Failure::new(Reason::Memory, open::plain(&error)))?;
        thread.join().unwrap_or_else(|_| Err(Failure::corrupt(super::READER_FAILED)))
    });
    extracted::finish(draft, job.finish, result)
}
