//! Whatever a worker sends is a draft within the limits, or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::extract::protocol(bytes));
