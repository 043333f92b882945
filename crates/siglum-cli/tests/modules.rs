//! A module uses only what lies below it: read from the sources of every crate, and drawn in docs/modules.md.
//!
//! `MODULES=write cargo test -p siglum-cli --test modules` draws the page again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The crates, each using only those before it.
const CRATES: [&str; 5] = ["siglum", "siglum-extract", "siglum-library", "siglum-cli", "siglum-eval"];
/// Folders of modules that have a picture of their own.
const DRAWN: [(&str, &str); 8] = [
    ("siglum", "sketch"),
    ("siglum", "index"),
    ("siglum", "align"),
    ("siglum", "relate"),
    ("siglum-extract", "worker"),
    ("siglum-library", "store"),
    ("siglum-library", "query"),
    ("siglum-library", "scan"),
];

/// The names on the way from the root of a crate to a module or an item.
type Name = Vec<String>;
/// What each uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_module_uses_what_stands_above_it() {
    let mut circles = String::new();
    for name in CRATES {
        let crate_ = Crate::read(name);
        for folder in crate_.folders() {
            let uses = crate_.uses_within(&folder);
            if let Err(circle) = layers(&uses) {
                writeln!(circles, "{name} {}: {}", folder.join("::"), circle.join(", ")).unwrap();
            }
        }
    }
    assert!(circles.is_empty(), "these use each other in a circle:\n{circles}");
}

#[test]
fn the_picture_is_that_of_the_sources() {
    let mut page = String::from(
        "# Modules\n\nWhat uses what. A module uses only modules below it; those of one line do not use each other. This page is written \
         from the sources by a test (`MODULES=write cargo test -p siglum-cli --test modules`).\n\n",
    );
    page += &picture("The crates", &uses_of_crates());
    for name in CRATES {
        let crate_ = Crate::read(name);
        page += &picture(&format!("`{name}`"), &crate_.uses_within(&[]));
        for (_, folder) in DRAWN.iter().filter(|(of, _)| *of == name) {
            page += &picture(&format!("`{name}`, `{folder}`"), &crate_.uses_within(&[(*folder).to_owned()]));
        }
    }
    let path = root().join("docs/modules.md");
    if std::env::var_os("MODULES").is_some_and(|said| said == "write") {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/modules.md is not what the sources say; write it again as its test says:\n{page}"
    );
}

#[test]
fn the_walk_names_files_that_exist() {
    let page = std::fs::read_to_string(root().join("docs/walk.md")).unwrap();
    let short = [
        ("cli", "siglum-cli"),
        ("extract", "siglum-extract"),
        ("library", "siglum-library"),
        ("core", "siglum"),
    ];
    let mut n_named = 0;
    // Between two backticks stands a path; every second part is one.
    for code in page.split('`').skip(1).step_by(2).filter(|code| code.ends_with(".rs")) {
        let (folder, file) = code.split_once('/').unwrap();
        let (_, name) = short.iter().find(|(short, _)| *short == folder).unwrap();
        let path = root().join("crates").join(name).join("src").join(file);
        assert!(path.is_file(), "docs/walk.md names {code}, which is not there");
        n_named += 1;
    }
    assert!(n_named > 40, "{n_named} files");
}

#[test]
fn paths_are_read_as_the_compiler_reads_them() {
    let paths = |code: &str| paths_in(code).into_iter().map(|path| path.join("::")).collect::<Vec<_>>();
    assert_eq!(
        paths("use crate::a::{self, b::{C, d as e}, F};\nfn f() { crate::g::h(super::super::i::J::new()) }"),
        [
            "crate::a::self",
            "crate::a::b::C",
            "crate::a::b::d",
            "crate::a::F",
            "crate::g::h",
            "super::super::i::J::new"
        ]
    );
    let code =
        "// crate::a\nuse crate::b;\n#[cfg(test)]\nmod tests {\n    use crate::c;\n}\n\nuse crate::d;\n";
    assert_eq!(paths(&without_tests(code)), ["crate::b", "crate::d"]);
    let circle = BTreeMap::from([
        ("a".to_owned(), BTreeSet::from(["b".to_owned()])),
        ("b".to_owned(), BTreeSet::from(["a".to_owned()])),
        ("c".to_owned(), BTreeSet::new()),
    ]);
    assert_eq!(layers(&circle), Err(vec!["a".to_owned(), "b".to_owned()]));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The modules of a crate.
struct Crate {
    /// Their sources without tests.
    sources: BTreeMap<Name, String>,
    /// What `pub use` calls by another name.
    aliases: BTreeMap<Name, Name>,
}

impl Crate {
    fn read(name: &str) -> Crate {
        let mut crate_ = Crate { sources: BTreeMap::new(), aliases: BTreeMap::new() };
        crate_.read_folder(&root().join("crates").join(name).join("src"), &Vec::new());
        for (module, code) in &crate_.sources {
            for at in code
                .match_indices("pub use ")
                .chain(code.match_indices("pub(crate) use "))
                .map(|(at, found)| at + found.len())
            {
                let mut paths = Vec::new();
                read_tree(&code[at..], &[], &mut paths);
                for path in paths {
                    let Some(last) = path.last().filter(|last| *last != "*").cloned() else { continue };
                    let target = crate_.absolute(module, &path);
                    let name: Name = module.iter().cloned().chain([last]).collect();
                    if target != name {
                        crate_.aliases.insert(name, target);
                    }
                }
            }
        }
        crate_
    }

    fn read_folder(&mut self, folder: &Path, name: &[String]) {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let is_own = matches!(stem.as_str(), "mod" | "lib" | "main");
            let name: Name = name.iter().cloned().chain((!is_own).then(|| stem.clone())).collect();
            if stem == "tests" {
                continue;
            } else if path.is_dir() {
                self.read_folder(&path, &name);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                self.sources.insert(name, without_tests(&std::fs::read_to_string(&path).unwrap()));
            }
        }
    }

    /// The modules that have modules, the crate itself among them.
    fn folders(&self) -> BTreeSet<Name> {
        self.sources.keys().filter_map(|name| Some(name[..name.len().checked_sub(1)?].to_vec())).collect()
    }

    /// What the modules directly in a folder use of each other, each with all that is in it.
    fn uses_within(&self, folder: &[String]) -> Uses {
        let child =
            |name: &[String]| name.starts_with(folder).then(|| name.get(folder.len()).cloned()).flatten();
        let mut uses: Uses =
            self.sources.keys().filter_map(|name| Some((child(name)?, BTreeSet::new()))).collect();
        for (module, code) in &self.sources {
            let Some(user) = child(module) else { continue };
            for path in paths_in(code) {
                let used = self.module_of(&self.absolute(module, &path));
                uses.get_mut(&user).unwrap().extend(child(&used).filter(|used| *used != user));
            }
        }
        uses
    }

    /// A path from the root of the crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Name {
        let mut base = module.to_vec();
        let mut rest = path;
        match path.first().map(String::as_str) {
            Some("crate") => (base, rest) = (Vec::new(), &path[1..]),
            Some("self") => rest = &path[1..],
            _ => {}
        }
        while let [first, behind @ ..] = rest
            && first == "super"
        {
            base.pop();
            rest = behind;
        }
        base.into_iter().chain(rest.iter().filter(|part| *part != "self").cloned()).collect()
    }

    /// The module an item is defined in, through whatever names it goes by.
    fn module_of(&self, item: &[String]) -> Name {
        let mut item = item.to_vec();
        for _ in 0..8 {
            let known = (1..=item.len()).rev().find_map(|n| Some((n, self.aliases.get(&item[..n])?)));
            let Some((n, target)) = known.filter(|(n, _)| !self.sources.contains_key(&item[..*n])) else {
                break;
            };
            item = target.iter().chain(&item[n..]).cloned().collect();
        }
        (0..=item.len())
            .rev()
            .map(|n| &item[..n])
            .find(|name| self.sources.contains_key(*name))
            .unwrap_or_default()
            .to_vec()
    }
}

/// Code without comments and without its tests.
fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut in_tests = false;
    for line in code.lines() {
        in_tests |= line
            .trim_start_matches("pub(crate) ")
            .trim_start_matches("pub(super) ")
            .starts_with("mod tests {");
        if !in_tests && !line.trim_start().starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
        in_tests &= line != "}";
    }
    kept
}

/// The paths in code that begin with `crate`, `super` or `self`.
fn paths_in(code: &str) -> Vec<Name> {
    let mut paths = Vec::new();
    let mut rest = code;
    while let Some(at) = ["crate::", "super::", "self::"].iter().filter_map(|start| rest.find(start)).min() {
        let is_begun = rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        let n = if is_begun { 0 } else { read_tree(&rest[at..], &[], &mut paths) };
        rest = &rest[at + n.max("self::".len())..];
    }
    paths
}

/// Reads a path with all its branches; gives how many bytes it takes.
fn read_tree(code: &str, before: &[String], paths: &mut Vec<Name>) -> usize {
    let mut path = before.to_vec();
    let mut at = skip_space(code, 0);
    loop {
        if code[at..].starts_with('{') {
            at += 1;
            while !code[skip_space(code, at)..].starts_with('}') {
                at += read_tree(&code[at..], &path, paths);
                // What it is called here, and the comma.
                at += code[at..].find([',', '}']).unwrap();
                at += usize::from(code[at..].starts_with(','));
            }
            return skip_space(code, at) + 1;
        }
        let n = code[at..]
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*'))
            .unwrap_or(code.len() - at);
        if n == 0 {
            break;
        }
        path.push(code[at..at + n].to_owned());
        at += n;
        if !code[at..].starts_with("::") {
            break;
        }
        at += 2;
    }
    paths.push(path);
    at
}

fn skip_space(code: &str, at: usize) -> usize {
    at + (code[at..].len() - code[at..].trim_start().len())
}

/// Lines of modules from the bottom, each using only those of lines below it; or those that use each other in a circle.
fn layers(uses: &Uses) -> Result<Vec<Vec<String>>, Vec<String>> {
    let mut layers: Vec<Vec<String>> = Vec::new();
    let mut placed = BTreeSet::new();
    while placed.len() < uses.len() {
        let is_next =
            |(name, uses): &(&String, &BTreeSet<String>)| !placed.contains(*name) && uses.is_subset(&placed);
        let layer: Vec<String> = uses.iter().filter(is_next).map(|(name, _)| name.clone()).collect();
        if layer.is_empty() {
            return Err(in_circles(uses, &placed));
        }
        placed.extend(layer.iter().cloned());
        layers.push(layer);
    }
    Ok(layers)
}

/// Those that are reached from themselves, apart from what has its place.
fn in_circles(uses: &Uses, placed: &BTreeSet<String>) -> Vec<String> {
    let reaches_itself = |name: &&String| {
        let mut reached: BTreeSet<&String> = BTreeSet::new();
        let mut next: Vec<&String> = uses[*name].iter().collect();
        while let Some(at) = next.pop() {
            if reached.insert(at) {
                next.extend(&uses[at]);
            }
        }
        reached.contains(*name)
    };
    uses.keys().filter(|name| !placed.contains(*name)).filter(reaches_itself).cloned().collect()
}

fn uses_of_crates() -> Uses {
    let uses = |(at, name): (usize, &&str)| {
        let manifest = std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        let needs = manifest.split("[dev-dependencies]").next().unwrap();
        let used = CRATES.iter().filter(|used| needs.contains(&format!("\n{used}.workspace")));
        let used: BTreeSet<String> = used.map(|used| (*used).to_owned()).collect();
        assert!(used.iter().all(|used| CRATES[..at].contains(&used.as_str())), "{name} uses {used:?}");
        ((*name).to_owned(), used)
    };
    CRATES.iter().enumerate().map(uses).collect()
}

/// The layers with what each module uses, the highest first.
fn picture(title: &str, uses: &Uses) -> String {
    let layers = layers(uses).unwrap_or_default();
    let width = uses.keys().map(String::len).max().unwrap_or(0);
    let mut text = format!("## {title}\n\n```text\n");
    for (at, layer) in layers.iter().enumerate().rev() {
        for name in layer {
            let used: Vec<&str> = uses[name].iter().map(String::as_str).collect();
            let line = format!("{name:width$}  {}", used.join(" "));
            writeln!(text, "{}", line.trim_end()).unwrap();
        }
        text += if at > 0 { "\n" } else { "```\n\n" };
    }
    text
}
