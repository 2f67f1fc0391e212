//! `--ramp` and `--slo` on a server with a known capacity. The limits here are wide;
//! docs/accuracy.md has narrow limits for an idle machine.
#![allow(
    clippy::unwrap_used,
    reason = "a file that is missing or cannot be read fails the test"
)]

mod common;

use std::path::PathBuf;
use std::time::Duration;

use common::{Outcome, OwnServer, Scratch, Tenbin};
use nix::sys::signal::Signal;
use serde_json::Value;

const SOON: Duration = Duration::from_secs(30);

/// Four workers at 10 ms per request: at most 400 requests/s.
const SERVICE: [&str; 4] = ["--workers", "4", "--service", "fixed:10ms"];
const CAPACITY: f64 = 400.0;

/// Starts the ground-truth server with these options, and returns its URL.
fn truth(scratch: &Scratch, options: &[&str]) -> (OwnServer, String) {
    let fixed = ["serve", "truth", "--listen", "127.0.0.1:0"];
    let server = OwnServer::start(scratch, [&fixed[..], options].concat());
    let url = server.url();
    (server, url)
}

fn directory(scratch: &Scratch) -> PathBuf {
    let mut runs = std::fs::read_dir(scratch.path().join("runs")).unwrap();
    runs.next().unwrap().unwrap().path()
}

/// Outcome and document of `tenbin show` for the only run.
fn shown(scratch: &Scratch) -> (Outcome, Value) {
    let directory = directory(scratch);
    let arguments = ["show", "--json", directory.to_str().unwrap()];
    let outcome = Tenbin::new(scratch, arguments).run();
    let document = serde_json::from_str(&outcome.stdout).unwrap();
    (outcome, document)
}

fn kept(scratch: &Scratch) -> Value {
    let text = std::fs::read_to_string(directory(scratch).join("result.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn near(found: &Value, truth: f64, share: f64) {
    let value = found.as_f64().unwrap_or_else(|| panic!("{found}"));
    assert!((value / truth - 1.0).abs() < share, "{value}, not {truth}");
}

#[test]
fn a_ramp_finds_the_workers_the_knee_and_the_most() {
    let scratch = Scratch::new("ramp");
    // With long service times, the delays of a busy machine matter little.
    let (_server, url) = truth(&scratch, &["--workers", "4", "--service", "fixed:40ms"]);
    let capacity_there = 100.0;
    let load = format!(
        "http --target {url} --ramp 1..32 --rounds 8 --slice 480ms --lead 50ms \
         --gap 10ms --warmup 50ms"
    );
    let run = Tenbin::line(&scratch, load).run();
    run.expect_measured();
    let document = kept(&scratch);
    let capacity = &document["capacities"][0];
    let levels: Vec<u64> = capacity["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| level["connections"].as_u64().unwrap())
        .collect();
    assert_eq!(levels, [1, 2, 4, 8, 16, 32]);
    let knee = capacity["knee"]["connections"].as_u64();
    assert!(matches!(knee, Some(4 | 8)), "{capacity:#}");
    assert_eq!(capacity["knee"]["found"], true);
    near(&capacity["peak"]["value"], capacity_there, 0.1);
    near(&capacity["workers"]["value"], 4.0, 0.15);
    let of_two = &capacity["levels"][1]["throughput"]["value"];
    near(of_two, capacity_there / 2.0, 0.15);
    assert!(
        capacity["usl"]["sigma"]["interval"].is_object(),
        "{capacity:#}"
    );
    near(&capacity["hysteresis"]["value"], 1.0, 0.1);
    run.expect_stdout("Concurrency sweep");
    // Rounds alternate between ramping up and ramping down.
    let slices = document["slices"].as_array().unwrap();
    let names = |round: u64| -> Vec<&str> {
        let mine = slices.iter().filter(|slice| slice["round"] == round);
        mine.map(|slice| slice["workload"].as_str().unwrap())
            .collect()
    };
    let mut back = names(1);
    back.reverse();
    assert_eq!(names(0), back);
    assert_eq!(shown(&scratch).1["capacities"], document["capacities"]);
}

#[test]
fn a_search_finds_the_highest_rate_of_each_target() {
    let scratch = Scratch::new("slo");
    let (_one, four) = truth(&scratch, &SERVICE);
    let (_other, two) = truth(&scratch, &["--workers", "2", "--service", "fixed:10ms"]);
    let load = [
        "http",
        "--target",
        &format!("four={four}"),
        "--target",
        &format!("two={two}"),
        "--slo",
        // A single stall of a busy machine does not affect the median.
        "p50<60ms,errors<5%",
        "--rate",
        "50/s",
        "--slice",
        "1s",
        "--lead",
        "200ms",
        "--gap",
        "50ms",
        "--warmup",
        "100ms",
    ];
    let run = Tenbin::new(&scratch, load)
        .within(Duration::from_secs(180))
        .run();
    run.expect_measured();
    run.expect_stdout("maximum-rate search, slices of 1 s");
    let document = kept(&scratch);
    for (at, capacity) in [CAPACITY, CAPACITY / 2.0].into_iter().enumerate() {
        let search = &document["searches"][at];
        // A stalled machine can lower the result, but a rate above the capacity cannot pass.
        let rate = search["rate"]
            .as_f64()
            .unwrap_or_else(|| panic!("{search:#}"));
        let failed = search["failed"]
            .as_f64()
            .unwrap_or_else(|| panic!("{search:#}"));
        assert!(rate < failed, "{search:#}");
        assert!(capacity * 0.5 < rate && rate < capacity * 1.1, "{search:#}");
    }
    // Both targets got the same rates while both passed; an unclear slice is repeated.
    for target in ["four", "two"] {
        let slices = document["slices"].as_array().unwrap().iter();
        let mine = slices.filter(|slice| slice["target"] == target);
        let mut offered: Vec<f64> = mine
            .map(|slice| slice["offered"].as_f64().unwrap())
            .collect();
        offered.dedup();
        assert_eq!(offered[..2], [50.0, 100.0], "{target}: {offered:?}");
    }
    let ratio = document["rate_comparisons"][0]["ratio"].as_f64().unwrap();
    assert!((0.22..1.1).contains(&ratio), "{ratio}");
    assert_eq!(shown(&scratch).1["searches"], document["searches"]);
}

#[test]
fn an_interrupted_search_keeps_what_it_knows() {
    let scratch = Scratch::new("slo-interrupted");
    let (_server, url) = truth(&scratch, &SERVICE);
    let load = format!(
        "http --target {url} --slo p90<1s --rate 50/s --slice 500ms --lead 50ms \
         --gap 10ms --warmup 0s"
    );
    let mut run = Tenbin::line(&scratch, load).start();
    run.wait_until(SOON, || {
        let ended = |directory: PathBuf| {
            let lines = std::fs::read_to_string(directory.join("intervals.jsonl"));
            lines.map_or(0, |lines| lines.matches("\"kind\":\"end\"").count())
        };
        // The parent directory exists before the run directory.
        let runs = std::fs::read_dir(scratch.path().join("runs"));
        let begun = runs.is_ok_and(|mut runs| runs.next().is_some());
        begun && ended(directory(&scratch)) >= 2
    });
    run.signal(Signal::SIGINT);
    let run = run.wait(SOON);
    run.expect_code(130).expect_stdout("Maximum rate");
    let (shown, document) = shown(&scratch);
    let search = &document["searches"][0];
    // Two probes may be too few for a decision about any rate, or for a rate that failed.
    if search["rate"].is_null() || search["failed"].is_null() {
        assert!(matches!(shown.code, Some(6 | 8)), "{shown}");
    } else {
        shown.expect_measured();
    }
    assert_ne!(search["outcome"], "between", "{search:#}");
    let probes = search["probes"].as_array().expect("probes");
    assert!(probes.len() >= 2, "{search:#}");
    assert_eq!(document["searches"], kept(&scratch)["searches"]);
}
