//! Find: what in a library is related to a book that need not be in it, or near to a siglum.

use crate::error::{Error, Result};
use crate::parallel;
use crate::query::books::BookRow;
use crate::query::candidates::{Grounds, same_letters};
use crate::query::judging::{self, About, Surroundings};
use crate::query::sigla::Sigla;
use crate::store::checksum::WITNESS;
use crate::store::postings;
use crate::store::rows::{self, WitnessId, witness_key};
use crate::store::shared::Shared;
use crate::store::{Access, Library};
use siglum::align::Extent;
use siglum::index::postings::Postings;
use siglum::relate::evidence::{Neighbour, Neighbourhood};
use siglum::relate::is_version;
use siglum::sketch::siglum::{DEFAULT_PRIOR, SiglumComparison};
use siglum::{Features, Match, Relation, Siglum, Witness, align};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Candidates for which one more thread is worth its while.
const FOR_A_THREAD: usize = 32;

/// How often a question is asked while others write.
const MAX_TRIES: usize = 4;

/// Stands for the query among the numbers of witnesses.
const QUERY: WitnessId = WitnessId::MAX;

/// A book of the library that is related to the query.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The book.
    pub book: BookRow,
    /// How the query (A) and the book (B) relate.
    pub relation: Relation,
    /// What they have in common.
    pub extent: Extent,
    /// Whether it is another version of the same work, as preprint and paper are: never so for the same text.
    pub is_version: bool,
}

/// A book of the library whose siglum is near the query.
#[derive(Debug, Clone, PartialEq)]
pub struct SiglumFinding {
    /// The book.
    pub book: BookRow,
    /// How near.
    pub comparison: SiglumComparison,
}

/// Looks books up in a library, one after the other. It is cheap to clone, and all clones, in whatever threads, share what is
/// in memory and hear of what others write.
#[derive(Clone)]
pub struct Finder {
    shared: Arc<Shared<Ways>>,
}

/// The ways to candidates.
struct Ways {
    index: Postings,
    sigla: Sigla,
}

impl Ways {
    fn load(library: &Library) -> Result<Ways> {
        let index = postings::open(&library.connection, &library.directory).map_err(Error::of_index)?;
        Ok(Ways { index, sigla: Sigla::load(&library.connection)? })
    }
}

impl Library {
    /// Prepares for looking books up.
    pub fn finder(&self) -> Result<Finder> {
        Library::open(&self.directory, Access::Read)?.into_finder()
    }

    /// The same, where the library is not needed otherwise.
    pub fn into_finder(self) -> Result<Finder> {
        Ok(Finder { shared: Arc::new(Shared::new(self, Ways::load)?) })
    }
}

impl Finder {
    /// The books that are related to a book, the nearest first.
    pub fn find(&self, features: &Features<'_>) -> Result<Vec<Finding>> {
        self.ask(|search| search.find(features))
    }

    /// The books whose sigla tell that they are probably the same text, the most probable first.
    pub fn find_siglum(&self, siglum: &Siglum, min_probability: f64) -> Result<Vec<SiglumFinding>> {
        self.ask(|search| search.find_siglum(siglum, min_probability))
    }

    /// How often the index and the sigla were loaded: once, and again after each change of the catalogue that was met.
    pub fn n_loads(&self) -> u64 {
        self.shared.n_loads()
    }

    fn ask<A>(&self, question: impl Fn(&Search<'_>) -> Result<A>) -> Result<A> {
        for _ in 1..MAX_TRIES {
            let ways = self.shared.current()?;
            match question(&Search { library: &*self.shared.reader()?, shared: &self.shared, ways: &ways }) {
                // What was found has perhaps been dropped before it was read.
                Err(_) if !Arc::ptr_eq(&ways, &self.shared.current()?) => {}
                answer => return answer,
            }
        }
        let ways = self.shared.current()?;
        question(&Search { library: &*self.shared.reader()?, shared: &self.shared, ways: &ways })
    }
}

/// One question.
struct Search<'s> {
    library: &'s Library,
    shared: &'s Shared<Ways>,
    ways: &'s Ways,
}

impl Search<'_> {
    fn find(&self, features: &Features<'_>) -> Result<Vec<Finding>> {
        let connection = &self.library.connection;
        let query = Witness::of_features(features);
        let siglum = Siglum::new(features.letters()).ok();
        let me = rows::witness_of(connection, &witness_key(&query))?;
        let mut candidates: BTreeMap<WitnessId, Grounds> = BTreeMap::new();
        if let Some(trace) = query.trace() {
            let found = self.ways.index.search(trace, None).map_err(Error::from).map_err(Error::of_index)?;
            let found = found.neighbours.into_iter();
            candidates.extend(found.map(|found| (found.witness, Grounds::Keys(found.places))));
        }
        let near = siglum.iter().flat_map(|siglum| self.ways.sigla.near(siglum));
        let whole = near.chain(same_letters(connection, &query)?).chain(me);
        candidates.extend(whole.map(|id| (id, Grounds::Whole)));
        self.judge(features, me, self.matches(&query, candidates)?)
    }

    /// The candidates that have text in common with a query, in their order.
    fn matches(
        &self,
        query: &Witness,
        candidates: BTreeMap<WitnessId, Grounds>,
    ) -> Result<Vec<(WitnessId, Match)>> {
        let candidates: Vec<(WitnessId, Grounds)> = candidates.into_iter().collect();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut matches = Vec::new();
        parallel::run(
            &candidates,
            (candidates.len() / FOR_A_THREAD).clamp(1, cores),
            &AtomicBool::new(false),
            || self.shared.reader(),
            |library, (id, grounds)| {
                let other = rows::load_witness(&library.connection, *id)?;
                let found = grounds.hold(query, &other).then(|| align(query, &other));
                Ok(found.filter(Match::has_common_text).map(|found| (*id, found)))
            },
            |found| {
                matches.extend(found);
                Ok(())
            },
        )?;
        matches.sort_unstable_by_key(|(id, _)| *id);
        Ok(matches)
    }

    fn judge(
        &self,
        features: &Features<'_>,
        me: Option<WitnessId>,
        matches: Vec<(WitnessId, Match)>,
    ) -> Result<Vec<Finding>> {
        let metadata = &features.book().metadata;
        let language = siglum_extract::detect_language(features.book().text());
        let others = matches.iter().filter(|(id, _)| Some(*id) != me);
        let neighbours = others.map(|(id, found)| Neighbour::of_first(*id, found)).collect();
        let of_query = Surroundings {
            neighbours: Neighbourhood::new(me.unwrap_or(QUERY), neighbours),
            abouts: vec![About {
                metadata: metadata.clone(),
                language: language
                    .filter(|detected| detected.is_sure)
                    .map(|detected| detected.code.to_owned()),
            }],
        };
        let mut findings = Vec::new();
        for (id, found) in matches {
            let known = Surroundings::load(&self.library.connection, id)?;
            let relation = judging::judge(&found, &of_query, &known);
            if relation.class != siglum::Class::Unrelated {
                let work = judging::work(&of_query.abouts, &known.abouts);
                let is_version = is_version(relation.class, &found, work);
                let extent = Extent::from(&found);
                let finding = |book| Finding { book, relation: relation.clone(), extent, is_version };
                findings.extend(self.books_of(id)?.into_iter().map(finding));
            }
        }
        findings.sort_by(|one, other| {
            let key = |finding: &Finding| (finding.relation.class, finding.relation.variant.map(|v| v as u8));
            let by_confidence = other.relation.confidence.total_cmp(&one.relation.confidence);
            key(one).cmp(&key(other)).then(by_confidence).then_with(|| one.book.files.cmp(&other.book.files))
        });
        Ok(findings)
    }

    fn books_of(&self, id: WitnessId) -> Result<Vec<BookRow>> {
        let connection = &self.library.connection;
        let mut statement = connection.prepare_cached("SELECT id FROM book WHERE witness = ? ORDER BY id")?;
        let ids = statement.query_map([id], |row| row.get(0))?;
        let ids: Vec<i64> = ids.collect::<rusqlite::Result<_>>()?;
        if ids.is_empty() {
            // Every witness has a book.
            return Err(WITNESS.damaged(id));
        }
        ids.into_iter().map(|id| self.library.book_of(id)).collect()
    }

    fn find_siglum(&self, siglum: &Siglum, min_probability: f64) -> Result<Vec<SiglumFinding>> {
        let connection = &self.library.connection;
        let mut near: Vec<(SiglumComparison, WitnessId)> = Vec::new();
        let query = rows::checked_query("SELECT id, siglum", &[&WITNESS], "ORDER BY id");
        let mut statement = connection.prepare_cached(&query)?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            WITNESS.check(row, 2, row.get::<_, WitnessId>(0)?)?;
            let other = rows::siglum_in(row, 1)?;
            let comparison = other.map(|other| siglum.compare(&other, DEFAULT_PRIOR));
            if let Some(comparison) = comparison.filter(|near| near.probability >= min_probability) {
                near.push((comparison, row.get(0)?));
            }
        }
        let mut findings = Vec::new();
        for (comparison, id) in near {
            findings.extend(self.books_of(id)?.into_iter().map(|book| SiglumFinding { book, comparison }));
        }
        // By name where equally near: the numbers of witnesses hang on the order in which they came.
        findings.sort_by(|one, other| {
            let by_probability = other.comparison.probability.total_cmp(&one.comparison.probability);
            let by_distance = one.comparison.distance.cmp(&other.comparison.distance);
            by_probability.then(by_distance).then_with(|| one.book.files.cmp(&other.book.files))
        });
        Ok(findings)
    }
}
