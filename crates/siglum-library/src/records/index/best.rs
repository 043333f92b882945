//! The best few forms by a score; equals in the order of their records.

use super::Open;
use crate::error::Result;

/// A form: of which segment, and its place there.
pub(super) type Place = (usize, usize);

/// The best few forms of all segments.
pub(super) struct Best {
    most: usize,
    /// Of each segment, whose forms are in the order of their records.
    segments: Vec<Few>,
}

/// The best few forms of a segment.
struct Few {
    kept: Vec<(f32, u32)>,
    /// The last of them when they were last cut to their number.
    last: Option<(f32, u32)>,
}

impl Best {
    pub(super) fn new(most: usize, index: &Open) -> Best {
        let few = || Few { kept: Vec::new(), last: None };
        Best { most, segments: index.segments.iter().map(|_| few()).collect() }
    }

    #[inline]
    pub(super) fn add(&mut self, score: f32, (segment, form): Place) {
        self.segments[segment].add(self.most, (score, form as u32));
    }

    /// A score below which no form of a segment is among the best.
    pub(super) fn least(&self, segment: usize) -> f32 {
        self.segments[segment].last.map_or(f32::NEG_INFINITY, |(score, _)| score)
    }

    /// The best of all segments.
    pub(super) fn places(self, index: &Open) -> Result<Vec<Place>> {
        let mut all = Vec::new();
        for (segment, mut few) in self.segments.into_iter().enumerate() {
            few.cut(self.most);
            for (score, form) in few.kept {
                all.push((score, index.segments[segment].file.id(form as usize)?, (segment, form as usize)));
            }
        }
        all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        all.truncate(self.most);
        Ok(all.into_iter().map(|(_, _, place)| place).collect())
    }
}

impl Few {
    #[inline]
    fn add(&mut self, most: usize, scored: (f32, u32)) {
        if self.last.is_none_or(|last| better(&scored, &last).is_lt()) {
            self.kept.push(scored);
            if self.kept.len() >= 4 * most {
                self.cut(most);
            }
        }
    }

    fn cut(&mut self, most: usize) {
        if self.kept.len() > most {
            let (_, last, _) = self.kept.select_nth_unstable_by(most - 1, better);
            self.last = Some(*last);
            self.kept.truncate(most);
        }
    }
}

fn better(a: &(f32, u32), b: &(f32, u32)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}
