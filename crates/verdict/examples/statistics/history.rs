//! Histories of runs: how often one without a change has one, and how often a change is found.
//!
//! A run is the mean of eight blocks, whose variance is estimated from these blocks as in a real run.
//! In addition, runs vary by a deviation that nothing inside a run shows.

use tenbin_plan::rng::Rng;
use tenbin_stats::{Levels, RunValue, levels};

use crate::Row;
use crate::noise::normal;
use crate::simulated::{at_least, at_most};

/// Histories for each comparison that was asked for.
const HISTORIES: u32 = 5;
/// Blocks of a run.
const BLOCKS: usize = 8;
/// Deviation of a block.
const INSIDE: f64 = 0.01;
/// Largest share of histories without a change that have one.
const FALSE: f64 = 0.05;
/// Share of the changes that must be found, where promised.
const POWER: f64 = 0.80;

/// How runs vary.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// A normal distribution.
    Normal,
    /// Student's distribution with three degrees of freedom.
    HeavyTails,
    /// One run in twenty is slower by up to half.
    Spikes,
    /// Each run has half of the deviation of the run before it.
    Lasting,
}

const KINDS: [(Kind, &str); 4] = [
    (Kind::Normal, "normal"),
    (Kind::HeavyTails, "heavy tails"),
    (Kind::Spikes, "one run in twenty slower by up to half"),
    (
        Kind::Lasting,
        "half of the deviation lasts until the next run",
    ),
];
/// Deviations between runs that are simulated.
const BETWEEN: [f64; 3] = [0.005, 0.01, 0.02];

pub(crate) fn rows(comparisons: u32) -> Vec<Row> {
    let histories = comparisons * HISTORIES;
    let mut rows = Vec::new();
    for (number, (kind, name)) in (1_u64..).zip(KINDS) {
        for count in [8, 10, 15, 20, 30, 50, 100, 300] {
            let found = (0..histories)
                .filter(|history| {
                    let series = series(seed(number, count, *history), kind, count, 0.01);
                    found(&series).is_some_and(|levels| !levels.changes.is_empty())
                })
                .count();
            let what = format!("history of {count} runs, {name}: no change, and one is reported");
            let row = at_most(&what, FALSE, found, histories as usize);
            rows.push(match kind {
                Kind::Lasting => stated(row),
                _ => row,
            });
        }
    }
    for (number, between) in (11_u64..).zip(BETWEEN) {
        for (change, before, after) in [
            (1.02, 20, 10),
            (1.05, 10, 3),
            (1.05, 20, 3),
            (1.05, 20, 5),
            (1.05, 20, 10),
            (1.10, 20, 3),
            (1.10, 20, 10),
        ] {
            let part = number * 1_000 + (change * 100.0) as u64;
            let hits = (0..histories)
                .filter(|history| {
                    let seed = seed(part, before + after, *history);
                    let mut series = series(seed, Kind::Normal, before + after, between);
                    for run in &mut series[before..] {
                        run.log += f64::ln(change);
                    }
                    found(&series).is_some_and(|levels| is_dated(&levels, before))
                })
                .count();
            let what = format!(
                "history with a deviation of {} % between runs: × {change} after {before} runs, \
                 found after {after} more",
                between * 100.0
            );
            let row = at_least(&what, POWER, hits, histories as usize);
            let is_promised = change >= 1.05 && after >= 5 && between <= 0.01;
            rows.push(if is_promised { row } else { stated(row) });
        }
    }
    rows
}

fn stated(row: Row) -> Row {
    Row {
        limit: "stated, not judged".to_owned(),
        passed: true,
        ..row
    }
}

fn found(series: &[RunValue]) -> Option<Levels> {
    levels(series)
}

/// Whether a change is found, and the true date is in its range.
fn is_dated(levels: &Levels, first: usize) -> bool {
    let mut changes = levels.changes.iter();
    changes.any(|change| change.earliest <= first && first <= change.latest)
}

fn seed(number: u64, count: usize, history: u32) -> u64 {
    number << 40 ^ (count as u64) << 24 ^ u64::from(history)
}

fn series(seed: u64, kind: Kind, count: usize, between: f64) -> Vec<RunValue> {
    let mut rng = Rng::new(seed, &[]);
    let mut lasting = normal(&mut rng);
    let mut run = || {
        let own = match kind {
            Kind::Normal => normal(&mut rng),
            Kind::HeavyTails => {
                let squares: f64 = (0..3).map(|_| normal(&mut rng).powi(2)).sum();
                normal(&mut rng) / (squares / 3.0).sqrt()
            }
            Kind::Spikes if rng.unit() < 0.05 => {
                return rng.unit() * 0.5_f64.ln();
            }
            Kind::Spikes => normal(&mut rng),
            Kind::Lasting => {
                lasting = 0.5 * lasting + 0.75_f64.sqrt() * normal(&mut rng);
                lasting
            }
        };
        own * between
    };
    let levels: Vec<f64> = (0..count).map(|_| run()).collect();
    levels
        .into_iter()
        .map(|level| {
            let blocks: Vec<f64> = (0..BLOCKS)
                .map(|_| level + INSIDE * normal(&mut rng))
                .collect();
            let log = blocks.iter().sum::<f64>() / BLOCKS as f64;
            let squares: f64 = blocks.iter().map(|block| (block - log).powi(2)).sum();
            RunValue {
                log,
                variance: Some(squares / (BLOCKS - 1) as f64 / BLOCKS as f64),
            }
        })
        .collect()
}
