//! Run directories whose files hold anything.
#![no_main]

#[path = "../checks/run_directory.rs"]
mod run_directory;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    run_directory::check(input);
});
