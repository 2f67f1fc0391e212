//! Results of the same experiment over a month, made from one short run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Scratch, Tenbin};

pub(crate) const PLAN: &str = r#"
name = "daily"
anchor = "ref"
[rounds]
count = 12
slice = "150ms"
lead = "50ms"
gap = "10ms"
warmup = "100ms"
relaunch = "never"
sustain = "0"
probes = "none"
[load]
connections = 4
[[target]]
name = "ref"
builtin = "http"
[[target]]
name = "app"
builtin = "http"
[[workload]]
kind = "http"
name = "get"
"#;

/// A run of the template, on another day.
#[derive(Clone, Copy)]
pub(crate) struct Day {
    /// Speed of the machine.
    pub(crate) machine: f64,
    /// Speed of `app` relative to the other runs.
    pub(crate) app: f64,
    pub(crate) kernel: &'static str,
}

/// The result of a short run of two built-in servers.
pub(crate) fn template(scratch: &Scratch) -> Value {
    scratch.write("plan.toml", PLAN);
    let run = Tenbin::line(scratch, "run plan.toml --quiet --out real").run();
    assert!(matches!(run.code, Some(0 | 6)), "{}", run.stderr);
    let mut runs = fs::read_dir(scratch.path().join("real")).expect("runs");
    let run = runs.next().expect("a run").expect("an entry").path();
    let text = fs::read(run.join("result.json")).expect("a result");
    serde_json::from_slice(&text).expect("JSON")
}

/// A number from −1 to 1 for each run and block: SplitMix64.
fn noise(run: usize, block: usize) -> f64 {
    let mut state = ((run as u64) * 64 + block as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((state ^ (state >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

pub(crate) fn name_of(number: usize) -> String {
    format!("2026-01-{:02}T120000-daily", number + 1)
}

/// Writes a run of the template with other figures.
pub(crate) fn write(root: &Path, template: &Value, number: usize, day: Day) -> PathBuf {
    let mut document = template.clone();
    let name = name_of(number);
    document["run"]["id"] = json!(name);
    document["run"]["started"] = json!(format!("2026-01-{:02}T12:00:00Z", number + 1));
    document["trust"] = json!("valid");
    document["environment"]["kernel"] = json!(day.kernel);
    document["environment"]["hostname"] = json!(if day.machine < 1.0 { "slow" } else { "fast" });
    document["environment"]["targets"]["app"]["cpu_quota"] = if day.machine < 1.0 {
        json!({"millicores": 500})
    } else {
        json!("unlimited")
    };
    let app = day.app * (1.0 + 0.01 * noise(number, 0));
    for each in document["comparisons"].as_array_mut().expect("comparisons") {
        if each["metric"] != "throughput" {
            continue;
        }
        each["trust"] = json!("valid");
        let blocks: Vec<f64> = (1..7)
            .map(|block| app * (1.0 + 0.01 * noise(number, block)))
            .collect();
        each["block_ratios"] = json!(blocks);
        each["ratio"] = json!({"value": app, "n": 6,
            "interval": {"low": app * 0.99, "high": app * 1.01, "confidence": 0.97}});
    }
    for each in document["results"].as_array_mut().expect("results") {
        let speed = 10_000.0 * day.machine * if each["target"] == "app" { app } else { 1.0 };
        each["throughput"] = json!({"value": speed, "n": 12,
            "interval": {"low": speed * 0.98, "high": speed * 1.02, "confidence": 0.97}});
    }
    let run = root.join(&name);
    fs::create_dir_all(&run).expect("a directory");
    fs::write(run.join("plan.toml"), PLAN).expect("a plan");
    fs::write(run.join("result.json"), document.to_string()).expect("a result");
    run
}

/// Twelve runs on one machine, then others on one of half the speed; from run 22, `app` is faster by
/// 5 %.
pub(crate) fn month(scratch: &Scratch) -> Value {
    let template = template(scratch);
    let root = scratch.path().join("days");
    for number in 0..31 {
        let day = Day {
            machine: if number < 12 { 1.0 } else { 0.5 },
            app: if number < 22 { 1.0 } else { 1.05 },
            kernel: if number < 22 { "6.1.0" } else { "6.2.0" },
        };
        write(&root, &template, number, day);
    }
    template
}
