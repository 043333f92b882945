//! The crate from outside: files of every format in `testdata`, and what fuzzing found.

mod formats;
mod regressions;
mod texts;

use std::path::PathBuf;

fn testdata() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}
