//! Clusters: the groups of the same text, which copy of each is the best, and what is linked to it.

use crate::catalogue::WitnessId;
use crate::decisions;
use crate::error::Result;
use crate::listing::{self, BookRow, FileRow};
use crate::place::Library;
use siglum::align::Side;
use siglum::cluster::rank::{self, CopyFacts};
use siglum::cluster::{self, Cluster};
use siglum::{Class, Damage, Direction, Match, Metadata, Origin, Variant};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Of a text in more books than this, each is related to the best alone.
const MAX_COPIES: usize = 200;

/// Formats in the order in which a person is best served by them: those that books are published in, then those they are
/// written in, then bare text, then those of old devices, which books are only converted into. Pages are counted before
/// the format, so that a PDF stands before an EPUB where its pages are the book's.
const FORMATS: [&str; 21] = [
    "epub", "kepub", "pdf", "djvu", "azw3", "azw", "mobi", "prc", "fb2", "docx", "odt", "html", "htm",
    "xhtml", "md", "rtf", "txt", "htmlz", "txtz", "pmlz", "pdb",
];

/// What a person prefers to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prefer {
    /// Files below a folder.
    Folder(PathBuf),
    /// Files of a format, by extension.
    Format(String),
}

impl Prefer {
    fn is_of(&self, file: &FileRow) -> bool {
        match self {
            Prefer::Folder(folder) => file.path.starts_with(folder),
            Prefer::Format(format) => {
                file.path.extension().is_some_and(|own| own.eq_ignore_ascii_case(format))
            }
        }
    }
}

/// A group of files of the same text.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterRow {
    /// What the best copy, or else another, says the book is.
    pub metadata: Metadata,
    /// The best copy.
    pub best: FileRow,
    /// Why it is the best.
    pub why_best: String,
    /// The others, the better first.
    pub members: Vec<MemberRow>,
    /// Files that are parts of it, that it is part of, or that overlap with it.
    pub links: Vec<LinkRow>,
}

/// A file of a group besides the best.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberRow {
    /// The file.
    pub file: FileRow,
    /// How it relates to the best copy.
    pub relation: Class,
    /// In what it differs.
    pub variant: Option<Variant>,
    /// How sure that is.
    pub confidence: f64,
    /// How much its text looks like language.
    pub quality: Option<f64>,
    /// How much of its text is damaged; `None` where nobody has looked.
    pub damage: Option<Damage>,
    /// Which program made it.
    pub origin: Origin,
    /// Why it is the same text, in a sentence in which A is the best copy and B this one.
    pub why: String,
}

/// A file that is linked to a group without being the same text.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkRow {
    /// The file.
    pub file: FileRow,
    /// How it relates to the best copy.
    pub relation: Class,
    /// Which lies in the other, the best copy being A.
    pub direction: Option<Direction>,
    /// How sure that is.
    pub confidence: f64,
    /// Why, in a sentence in which A is the best copy and B this file.
    pub why: String,
}

/// How a library's groups are made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clusters {
    /// What is preferred, the first most.
    pub prefer: Vec<Prefer>,
}

impl Library {
    /// The groups of the same text, by the name of the best copy.
    pub fn clusters(&self, how: &Clusters) -> Result<Vec<ClusterRow>> {
        let grouping = Grouping::load(self, how)?;
        let clusters = grouping.clusters();
        let mut rows =
            clusters.iter().map(|cluster| grouping.row(self, cluster)).collect::<Result<Vec<_>>>()?;
        rows.sort_by(|one, other| one.best.cmp(&other.best));
        Ok(rows)
    }
}

/// How many groups there are.
pub(crate) fn count(library: &Library) -> Result<u64> {
    Ok(Grouping::load(library, &Clusters::default())?.clusters().len() as u64)
}

/// What the groups are made from. Books are known by their place in `books`.
struct Grouping {
    books: Vec<BookRow>,
    copies: Vec<CopyFacts>,
    order: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    /// What each pair is; `None` for books of one witness.
    relations: Vec<Option<Same>>,
}

#[derive(Clone)]
struct Same {
    relation: Class,
    variant: Option<Variant>,
    confidence: f64,
    why: String,
}

impl Grouping {
    fn load(library: &Library, how: &Clusters) -> Result<Grouping> {
        let mut books = library.books()?;
        for book in &mut books {
            book.files.retain(|file| !file.is_missing);
            // Of files that are equal byte for byte, too, the preferred one is kept, or else that of the shorter path.
            book.files.sort_by_key(|file| {
                let place = how.prefer.iter().position(|prefer| prefer.is_of(file)).unwrap_or(usize::MAX);
                (place, file.path.to_string_lossy().chars().count())
            });
        }
        books.retain(|book| !book.files.is_empty());
        let mut by_witness: BTreeMap<WitnessId, Vec<u32>> = BTreeMap::new();
        for (at, book) in books.iter().enumerate() {
            by_witness.entry(book.witness).or_default().push(at as u32);
        }
        let same = same_text(library)?;
        let completeness = completeness(&same);
        let copy = |book: &BookRow| copy_of(book, &how.prefer, completeness.get(&book.witness).copied());
        let copies: Vec<CopyFacts> = books.iter().map(copy).collect();
        let mut order: Vec<u32> = (0..books.len() as u32).collect();
        order.sort_by(|&one, &other| rank::compare(&copies[one as usize], &copies[other as usize]).0);
        let mut grouping = Grouping { books, copies, order, pairs: Vec::new(), relations: Vec::new() };
        grouping.relate(&by_witness, same, &decisions::decided(&library.connection)?);
        Ok(grouping)
    }

    fn relate(
        &mut self,
        by_witness: &BTreeMap<WitnessId, Vec<u32>>,
        same: Vec<(WitnessId, WitnessId, Match, Same)>,
        decided: &BTreeSet<([u8; 32], [u8; 32])>,
    ) {
        let none = Vec::new();
        let place: BTreeMap<u32, usize> =
            self.order.iter().enumerate().map(|(at, &book)| (book, at)).collect();
        for copies in by_witness.values() {
            let mut best_first = copies.clone();
            best_first.sort_by_key(|book| place[book]);
            let firsts = if best_first.len() > MAX_COPIES { 1 } else { best_first.len() };
            for (at, &one) in best_first.iter().take(firsts).enumerate() {
                best_first[at + 1..].iter().for_each(|&other| self.push(one, other, None, decided));
            }
        }
        for (a, b, _, same) in same {
            let (of_a, of_b) = (by_witness.get(&a).unwrap_or(&none), by_witness.get(&b).unwrap_or(&none));
            for &one in of_a {
                of_b.iter().for_each(|&other| self.push(one, other, Some(&same), decided));
            }
        }
    }

    fn push(&mut self, one: u32, other: u32, same: Option<&Same>, decided: &BTreeSet<([u8; 32], [u8; 32])>) {
        let (a, b) = (self.books[one as usize].content, self.books[other as usize].content);
        if !decided.contains(&(a.min(b), a.max(b))) {
            self.pairs.push((one, other));
            self.relations.push(same.cloned());
        }
    }

    /// The groups: books of the same text, and books of which there are several files.
    fn clusters(&self) -> Vec<Cluster> {
        let mut clusters = cluster::clusters(&self.order, &self.pairs);
        let books = |cluster: &Cluster| {
            std::iter::once(cluster.kept).chain(cluster.members.iter().map(|m| m.book)).collect::<Vec<_>>()
        };
        let grouped: BTreeSet<u32> = clusters.iter().flat_map(books).collect();
        let several = |&book: &u32| self.books[book as usize].files.len() > 1 && !grouped.contains(&book);
        let alone = (0..self.books.len() as u32).filter(several);
        clusters.extend(alone.map(|kept| Cluster { kept, members: Vec::new() }));
        clusters.retain(|cluster| self.is_news(cluster));
        clusters
    }

    /// Formats of one calibre record are no news.
    fn is_news(&self, cluster: &Cluster) -> bool {
        let books = std::iter::once(cluster.kept).chain(cluster.members.iter().map(|member| member.book));
        let mut files = books.flat_map(|book| &self.books[book as usize].files);
        let first = files.next().and_then(|file| file.holding.as_ref());
        first.is_none() || files.any(|file| file.holding.as_ref() != first)
    }

    fn row(&self, library: &Library, cluster: &Cluster) -> Result<ClusterRow> {
        let kept = &self.books[cluster.kept as usize];
        let best = &self.copies[cluster.kept as usize];
        let again = kept.files.iter().skip(1).map(|file| named(best, file)).collect::<Vec<_>>();
        let members = cluster.members.iter().map(|member| &self.copies[member.book as usize]);
        let others: Vec<&CopyFacts> = members.chain(&again).collect();
        let mut members: Vec<MemberRow> =
            kept.files.iter().skip(1).map(|file| member(kept, file, &copy_of_file(kept))).collect();
        for one in &cluster.members {
            let book = &self.books[one.book as usize];
            let mut same = self.relations[one.pair].clone().unwrap_or_else(|| same_witness(book));
            if self.pairs[one.pair].0 != cluster.kept {
                same.why = listing::turned_why(&same.why);
            }
            members.extend(book.files.iter().map(|file| member(book, file, &same)));
        }
        let all = std::iter::once(kept)
            .chain(cluster.members.iter().map(|member| &self.books[member.book as usize]));
        let titled = all.clone().find(|book| book.metadata.title.is_some()).unwrap_or(kept);
        Ok(ClusterRow {
            metadata: titled.metadata.clone(),
            best: kept.files[0].clone(),
            why_best: rank::why_best(best, &others),
            members,
            links: links(library, kept.witness)?,
        })
    }
}

fn member(book: &BookRow, file: &FileRow, same: &Same) -> MemberRow {
    MemberRow {
        file: file.clone(),
        relation: same.relation,
        variant: same.variant,
        confidence: same.confidence,
        quality: book.quality,
        damage: book.damage,
        origin: book.origin.clone(),
        why: same.why.clone(),
    }
}

/// Of a second file of the very same book.
fn copy_of_file(book: &BookRow) -> Same {
    Same { why: "the same file twice".into(), ..same_witness(book) }
}

fn same_witness(book: &BookRow) -> Same {
    match book.n_pages {
        Some(_) => identical(Class::SamePagination, "the same text, character by character and page by page"),
        None => identical(Class::SameText, "the same text, character by character"),
    }
}

fn identical(relation: Class, why: &str) -> Same {
    Same { relation, variant: Some(Variant::Identical), confidence: 1.0, why: why.into() }
}

/// All pairs of witnesses that are the same text.
fn same_text(library: &Library) -> Result<Vec<(WitnessId, WitnessId, Match, Same)>> {
    let mut statement = library.connection.prepare(
        "SELECT a, b, bytes, relation, variant, confidence, why FROM match
         WHERE relation IN ('SAME_PAGINATION', 'DIFFERENT_PAGINATION', 'SAME_TEXT') ORDER BY a, b",
    )?;
    let mut rows = statement.query(())?;
    let mut same = Vec::new();
    while let Some(row) = rows.next()? {
        let bytes: Vec<u8> = row.get(2)?;
        let found = Same {
            relation: listing::class_in(row, 3)?,
            variant: listing::variant_in(row, 4)?,
            confidence: row.get(5)?,
            why: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
        };
        same.push((row.get(0)?, row.get(1)?, Match::from_bytes(&bytes)?, found));
    }
    Ok(same)
}

/// How complete each witness is beside its copies.
fn completeness(same: &[(WitnessId, WitnessId, Match, Same)]) -> BTreeMap<WitnessId, f64> {
    let mut pairs: BTreeMap<WitnessId, Vec<(&Side, &Side)>> = BTreeMap::new();
    for (a, b, found, _) in same {
        pairs.entry(*a).or_default().push((&found.a, &found.b));
        pairs.entry(*b).or_default().push((&found.b, &found.a));
    }
    pairs.into_iter().map(|(witness, pairs)| (witness, rank::completeness(pairs))).collect()
}

fn copy_of(book: &BookRow, prefer: &[Prefer], completeness: Option<f64>) -> CopyFacts {
    let is_preferred = |prefer: &Prefer| match prefer {
        Prefer::Folder(folder) => book.files.iter().any(|file| file.path.starts_with(folder)),
        Prefer::Format(format) => book.format.eq_ignore_ascii_case(format),
    };
    let Metadata { title, creators, isbn, doi, oclc, lccn, .. } = &book.metadata;
    let has_identifier = [isbn, doi, oclc, lccn].iter().any(|ids| !ids.is_empty());
    let n_metadata = u32::from(title.is_some()) + u32::from(!creators.is_empty()) + u32::from(has_identifier);
    let format_place = FORMATS.iter().position(|format| *format == book.format).unwrap_or(FORMATS.len());
    CopyFacts {
        preferred: prefer.iter().any(is_preferred),
        truncated: book.truncated.is_some(),
        completeness: completeness.unwrap_or(1.0),
        damage: book.damage,
        quality: book.quality,
        origin: book.origin.clone(),
        date: book.metadata.date.clone(),
        has_pages: book.n_pages.is_some(),
        has_page_labels: book.has_labels,
        n_metadata,
        format_place: format_place as u32,
        name: crate::paths::to_bytes(&book.files[0].path).to_vec(),
    }
}

/// What is known of a second file of the same book.
fn named(copy: &CopyFacts, file: &FileRow) -> CopyFacts {
    CopyFacts { name: crate::paths::to_bytes(&file.path).to_vec(), ..copy.clone() }
}

/// What a witness is a part of, what are parts of it, and what overlaps with it.
fn links(library: &Library, witness: WitnessId) -> Result<Vec<LinkRow>> {
    let mut statement = library.connection.prepare_cached(
        "SELECT a, b, relation, direction, confidence, why FROM match WHERE a = ?1
         UNION ALL SELECT a, b, relation, direction, confidence, why FROM match WHERE b = ?1",
    )?;
    let mut rows = statement.query([witness])?;
    let mut links = Vec::new();
    while let Some(row) = rows.next()? {
        let relation = row.get_ref(2)?.as_str_or_null().ok().flatten().map(str::to_owned);
        if relation.is_none_or(|name| name == Class::Unrelated.name()) {
            continue;
        }
        let class = listing::class_in(row, 2)?;
        if class.is_same_text() {
            continue;
        }
        let (a, b): (WitnessId, WitnessId) = (row.get(0)?, row.get(1)?);
        let direction = listing::direction_in(row, 3)?;
        let why = row.get::<_, Option<String>>(5)?.unwrap_or_default();
        let (direction, why) = match a == witness {
            true => (direction, why),
            false => (direction.map(listing::turned), listing::turned_why(&why)),
        };
        let confidence = row.get(4)?;
        let file = first_file(library, if a == witness { b } else { a })?;
        links.extend(file.map(|file| LinkRow { file, relation: class, direction, confidence, why }));
    }
    links.sort_by(|one, other| (one.relation, &one.file).cmp(&(other.relation, &other.file)));
    Ok(links)
}

/// The first file of a witness that is there.
fn first_file(library: &Library, witness: WitnessId) -> Result<Option<FileRow>> {
    let mut statement = library.connection.prepare_cached(
        "SELECT path, holding, is_missing FROM file JOIN book ON book.id = file.book
         WHERE book.witness = ? AND NOT is_missing ORDER BY path LIMIT 1",
    )?;
    let mut rows = statement.query([witness])?;
    Ok(rows.next()?.map(|row| listing::file_in(row, 0)).transpose()?)
}
