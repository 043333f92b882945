//! What a worker gives up before it opens a stranger's file.
//!
//! On Linux: Landlock forbids every path, so that only the descriptors it is handed can be read; a seccomp filter
//! lets through what a reader needs, which is memory, threads and the talk with its parent; small resource limits
//! forbid files, core dumps and, where the filter is missing, new processes. Descriptors that the parent had open are
//! closed before anything is read. Elsewhere there is the process of its own and the clock of its parent.

use std::fmt;

#[cfg(target_os = "linux")]
#[doc(hidden)]
pub mod linux;

/// How much of a protection is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Protection {
    /// None of it: the system does not have it, or refuses.
    #[default]
    None,
    /// Some of it: an older kernel.
    Partial,
    /// All of it.
    Full,
}

/// What keeps a worker in its place, said by the worker itself before its first file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    /// No file can be opened, no port reached.
    pub landlock: Protection,
    /// No network, no program, no process, nothing but what a reader needs.
    pub seccomp: Protection,
    /// Memory, processor time and files are bounded by the system.
    pub limits: Protection,
}

impl Status {
    /// Which of the two fences around a worker this system lacks, by name: Landlock and seccomp. Older kernels have a part
    /// of Landlock, which is enough: files are in it, and seccomp forbids the rest.
    pub fn missing(&self) -> Vec<&'static str> {
        let landlock = (self.landlock == Protection::None).then_some("Landlock");
        let seccomp = (self.seccomp != Protection::Full).then_some("seccomp");
        landlock.into_iter().chain(seccomp).collect()
    }
}

impl Protection {
    pub(super) fn code(self) -> u8 {
        match self {
            Protection::None => 0,
            Protection::Partial => 1,
            Protection::Full => 2,
        }
    }

    pub(super) fn from_code(code: u8) -> Option<Protection> {
        [Protection::None, Protection::Partial, Protection::Full]
            .into_iter()
            .find(|known| known.code() == code)
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Protection::None => "no",
            Protection::Partial => "partly",
            Protection::Full => "yes",
        })
    }
}

/// Gives up, for this thread and those it starts, whatever reading does not need.
#[cfg(target_os = "linux")]
pub(super) fn enter() -> Status {
    let is_closed = linux::close_inherited();
    linux::die_with_parent();
    // A folder that is some process's own cannot be unmounted.
    let _ = std::env::set_current_dir("/");
    let limits = linux::limit().min(if is_closed { Protection::Full } else { Protection::Partial });
    Status { limits, landlock: linux::landlock(), seccomp: linux::seccomp() }
}

/// Gives up whatever reading does not need: here, core dumps and files.
#[cfg(not(target_os = "linux"))]
pub(super) fn enter() -> Status {
    #[cfg(unix)]
    {
        close_listed("/dev/fd");
        set_limits();
    }
    Status::default()
}

/// Closes the descriptors above the standard three that a folder of the system lists. Whether it could be read.
#[cfg(unix)]
fn close_listed(folder: &str) -> bool {
    let Ok(listed) = std::fs::read_dir(folder) else { return false };
    let numbers = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    // Gathered first: the listing itself is a descriptor, which is gone by the time they are closed.
    for number in numbers.filter(|number| *number > 2).collect::<Vec<_>>() {
        // SAFETY: this runs before the process has opened a descriptor that anything in it owns.
        #[expect(unsafe_code, reason = "inherited descriptors have no owner that could close them")]
        unsafe {
            rustix::io::close(number);
        }
    }
    true
}

/// No core dump, no file written, few descriptors. Whether all are in force.
#[cfg(unix)]
fn set_limits() -> bool {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limits = [(Resource::Core, 0), (Resource::Fsize, 0), (Resource::Nofile, 64)];
    limits.into_iter().all(|(resource, most)| {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).is_ok()
    })
}
