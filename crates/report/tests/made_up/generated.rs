//! Runs of generated shapes: names, numbers of targets and workloads, ratios, noise and failures.

use tenbin_engine::ErrorClass;
use tenbin_plan::{Builtin, S3Operation, Sizes, WorkloadKind};
use tenbin_result::{Document, Language};

use super::{Run, fail, fill, run, s3, target};

/// Names of targets: short, usual, long, and in Japanese.
const TARGETS: [&str; 6] = [
    "a",
    "old",
    "new-build-of-2026-11-29",
    "a-target-with-a-rather-long-name",
    "新しいサーバー",
    "b",
];
const WORKLOADS: [&str; 5] = [
    "get",
    "put-1KiB",
    "get-of-many-small-objects-1KiB",
    "x",
    "list-1000",
];
const LEVELS: [usize; 4] = [1, 4, 16, 64];
const ROUNDS: [u32; 4] = [2, 6, 12, 16];
/// Spread of the ratios between targets, and of the ratios between blocks, in logarithms.
const APART: [f64; 4] = [0.005, 0.05, 0.4, 1.6];
const NOISE: [f64; 4] = [0.001, 0.02, 0.15, 0.6];

/// Random numbers that are the same in every run (SplitMix64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Between −1 and 1.
    fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// The result of the run with this number, every second one in Japanese.
pub(crate) fn document(number: u64) -> Document {
    let mut document = generated(number).document();
    if number % 2 == 1 {
        document.language = Language::Japanese;
    }
    document
}

fn generated(number: u64) -> Run {
    let mut draw = Draw(number);
    let count = 2 + draw.below(3);
    let targets: Vec<_> = (0..count)
        .map(|at| {
            target(
                TARGETS[(at + number as usize) % TARGETS.len()],
                Builtin::S3Memory,
            )
        })
        .collect();
    let workloads: Vec<_> = if draw.below(4) == 0 {
        let levels = LEVELS.iter().take(2 + draw.below(3));
        levels
            .map(|connections| {
                let mut work = s3(&format!("get-1MB-c{connections}"), S3Operation::Get);
                if let WorkloadKind::S3(work) = &mut work.kind {
                    work.sizes = Sizes::fixed(1_000_000);
                }
                work.load.connections = *connections;
                work
            })
            .collect()
    } else {
        let names = WORKLOADS.iter().take(1 + draw.below(4));
        names.map(|name| s3(name, S3Operation::Get)).collect()
    };
    let rounds = draw.one(&ROUNDS);
    let (apart, noise) = (draw.one(&APART), draw.one(&NOISE));
    let has_failures = draw.below(4) == 0;
    let mut made = run(&targets, &workloads, rounds);
    let base: f64 = draw.one(&[90.0, 4_000.0, 70_000.0]);
    let factors: Vec<(f64, f64)> = (0..targets.len() * workloads.len())
        .map(|_| ((apart * draw.signed()).exp(), (apart * draw.signed()).exp()))
        .collect();
    for slice in &mut made.slices {
        let of = |name: &str| targets.iter().position(|it| it.name == name).unwrap();
        let work = workloads.iter().position(|it| it.name == slice.workload);
        let work = work.unwrap();
        let (speed, cost) = factors[work * targets.len() + of(&slice.target)];
        slice.connections = workloads[work].load.connections;
        fill(slice, base * speed * (noise * draw.signed()).exp());
        if let Some(server) = &mut slice.end.server {
            let wobble = (noise * draw.signed()).exp();
            let server = server.get_mut();
            server.cpu_seconds = server.cpu_seconds.map(|used| used * cost * wobble);
        }
        if has_failures && draw.below(3) == 0 {
            let class = draw.one(&[ErrorClass::Timeout, ErrorClass::Status, ErrorClass::Reset]);
            fail(
                slice,
                draw.below(5) as u64,
                class,
                1 + draw.below(900) as u64,
            );
        }
    }
    made
}
