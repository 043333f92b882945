//! What the kernel forbids a worker, and that nothing of one stays behind.

use crate::{
    Scratch, WORK, check, check_dead, check_fine, limits, order, pool, pool_with,
    real_readers_with as real_readers, tests,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use siglum_extract::worker::sandbox::{Protection, Status, linux};
use siglum_extract::worker::{self, Confinement, Isolation, Job, Limits, Pool, Source};
use siglum_extract::{Failure, Out, Reason};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[(&str, fn())] = tests![
    a_reader_that_computes_for_ever_ends_by_its_processor_time,
    processor_time_is_counted_for_each_file,
    a_reader_that_takes_all_memory_ends,
    a_worker_says_what_keeps_it,
    a_worker_can_open_no_file,
    network_and_programs_end_a_worker,
    a_worker_starts_and_signals_no_process,
    a_descriptor_the_parent_left_open_does_not_reach_a_worker,
    a_worker_may_have_no_process_even_without_seccomp,
    the_parent_spends_no_time_on_a_text,
    a_text_that_takes_too_long_to_finish_is_a_failure,
    a_missing_sandbox_is_told_once_or_refused,
    landlock_alone_forbids_files,
    lies_of_a_worker_are_refused,
    a_worker_that_died_while_idle_is_not_noticed,
    no_process_stays_behind,
    workers_die_with_their_parent,
];

pub(crate) fn obey(order: &str, argument: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    match order {
        "compute" => loop {
            std::hint::black_box(());
        },
        "compute-a-while" => {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(700) {}
            Ok(())
        }
        "allocate" => {
            let mut all = Vec::new();
            loop {
                all.push(std::hint::black_box(vec![1u8; 1 << 20]));
            }
        }
        "open" => out.text(&format!("{:?}", File::open(argument).is_ok())),
        "create" => out.text(&format!("{:?}", File::create(argument).is_ok())),
        "connect" => out.text(&format!("{:?}", TcpStream::connect("127.0.0.1:9").is_ok())),
        "spawn" => out.text(&format!("{:?}", Command::new("/bin/true").status().is_ok())),
        "execute" => out.text(&format!("{:?}", Command::new("/bin/true").exec())),
        "socket" => out.text(&format!("{:?}", std::os::unix::net::UnixStream::pair().is_ok())),
        "kill" => out.text(&format!("{:?}", rustix::process::test_kill_process(rustix::process::Pid::INIT))),
        "say" => {
            // Straight to the parent, past all checks.
            let bytes: Vec<u8> = argument.split('.').map(|byte| byte.parse().unwrap()).collect();
            while rustix::io::write(std::io::stdin(), &bytes).is_ok() {}
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Programs that tests start, besides the worker.
pub(crate) fn other_program(argument: &str) -> ExitCode {
    match argument {
        WITHOUT_LANDLOCK | WITHOUT_SECCOMP => {
            without(argument);
            worker::serve_with(WORK)
        }
        "__landlock" => {
            if linux::landlock() == Protection::None {
                return ExitCode::from(77);
            }
            let refused = File::open("/etc/passwd").is_err_and(|error| error.raw_os_error() == Some(13));
            ExitCode::from(u8::from(!refused))
        }
        "__parent" => {
            let pool = pool_with(Isolation::Workers, Limits { cpu_seconds: 60, ..limits() });
            std::thread::scope(|scope| {
                scope.spawn(|| pool.read(order("compute")));
                scope.spawn(|| pool.read(order("sleep")));
                while children().len() < 2 {
                    std::thread::sleep(Duration::from_millis(5));
                }
                // Long enough for both to be at work.
                std::thread::sleep(Duration::from_millis(200));
                println!("{}", children().iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
            });
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

const WITHOUT_LANDLOCK: &str = "__without_landlock";
const WITHOUT_SECCOMP: &str = "__without_seccomp";

/// Makes this process one of a system that lacks something, as far as it can see.
fn without(argument: &str) {
    let only = |argument, value| {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value);
        vec![SeccompRule::new(vec![condition.unwrap()]).unwrap()]
    };
    let calls = match argument {
        WITHOUT_LANDLOCK => BTreeMap::from([(libc::SYS_landlock_create_ruleset, Vec::new())]),
        _ => BTreeMap::from([
            (libc::SYS_seccomp, Vec::new()),
            (libc::SYS_prctl, only(0, libc::PR_SET_SECCOMP as u64)),
        ]),
    };
    let no_such_call = SeccompAction::Errno(libc::ENOSYS as u32);
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, no_such_call, arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}

static N_TOLD: AtomicUsize = AtomicUsize::new(0);

fn a_missing_sandbox_is_told_once_or_refused() {
    let pool = |argument: &str| {
        Pool::new(std::env::current_exe().unwrap(), vec![argument.into()], Isolation::Strict, limits())
    };
    let tell = |problem: &str| {
        assert!(problem.contains("this system has no "), "{problem}");
        N_TOLD.fetch_add(1, Ordering::Relaxed);
    };
    for (argument, name) in [(WITHOUT_LANDLOCK, "Landlock"), (WITHOUT_SECCOMP, "seccomp")] {
        N_TOLD.store(0, Ordering::Relaxed);
        let told = pool(argument).confined(Confinement::Told(tell));
        check_fine(&told);
        check_fine(&told);
        assert_eq!(
            (told.status().unwrap().unwrap().missing(), N_TOLD.load(Ordering::Relaxed)),
            (vec![name], 1)
        );
        let refused = pool(argument).confined(Confinement::Required).read(order("nothing")).unwrap_err();
        assert_eq!(refused.message, format!("this system has no {name}, and a sandbox is required"));
    }
    if self::pool().status().unwrap().unwrap().missing().is_empty() {
        check_fine(&pool(crate::worker::WORKER_ARGUMENT).confined(Confinement::Required));
    }
}

fn said(pool: &Pool, what: &str) -> Option<String> {
    match pool.read(order(what)) {
        Ok(read) if read.truncated.is_none() => read.book.text().lines().last().map(str::to_owned),
        _ => None,
    }
}

/// The processes whose parent is this one, zombies too.
fn children() -> Vec<u32> {
    let mut children: Vec<u32> = Vec::new();
    for task in fs::read_dir("/proc/self/task").unwrap().flatten() {
        let listed = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        children.extend(listed.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    children
}

fn a_reader_that_computes_for_ever_ends_by_its_processor_time() {
    let start = Instant::now();
    check(&pool(), "compute", Reason::Timeout, "took longer than 1 s of processor time");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

fn processor_time_is_counted_for_each_file() {
    let pool = pool_with(Isolation::Workers, Limits { cpu_seconds: 2, ..limits() });
    for _ in 0..4 {
        assert!(pool.read(order("compute-a-while")).unwrap().truncated.is_none());
    }
    assert_eq!(children().len(), 1);
}

fn a_reader_that_takes_all_memory_ends() {
    let pool = pool();
    for _ in 0..2 {
        check_dead(pool.read(order("allocate")), Reason::Memory, "needed more than 128 MiB of memory");
        check_fine(&pool);
    }
}

fn a_worker_says_what_keeps_it() {
    let Status { seccomp, limits, .. } = pool().status().unwrap().unwrap();
    assert_eq!((seccomp, limits), (Protection::Full, Protection::Full));
    assert_eq!(pool_with(Isolation::InProcess, crate::limits()).status(), Ok(None));
}

fn a_worker_can_open_no_file() {
    let pool = pool();
    assert_eq!(said(&pool, "open /etc/passwd").as_deref(), Some("false"));
    assert_eq!(said(&pool, "open .").as_deref(), Some("false"));
    assert_eq!(said(&pool, "open /proc/self/maps").as_deref(), Some("false"));
    let path = std::env::temp_dir().join(format!("siglum-{}-created", std::process::id()));
    assert_eq!(said(&pool, &format!("create {}", path.display())).as_deref(), Some("false"));
    assert!(!path.exists());
}

fn network_and_programs_end_a_worker() {
    let pool = pool();
    for what in ["connect", "execute", "socket"] {
        check_dead(pool.read(order(what)), Reason::Corrupt, "tried something a reader never does");
        check_fine(&pool);
    }
}

fn a_worker_starts_and_signals_no_process() {
    let pool = pool();
    check_dead(pool.read(order("kill")), Reason::Corrupt, "tried something a reader never does");
    assert_eq!(said(&pool, "spawn").as_deref(), Some("false"));
}

/// What the descriptors above the standard three of a process are.
fn open_descriptors(pid: u32) -> Vec<String> {
    let listed = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let above = listed.filter(|entry| entry.file_name().to_str().unwrap().parse::<u32>().unwrap() > 2);
    above.map(|entry| fs::read_link(entry.path()).unwrap_or_default().display().to_string()).collect()
}

fn a_descriptor_the_parent_left_open_does_not_reach_a_worker() {
    use rustix::fs::{Mode, OFlags};
    let secret = Scratch::new("secret", "not for a worker");
    let left_open = rustix::fs::open(&secret.0, OFlags::RDONLY, Mode::empty()).unwrap();
    let pool = pool();
    check_fine(&pool);
    let [worker] = children()[..] else { panic!("one worker") };
    assert_eq!(open_descriptors(worker), Vec::<String>::new());
    drop(left_open);
}

fn a_worker_may_have_no_process_even_without_seccomp() {
    let pool = pool();
    check_fine(&pool);
    let [worker] = children()[..] else { panic!("one worker") };
    let limits = fs::read_to_string(format!("/proc/{worker}/limits")).unwrap();
    let processes = limits.lines().find_map(|line| line.strip_prefix("Max processes")).unwrap();
    assert_eq!(processes.split_whitespace().take(2).collect::<Vec<_>>(), ["0", "0"]);
}

/// Seconds of processor time this process has used, its children not counted.
fn own_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Lines that all end in a hyphen: the dearest text to tidy that is known. It took the parent 9 s for 50 MB.
fn hyphens(n_lines: usize) -> Job {
    Job::new("hyphens.txt", Source::Bytes("a-\n".repeat(n_lines).into_bytes()))
}

fn the_parent_spends_no_time_on_a_text() {
    let pool =
        real_readers(Isolation::Workers, Limits { cpu_seconds: 20, memory_bytes: 1 << 30, ..limits() });
    let job = hyphens(5_000_000);
    let before = own_seconds();
    let read = pool.read(job).unwrap();
    let used = own_seconds() - before;
    assert_eq!((read.truncated, read.book.text().len()), (None, 10_000_000));
    assert!(used < 0.25, "{used} s");
}

fn a_text_that_takes_too_long_to_finish_is_a_failure() {
    let limits = Limits { cpu_seconds: 1, memory_bytes: 1 << 30, ..limits() };
    let pool = real_readers(Isolation::Workers, limits);
    let start = Instant::now();
    let failure = pool.read(hyphens(60_000_000)).unwrap_err();
    assert_eq!(
        (failure.reason, failure.message.as_str()),
        (Reason::Timeout, "took longer than 1 s of processor time")
    );
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

fn landlock_alone_forbids_files() {
    let status = Command::new(std::env::current_exe().unwrap()).arg("__landlock").status().unwrap();
    match status.code() {
        Some(77) => println!("this kernel has no Landlock"),
        code => assert_eq!(code, Some(0)),
    }
}

/// Each is said after good pages: none of it may stay.
fn lies_of_a_worker_are_refused() {
    let pool = pool();
    let lies = [
        "84.255.255.255.255",                            // a text of 4 GiB
        "84.4.0.0.0.255.255.255.255",                    // no UTF-8
        "89.0.0.0.0",                                    // no such kind
        "81.8.0.0.0.0.0.0.0.0.0.0.0",                    // a quality before its book
        "72.11.0.0.0.115.105.103.108.117.109.1.0.0.0.0", // hello again
        "69.2.0.0.0.0.0",                                // an end with more in it
        "80.1.0.0.0.0",                                  // pages without end
    ];
    for lie in lies {
        let failure = pool.read(order(&format!("say {lie}"))).unwrap_err();
        assert_eq!((failure.reason, lie), (Reason::Corrupt, lie));
        check_fine(&pool);
    }
}

fn a_worker_that_died_while_idle_is_not_noticed() {
    let pool = pool();
    check_fine(&pool);
    let [worker] = children()[..] else { panic!("one worker") };
    let worker = rustix::process::Pid::from_raw(worker as i32).unwrap();
    rustix::process::kill_process(worker, rustix::process::Signal::KILL).unwrap();
    check_fine(&pool);
    assert_eq!(children().len(), 1);
}

fn no_process_stays_behind() {
    let pool = pool_with(Isolation::Workers, Limits { wall: Duration::from_millis(200), ..limits() });
    for what in ["nothing", "abort", "sleep", "overflow", "execute", "panic"] {
        let _ = pool.read(order(what));
    }
    check_fine(&pool);
    assert_eq!(children().len(), 1);
    drop(pool);
    assert_eq!(children(), Vec::<u32>::new());
}

fn workers_die_with_their_parent() {
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .arg("__parent")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(parent.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let workers: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(workers.len(), 2);
    parent.kill().unwrap();
    parent.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(3);
    let lives = |pid: &&&str| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.contains(") ") && !stat.contains(") Z")
    };
    while workers.iter().filter(lives).count() > 0 {
        assert!(Instant::now() < deadline, "a worker lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}
