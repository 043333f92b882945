//! The corpus of real books and papers, and what is known of their relations.
//!
//! A folder with `texts/manifest.tsv` and `texts/pairs.tsv`, the same under `papers/` where there are papers, and
//! `amended.tsv` where labels were corrected.
//! The corpus is test data under mixed licences and no part of the project, so it is never required: see
//! [`corpus_dir`].
//! Holds: every pair names two known texts; every amendment names a known pair.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::tsv::{Row, Tsv};
use anyhow::{Context, Result, anyhow, bail, ensure};
pub use siglum::Class;
use siglum::{Book, Witness};

/// Real texts and their labelled pairs. Pairs that are not listed are believed unrelated.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    pub texts: Vec<TextEntry>,
    pub pairs: Vec<PairEntry>,
    /// Scientific articles in several versions.
    pub papers: Vec<TextEntry>,
    /// Pairs of versions of one article.
    pub paper_pairs: Vec<PairEntry>,
    /// How many labels were corrected; 0 means that no `amended.tsv` was found.
    pub n_amended: usize,
}

/// A text and what its catalogue says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEntry {
    /// Names the text in pairs.
    pub id: String,
    pub title: String,
    pub author: String,
    /// Three letters (ISO 639-3).
    pub language: String,
    /// The collection it comes from; `papers` for a paper.
    pub set: String,
    pub n_chars: usize,
    pub file: PathBuf,
}

/// A labelled pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairEntry {
    pub a: String,
    pub b: String,
    pub relation: Class,
    pub confidence: Confidence,
    /// Of an ambiguous pair, other labels a fair judge would accept.
    pub also_acceptable: Vec<Class>,
    /// A remark, such as `A_IN_B`; of a paper, `PAPER_VERSION`.
    pub detail: String,
    /// The share of A's word 4-grams (7-character grams for Chinese and Japanese) that B has too.
    pub share_a_in_b: Option<f64>,
    /// The share of B's that A has too.
    pub share_b_in_a: Option<f64>,
    /// The collection, or both, as `editions+wright`.
    pub set: String,
}

/// How sure a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    Sure,
    /// Other labels are acceptable too.
    Ambiguous,
}

impl Corpus {
    /// Reads the tables in `dir`, with the corrections of `amended`, or of `amended.tsv` in `dir` if there is one.
    pub fn open(dir: &Path, amended: Option<&Path>) -> Result<Corpus> {
        let folder = texts_dir(dir);
        let texts = read_manifest(&folder)?;
        let mut pairs = read_pairs(&folder, &texts)?;
        let beside = dir.join("amended.tsv");
        let amended = amended.or_else(|| beside.is_file().then_some(&beside));
        let n_amended = amended.map_or(Ok(0), |path| amend(&mut pairs, path))?;
        let mut corpus = Corpus { texts, pairs, n_amended, ..Corpus::default() };
        if dir.join("papers").is_dir() {
            corpus.papers = read_manifest(&dir.join("papers"))?;
            corpus.paper_pairs = read_pairs(&dir.join("papers"), &corpus.papers)?;
        }
        Ok(corpus)
    }
}

/// Where the tables of texts are: in `texts`, or in the folder itself.
pub fn texts_dir(dir: &Path) -> PathBuf {
    if dir.join("manifest.tsv").is_file() { dir.to_owned() } else { dir.join("texts") }
}

/// Pages known to correspond, counted from 1, by the ids of two texts.
pub type PageMap = BTreeMap<(String, String), Vec<(u32, u32)>>;

/// Reads them from `pagemap.tsv` beside the tables of texts.
pub fn read_page_map(dir: &Path) -> Result<PageMap> {
    let mut map = PageMap::new();
    Tsv::read(&texts_dir(dir).join("pagemap.tsv"))?.map(|row| {
        let pages = (row.parse("page_a")?, row.parse("page_b")?);
        map.entry((row.text("id_a")?, row.text("id_b")?)).or_default().push(pages);
        Ok(())
    })?;
    Ok(map)
}

/// The text itself; form feeds part its pages.
pub fn read_text(entry: &TextEntry) -> Result<String> {
    std::fs::read_to_string(&entry.file).with_context(|| format!("cannot read {}", entry.file.display()))
}

/// The text as a book.
pub fn read_book(entry: &TextEntry) -> Result<Book> {
    Ok(Book::from_text(read_text(entry)?)?)
}

/// The text as a library compares it.
pub fn read_witness(entry: &TextEntry) -> Result<Witness> {
    Ok(Witness::of_book(&read_book(entry)?))
}

/// Where each text stands in a list, by its id.
pub fn places(entries: &[TextEntry]) -> HashMap<&str, usize> {
    entries.iter().enumerate().map(|(at, entry)| (entry.id.as_str(), at)).collect()
}

/// Where the corpus is: what the flag says, or else the environment variable `SIGLUM_CORPUS`.
pub fn corpus_dir(flag: Option<PathBuf>) -> Option<PathBuf> {
    let named = || std::env::var_os("SIGLUM_CORPUS").filter(|dir| !dir.is_empty());
    flag.or_else(|| named().map(PathBuf::from))
}

/// The class of a name: ours, or one of the corpus.
pub fn class_named(name: &str) -> Result<Class> {
    Ok(match name {
        // Versions of a paper differ by revision only; how much they share is in the pair.
        "PAPER_VERSION" => Class::SameText,
        "CONTAINED" => Class::ContainedText,
        "PARTIAL_OVERLAP" => Class::OverlappingText,
        "NOT_RELATED" => Class::Unrelated,
        _ => {
            let ours = Class::ALL.into_iter().find(|class| class.name() == name);
            ours.ok_or_else(|| anyhow!("unknown relation {name:?}"))?
        }
    })
}

/// A class as Spasojevic & Poncin 2011, §IV-A, have it.
pub fn in_papers_classes(class: Class) -> Class {
    match class {
        Class::SameText => Class::DifferentPagination,
        Class::ContainedText => Class::OverlappingText,
        class => class,
    }
}

fn read_manifest(dir: &Path) -> Result<Vec<TextEntry>> {
    let table = Tsv::read(&dir.join("manifest.tsv"))?;
    let mut ids = HashSet::new();
    table.map(|row| {
        let id = row.text("id")?;
        ensure!(ids.insert(id.clone()), "{id} is there twice");
        Ok(TextEntry {
            id,
            title: row.text("title")?,
            author: row.text("author")?,
            language: row.text("language")?,
            set: row.optional("set").unwrap_or("papers").to_owned(),
            n_chars: row.parse("chars")?,
            file: dir.join(row.get("file")?),
        })
    })
}

fn read_pairs(dir: &Path, texts: &[TextEntry]) -> Result<Vec<PairEntry>> {
    let table = Tsv::read(&dir.join("pairs.tsv"))?;
    let ids: HashSet<&str> = texts.iter().map(|text| text.id.as_str()).collect();
    table.map(|row| {
        let pair = read_pair(row)?;
        for id in [&pair.a, &pair.b] {
            ensure!(ids.contains(id.as_str()), "no text has the id {id}");
        }
        Ok(pair)
    })
}

fn read_pair(row: &Row) -> Result<PairEntry> {
    let labels = row.optional("also_acceptable").unwrap_or("").split('|').filter(|label| !label.is_empty());
    Ok(PairEntry {
        a: row.text("id_a")?,
        b: row.text("id_b")?,
        relation: class(row, "relation")?,
        confidence: match row.optional("confidence").unwrap_or("sure") {
            "sure" => Confidence::Sure,
            "ambiguous" => Confidence::Ambiguous,
            name => bail!("unknown confidence {name:?}"),
        },
        also_acceptable: labels.map(class_named).collect::<Result<_>>()?,
        detail: row
            .optional("detail")
            .map_or_else(|| row.text("relation"), |detail| Ok(detail.to_owned()))?,
        share_a_in_b: share(row, "share_a_in_b")?,
        share_b_in_a: share(row, "share_b_in_a")?,
        set: row.optional("set").unwrap_or("papers").to_owned(),
    })
}

/// Puts the column `now` in place of the labels; says how many that were.
fn amend(pairs: &mut [PairEntry], path: &Path) -> Result<usize> {
    let by_ids: HashMap<(String, String), usize> =
        pairs.iter().enumerate().map(|(at, pair)| ((pair.a.clone(), pair.b.clone()), at)).collect();
    let amendments = Tsv::read(path)?.map(|row| {
        let ids = (row.text("id_a")?, row.text("id_b")?);
        let at = by_ids.get(&ids).ok_or_else(|| anyhow!("no pair of {} and {} to amend", ids.0, ids.1))?;
        Ok((*at, class(row, "now")?))
    })?;
    for &(at, relation) in &amendments {
        pairs[at].relation = relation;
    }
    Ok(amendments.len())
}

fn class(row: &Row<'_>, column: &str) -> Result<Class> {
    let field = row.get(column)?;
    class_named(field).with_context(|| format!("{column} is {field:?}"))
}

/// A share; none where the field is empty.
fn share(row: &Row<'_>, column: &str) -> Result<Option<f64>> {
    if row.get(column)?.is_empty() { Ok(None) } else { row.parse(column).map(Some) }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::machine::Scratch;
    use crate::report::write;

    /// A corpus of three texts in a folder of its own.
    struct Tiny(Scratch);

    const MANIFEST: &str =
        "id\ttitle\tauthor\tyear\tlanguage\tlicence\tsource\tpages\tchars\tfile\tset\ttext_kind
emma-1\tEmma \"1816\tAusten\t[18--?]\teng\tPD\tx\t3\t11\teditions/emma-1.txt\teditions\ttranscribed
emma-2\tEmma\tAusten\t1816\teng\tPD\tx\t0\t9\teditions/emma-2.txt\teditions\ttranscribed
nancy\tNancy\t\t\teng\tPD\tx\t2\t9\twright/nancy.txt\twright\traw-ocr
";
    const PAIRS: &str =
        "id_a\tid_b\trelation\tconfidence\talso_acceptable\tdetail\tshare_a_in_b\tshare_b_in_a\tset
emma-1\temma-2\tSAME_TEXT\tsure\t\t\t0.98\t0.97\teditions
emma-1\tnancy\tPARTIAL_OVERLAP\tambiguous\tNOT_RELATED|CONTAINED\tsmall shared part\t\t\teditions+wright
";

    impl Tiny {
        fn new() -> Tiny {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let name = format!("corpus-{}", COUNT.fetch_add(1, Ordering::Relaxed));
            Tiny(Scratch::new(&name).unwrap())
                .with("texts/manifest.tsv", MANIFEST)
                .with("texts/pairs.tsv", PAIRS)
        }

        fn with(self, path: &str, content: &str) -> Tiny {
            write(&self.0.join(path), content).unwrap();
            self
        }

        fn open(&self) -> Result<Corpus> {
            Corpus::open(self.0.path(), None)
        }

        fn error(&self) -> String {
            format!("{:#}", self.open().unwrap_err()).replace(&format!("{}/", self.0.path().display()), "")
        }
    }

    #[test]
    fn texts_come_with_their_catalogue() {
        let tiny = Tiny::new();
        let corpus = tiny.open().unwrap();
        let expected = TextEntry {
            id: "emma-1".into(),
            title: "Emma \"1816".into(),
            author: "Austen".into(),
            language: "eng".into(),
            set: "editions".into(),
            n_chars: 11,
            file: tiny.0.join("texts/editions/emma-1.txt"),
        };
        assert_eq!(corpus.texts[0], expected);
        assert_eq!(corpus.texts.len(), 3);
        assert!(corpus.papers.is_empty() && corpus.n_amended == 0);
    }

    #[test]
    fn pairs_come_with_our_class_names() {
        let corpus = Tiny::new().open().unwrap();
        let [same, overlapping] = corpus.pairs.as_slice() else { panic!("two pairs") };
        assert_eq!((same.relation, same.confidence), (Class::SameText, Confidence::Sure));
        assert_eq!((same.share_a_in_b, same.share_b_in_a), (Some(0.98), Some(0.97)));
        assert_eq!(
            (overlapping.relation, overlapping.confidence),
            (Class::OverlappingText, Confidence::Ambiguous)
        );
        assert_eq!(overlapping.also_acceptable, [Class::Unrelated, Class::ContainedText]);
        assert_eq!((overlapping.share_a_in_b, overlapping.detail.as_str()), (None, "small shared part"));
    }

    #[test]
    fn an_amendment_replaces_the_label() {
        let amended = "id_a\tid_b\trelation\tconfidence\tnow\twhy\nemma-1\tnancy\tPARTIAL_OVERLAP\tsure\tNOT_RELATED\tx\n";
        let tiny = Tiny::new().with("amended.tsv", amended);
        let corpus = tiny.open().unwrap();
        assert_eq!((corpus.pairs[1].relation, corpus.n_amended), (Class::Unrelated, 1));
        let other = Tiny::new().with("mine.tsv", &amended.replace("NOT_RELATED", "CONTAINED"));
        let corpus = Corpus::open(tiny.0.path(), Some(&other.0.join("mine.tsv"))).unwrap();
        assert_eq!(corpus.pairs[1].relation, Class::ContainedText, "the caller's file goes first");
    }

    #[test]
    fn papers_are_read_like_texts() {
        let manifest = "id\ttitle\tauthor\tyear\tlanguage\tlicence\tsource\tpages\tchars\tfile\twork\tversion
e-1\tCells\tYan\t2012\teng\tCC\tx\t0\t9\ttxt/e-1.txt\t49\tarticle-v1
e-2\tCells\tYan\t2012\teng\tCC\tx\t0\t9\ttxt/e-2.txt\t49\tarticle-v2
";
        let pairs = "id_a\tid_b\trelation\thow_verified\tshare_a_in_b\tshare_b_in_a\ne-1\te-2\tPAPER_VERSION\tx\t1.000\t0.6\n";
        let tiny = Tiny::new().with("papers/manifest.tsv", manifest).with("papers/pairs.tsv", pairs);
        let corpus = tiny.with("papers/txt/e-1.txt", "one\u{c}two").open().unwrap();
        assert_eq!(corpus.papers[1].set, "papers");
        let pair = &corpus.paper_pairs[0];
        assert_eq!((pair.relation, pair.detail.as_str()), (Class::SameText, "PAPER_VERSION"));
        assert_eq!(pair.share_b_in_a, Some(0.6));
    }

    fn check_error(path: &str, content: &str, expected: &str) {
        assert_eq!(Tiny::new().with(path, content).error(), expected);
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let pairs = |from, to| PAIRS.replace(from, to);
        check_error(
            "texts/pairs.tsv",
            &pairs("\tnancy", "\tnance"),
            "texts/pairs.tsv:3: no text has the id nance",
        );
        check_error(
            "texts/pairs.tsv",
            &pairs("SAME_TEXT", "SAME"),
            "texts/pairs.tsv:2: relation is \"SAME\": unknown relation \"SAME\"",
        );
        check_error("texts/pairs.tsv", &pairs("\tsure\t", "\tsure"), "texts/pairs.tsv:2: 8 fields, not 9");
        check_error(
            "texts/pairs.tsv",
            &pairs("\trelation", "\trelations"),
            "texts/pairs.tsv:2: no column relation",
        );
        check_error(
            "texts/manifest.tsv",
            &MANIFEST.replace("emma-2\t", "emma-1\t"),
            "texts/manifest.tsv:3: emma-1 is there twice",
        );
        check_error(
            "amended.tsv",
            "id_a\tid_b\tnow\nx\ty\tCONTAINED\n",
            "amended.tsv:2: no pair of x and y to amend",
        );
    }
}
