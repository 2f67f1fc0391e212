//! Whether the slices of one target alone scatter. Other programs disturb all targets, so they are
//! not the reason then, unless the target that scatters follows their load.

use tenbin_record::Slice;
use tenbin_result::{Comparison, Metric, Varying};
use tenbin_stats::{correlation, standard_deviation};

/// A target scatters alone if the standard deviation of its slices is at least this multiple of that
/// of the other target. All constants in this file are Tenbin's conventions.
const MUCH_MORE: f64 = 3.0;
/// Correlation of the throughput with the load of other programs below which the throughput follows
/// this load.
const FOLLOWS: f64 = -0.5;
/// Fewest slices of a target from which its scatter is known.
const FEWEST: usize = 4;

/// The target of a comparison of throughputs that scatters alone and does not follow the load of
/// other programs.
pub(super) fn of_one_target(asked: &Comparison, slices: &[Slice]) -> Option<Varying> {
    if asked.metric != Metric::Throughput {
        return None;
    }
    let one = Side::of(&asked.workload, &asked.baseline, slices)?;
    let other = Side::of(&asked.workload, &asked.challenger, slices)?;
    let (steady, varying) = if one.deviation < other.deviation {
        (one, other)
    } else {
        (other, one)
    };
    let is_alone = varying.deviation > 0.0 && varying.deviation >= MUCH_MORE * steady.deviation;
    (is_alone && !varying.follows_others).then_some(varying.rates)
}

/// The slices of one target.
struct Side {
    /// Standard deviation of the logarithms of the throughput.
    deviation: f64,
    /// Whether the throughput is lower in slices in which other programs use more CPU time.
    follows_others: bool,
    rates: Varying,
}

impl Side {
    /// `None` with too few slices with a throughput and a known load of other programs.
    fn of(workload: &str, target: &str, slices: &[Slice]) -> Option<Self> {
        let full = slices.iter().filter(|slice| {
            slice.workload == workload && slice.target == target && !slice.end.cut_short
        });
        let measured = full.filter_map(|slice| {
            let rate = slice.throughput().filter(|rate| *rate > 0.0)?;
            let machine = slice.machine()?;
            let others = machine.others_cpu_seconds? / machine.seconds;
            Some((rate, others))
        });
        let measured: Vec<(f64, f64)> = measured.collect();
        if measured.len() < FEWEST {
            return None;
        }
        let pairs: Vec<(f64, f64)> = measured
            .iter()
            .map(|(rate, others)| (rate.ln(), *others))
            .collect();
        let levels: Vec<f64> = pairs.iter().map(|(level, _)| *level).collect();
        let rates = || measured.iter().map(|(rate, _)| *rate);
        Some(Self {
            deviation: standard_deviation(&levels)?,
            follows_others: correlation(&pairs).is_some_and(|found| found < FOLLOWS),
            rates: Varying {
                target: target.to_owned(),
                low: rates().fold(f64::INFINITY, f64::min),
                high: rates().fold(0.0, f64::max),
            },
        })
    }
}
