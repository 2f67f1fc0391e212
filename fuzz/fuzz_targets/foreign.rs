//! Result files of other tools that hold anything.
#![no_main]

#[path = "../checks/foreign.rs"]
mod foreign;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    foreign::check(input);
});
