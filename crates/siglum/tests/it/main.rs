//! What holds across modules: frozen values, inputs that once broke something, bad input,
//! how books compare, how candidates are found.

mod bad_input;
mod compare;
mod golden;
mod index;
mod regressions;

use std::path::PathBuf;

fn testdata() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}
