//! Any two texts compare: the match lies in both, and is mirrored when they are exchanged.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::compare::compare(bytes));
