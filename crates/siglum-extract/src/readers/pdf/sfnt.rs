//! TrueType and OpenType fonts turned round: from a glyph to the character it draws.
//!
//! Source: the `cmap` table of the OpenType specification, formats 4 and 12. Fonts embedded whole keep it, and where a
//! PDF file does not say what its codes mean, it tells.

use crate::big_endian::{u16_at, u32_at};
use std::collections::BTreeMap;

/// Characters of a font that are looked at.
const MAX_CHARS: usize = 200_000;
/// Tables of a font, and maps in its `cmap`, that are looked at.
const MAX_TABLES: usize = 64;

/// The character of each glyph; the lowest, where several share it. Empty where the font has no map to Unicode.
pub(super) fn chars_of_glyphs(font: &[u8]) -> BTreeMap<u32, char> {
    let mut found = BTreeMap::new();
    if let Some((rank, map)) = unicode_map(font) {
        match u16_at(map, 0) {
            Some(4) => read_format_4(map, &mut found),
            Some(12) => read_format_12(map, &mut found),
            _ => None,
        };
        // The codes of a symbol map are its own, but for those no single byte reaches.
        if rank == SYMBOL {
            found.retain(|_, c| *c > '\u{FF}');
        }
    }
    found
}

/// The rank of a map for symbols, the last.
const SYMBOL: u8 = 4;

/// The best of a font's maps to Unicode, and its rank.
fn unicode_map(font: &[u8]) -> Option<(u8, &[u8])> {
    let n_tables = usize::from(u16_at(font, 4)?).min(MAX_TABLES);
    let record =
        (0..n_tables).map(|table| 12 + 16 * table).find(|at| font.get(*at..at + 4) == Some(b"cmap"))?;
    let cmap = font.get(u32_at(font, record + 8)? as usize..)?;
    let n_maps = usize::from(u16_at(cmap, 2)?).min(MAX_TABLES);
    let maps = (0..n_maps).filter_map(|map| {
        let at = 4 + 8 * map;
        let rank = match (u16_at(cmap, at)?, u16_at(cmap, at + 2)?) {
            (3, 10) => 0,
            (0, 4 | 6) => 1,
            (3, 1) => 2,
            (0, 0..=3) => 3,
            (3, 0) => SYMBOL,
            _ => return None,
        };
        Some((rank, u32_at(cmap, at + 4)?))
    });
    let (rank, at) = maps.min()?;
    Some((rank, cmap.get(at as usize..)?))
}

/// Segments of the basic plane.
fn read_format_4(map: &[u8], found: &mut BTreeMap<u32, char>) -> Option<()> {
    let n_segments = usize::from(u16_at(map, 6)? / 2);
    let (ends, starts) = (14, 16 + 2 * n_segments);
    let (deltas, ranges) = (starts + 2 * n_segments, starts + 4 * n_segments);
    let mut n_chars = 0;
    for segment in 0..n_segments {
        let field = |table: usize| u16_at(map, table + 2 * segment);
        let (first, last, delta, range) = (field(starts)?, field(ends)?, field(deltas)?, field(ranges)?);
        for c in first..=last {
            n_chars += 1;
            if n_chars > MAX_CHARS {
                return None;
            }
            let glyph = match range {
                0 => c.wrapping_add(delta),
                range => {
                    let at = ranges + 2 * segment + usize::from(range) + 2 * usize::from(c - first);
                    match u16_at(map, at) {
                        None | Some(0) => 0,
                        Some(glyph) => glyph.wrapping_add(delta),
                    }
                }
            };
            put(u32::from(glyph), u32::from(c), found);
        }
    }
    Some(())
}

/// Groups of all planes.
fn read_format_12(map: &[u8], found: &mut BTreeMap<u32, char>) -> Option<()> {
    let n_groups = u32_at(map, 12)? as usize;
    let mut n_chars = 0;
    for group in 0..n_groups {
        let at = 16 + 12 * group;
        let (first, last, glyph) = (u32_at(map, at)?, u32_at(map, at + 4)?, u32_at(map, at + 8)?);
        for c in first..=last.min(0x10_FFFF) {
            n_chars += 1;
            if n_chars > MAX_CHARS {
                return None;
            }
            put(glyph.saturating_add(c - first), c, found);
        }
    }
    Some(())
}

fn put(glyph: u32, c: u32, found: &mut BTreeMap<u32, char>) {
    let is_private = (0xE000..=0xF8FF).contains(&c);
    if let Some(c) = char::from_u32(c).filter(|c| glyph != 0 && !is_private && !c.is_control()) {
        found.entry(glyph).or_insert(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A font of nothing but a map.
    fn font(platform: [u8; 4], map: &[u8]) -> Vec<u8> {
        let mut font = b"\x00\x01\x00\x00\x00\x01\0\0\0\0\0\0cmap\0\0\0\0\x00\x00\x00\x1C\0\0\0\0".to_vec();
        font.extend_from_slice(b"\x00\x00\x00\x01");
        font.extend_from_slice(&platform);
        font.extend_from_slice(b"\x00\x00\x00\x0C");
        font.extend_from_slice(map);
        font
    }

    fn words(words: &[u16]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    #[test]
    fn segments_are_turned_round() {
        // Format, length, language, 2·segments, three search fields; ends, pad, starts, deltas, range offsets.
        let map = words(&[4, 0, 0, 4, 0, 0, 0, 0xE03, 0xFFFF, 0, 0xE01, 0xFFFF, 0xF200, 1, 0, 0]);
        let found = chars_of_glyphs(&font([0, 3, 0, 1], &map));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [(1, 'ก'), (2, 'ข'), (3, 'ฃ')]);
    }

    #[test]
    fn groups_are_turned_round() {
        let map = words(&[12, 0, 0, 0, 0, 0, 0, 1, 1, 0xF600, 1, 0xF601, 0, 7]);
        let found = chars_of_glyphs(&font([0, 3, 0, 10], &map));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [(7, '😀'), (8, '😁')]);
    }

    #[test]
    fn maps_that_claim_everything_or_break_off_end() {
        let map = words(&[12, 0, 0, 0, 0, 0, 0xFFFF, 0xFFFF, 0, 0, 0xFFFF, 0xFFFF, 0, 7]);
        assert!(chars_of_glyphs(&font([0, 3, 0, 10], &map)).len() <= MAX_CHARS);
        let whole = font([0, 3, 0, 1], &words(&[4, 0, 0, 4, 0, 0, 0, 0xE03, 0xFFFF, 0, 0xE01]));
        for n_bytes in 0..whole.len() {
            chars_of_glyphs(&whole[..n_bytes]);
        }
    }
}
