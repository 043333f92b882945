//! Merging segments into one, without what belongs to witnesses that are gone.

use super::segment::Segment;
use super::writer::SegmentWriter;
use crate::error::Result;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::Path;

/// Writes the postings of several segments as one, leaving out those of dead witnesses. Takes the memory of a block for
/// each segment, and of the new index of blocks.
pub fn merge(segments: &[&Segment], is_dead: &dyn Fn(u32) -> bool, out: &Path) -> Result<()> {
    let mut sources: Vec<_> = segments.iter().map(|segment| segment.postings()).collect();
    let mut heads = BinaryHeap::with_capacity(sources.len());
    for (at, source) in sources.iter_mut().enumerate() {
        heads.extend(source.next().transpose()?.map(|posting| Reverse((posting, at))));
    }
    let mut writer = SegmentWriter::create(out)?;
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((posting, at)) = *head;
        match sources[at].next().transpose()? {
            Some(next) => *head = Reverse((next, at)),
            None => drop(PeekMut::pop(head)),
        }
        if !is_dead(posting.witness) {
            writer.push(posting)?;
        }
    }
    writer.finish()
}
