//! The hash functions of the schemes, written out so that a second implementation can follow them.

/// The finaliser of SplitMix64 (Steele, Lea & Flood 2014): every bit of the input reaches every bit of the output.
#[inline]
pub const fn splitmix(mut z: u64) -> u64 {
    z ^= z >> 30;
    z = z.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z ^= z >> 27;
    z = z.wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The 64-bit finaliser of MurmurHash3 (Appleby).
#[inline]
pub const fn fmix64(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    x ^= x >> 33;
    x = x.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    x ^ (x >> 33)
}

/// `base` to the power `exponent`, modulo 2^64.
pub const fn power(base: u64, exponent: usize) -> u64 {
    let (mut result, mut i) = (1u64, 0);
    while i < exponent {
        result = result.wrapping_mul(base);
        i += 1;
    }
    result
}

/// Bob Jenkins' lookup3 `hashlittle2` (2006): two 32-bit hashes `(c, b)` of a byte string from two seeds.
///
/// `c` is the better mixed of the two, as its author says.
pub fn hashlittle2(key: &[u8], seed_c: u32, seed_b: u32) -> (u32, u32) {
    let start = 0xDEAD_BEEFu32.wrapping_add(key.len() as u32).wrapping_add(seed_c);
    let (mut a, mut b, mut c) = (start, start, start.wrapping_add(seed_b));
    let mut rest = key;
    while rest.len() > 12 {
        let (block, tail) = rest.split_at(12);
        a = a.wrapping_add(little_endian(&block[..4]));
        b = b.wrapping_add(little_endian(&block[4..8]));
        c = c.wrapping_add(little_endian(&block[8..]));
        (a, b, c) = mix(a, b, c);
        rest = tail;
    }
    if rest.is_empty() {
        return (c, b);
    }
    let mut last = rest.chunks(4).map(little_endian);
    a = a.wrapping_add(last.next().unwrap_or(0));
    b = b.wrapping_add(last.next().unwrap_or(0));
    c = c.wrapping_add(last.next().unwrap_or(0));
    last_mix(a, b, c)
}

/// Up to four bytes as a number.
#[inline]
fn little_endian(bytes: &[u8]) -> u32 {
    match *bytes {
        [a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]),
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
        [a, b] => u32::from_le_bytes([a, b, 0, 0]),
        [a] => a.into(),
        [] => 0,
    }
}

#[inline]
fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    a = a.wrapping_sub(c) ^ c.rotate_left(4);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(6);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(8);
    b = b.wrapping_add(a);
    a = a.wrapping_sub(c) ^ c.rotate_left(16);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(19);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(4);
    b = b.wrapping_add(a);
    (a, b, c)
}

#[inline]
fn last_mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32) {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    c = (c ^ b).wrapping_sub(b.rotate_left(24));
    (c, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values its author's self-test prints (lookup3.c, driver5).
    #[test]
    fn hashlittle2_gives_its_authors_values() {
        let four_score = b"Four score and seven years ago";
        assert_eq!(hashlittle2(b"", 0, 0), (0xdeadbeef, 0xdeadbeef));
        assert_eq!(hashlittle2(b"", 0, 0xdeadbeef), (0xbd5b7dde, 0xdeadbeef));
        assert_eq!(hashlittle2(b"", 0xdeadbeef, 0xdeadbeef), (0x9c093ccd, 0xbd5b7dde));
        assert_eq!(hashlittle2(four_score, 0, 0), (0x17770551, 0xce7226e6));
        assert_eq!(hashlittle2(four_score, 0, 1), (0xe3607cae, 0xbd371de4));
        assert_eq!(hashlittle2(four_score, 1, 0), (0xcd628161, 0x6cbea4b3));
    }

    #[test]
    fn the_last_bytes_of_a_key_count_as_if_zeros_followed() {
        assert_eq!([little_endian(&[]), little_endian(&[1]), little_endian(&[1, 2])], [0, 0x01, 0x0201]);
        assert_eq!([little_endian(&[1, 2, 3]), little_endian(&[1, 2, 3, 4])], [0x030201, 0x04030201]);
    }

    #[test]
    fn a_power_is_repeated_multiplication() {
        assert_eq!([power(7, 0), power(7, 1), power(7, 3)], [1, 7, 343]);
    }
}
