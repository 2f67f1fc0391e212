//! Paths of requests to the pages of runs.
#![no_main]

#[path = "../checks/ui_paths.rs"]
mod ui_paths;

libfuzzer_sys::fuzz_target!(|input: &[u8]| ui_paths::check(input));
