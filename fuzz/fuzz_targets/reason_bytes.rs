//! Any bytes are refused, or are a reason that is written as those same bytes and is a sentence.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::reason_bytes::reason_bytes(bytes));
