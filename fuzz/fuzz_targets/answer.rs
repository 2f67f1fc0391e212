//! Answers of a server that may send anything, in any pieces.
#![no_main]

#[path = "../checks/answer.rs"]
mod answer;

libfuzzer_sys::fuzz_target!(|input: &[u8]| answer::check(input));
