//! The best few forms by a score; equals in the order of their records.

use super::Open;
use crate::error::Result;

/// A form: of which file, and its place there.
pub(super) type FormPlace = (usize, usize);

/// The best few forms of all files.
pub(super) struct Best {
    most: usize,
    /// Of each file, whose forms are in the order of their records.
    files: Vec<Few>,
}

/// The best few forms of a file.
struct Few {
    kept: Vec<(f32, u32)>,
    /// The last of them when they were last cut to their number.
    last: Option<(f32, u32)>,
}

impl Best {
    pub(super) fn new(most: usize, index: &Open) -> Best {
        let few = || Few { kept: Vec::new(), last: None };
        Best { most, files: index.files.iter().map(|_| few()).collect() }
    }

    #[inline]
    pub(super) fn add(&mut self, score: f32, (file, form): FormPlace) {
        self.files[file].add(self.most, (score, form as u32));
    }

    /// A score below which no form of a file is among the best.
    pub(super) fn least(&self, file: usize) -> f32 {
        self.files[file].last.map_or(f32::NEG_INFINITY, |(score, _)| score)
    }

    /// The best of all files.
    pub(super) fn places(self, index: &Open) -> Result<Vec<FormPlace>> {
        let mut all = Vec::new();
        for (file, mut few) in self.files.into_iter().enumerate() {
            few.cut(self.most);
            for (score, form) in few.kept {
                all.push((score, index.files[file].records.id(form as usize)?, (file, form as usize)));
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
