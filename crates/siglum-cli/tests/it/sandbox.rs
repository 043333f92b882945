//! A system without Landlock: a person hears of it once, and `--require-sandbox` refuses to run.

use super::root;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use std::collections::BTreeMap;
use std::process::{Command, Output};

/// Runs the program where Landlock does not exist, as far as it can see: the filter of this thread is inherited.
fn without_landlock(args: &'static [&'static str]) -> Output {
    let run = move || {
        let calls = BTreeMap::from([(libc::SYS_landlock_create_ruleset, Vec::new())]);
        let no_such_call = SeccompAction::Errno(libc::ENOSYS as u32);
        let arch = std::env::consts::ARCH.try_into().unwrap();
        let filter = SeccompFilter::new(calls, SeccompAction::Allow, no_such_call, arch).unwrap();
        let program: BpfProgram = filter.try_into().unwrap();
        seccompiler::apply_filter(&program).unwrap();
        Command::new(env!("CARGO_BIN_EXE_siglum")).args(args).current_dir(root()).output().unwrap()
    };
    std::thread::spawn(run).join().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_missing_sandbox_is_told_once_a_run() {
    let output = without_landlock(&["id", "--isolation", "strict", "testdata/books", "testdata/books"]);
    assert_eq!(stderr(&output).matches("no Landlock").count(), 1, "{}", stderr(&output));
    assert!(output.status.success());
}

#[test]
fn a_required_sandbox_that_is_missing_ends_the_run() {
    for args in [
        &["id", "--require-sandbox", "testdata/books"][..],
        &["check", "--library", "/nowhere/at/all", "--require-sandbox", "testdata/records/catalogue.csv"],
    ] {
        let output = without_landlock(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty());
        assert!(stderr(&output).contains("a sandbox is required"), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn without_isolation_there_is_no_sandbox_to_require() {
    let args = ["text", "--isolation", "none", "--require-sandbox", "README.md"];
    let output = Command::new(env!("CARGO_BIN_EXE_siglum")).args(args).current_dir(root()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("without isolation there is none"), "{}", stderr(&output));
}
