//! Any text is cut into tokens, words and characters of the promised shape, the same in normal forms C and D.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| siglum_fuzz::tokens(bytes));
