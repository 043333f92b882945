//! Merging the entries of several files into one, without those that are no longer wanted.

use super::{Entry, Sorted, SortedWriter};
use crate::error::Result;
use crate::index::file::{IndexFile, Writer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Writes the entries of several files that are wanted as the next two sections of one. Takes the memory of some blocks for
/// each source, and of the new index of blocks.
pub fn merge<E: Entry>(
    sources: &[(&Sorted<E>, &IndexFile)],
    is_wanted: &dyn Fn(&E) -> bool,
    out: &mut Writer,
) -> Result<()> {
    let mut sources: Vec<_> = sources.iter().map(|(sorted, file)| sorted.entries(file)).collect();
    let mut heads = BinaryHeap::with_capacity(sources.len());
    for (at, source) in sources.iter_mut().enumerate() {
        heads.extend(source.next().transpose()?.map(|entry| Reverse((entry, at))));
    }
    let mut writer = SortedWriter::begin(out)?;
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((entry, at)) = *head;
        match sources[at].next().transpose()? {
            Some(next) => *head = Reverse((next, at)),
            None => drop(PeekMut::pop(head)),
        }
        if is_wanted(&entry) {
            writer.push(out, entry)?;
        }
    }
    writer.finish(out)
}
