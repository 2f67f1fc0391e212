//! Runs the null workload and prints the result, for `cargo xtask cost`:
//! `cargo run --release -p tenbin-workloads --example null -- THREADS CONNECTIONS SECONDS [OPERATIONS]`
//! or, in an open loop, `… -- THREADS CONNECTIONS SECONDS RATE/s`
//!
//! Prints the number of operations, the elapsed seconds by the wall clock, and the CPU seconds of
//! the generator threads. In an open loop, also the p99 of the send lag in seconds.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tenbin_engine::histogram::latency_histogram;
use tenbin_engine::{Destination, Drive, Part, SliceEvent, drive};
use tenbin_plan::{Load, Pace};
use tenbin_workloads::null::prepared;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [threads, connections, seconds, limit @ ..] = arguments.as_slice() else {
        return Err("usage: null THREADS CONNECTIONS SECONDS [OPERATIONS|RATE/s]".into());
    };
    let limit = limit.first().map(String::as_str);
    let rate = limit.and_then(|limit| limit.strip_suffix("/s"));
    let operations = limit.filter(|_| rate.is_none());
    let pace = match rate {
        Some(rate) => Pace::Constant {
            per_second: rate.parse()?,
        },
        None => Pace::Closed,
    };
    let slice = Drive {
        rest: None,
        destination: Destination::Null,
        load: Load {
            requests: operations.map(str::parse).transpose()?,
            pace,
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
    let (mut service, mut lag) = (latency_histogram(), latency_histogram());
    let done = drive(
        &slice,
        prepared(threads.parse()?).slice(),
        &AtomicBool::new(false),
        &mut |event| {
            if let SliceEvent::Sample(sample) = event {
                ok += sample.ops[0].counts.ok;
                cpu += sample.cpu;
                let _ = service.add(&*sample.ops[0].times.service);
                let _ = lag.add(&*sample.ops[0].times.lag);
            }
        },
    )?;
    // Operations that started just before the window opened count but are not timed.
    if service.len() < ok.saturating_sub(slice.load.connections as u64) {
        return Err("operations are missing from the histogram".into());
    }
    let cpu_seconds = cpu as f64 / 1e9;
    match rate {
        Some(_) => {
            let lag_p99 = lag.value_at_quantile(0.99) as f64 / 1e9;
            println!("{ok} {:.6} {cpu_seconds:.6} {lag_p99:.9}", done.seconds);
        }
        None => println!("{ok} {:.6} {cpu_seconds:.6}", done.seconds),
    }
    Ok(())
}
