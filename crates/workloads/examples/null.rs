//! Runs the null workload and prints the result, for `cargo xtask cost`:
//! `cargo run --release -p tenbin-workloads --example null -- THREADS CONNECTIONS SECONDS [OPERATIONS]`
//!
//! Prints the number of operations, the elapsed seconds by the wall clock, and the CPU seconds of
//! the generator threads.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tenbin_engine::histogram::latency_histogram;
use tenbin_engine::{Destination, Drive, Part, SliceEvent, drive};
use tenbin_plan::Load;
use tenbin_workloads::null::prepared;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [threads, connections, seconds, operations @ ..] = arguments.as_slice() else {
        return Err("usage: null THREADS CONNECTIONS SECONDS [OPERATIONS]".into());
    };
    let requests = operations.first().map(|count| count.parse()).transpose()?;
    let slice = Drive {
        rest: None,
        destination: Destination::Null,
        load: Load {
            requests,
            ..Load::closed(connections.parse()?)
        },
        seed: 1,
        lead: Duration::ZERO,
        stages: false,
        part: Part::default(),
        window: Some(Duration::from_secs_f64(seconds.parse()?)),
    };
    let (mut ok, mut cpu) = (0, 0);
    // Merges samples like the recorder, so that no part of a sample is dropped.
    let mut service = latency_histogram();
    let done = drive(
        &slice,
        prepared(threads.parse()?).slice(),
        &AtomicBool::new(false),
        &mut |event| {
            if let SliceEvent::Sample(sample) = event {
                ok += sample.ops[0].counts.ok;
                cpu += sample.cpu;
                let _ = service.add(&*sample.ops[0].times.service);
            }
        },
    )?;
    // Operations that started just before the window opened count but are not timed.
    if service.len() < ok.saturating_sub(slice.load.connections as u64) {
        return Err("operations are missing from the histogram".into());
    }
    println!("{ok} {:.6} {:.6}", done.seconds, cpu as f64 / 1e9);
    Ok(())
}
