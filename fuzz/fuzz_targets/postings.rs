//! Any file of postings opens or is refused, and answers or fails.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::postings::postings(bytes));
