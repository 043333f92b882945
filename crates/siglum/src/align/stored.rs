//! The stored form of a match: what verdicts and listings read of it, without the places letter by letter.
//!
//! Links and page maps are not stored: they are most of a match, no verdict reads them, and aligning finds them again.
//! Holds: a match is read whole, in the one form it would be written in, or refused; what is read lies inside its books;
//! reading allocates a small multiple of the bytes it was given.

use super::{Alone, AloneKind, Equality, Identity, Match, PageRun, Pagination, Segment, Side, Signals};
use crate::error::{Error, Result};
use crate::sketch::codec::{Decoder, Encoder, Stored};
use std::ops::{Range, RangeInclusive};

/// Version of the stored form.
const VERSION: u8 = 2;
/// The version before, which counted text that was replaced between two anchors as common. It is read so that a library made
/// with it can be listed; the next scan compares its books again.
const BEFORE: u8 = 1;

const SHARE: RangeInclusive<f64> = 0.0..=1.0;
const POSITIVE: RangeInclusive<f64> = 0.0..=f64::MAX;
const FINITE: RangeInclusive<f64> = f64::MIN..=f64::MAX;

/// The fewest bytes that a segment, a stretch and a run of pages take.
const LEAST_SEGMENT: usize = 25;
const LEAST_ALONE: usize = 4;
const LEAST_RUN: usize = 20;

impl Match {
    /// Its bytes for storage, without links and page maps. Equal matches have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        out.u8(VERSION);
        out.u8(self.equality as u8);
        write_side(&mut out, &self.a);
        write_side(&mut out, &self.b);
        out.option(self.identity, write_identity);
        out.f64(self.drift);
        out.varint(self.segments.len() as u32);
        self.segments.iter().for_each(|segment| write_segment(&mut out, segment));
        out.varint(self.page_runs.len() as u32);
        self.page_runs.iter().for_each(|run| write_run(&mut out, run));
        out.option(self.pagination, write_pagination);
        write_signals(&mut out, &self.signals);
        out.bytes
    }

    /// Reads back what [`Match::to_bytes`] gave; anything else is refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Match> {
        let mut input = Decoder::new(Stored::Match, bytes);
        let version = match input.u8()? {
            version @ (BEFORE | VERSION) => version,
            found => return Err(Error::CodecVersion { found }),
        };
        let found = read_match(&mut input, version)?;
        input.finish()?;
        Ok(found)
    }
}

fn read_match(input: &mut Decoder<'_>, version: u8) -> Result<Match> {
    let equality = read_equality(input)?;
    let (a, b) = (read_side(input, version)?, read_side(input, version)?);
    let identity = input.option(read_identity)?;
    let drift = input.f64(POSITIVE)?;
    let n_segments = input.count(LEAST_SEGMENT)?;
    let segments =
        (0..n_segments).map(|_| read_segment(input, version, &a, &b)).collect::<Result<Vec<_>>>()?;
    if !segments.is_sorted_by_key(|segment| segment.a.start) {
        return Err(input.bad("segments out of order"));
    }
    let n_runs = input.count(LEAST_RUN)?;
    let page_runs = (0..n_runs).map(|_| read_run(input, &a, &b)).collect::<Result<Vec<_>>>()?;
    Ok(Match {
        equality,
        a,
        b,
        identity,
        drift,
        segments,
        page_map: Vec::new(),
        page_map_back: Vec::new(),
        page_runs,
        pagination: input.option(read_pagination)?,
        signals: read_signals(input)?,
    })
}

fn read_equality(input: &mut Decoder<'_>) -> Result<Equality> {
    match input.u8()? {
        0 => Ok(Equality::None),
        1 => Ok(Equality::Letters),
        2 => Ok(Equality::Text),
        _ => Err(input.bad("an unknown equality")),
    }
}

fn write_side(out: &mut Encoder, side: &Side) {
    out.varint(side.n_letters);
    out.option(side.n_pages, Encoder::varint);
    out.f64(side.coverage);
    out.f64(side.longest_alone);
    out.f64(side.changed);
    out.f64(side.least_tenth);
    out.varint(side.alone.len() as u32);
    for alone in &side.alone {
        write_range(out, &alone.letters);
        out.option(alone.pages, write_pages);
        out.u8(alone.kind as u8);
    }
}

fn read_side(input: &mut Decoder<'_>, version: u8) -> Result<Side> {
    let mut side = Side {
        n_letters: input.varint()?,
        n_pages: input.option(Decoder::varint)?,
        coverage: input.f64(SHARE)?,
        longest_alone: input.f64(SHARE)?,
        changed: input.f64(SHARE)?,
        least_tenth: if version == BEFORE { 0.0 } else { input.f64(SHARE)? },
        alone: Vec::new(),
    };
    let n_alone = input.count(LEAST_ALONE)?;
    side.alone = (0..n_alone).map(|_| read_alone(input, &side)).collect::<Result<Vec<_>>>()?;
    if side.alone.windows(2).any(|pair| pair[1].letters.start < pair[0].letters.end) {
        return Err(input.bad("stretches out of order"));
    }
    Ok(side)
}

fn read_alone(input: &mut Decoder<'_>, side: &Side) -> Result<Alone> {
    let letters = read_range(input, side.n_letters)?;
    let pages = input.option(|input| read_pages(input, side.n_pages))?;
    let kind = match input.u8()? {
        0 => AloneKind::FrontMatter,
        1 => AloneKind::Inserted,
        2 => AloneKind::EndMatter,
        3 => AloneKind::OtherText,
        _ => return Err(input.bad("an unknown kind of stretch")),
    };
    Ok(Alone { letters, pages, kind })
}

fn write_identity(out: &mut Encoder, identity: Identity) {
    out.f64(identity.share);
    out.f64(identity.low);
    out.f64(identity.high);
}

fn read_identity(input: &mut Decoder<'_>) -> Result<Identity> {
    let share = input.f64(SHARE)?;
    Ok(Identity { share, low: input.f64(0.0..=share)?, high: input.f64(share..=1.0)? })
}

fn write_segment(out: &mut Encoder, segment: &Segment) {
    write_range(out, &segment.a);
    write_range(out, &segment.b);
    out.option(segment.pages_a, write_pages);
    out.option(segment.pages_b, write_pages);
    out.varint(segment.aligned_a);
    out.varint(segment.aligned_b);
    out.varint(segment.longest_run);
    out.varint(segment.n_anchors);
    out.f64(segment.survival);
    out.f64(segment.identity);
}

fn read_segment(input: &mut Decoder<'_>, version: u8, a: &Side, b: &Side) -> Result<Segment> {
    let (in_a, in_b) = (read_range(input, a.n_letters)?, read_range(input, b.n_letters)?);
    let pages_a = input.option(|input| read_pages(input, a.n_pages))?;
    let pages_b = input.option(|input| read_pages(input, b.n_pages))?;
    let aligned_a = read_up_to(input, in_a.len() as u32)?;
    let aligned_b = read_up_to(input, in_b.len() as u32)?;
    let longest_run = match version {
        BEFORE => aligned_a.min(aligned_b),
        _ => read_up_to(input, in_a.len().min(in_b.len()) as u32)?,
    };
    Ok(Segment {
        pages_a,
        pages_b,
        aligned_a,
        aligned_b,
        longest_run,
        n_anchors: input.varint()?,
        survival: input.f64(SHARE)?,
        identity: input.f64(SHARE)?,
        links: Vec::new(),
        a: in_a,
        b: in_b,
    })
}

fn write_run(out: &mut Encoder, run: &PageRun) {
    write_pages(out, (run.a_first, run.a_last));
    write_pages(out, (run.b_first, run.b_last));
    out.f64(run.slope);
    out.f64(run.offset);
}

fn read_run(input: &mut Decoder<'_>, a: &Side, b: &Side) -> Result<PageRun> {
    let ((a_first, a_last), (b_first, b_last)) =
        (read_pages(input, a.n_pages)?, read_pages(input, b.n_pages)?);
    let (slope, offset) = (input.f64(FINITE)?, input.f64(FINITE)?);
    Ok(PageRun { a_first, a_last, b_first, b_last, slope, offset })
}

fn write_pagination(out: &mut Encoder, pages: Pagination) {
    out.varint(pages.n_breaks_a);
    out.varint(pages.n_breaks_b);
    out.f64(pages.breaks_agree);
    out.f64(pages.in_step);
    out.f64(pages.slope);
    out.varint(pages.n_mapped);
}

fn read_pagination(input: &mut Decoder<'_>) -> Result<Pagination> {
    Ok(Pagination {
        n_breaks_a: input.varint()?,
        n_breaks_b: input.varint()?,
        breaks_agree: input.f64(SHARE)?,
        in_step: input.f64(SHARE)?,
        slope: input.f64(FINITE)?,
        n_mapped: input.varint()?,
    })
}

fn write_signals(out: &mut Encoder, signals: &Signals) {
    out.f64(signals.book_similarity);
    out.option(signals.page_similarity, Encoder::f64);
    out.option(signals.slope, Encoder::f64);
    out.option(signals.offset, Encoder::f64);
    out.option(signals.page_count_deviation, Encoder::f64);
    out.option(signals.consecutive_page_correlation, Encoder::f64);
}

fn read_signals(input: &mut Decoder<'_>) -> Result<Signals> {
    Ok(Signals {
        book_similarity: input.f64(SHARE)?,
        page_similarity: input.option(|input| input.f64(SHARE))?,
        slope: input.option(|input| input.f64(FINITE))?,
        offset: input.option(|input| input.f64(FINITE))?,
        page_count_deviation: input.option(|input| input.f64(FINITE))?,
        consecutive_page_correlation: input.option(|input| input.f64(POSITIVE))?,
    })
}

fn write_range(out: &mut Encoder, letters: &Range<u32>) {
    out.varint(letters.start);
    out.varint(letters.end - letters.start);
}

fn read_range(input: &mut Decoder<'_>, n_letters: u32) -> Result<Range<u32>> {
    let start = read_up_to(input, n_letters)?;
    Ok(start..start + read_up_to(input, n_letters - start)?)
}

/// A first and a last page, from 1.
fn write_pages(out: &mut Encoder, (first, last): (u32, u32)) {
    out.varint(first);
    out.varint(last - first);
}

fn read_pages(input: &mut Decoder<'_>, n_pages: Option<u32>) -> Result<(u32, u32)> {
    let n_pages = n_pages.unwrap_or(0);
    let first = read_up_to(input, n_pages)?;
    if first == 0 {
        return Err(input.bad("a page that is not there"));
    }
    Ok((first, first + read_up_to(input, n_pages - first)?))
}

fn read_up_to(input: &mut Decoder<'_>, most: u32) -> Result<u32> {
    let value = input.varint()?;
    if value <= most { Ok(value) } else { Err(input.bad("something beyond its book")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::{Witness, align};
    use crate::book::Book;
    use crate::hash::splitmix;

    fn paged(words: std::ops::Range<u64>, per_page: usize) -> Witness {
        let words: Vec<String> = words.map(|at| format!("{:06x} ", splitmix(at))).collect();
        let words: Vec<String> =
            words.iter().map(|word| word.replace(|c: char| c.is_ascii_digit(), "e")).collect();
        let pages: Vec<String> = words.chunks(per_page).map(<[String]>::concat).collect();
        Witness::of_book(&Book::from_pages(pages.iter().map(|page| (None, page.as_str()))).unwrap())
    }

    /// A match with pages, runs, stretches alone and all signals.
    fn full() -> Match {
        let found = align(&paged(0..3000, 60), &paged(700..4000, 80));
        assert!(found.has_common_text() && !found.page_runs.is_empty() && !found.a.alone.is_empty());
        found
    }

    #[test]
    fn a_match_comes_back_without_links_and_page_maps() {
        let mut found = full();
        let bytes = found.to_bytes();
        found.segments.iter_mut().for_each(|segment| segment.links.clear());
        found.page_map.clear();
        found.page_map_back.clear();
        assert_eq!(Match::from_bytes(&bytes), Ok(found.clone()));
        assert_eq!(found.to_bytes(), bytes);
    }

    #[test]
    fn a_match_cut_off_or_longer_is_refused() {
        let bytes = full().to_bytes();
        for n in 0..bytes.len() {
            assert!(Match::from_bytes(&bytes[..n]).is_err(), "{n} of {} bytes", bytes.len());
        }
        assert!(Match::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn a_changed_byte_is_refused_or_is_another_match() {
        let bytes = full().to_bytes();
        for (at, change) in (0..bytes.len()).flat_map(|at| [1, 0x40, 0x80, 0xFF].map(|change| (at, change))) {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            if let Ok(found) = Match::from_bytes(&changed) {
                assert_eq!(found.to_bytes(), changed, "byte {at}");
            }
        }
    }

    #[test]
    fn a_match_of_version_1_is_read() {
        // Without the fields that version 2 has: a stretch of no book, no page, no segment, no run.
        let side = [vec![3, 0], vec![0; 8], vec![0; 8], vec![0; 8], vec![0]].concat();
        let rest = [vec![0], vec![0; 8], vec![0, 0, 0], vec![0; 8], vec![0; 5]].concat();
        let bytes = [vec![1, 0], side.clone(), side, rest].concat();
        let found = Match::from_bytes(&bytes).unwrap();
        assert_eq!((found.a.n_letters, found.a.least_tenth, found.segments.len()), (3, 0.0, 0));
        assert_eq!(found.to_bytes()[0], VERSION);
    }

    #[test]
    fn a_version_from_the_future_is_named() {
        let mut bytes = full().to_bytes();
        bytes[0] = VERSION + 1;
        assert_eq!(Match::from_bytes(&bytes), Err(Error::CodecVersion { found: VERSION + 1 }));
    }

    #[test]
    fn a_match_takes_few_bytes() {
        let n_bytes = full().to_bytes().len();
        assert!(n_bytes < 400, "{n_bytes} bytes");
    }
}
