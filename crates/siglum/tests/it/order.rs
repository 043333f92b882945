//! A stage names only earlier stages: nothing flows back.

use std::path::{Path, PathBuf};

/// The modules of the crate, each using only those before it.
const ORDER: [&str; 11] =
    ["error", "book", "hash", "text", "record", "sketch", "index", "align", "relate", "cluster", "report"];

#[test]
fn a_stage_names_only_earlier_stages() {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    for (place, module) in ORDER.iter().enumerate() {
        for file in rust_files(&source, module) {
            let code = std::fs::read_to_string(&file).unwrap();
            for later in &ORDER[place + 1..] {
                assert!(!code.contains(&format!("crate::{later}")), "{} names {later}", file.display());
            }
        }
    }
}

#[test]
fn every_module_has_its_place() {
    let lib = std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let modules: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(
        modules.iter().all(|module| ORDER.contains(module)) && modules.len() == ORDER.len(),
        "{modules:?}"
    );
}

fn rust_files(source: &Path, module: &str) -> Vec<PathBuf> {
    let mut found = vec![source.join(format!("{module}.rs"))];
    let mut folders = vec![source.join(module)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.retain(|file| file.exists());
    assert!(!found.is_empty(), "no source of {module}");
    found
}
