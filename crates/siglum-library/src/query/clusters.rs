//! Clusters: the groups of the same text, which copy of each is the best, and what is linked to it.

use super::books::{BookRow, FileRow, file_in};
use crate::book_key::BookKey;
use crate::error::Result;
use crate::store::Library;
use crate::store::checksum::{BOOK, FILE, MATCH, VERDICT};
use crate::store::journal::decisions;
use crate::store::rows::{self, RELATION, WitnessId};
use siglum::align::Side;
use siglum::cluster::age::{age, supersedes};
use siglum::cluster::rank::{self, CopyFacts};
use siglum::cluster::{self, Cluster, Version};
use siglum::relate::{Reason, Work, is_version};
use siglum::{Class, Damage, Match, Metadata, Origin, Relation};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Of a text in more books than this, each is related to the best alone.
pub(super) const MAX_COPIES: usize = 200;

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
    /// The id of the best copy.
    pub key: BookKey,
    /// The ids of the other copies that are not the very same content, the better first.
    pub member_keys: Vec<BookKey>,
    /// What the best copy, or else another, says the book is.
    pub metadata: Metadata,
    /// The best copy.
    pub best: FileRow,
    /// Why it is the best.
    pub why_best: String,
    /// The others, the better first.
    pub members: Vec<MemberRow>,
    /// Other versions of the same work, the newest first.
    pub versions: Vec<VersionRow>,
    /// Files that are parts of it, that it is part of, or that overlap with it.
    pub links: Vec<LinkRow>,
}

/// A file that is another version of a group's text: a preprint of a paper, another edition.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionRow {
    /// The file.
    pub file: FileRow,
    /// The file of the group it was compared with: the best copy where that is related to it.
    pub of: FileRow,
    /// How that (A) relates to it (B).
    pub relation: Relation,
    /// When it was published, as it says itself.
    pub date: Option<String>,
}

/// A file of a group besides the best.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberRow {
    /// The file.
    pub file: FileRow,
    /// How the best copy (A) relates to it (B).
    pub relation: Relation,
    /// How much its text looks like language.
    pub quality: Option<f64>,
    /// How much of its text is damaged; `None` where nobody has looked.
    pub damage: Option<Damage>,
    /// Which program made it.
    pub origin: Origin,
}

/// A file that is linked to a group without being the same text.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkRow {
    /// The file.
    pub file: FileRow,
    /// How the best copy (A) relates to it (B).
    pub relation: Relation,
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
        let mut clusters = grouping.clusters();
        let versions = cluster::versions(&mut clusters, &grouping.newest_first(), &grouping.version_pairs);
        let mut rows = clusters
            .iter()
            .zip(&versions)
            .map(|(cluster, versions)| grouping.row(self, cluster, versions))
            .collect::<Result<Vec<_>>>()?;
        rows.sort_by(|one, other| one.best.cmp(&other.best));
        Ok(rows)
    }
}

/// What the groups are made from. Books are known by their place in `books`.
pub(super) struct Grouping {
    books: Vec<BookRow>,
    copies: Vec<CopyFacts>,
    order: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    /// What each pair is; `None` for books of one witness.
    relations: Vec<Option<Relation>>,
    /// Books that are versions of one work without being the same text,
    version_pairs: Vec<(u32, u32)>,
    /// and how each pair relates.
    version_relations: Vec<Relation>,
}

impl Grouping {
    pub(super) fn load(library: &Library, how: &Clusters) -> Result<Grouping> {
        let mut grouping = Grouping::of(library, how, library.books()?, same_text(library, None)?)?;
        grouping.relate_versions(library)?;
        Ok(grouping)
    }

    /// The groups of some books, without their versions. The pairs are all those in which their texts are the same as others.
    pub(super) fn of(
        library: &Library,
        how: &Clusters,
        mut books: Vec<BookRow>,
        same: Vec<SameText>,
    ) -> Result<Grouping> {
        for book in &mut books {
            book.files.retain(|file| !file.is_missing);
            // Of files that are equal byte for byte, too, the preferred one is kept, or else that of the shorter path.
            book.files.sort_by_key(|file| {
                let place = how.prefer.iter().position(|prefer| prefer.is_of(file)).unwrap_or(usize::MAX);
                (place, file.path.to_string_lossy().chars().count())
            });
        }
        books.retain(|book| !book.files.is_empty());
        let by_witness = by_witness(&books);
        let completeness = completeness(&same);
        let superseded = superseded(&books, &by_witness, &same);
        let copy = |(at, book): (usize, &BookRow)| CopyFacts {
            superseded: superseded.contains(&(at as u32)),
            ..copy_of(book, &how.prefer, completeness.get(&book.witness).copied())
        };
        let copies: Vec<CopyFacts> = books.iter().enumerate().map(copy).collect();
        let mut order: Vec<u32> = (0..books.len() as u32).collect();
        order.sort_by(|&one, &other| rank::compare(&copies[one as usize], &copies[other as usize]).0);
        let mut grouping = Grouping {
            books,
            copies,
            order,
            pairs: Vec::new(),
            relations: Vec::new(),
            version_pairs: Vec::new(),
            version_relations: Vec::new(),
        };
        let decided = decisions::decided(&library.connection)?;
        grouping.relate(&by_witness, same, &decided);
        Ok(grouping)
    }

    fn relate(
        &mut self,
        by_witness: &BTreeMap<WitnessId, Vec<u32>>,
        same: Vec<SameText>,
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
        for SameText { a, b, relation, .. } in same {
            let (of_a, of_b) = (by_witness.get(&a).unwrap_or(&none), by_witness.get(&b).unwrap_or(&none));
            for &one in of_a {
                of_b.iter().for_each(|&other| self.push(one, other, Some(&relation), decided));
            }
        }
    }

    /// Pairs of books that are versions of one work, as [`is_version`] has it.
    fn relate_versions(&mut self, library: &Library) -> Result<()> {
        let by_witness = by_witness(&self.books);
        let decided = decisions::decided(&library.connection)?;
        let mut statement = library.connection.prepare(&format!(
            "SELECT a, b, bytes, {RELATION}, {}, {} FROM match
             WHERE relation IN ('CONTIGUOUS_SUBSET', 'CONTAINED_TEXT', 'OVERLAPPING_TEXT') OR NOT {1} ORDER BY a, b",
            MATCH.is_sound(),
            VERDICT.is_sound()
        ))?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let (a, b, found, relation) = judged_pair(row)?;
            let (Some(of_a), Some(of_b)) = (by_witness.get(&a), by_witness.get(&b)) else { continue };
            for &one in of_a {
                for &other in of_b {
                    let (left, right) = (&self.books[one as usize], &self.books[other as usize]);
                    let contents = (left.content.min(right.content), left.content.max(right.content));
                    let work = Work::of(&left.metadata, &right.metadata);
                    if !decided.contains(&contents) && is_version(relation.class, &found, work) {
                        self.version_pairs.push((one, other));
                        self.version_relations.push(relation.clone());
                    }
                }
            }
        }
        Ok(())
    }

    /// All books, the newest first; of those as new, or of unknown age, the better first.
    fn newest_first(&self) -> Vec<u32> {
        let mut order = self.order.clone();
        order.sort_by_key(|&book| age(&self.books[book as usize].metadata));
        order
    }

    /// The versions beside a group, file by file, the newest first.
    fn version_rows(&self, cluster: &Cluster, versions: &[Version]) -> Vec<VersionRow> {
        let is_own =
            |book: u32| book == cluster.kept || cluster.members.iter().any(|member| member.book == book);
        let mut sorted: Vec<(&Version, &BookRow)> =
            versions.iter().map(|version| (version, &self.books[version.book as usize])).collect();
        sorted.sort_by(|(_, one), (_, other)| {
            age(&one.metadata).cmp(&age(&other.metadata)).then_with(|| one.files.cmp(&other.files))
        });
        let rows = sorted.into_iter().flat_map(|(version, book)| {
            let (one, other) = self.version_pairs[version.pair];
            let first_is_own = is_own(one) && other == version.book;
            let of = &self.books[if first_is_own { one } else { other } as usize];
            let relation = turned_unless(first_is_own, self.version_relations[version.pair].clone());
            book.files.iter().map(move |file| VersionRow {
                file: file.clone(),
                of: of.files[0].clone(),
                relation: relation.clone(),
                date: book.metadata.date.clone(),
            })
        });
        rows.collect()
    }

    fn push(
        &mut self,
        one: u32,
        other: u32,
        relation: Option<&Relation>,
        decided: &BTreeSet<([u8; 32], [u8; 32])>,
    ) {
        let (a, b) = (self.books[one as usize].content, self.books[other as usize].content);
        if !decided.contains(&(a.min(b), a.max(b))) {
            self.pairs.push((one, other));
            self.relations.push(relation.cloned());
        }
    }

    /// The groups: books of the same text, and books of which there are several files.
    pub(super) fn clusters(&self) -> Vec<Cluster> {
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

    /// Why a book without copies is named first among its versions.
    fn why_newest(&self, kept: u32, versions: &[VersionRow]) -> String {
        let metadata = &self.books[kept as usize].metadata;
        let is_older = |version: &VersionRow| {
            age(metadata) < age(&Metadata { date: version.date.clone(), ..Metadata::default() })
        };
        match &metadata.date {
            Some(date) if versions.iter().all(is_older) => format!("the newest version, {date}"),
            _ => "which version is the newest is unknown".into(),
        }
    }

    fn row(&self, library: &Library, cluster: &Cluster, versions: &[Version]) -> Result<ClusterRow> {
        let kept = &self.books[cluster.kept as usize];
        let best = &self.copies[cluster.kept as usize];
        let again = kept.files.iter().skip(1).map(|file| named(best, file)).collect::<Vec<_>>();
        let members = cluster.members.iter().map(|member| &self.copies[member.book as usize]);
        let others: Vec<&CopyFacts> = members.chain(&again).collect();
        let mut members: Vec<MemberRow> =
            kept.files.iter().skip(1).map(|file| member(kept, file, &same_file(kept))).collect();
        for one in &cluster.members {
            let book = &self.books[one.book as usize];
            let relation = self.relations[one.pair].clone().unwrap_or_else(|| same_witness(book));
            let relation = turned_unless(self.pairs[one.pair].0 == cluster.kept, relation);
            members.extend(book.files.iter().map(|file| member(book, file, &relation)));
        }
        let all = std::iter::once(kept)
            .chain(cluster.members.iter().map(|member| &self.books[member.book as usize]));
        let titled = all.clone().find(|book| book.metadata.title.is_some()).unwrap_or(kept);
        let versions = self.version_rows(cluster, versions);
        let mut links = links(library, kept.witness)?;
        links.retain(|link| versions.iter().all(|version| version.file != link.file));
        let is_newest = members.is_empty() && !versions.is_empty();
        Ok(ClusterRow {
            key: kept.key(),
            member_keys: all.clone().skip(1).map(BookRow::key).collect(),
            metadata: titled.metadata.clone(),
            best: kept.files[0].clone(),
            why_best: if is_newest {
                self.why_newest(cluster.kept, &versions)
            } else {
                rank::why_best(best, &others)
            },
            members,
            versions,
            links,
        })
    }
}

fn member(book: &BookRow, file: &FileRow, relation: &Relation) -> MemberRow {
    MemberRow {
        file: file.clone(),
        relation: relation.clone(),
        quality: book.quality,
        damage: book.damage,
        origin: book.origin.clone(),
    }
}

/// Of a second file of the very same book.
fn same_file(book: &BookRow) -> Relation {
    Relation::identical(book.n_pages.is_some(), Reason::same_file())
}

/// Of two books of one witness.
fn same_witness(book: &BookRow) -> Relation {
    let is_paged = book.n_pages.is_some();
    Relation::identical(is_paged, Reason::same_text(is_paged))
}

/// A relation seen from the book that comes first.
fn turned_unless(is_first: bool, relation: Relation) -> Relation {
    if is_first { relation } else { relation.turned() }
}

/// Two witnesses that are the same text.
pub(super) struct SameText {
    a: WitnessId,
    b: WitnessId,
    found: Match,
    relation: Relation,
}

/// The places of the books of each witness.
fn by_witness(books: &[BookRow]) -> BTreeMap<WitnessId, Vec<u32>> {
    let mut by_witness: BTreeMap<WitnessId, Vec<u32>> = BTreeMap::new();
    for (at, book) in books.iter().enumerate() {
        by_witness.entry(book.witness).or_default().push(at as u32);
    }
    by_witness
}

/// All pairs of witnesses that are the same text; or those in which one of some witnesses is.
pub(super) fn same_text(library: &Library, of: Option<&BTreeSet<WitnessId>>) -> Result<Vec<SameText>> {
    let mut statement = library.connection.prepare(&format!(
        "SELECT a, b, bytes, {RELATION}, {}, {} FROM match
         WHERE relation IN ('SAME_PAGINATION', 'DIFFERENT_PAGINATION', 'SAME_TEXT') OR NOT {1} ORDER BY a, b",
        MATCH.is_sound(),
        VERDICT.is_sound()
    ))?;
    let mut rows = statement.query(())?;
    let mut same = Vec::new();
    while let Some(row) = rows.next()? {
        let (a, b) = (row.get(0)?, row.get(1)?);
        if of.is_some_and(|of| !of.contains(&a) && !of.contains(&b)) {
            continue;
        }
        let (a, b, found, relation) = judged_pair(row)?;
        same.push(SameText { a, b, found, relation });
    }
    Ok(same)
}

/// Two witnesses, their match and its relation: columns `a, b, bytes`, [`RELATION`], and whether both are sound.
fn judged_pair(row: &rusqlite::Row<'_>) -> Result<(WitnessId, WitnessId, Match, Relation)> {
    let (a, b) = (row.get(0)?, row.get(1)?);
    MATCH.check(row, 8, format_args!("{a}, {b}"))?;
    VERDICT.check(row, 9, format_args!("{a}, {b}"))?;
    let found = Match::from_bytes(row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?)?;
    let relation = rows::relation_in(row, 3)?.ok_or_else(|| VERDICT.damaged(format_args!("{a}, {b}")))?;
    Ok((a, b, found, relation))
}

/// How complete each witness is beside its copies.
fn completeness(same: &[SameText]) -> BTreeMap<WitnessId, f64> {
    let mut pairs: BTreeMap<WitnessId, Vec<(&Side, &Side)>> = BTreeMap::new();
    for SameText { a, b, found, .. } in same {
        pairs.entry(*a).or_default().push((&found.a, &found.b));
        pairs.entry(*b).or_default().push((&found.b, &found.a));
    }
    pairs.into_iter().map(|(witness, pairs)| (witness, rank::completeness(pairs))).collect()
}

/// Books of which a copy is a newer version.
fn superseded(
    books: &[BookRow],
    by_witness: &BTreeMap<WitnessId, Vec<u32>>,
    same: &[SameText],
) -> BTreeSet<u32> {
    let of = |witness: &WitnessId| by_witness.get(witness).into_iter().flatten().copied();
    let pairs = same.iter().flat_map(|SameText { a, b, .. }| {
        of(a).flat_map(move |one| of(b).flat_map(move |other| [(one, other), (other, one)]))
    });
    let is_older = |(newer, older): &(u32, u32)| {
        supersedes(&books[*newer as usize].metadata, &books[*older as usize].metadata)
    };
    pairs.filter(is_older).map(|(_, older)| older).collect()
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
        superseded: false,
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
    let select = |column: &str| {
        rows::checked_query(&format!("SELECT a, b, {RELATION}"), &[&VERDICT], &format!("WHERE {column} = ?1"))
    };
    let query = format!("{} UNION ALL {}", select("a"), select("b"));
    let mut statement = library.connection.prepare_cached(&query)?;
    let mut rows = statement.query([witness])?;
    let mut links = Vec::new();
    while let Some(row) = rows.next()? {
        let (a, b): (WitnessId, WitnessId) = (row.get(0)?, row.get(1)?);
        VERDICT.check(row, 7, format_args!("{a}, {b}"))?;
        let Some(relation) = rows::relation_in(row, 2)? else { continue };
        if relation.class == Class::Unrelated || relation.class.is_same_text() {
            continue;
        }
        let relation = turned_unless(a == witness, relation);
        let file = first_file(library, if a == witness { b } else { a })?;
        links.extend(file.map(|file| LinkRow { file, relation }));
    }
    links.sort_by(|one, other| (one.relation.class, &one.file).cmp(&(other.relation.class, &other.file)));
    Ok(links)
}

/// The first file of a witness that is there.
fn first_file(library: &Library, witness: WitnessId) -> Result<Option<FileRow>> {
    let mut statement = library.connection.prepare_cached(&rows::checked_query(
        "SELECT path, holding, is_missing, file.id",
        &[&FILE, &BOOK],
        "ON book.id = file.book WHERE book.witness = ? AND NOT is_missing ORDER BY path LIMIT 1",
    ))?;
    let mut rows = statement.query([witness])?;
    rows.next()?.map(|row| file_in(row, 0)).transpose()
}
