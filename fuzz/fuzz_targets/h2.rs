//! HTTP/2 frames of a server that may send anything, in any pieces.
#![no_main]

#[path = "../checks/h2.rs"]
mod h2;

libfuzzer_sys::fuzz_target!(|input: &[u8]| h2::check(input));
