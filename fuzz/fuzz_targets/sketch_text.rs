//! Any string is refused, or is a sketch, siglum or composite whose text reads back as its equal.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::sketch_text(bytes));
