//! The parent's side: one worker, from its start to its burial.

use super::READER_FAILED;
use super::finished::Arriving;
use super::job::{Job, Limits, Source};
use super::link::{self, Link, Wire};
use super::protocol::{self, CHUNK_BYTES, Care, Ending, Frames, JobHead, Said};
use super::sandbox::{Protection, Status};
use crate::extracted::Extracted;
use crate::failure::{Failure, Reason};
use crate::open;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a new process may take to say hello, on a busy machine.
const HELLO_TIME: Duration = Duration::from_secs(30);
/// How long a process may take to end after it has closed its line.
const DYING_TIME: Duration = Duration::from_secs(2);
/// Address space of a worker before its first file, its stack included, where the system does not tell.
const USUAL_BASE_BYTES: u64 = 256 << 20;
/// How much of a worker's last words is kept.
const LAST_WORDS_BYTES: usize = 4096;

/// Starts processes from one thread that lives as long as they may: the kernel ends a worker with the thread that
/// started it, and the threads that ask for one come and go.
pub(super) struct Starter {
    requests: Option<Sender<SyncSender<io::Result<Started>>>>,
    thread: Option<JoinHandle<()>>,
}

type Started = (Child, Box<dyn Link>);

impl Starter {
    pub(super) fn new(program: PathBuf, args: Vec<OsString>, wire: Wire) -> io::Result<Starter> {
        let (requests, received) = channel::<SyncSender<io::Result<Started>>>();
        let start_all = move || {
            for reply in received {
                // Whoever asked has gone if this fails; the process ends with its line.
                let _ = reply.send(link::start(&mut command(&program, &args), wire));
            }
        };
        let thread = thread::Builder::new().name("worker starter".to_owned()).spawn(start_all)?;
        Ok(Starter { requests: Some(requests), thread: Some(thread) })
    }

    fn start(&self) -> io::Result<Started> {
        let (reply, answer) = sync_channel(1);
        let requests = self.requests.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        requests.send(reply).map_err(|_| io::ErrorKind::BrokenPipe)?;
        answer.recv().map_err(|_| io::ErrorKind::BrokenPipe)?
    }
}

impl Drop for Starter {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// With nothing of ours: no environment, no group, no terminal. One arena keeps the C library from reserving address
/// space for each thread.
fn command(program: &PathBuf, args: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.args(args).env_clear().env("MALLOC_ARENA_MAX", "1").stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // Windows finds its own libraries by this.
    #[cfg(windows)]
    command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
    command
}

/// A worker that has said hello.
pub(super) struct Worker {
    child: Child,
    pub(super) frames: Frames<Box<dyn Link>>,
    last_words: Receiver<Vec<u8>>,
    pub(super) status: Status,
    /// Address space before the first job.
    base_bytes: u64,
    /// Whether it has read a file before.
    pub(super) is_reused: bool,
}

/// How a job in a worker ended.
pub(super) enum End {
    /// The worker has finished the book or given up, and lives.
    Said(Box<Result<Extracted, Failure>>),
    /// The worker did not end the job.
    Died(Death),
    /// The job could not be handed over.
    Unsent(Failure),
}

/// The end of a worker.
pub(super) struct Death {
    /// What it died of.
    pub(super) failure: Failure,
    /// How many events its reader had said, as far as that is known; `None` where it died of something else, so that
    /// stopping there would not help, or where it broke the rules and is not to be believed.
    pub(super) n_events: Option<u64>,
}

impl Worker {
    /// Starts one and waits for its hello.
    pub(super) fn start(starter: &Starter) -> Result<Worker, Failure> {
        let unstarted =
            |why: &str| Failure::new(Reason::Unreadable, format!("a worker does not start: {why}"));
        let (mut child, link) = starter.start().map_err(|error| unstarted(&open::plain(&error)))?;
        let last_words = last_words(child.stderr.take());
        let frames = Frames::new(link);
        let status = Status::default();
        let mut worker = Worker { child, frames, last_words, status, base_bytes: 0, is_reused: false };
        worker.frames.source.set_deadline(Instant::now() + HELLO_TIME);
        let said = worker.frames.next().ok().flatten().and_then(|frame| Said::parse(&frame));
        let Some(Said::Hello(status)) = said else {
            return Err(unstarted("it says no hello"));
        };
        worker.status = status;
        worker.base_bytes = system::address_space(worker.child.id()).unwrap_or(USUAL_BASE_BYTES);
        // Only to see whether limits can be set: its threads may still be starting, and need memory for that.
        let is_limited = system::limit(worker.child.id(), HELLO_TIME.as_secs(), u64::MAX)
            && system::forbid_processes(worker.child.id());
        if !is_limited {
            worker.status.limits = worker.status.limits.min(Protection::Partial);
        }
        Ok(worker)
    }

    /// Has it read a file.
    pub(super) fn read(&mut self, job: &Job, limits: &Limits, care: Care) -> End {
        let mut arriving = Arriving::default();
        if self.frames.is_ahead() {
            let failure = self.bury(limits, &Ending::<()>::Breach("words out of turn"));
            return End::Died(Death { failure, n_events: None });
        }
        self.wait_at_most(limits.wall);
        self.allow(limits, job.n_bytes());
        let ending = match send(job, care, &mut *self.frames.source) {
            Ok(()) => arriving.listen(&mut self.frames),
            Err(Unsent::Job(failure)) => return End::Unsent(failure),
            Err(Unsent::Line(error)) => Ending::Io(error),
        };
        self.is_reused = true;
        match ending {
            Ending::Said(said) => End::Said(Box::new(said)),
            Ending::Breach(_) => End::Died(Death { failure: self.bury(limits, &ending), n_events: None }),
            ending => {
                let n_events = arriving.n_events();
                End::Died(Death { failure: self.bury(limits, &ending), n_events })
            }
        }
    }

    /// Sets what it may use from now on, besides so many bytes of files.
    pub(super) fn allow(&self, limits: &Limits, n_bytes: u64) {
        let memory_bytes = self.base_bytes + limits.memory_bytes + n_bytes;
        system::limit(self.child.id(), limits.cpu_seconds, memory_bytes);
    }

    /// Sets how long from now on it is waited for.
    pub(super) fn wait_at_most(&mut self, time: Duration) {
        self.frames.source.set_deadline(Instant::now() + time);
    }

    /// Whether the limits of a next job can be set from what this one has used.
    pub(super) fn is_reusable(&self) -> bool {
        !self.frames.is_ahead() && system::can_limit_again(self.child.id())
    }

    /// Ends it and says what it died of.
    pub(super) fn bury<T>(&mut self, limits: &Limits, ending: &Ending<T>) -> Failure {
        match ending {
            Ending::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
                self.kill();
                return Failure::new(Reason::Timeout, format!("took longer than {}", seconds(limits.wall)));
            }
            Ending::Breach(breach) => {
                self.kill();
                return Failure::corrupt(format!("the reader sent {breach}"));
            }
            _ => {}
        }
        let deadline = Instant::now() + DYING_TIME;
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_micros(200)),
                Ok(status) => break status,
                Err(_) => break None,
            }
        };
        self.kill();
        let last_words = self.last_words.recv_timeout(DYING_TIME).unwrap_or_default();
        cause(status, &String::from_utf8_lossy(&last_words), limits)
    }

    /// Ends it and everything in its group, and takes it off the system's list.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let (Ok(None), Some(pid)) =
            (self.child.try_wait(), rustix::process::Pid::from_raw(self.child.id() as i32))
        {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The end of what a process says on its standard error, sent when it ends.
fn last_words(stderr: Option<ChildStderr>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(1);
    let listen = move || {
        let mut kept = Vec::new();
        let mut chunk = [0; LAST_WORDS_BYTES];
        let mut stderr = stderr?;
        while let Ok(n_read @ 1..) = stderr.read(&mut chunk) {
            kept.extend_from_slice(&chunk[..n_read]);
            kept.drain(..kept.len().saturating_sub(LAST_WORDS_BYTES));
        }
        sender.send(kept).ok()
    };
    // Without the thread there are no last words, and a worker that has many of them waits for its end.
    let _ = thread::Builder::new().stack_size(128 << 10).spawn(listen);
    receiver
}

enum Unsent {
    Job(Failure),
    Line(io::Error),
}

impl From<io::Error> for Unsent {
    fn from(error: io::Error) -> Unsent {
        Unsent::Line(error)
    }
}

fn send(job: &Job, care: Care, link: &mut dyn Link) -> Result<(), Unsent> {
    let mut unsent = Vec::new();
    let n_companions = job.companions.len() as u32;
    let Job { name, options, finish, .. } = job;
    JobHead { name: name.clone(), options: options.clone(), finish: *finish, care, n_companions }
        .put(&mut unsent);
    send_source(&job.name, &job.source, link, &mut unsent)?;
    for (name, source) in &job.companions {
        send_source(name, source, link, &mut unsent)?;
    }
    Ok(link.write_all(&unsent)?)
}

/// Small things wait in `unsent`, so that a small job is one system call.
fn send_source(name: &str, source: &Source, link: &mut dyn Link, unsent: &mut Vec<u8>) -> Result<(), Unsent> {
    match source {
        Source::Bytes(bytes) => {
            protocol::put_source(unsent, protocol::BYTES, name, bytes.len() as u64);
            for chunk in bytes.chunks(CHUNK_BYTES) {
                send_data(chunk, link, unsent)?;
            }
            Ok(())
        }
        Source::File(file) => send_file(name, file, link, unsent),
        Source::Path(path) => send_file(name, &open::open_regular(path).map_err(Unsent::Job)?, link, unsent),
    }
}

fn send_file(name: &str, file: &File, link: &mut dyn Link, unsent: &mut Vec<u8>) -> Result<(), Unsent> {
    let unreadable = |error: io::Error| Unsent::Job(Failure::new(Reason::Unreadable, open::plain(&error)));
    let n_bytes = file.metadata().map_err(unreadable)?.len();
    if link.sends_files() {
        protocol::put_source(unsent, protocol::FILE, name, n_bytes);
        link.send_file(unsent, file)?;
        unsent.clear();
        return Ok(());
    }
    protocol::put_source(unsent, protocol::BYTES, name, n_bytes);
    let mut file = file;
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let mut left = n_bytes;
    let mut chunk = vec![0; CHUNK_BYTES];
    while left > 0 {
        let most = left.min(CHUNK_BYTES as u64) as usize;
        let n_read = file.read(&mut chunk[..most]).map_err(unreadable)?;
        if n_read == 0 {
            return Err(Unsent::Job(Failure::new(Reason::Unreadable, "it became shorter while it was read")));
        }
        left -= n_read as u64;
        send_data(&chunk[..n_read], link, unsent)?;
    }
    Ok(())
}

fn send_data(chunk: &[u8], link: &mut dyn Link, unsent: &mut Vec<u8>) -> io::Result<()> {
    protocol::put_data(unsent, chunk);
    if unsent.len() >= CHUNK_BYTES {
        link.write_all(unsent)?;
        unsent.clear();
    }
    Ok(())
}

/// What a worker died of, from its status and its last words.
fn cause(status: Option<ExitStatus>, last_words: &str, limits: &Limits) -> Failure {
    if last_words.contains("memory allocation of") {
        let mib = limits.memory_bytes >> 20;
        return Failure::new(Reason::Memory, format!("needed more than {mib} MiB of memory"));
    }
    if last_words.contains("has overflowed its stack") {
        return Failure::corrupt("nested too deeply");
    }
    system::cause(status, limits).unwrap_or_else(|| Failure::corrupt(READER_FAILED))
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

#[cfg(unix)]
mod system {
    use super::{Failure, Limits, Reason};
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    #[cfg(target_os = "linux")]
    pub(super) use super::linux::{address_space, can_limit_again, forbid_processes, limit};

    /// What a signal tells.
    pub(super) fn cause(status: Option<ExitStatus>, limits: &Limits) -> Option<Failure> {
        let signal = status?.signal()?;
        let is = |known: Signal| known.as_raw() == signal;
        if is(Signal::XCPU) {
            let message = format!("took longer than {} s of processor time", limits.cpu_seconds);
            return Some(Failure::new(Reason::Timeout, message));
        }
        if is(Signal::SYS) {
            return Some(Failure::corrupt("tried something a reader never does"));
        }
        // Nobody else kills workers; the kernel does when memory runs out.
        is(Signal::KILL)
            .then(|| Failure::new(Reason::Memory, "ended by the system, probably for want of memory"))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn limit(_: u32, _: u64, _: u64) -> bool {
        false
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn forbid_processes(_: u32) -> bool {
        false
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn can_limit_again(_: u32) -> bool {
        true
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn address_space(_: u32) -> Option<u64> {
        None
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Failure, Limits};
    use std::process::ExitStatus;

    pub(super) fn cause(_: Option<ExitStatus>, _: &Limits) -> Option<Failure> {
        None
    }

    pub(super) fn limit(_: u32, _: u64, _: u64) -> bool {
        false
    }

    pub(super) fn forbid_processes(_: u32) -> bool {
        false
    }

    pub(super) fn can_limit_again(_: u32) -> bool {
        true
    }

    pub(super) fn address_space(_: u32) -> Option<u64> {
        None
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
    use std::fs;

    /// Ticks of the clock `/proc` counts in: `USER_HZ`, on every machine we know.
    const TICKS_PER_SECOND: u64 = 100;

    /// Sets what the next job may use. The kernel counts processor time from the start of the process, so that the
    /// limit begins where the last job ended. Only soft limits are set: hard ones could not be raised for the next.
    /// Whether both are set.
    pub(in super::super) fn limit(pid: u32, cpu_seconds: u64, memory_bytes: u64) -> bool {
        let cpu = cpu_used(pid).unwrap_or(0) + cpu_seconds;
        [(Resource::Cpu, cpu), (Resource::As, memory_bytes)].into_iter().all(|(resource, most)| {
            let maximum = getrlimit(resource).maximum;
            let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
            prlimit(Pid::from_raw(pid as i32), resource, Rlimit { current, maximum }).is_ok()
        })
    }

    /// Forbids new processes and threads, as a second fence behind seccomp: a worker has all its threads when it has
    /// said hello. The kernel counts the processes of a user, so that only a limit of none is one for this process
    /// alone; it does not hold root back.
    pub(in super::super) fn forbid_processes(pid: u32) -> bool {
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        prlimit(Pid::from_raw(pid as i32), Resource::Nproc, none).is_ok()
    }

    pub(in super::super) fn can_limit_again(pid: u32) -> bool {
        cpu_used(pid).is_some()
    }

    /// Seconds of processor time a process has used, rounded up.
    fn cpu_used(pid: u32) -> Option<u64> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name of the program, in parentheses, may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
        let user: u64 = fields.next()?.parse().ok()?;
        let system: u64 = fields.next()?.parse().ok()?;
        Some((user + system).div_ceil(TICKS_PER_SECOND))
    }

    /// Bytes of address space a process has.
    pub(in super::super) fn address_space(pid: u32) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib << 10)
    }
}
