//! Any text has sketches that can be stored, and letters that neither page breaks nor normal forms change.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::text_sketches(bytes));
