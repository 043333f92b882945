//! One module a command.

pub(crate) mod distance;
pub(crate) mod id;
pub(crate) mod schemes;
pub(crate) mod text;

use siglum_extract::{Bytes, Extracted, Failure};
use std::path::Path;

/// Reads a file, or standard input for `-`.
fn read(path: &Path, keep: Bytes) -> Result<Extracted, Failure> {
    match path.to_str() {
        Some("-") => siglum_extract::read_stream(std::io::stdin().lock(), keep),
        _ => siglum_extract::read_file(path, keep),
    }
}
