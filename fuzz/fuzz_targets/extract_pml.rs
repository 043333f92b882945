//! Any bytes are read as this format, or refused.
#![no_main]

use siglum_extract::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::extract::read_as(Format::Pml, bytes));
