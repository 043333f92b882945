//! Any bytes are refused, or are a match that is written as those same bytes and has a verdict.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::match_bytes::match_bytes(bytes));
