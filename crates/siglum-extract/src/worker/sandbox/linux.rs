//! Landlock and seccomp, on x86_64 and aarch64.
//!
//! The seccomp filters are two. One lets through what it lists, and answers everything else as an older kernel would
//! that has no such call (`ENOSYS`), so that the C library falls back where it can. The other ends the process at
//! what no reader ever does.

use super::Protection;
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetStatus, Scope,
};
use libc::c_long;
use rustix::process::Signal;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Op,
    SeccompCondition, SeccompFilter, SeccompRule,
};
use std::collections::BTreeMap;

/// Of what the crate knows; the kernel's own is found out and named in [`Protection`].
const LANDLOCK: ABI = ABI::V6;

/// The kernel ends this process with the thread that started it. Who cannot have that ends at the end of its input.
pub(in crate::worker) fn die_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let _ = rustix::thread::set_no_new_privs(true);
}

/// Closes every descriptor above the standard three: whatever the parent had open without `CLOEXEC` is not a worker's
/// to read. Whether all of them are closed.
pub(in crate::worker) fn close_inherited() -> bool {
    // SAFETY: the call closes descriptors and touches no memory. It runs before this process has opened any, so that
    // nothing owns one of those it closes.
    #[expect(unsafe_code, reason = "no safe wrapper exists for close_range(2)")]
    let closed = unsafe { libc::syscall(libc::SYS_close_range, FIRST_INHERITED, libc::c_uint::MAX, 0) };
    // Kernels before 5.9 do not have the call.
    closed == 0 || super::close_listed("/proc/self/fd")
}

const FIRST_INHERITED: libc::c_uint = 3;

/// Small limits; those of memory and processor time are the parent's to set, job by job.
pub(in crate::worker) fn limit() -> Protection {
    if super::set_limits() { Protection::Full } else { Protection::None }
}

/// Forbids every path, TCP port, and signal or abstract socket of another process.
pub fn landlock() -> Protection {
    let restricted = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(LANDLOCK))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(LANDLOCK)))
        .and_then(|rules| rules.scope(Scope::from_all(LANDLOCK)))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
    match restricted.map(|status| status.ruleset) {
        Ok(RulesetStatus::FullyEnforced) => Protection::Full,
        Ok(RulesetStatus::PartiallyEnforced) => Protection::Partial,
        Ok(RulesetStatus::NotEnforced) | Err(_) => Protection::None,
    }
}

/// Forbids every system call a reader does not need.
pub fn seccomp() -> Protection {
    // The list of what is allowed comes last: it does not allow a further filter.
    let applied = [forbidden(), allowed()]
        .map(|filter| filter.is_ok_and(|filter| seccompiler::apply_filter(&filter).is_ok()));
    match applied {
        [true, true] => Protection::Full,
        [false, false] => Protection::None,
        _ => Protection::Partial,
    }
}

/// What a reader needs is let through; the rest is as if the kernel had never heard of it.
fn allowed() -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = FREE.iter().map(|call| (*call, Vec::new())).collect();
    let pid = u64::from(std::process::id());
    let conditional = [
        // The line to the parent and last words, but no other descriptor that may have been left open.
        (libc::SYS_read, when(0, Op::Eq, 0)?),
        (libc::SYS_recvmsg, when(0, Op::Eq, 0)?),
        (libc::SYS_write, when(0, Op::Le, 2)?),
        (libc::SYS_writev, when(0, Op::Le, 2)?),
        // Threads, but no processes.
        (libc::SYS_clone, when(0, masked(libc::CLONE_THREAD), libc::CLONE_THREAD as u64)?),
        // Memory, but no new code.
        (libc::SYS_mmap, when(2, masked(libc::PROT_EXEC), 0)?),
        (libc::SYS_mprotect, when(2, masked(libc::PROT_EXEC), 0)?),
        // Aborting, but no signal to others.
        (libc::SYS_tgkill, when(0, Op::Eq, pid)?),
        // Looking at limits, but not setting them: they are set by whoever gives a third argument.
        (libc::SYS_prlimit64, whole(2, 0)?),
        (libc::SYS_fcntl, when(1, Op::Eq, libc::F_GETFD as u64)?),
        (libc::SYS_prctl, when(0, Op::Eq, libc::PR_SET_NAME as u64)?),
        (libc::SYS_prctl, when(0, Op::Eq, libc::PR_SET_VMA as u64)?),
    ];
    for (call, rule) in conditional {
        rules.entry(call).or_default().push(rule);
    }
    filter(rules, SeccompAction::Errno(libc::ENOSYS as u32), SeccompAction::Allow)
}

/// What no reader ever does ends the process.
fn forbidden() -> Result<BpfProgram, BackendError> {
    let rules = NEVER.iter().map(|call| (*call, Vec::new())).collect();
    filter(rules, SeccompAction::Allow, SeccompAction::KillProcess)
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    others: SeccompAction,
    listed: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(rules, others, listed, std::env::consts::ARCH.try_into()?)?.try_into()
}

fn when(argument: u8, op: Op, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, Length::Dword, op, value)?])
}

fn whole(argument: u8, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, Length::Qword, Op::Eq, value)?])
}

fn masked(bits: i32) -> Op {
    Op::MaskedEq(bits as u64)
}

/// Memory, threads, time, the end, and reading a file that is open already.
const FREE: &[c_long] = &[
    libc::SYS_pread64,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// The network, other programs and processes, and the kernel's wide doors.
const NEVER: &[c_long] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_execve,
    libc::SYS_execveat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kill,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_memfd_create,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_kexec_load,
];
