//! Any bytes are read as a catalogue of this format, or refused.
#![no_main]

use siglum_extract::records::RecordFormat;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::records::read_as(RecordFormat::DublinCore, bytes));
