//! Any bytes are read as a journal of a library, line by line, and every other line is a fault.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::journal::journal(bytes));
