//! HTTP/2 frames of a server that may send anything, in any pieces.
#![no_main]

#[path = "../checks/h2.rs"]
mod h2;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

libfuzzer_sys::fuzz_target!(
    init: {
        // Rust ignores SIGPIPE before `main`, which a fuzz target has not got.
        let caught = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGPIPE, caught)
            .expect("a handler of SIGPIPE");
    },
    |input: &[u8]| h2::check(input)
);
