//! Old Korean encodings: Johab, which spells a syllable by its letters, and ISO-2022-KR, which shifts.
//!
//! Sources: KS X 1001:1992 annex 3 (Johab); RFC 1557 (ISO-2022-KR). What is not a Hangul syllable lies in both in the
//! rows of KS X 1001, which EUC-KR has too.

/// Of the characters of two bytes, so many in a hundred must be common syllables for bytes to be Johab.
const MIN_COMMON_PERCENT: usize = 20;
/// The fewest characters of two bytes that tell Johab.
const MIN_PAIRS: usize = 24;
/// How much is looked at; one bad character in so many is damage, and so many in it are too many.
const SAMPLE_BYTES: usize = 32 << 10;
const PAIRS_FOR_ONE_BAD: usize = 200;
const MAX_BAD: usize = SAMPLE_BYTES / 2 / PAIRS_FOR_ONE_BAD;
/// Particles, endings and the most frequent syllables of Korean prose.
const COMMON: &str = "이다는을의에가고하지를로한은기도리사어나서자그라시대";

/// Letters by their five bits, as the Unicode order of initials, vowels and finals; 255 where there is none.
const INITIALS: [u8; 32] = [
    255, 255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255,
];
const VOWELS: [u8; 32] = [
    255, 255, 255, 0, 1, 2, 3, 4, 255, 255, 5, 6, 7, 8, 9, 10, 255, 255, 11, 12, 13, 14, 15, 16, 255, 255,
    17, 18, 19, 20, 255, 255,
];
const FINALS: [u8; 32] = [
    255, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 255, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    26, 27, 255, 255,
];

/// The bits of a vowel and a final that are not there.
const LONE_INITIAL: usize = 2 << 5 | 1;
const LONE_INITIALS: &str = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";

/// Whether bytes of ASCII announce ISO-2022-KR.
pub(super) fn is_iso_2022_kr(bytes: &[u8]) -> bool {
    bytes.windows(4).take(1 << 16).any(|four| four == b"\x1b$)C")
}

/// The same text in EUC-KR: shifted stretches with their high bits set.
pub(super) fn iso_2022_kr_as_euc(bytes: &[u8]) -> Vec<u8> {
    let mut euc = Vec::with_capacity(bytes.len());
    let mut is_shifted = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            _ if bytes[at..].starts_with(b"\x1b$)C") => at += 3,
            0x0e => is_shifted = true,
            0x0f => is_shifted = false,
            b'\n' | b'\r' => {
                is_shifted = false;
                euc.push(byte);
            }
            0x21..=0x7e if is_shifted => euc.push(byte | 0x80),
            _ => euc.push(byte),
        }
        at += 1;
    }
    euc
}

/// Whether bytes are Johab: all decode, and the common syllables of Korean are as common as they should be.
pub(super) fn is_johab(sample: &[u8]) -> bool {
    let sample = &sample[..sample.len().min(SAMPLE_BYTES)];
    let (mut n_pairs, mut n_bad, mut n_common) = (0, 0, 0);
    let mut at = 0;
    while let Some(&lead) = sample.get(at) {
        if lead.is_ascii() {
            at += 1;
            continue;
        }
        let Some(&trail) = sample.get(at + 1) else { break };
        n_pairs += 1;
        match johab(lead, trail) {
            Some(c) => n_common += usize::from(COMMON.contains(c)),
            None if n_bad > MAX_BAD => return false,
            None => n_bad += 1,
        }
        at += 2;
    }
    n_pairs >= MIN_PAIRS
        && n_bad * PAIRS_FOR_ONE_BAD <= n_pairs
        && n_common * 100 >= MIN_COMMON_PERCENT * n_pairs
}

/// Decodes Johab; with it, how many characters are bad.
pub(super) fn decode_johab(bytes: &[u8]) -> (String, usize) {
    let mut text = String::with_capacity(bytes.len() * 3 / 2);
    let mut n_bad = 0;
    let mut at = 0;
    while let Some(&lead) = bytes.get(at) {
        at += 1;
        if lead.is_ascii() {
            text.push(char::from(lead));
            continue;
        }
        match bytes.get(at).and_then(|&trail| johab(lead, trail)) {
            Some(c) => {
                text.push(c);
                at += 1;
            }
            None => {
                text.push(char::REPLACEMENT_CHARACTER);
                n_bad += 1;
            }
        }
    }
    (text, n_bad)
}

/// A character of two bytes.
fn johab(lead: u8, trail: u8) -> Option<char> {
    if lead >= 0xd8 { symbol(lead, trail) } else { syllable(lead, trail) }
}

fn syllable(lead: u8, trail: u8) -> Option<char> {
    let bits = usize::from(u16::from_be_bytes([lead, trail]));
    let letters = (INITIALS[bits >> 10 & 31], VOWELS[bits >> 5 & 31], FINALS[bits & 31]);
    match letters {
        (initial, vowel, last) if initial != 255 && vowel != 255 && last != 255 => {
            let n = (u32::from(initial) * 21 + u32::from(vowel)) * 28 + u32::from(last);
            char::from_u32(0xac00 + n)
        }
        (initial, 255, _) if initial != 255 && bits & 0x3ff == LONE_INITIAL => {
            LONE_INITIALS.chars().nth(usize::from(initial))
        }
        (255, vowel, 0) if vowel != 255 && bits >> 10 & 31 == 1 => char::from_u32(0x314f + u32::from(vowel)),
        _ => None,
    }
}

/// A symbol or Hanja, by its row in KS X 1001: two rows lie on each lead byte.
fn symbol(lead: u8, trail: u8) -> Option<char> {
    let half = match trail {
        0x31..=0x7e => usize::from(trail - 0x31),
        0x91..=0xfe => usize::from(trail - 0x91) + 78,
        _ => return None,
    };
    let first_row = match lead {
        0xd9..=0xde => u32::from(lead - 0xd9) * 2 + 1,
        0xe0..=0xf9 => u32::from(lead - 0xe0) * 2 + 42,
        _ => return None,
    };
    let row = first_row + u32::from(half >= 94);
    let euc = [0xa0 + row as u8, 0xa1 + (half % 94) as u8];
    let decoded = encoding_rs::EUC_KR.decode_without_bom_handling_and_without_replacement(&euc)?;
    decoded.chars().next()
}
