//! Writes the run directory of a long run, to measure the time and memory of `tenbin show`:
//! `long_run DIRECTORY SLICES SECONDS` creates `DIRECTORY/2026-01-01T000000-long` with two targets,
//! one workload and `SLICES` slices of `SECONDS` seconds each.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use tenbin_engine::{Ledger, OpSample, Sample};
use tenbin_record::{Ended, Environment, RunDirectory, RunWriter, SliceEnd, SliceStart};

/// Responses per second.
const RATE: u64 = 20_000;
/// Number of distinct service times generated per second.
const DRAWS: u64 = 1_500;
const BILLION: u64 = 1_000_000_000;

const PLAN: &str = r#"
seed = 1

[[target]]
name = "a"
url = "http://127.0.0.1:9/"

[[target]]
name = "b"
url = "http://127.0.0.1:10/"

[[workload]]
kind = "http"
name = "http"

[rounds]
count = ROUNDS
slice = "SECONDSs"
"#;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what| arguments.next().context(what);
    let directory = next("name a directory")?;
    let slices: u32 = next("say how many slices")?.parse()?;
    let seconds: f64 = next("say how long they are, in seconds")?.parse()?;
    let started = UNIX_EPOCH + Duration::from_secs(1_767_225_600);
    write(directory.as_ref(), slices, seconds, started)
}

fn write(root: &std::path::Path, slices: u32, seconds: f64, started: SystemTime) -> Result<()> {
    let directory = RunDirectory::create(root, "long", started)?;
    let plan = PLAN.replace("ROUNDS", &(slices / 2).to_string());
    directory.write_plan(&plan.replace("SECONDS", &seconds.to_string()))?;
    directory.write_environment(&Environment::default())?;
    let mut writer = RunWriter::create(&directory)?;
    let mut draw = Draw(1);
    for index in 0..slices {
        writer.begin(start(index, seconds))?;
        let length = (seconds * 1e9) as u64;
        let mut begin = 0;
        while begin < length {
            let end = length.min(begin + BILLION);
            writer.sample(sample(&mut draw, begin, end, false))?;
            begin = end;
        }
        writer.sample(sample(&mut draw, length, length + 200_000, true))?;
        drop(writer.take_seconds());
        drop(writer.end(end(seconds))?);
    }
    Ok(writer.complete(Ended::Planned)?)
}

fn start(index: u32, seconds: f64) -> SliceStart {
    let second_of_pair = index % 2 == 1;
    let is_b = second_of_pair != (index / 2 % 2 == 1);
    SliceStart {
        index,
        block: index / 4,
        round: index / 2,
        workload: "http".to_owned(),
        target: if is_b { "b" } else { "a" }.to_owned(),
        operations: vec!["GET".to_owned()],
        roles: Vec::new(),
        hosts: Vec::new(),
        threads: 1,
        agents: 0,
        connections: 16,
        closed_loop: true,
        planned_seconds: seconds,
        start: f64::from(index) * (seconds + 0.5),
        reopen: None,
        probe: None,
        sustained: false,
    }
}

fn end(seconds: f64) -> SliceEnd {
    SliceEnd {
        seconds,
        ..SliceEnd::default()
    }
}

fn sample(draw: &mut Draw, start: u64, end: u64, drain: bool) -> Sample {
    let mut op = OpSample::new("GET");
    let ok = if drain {
        16
    } else {
        RATE * (end - start) / BILLION
    };
    let draws = DRAWS.min(ok);
    let each = ok / draws;
    for _ in 0..draws {
        let time = draw.time();
        op.times.service.saturating_record_n(time, each);
        op.times.first_byte.saturating_record_n(time * 9 / 10, each);
    }
    op.counts.ok = each * draws;
    op.counts.sent = op.counts.ok * 70;
    op.counts.received = op.counts.ok * 1_200;
    op.counts.payload = op.counts.ok * 1_024;
    op.answered = Some(op.counts.payload);
    op.statuses.insert(200, op.counts.ok);
    Sample {
        start,
        end,
        ops: vec![op],
        ledger: Ledger {
            opened: if start == 0 { 16 } else { 0 },
            ..Ledger::default()
        },
        cpu: (end - start) / 2,
        waited: Some(1_000_000),
        drain,
        ..Sample::default()
    }
}

/// A linear congruential generator (Knuth's constants).
struct Draw(u64);

impl Draw {
    /// A random service time in nanoseconds: log-logistic with a median of about 700 µs, at most
    /// 100 ms.
    fn time(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let share = ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let time = 700_000.0 * (share / (1.0 - share)).powf(0.25);
        time.min(100e6) as u64
    }
}
