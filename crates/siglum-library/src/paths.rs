//! Paths as the catalogue has them: the bytes of their names, whatever they are.

use std::path::{Path, PathBuf};

/// The bytes of a path.
#[cfg(unix)]
pub(crate) fn to_bytes(path: &Path) -> &[u8] {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str())
}

/// The path of some bytes.
#[cfg(unix)]
pub(crate) fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes))
}

/// The bytes of a path.
#[cfg(not(unix))]
pub(crate) fn to_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The path of some bytes. A name that is not Unicode keeps its place in the catalogue, but cannot be opened again.
#[cfg(not(unix))]
pub(crate) fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
