//! What holds across modules: frozen values, inputs that once broke something, bad input,
//! how books compare, how candidates are found, and that the page of the schemes shows the bytes that are written.

mod bad_input;
mod compare;
mod golden;
mod index;
mod regressions;
mod schemes_page;

use std::path::PathBuf;

fn testdata() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}
