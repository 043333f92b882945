//! Any bytes are recognised and read, or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::extract::read(bytes));
