//! Plan files that hold anything.
#![no_main]

#[path = "../checks/plan.rs"]
mod plan;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    plan::check(input);
});
