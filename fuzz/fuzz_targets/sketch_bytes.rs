//! Any bytes are refused, or are a sketch that is written as those same bytes and as a text that reads back.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::sketch_bytes(bytes));
