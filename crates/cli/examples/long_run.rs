//! Writes the run directory of a long run, to measure the time and memory of `tenbin show`:
//! `long_run DIRECTORY SLICES SECONDS` creates `DIRECTORY/2026-01-01T000000-long` with two targets,
//! one workload and `SLICES` slices of `SECONDS` seconds each.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use tenbin_engine::{Ledger, OpSample, Sample};
use tenbin_record::{
    Compact, CpuUse, DiskUse, Ended, Environment, LinkUse, MachineUse, PortsUse, PressureUse,
    ProgramUse, RunDirectory, RunWriter, SliceEnd, SliceHead, SliceStart, Spread, TcpUse, WireUse,
};

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
        drop(writer.end(end(seconds), Vec::new())?);
    }
    Ok(writer.complete(Ended::Planned)?)
}

fn start(index: u32, seconds: f64) -> SliceStart {
    let second_of_pair = index % 2 == 1;
    let is_b = second_of_pair != (index / 2 % 2 == 1);
    SliceStart {
        head: SliceHead {
            index,
            block: index / 4,
            round: index / 2,
            workload: "http".to_owned(),
            target: if is_b { "b" } else { "a" }.to_owned(),
            connections: 16,
            closed_loop: true,
            start: f64::from(index) * (seconds + 0.5),
            ..SliceHead::default()
        },
        operations: vec!["GET".to_owned()],
        threads: 1,
        planned_seconds: seconds,
        ..SliceStart::default()
    }
}

fn end(seconds: f64) -> SliceEnd {
    SliceEnd {
        seconds,
        machine: Some(Compact::from(machine(seconds))),
        wire: Some(
            WireUse {
                connections: 16,
                min_rtt_ns: Some(5_000),
                unneeded_retransmits: Some(0),
                sent_segments: Some(40_016),
                ..WireUse::default()
            }
            .into(),
        ),
        spread: Some(Spread {
            connections: 16,
            median_responses: 1_250.0 * seconds,
            slowest: 1_240.0,
            lower_quartile: 1_248.0,
            median: 1_250.0,
            upper_quartile: 1_252.0,
            fastest: 1_260.0,
            variation: 0.3,
        }),
        ..SliceEnd::default()
    }
}

/// A machine with two cores and two other programs.
fn machine(seconds: f64) -> MachineUse {
    let program = |pid, name: &str| ProgramUse {
        pid,
        name: name.to_owned(),
        cpu_seconds: 0.02 * seconds,
        rss_bytes: Some(45_334_528),
        processes: None,
    };
    MachineUse {
        seconds,
        cpu: Some(CpuUse {
            cores: 2,
            busy: 0.9 * seconds,
            interrupts: 0.1 * seconds,
            idle: seconds,
            iowait: 0.0,
            steal: 0.0,
        }),
        own_cpu_seconds: Some(0.45 * seconds),
        others_cpu_seconds: Some(0.04 * seconds),
        programs: Some(vec![program(71, "sshd"), program(4_711, "node_exporter")]),
        target_here: Some(true),
        pressure: PressureUse {
            cpu_some_us: Some(12_000),
            io_some_us: Some(800),
            io_full_us: Some(0),
            memory_some_us: Some(0),
            memory_full_us: Some(0),
        },
        tcp: TcpUse {
            active_opens: Some(0),
            sent_segments: Some(80_032),
            retransmitted_segments: Some(0),
            listen_overflows: Some(0),
            listen_drops: Some(0),
            time_wait_before: Some(16),
            time_wait_after: Some(16),
        },
        swapped_pages: Some(0),
        throttled_periods: Some(0),
        throttled_us: Some(0),
        disk: Some(DiskUse {
            available_bytes: 74_758_107_136,
            size_bytes: 270_553_174_016,
        }),
        links: vec![LinkUse {
            name: "eth0".to_owned(),
            received_bytes: 1_000,
            sent_bytes: 1_000,
            bits_per_second: Some(1_000_000_000),
        }],
        ports: Some(PortsUse {
            count: 28_232,
            held_seconds: 60.0,
        }),
        ..MachineUse::default()
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
