//! What an experiment runs on: the command, the machine, CPU time, memory, and folders that go when it ends.

use anyhow::{Context, Result};
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The command as it was given. Of paths only the last part: where files lie is nobody's business.
pub fn command() -> String {
    let args = std::env::args_os().skip(1);
    let args: Vec<String> =
        args.map(|arg| Path::new(&arg).file_name().unwrap_or(&arg).to_string_lossy().into_owned()).collect();
    format!("siglum-eval {}", args.join(" "))
}

/// The kind of machine.
pub fn kind() -> String {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{os} {arch}, {} cores", n_cores())
}

pub fn n_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The commit that is checked out here, and whether files differ from it.
pub fn commit() -> Option<String> {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let is_changed = git(&["status", "--porcelain", "--untracked-files=no"])?.lines().next().is_some();
    Some(if is_changed { format!("{commit} with changes") } else { commit })
}

/// What a task gives, and its seconds by the clock.
pub fn timed<T>(task: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = task();
    (result, start.elapsed().as_secs_f64())
}

/// What a task gives, and the CPU seconds of this thread that it takes.
pub fn cpu_timed<T>(task: impl FnOnce() -> T) -> (T, f64) {
    let start = seconds(ClockId::ThreadCPUTime);
    let result = task();
    (result, seconds(ClockId::ThreadCPUTime) - start)
}

/// CPU seconds of this thread that a task takes.
pub fn cpu_seconds(task: impl FnOnce()) -> f64 {
    cpu_timed(task).1
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// CPU seconds of this process and of those it started that have ended; 0 where the system does not say.
pub fn family_cpu() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_ascii_whitespace();
    let ticks: u64 = fields.skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / TICKS_PER_SECOND
}

/// The most memory a process has had, in bytes (`self` for this one); 0 where the system does not say.
pub fn peak_memory(pid: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Forgets how much memory this process has had: making books takes more than scanning them.
pub fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The processes that this one has started.
pub fn children() -> Vec<String> {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    tasks.flatten().map(of).flat_map(|pids| pids.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// A temporary folder that goes when it is no longer needed.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Result<Scratch> {
        let path = std::env::temp_dir().join(format!("siglum-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Scratch(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays; there is nobody to tell.
        let _ = fs::remove_dir_all(&self.0);
    }
}
