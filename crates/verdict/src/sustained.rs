//! Continuous load after the rounds: the settled figures of each target, and the verdicts that are
//! withheld because a target does not keep its interleaved figures.

use tenbin_plan::Plan;
use tenbin_record::{ProbedSecond, Slice};
use tenbin_result::{Message, Metric, Outcome, Sustained, Value, message};
use tenbin_stats::{contradicts, falls, falls_far, printable_percentile, rises, settled_from};

use crate::cell::{Cell, cells};
use crate::compare::Compared;
use crate::compare::across::Across;
use crate::compare::comparison::Comparison;
use crate::compare::metric::Measure;
use crate::continuous_load::Stretch;
use crate::figures::latency::NANOS_PER_SECOND;
use crate::findings::messages::{Messages, known};

/// The percentile that is held against the interleaved one.
const TAIL: f64 = 0.99;
/// Fewest blocks with a percentile from which a rise of the percentile counts.
const FEWEST_TAILS: usize = 4;
/// Difference between the rises of two targets, as a logarithm, above which their ratio in the rounds
/// is not that under continuous load.
const UNLIKE: f64 = 0.1;
/// Shortest part of a stretch that counts as a part of its own, seconds. A shorter rest is added to
/// the part before.
const SHORTEST_PART: f64 = 0.5;

/// Whether a stretch that was just measured departs from the interleaved slices by more than the
/// margin and by more than noise explains. The run then measures the stretch once more.
pub fn departs(plan: &Plan, slices: &[Slice], stretch: &Slice) -> bool {
    let cells = cells(plan, slices);
    let cell = cells.iter().find(|cell| is_of(cell, stretch));
    cell.and_then(|cell| judge(plan, cell, &[stretch]))
        .is_some_and(|found| found.departs())
}

/// The continuous load of every cell that has some. `sustained` are the stretches of the run in
/// order.
pub(crate) fn stretches(plan: &Plan, cells: &[Cell<'_>], sustained: &[Slice]) -> Vec<Stretch> {
    let found = cells.iter().filter_map(|cell| {
        let mine: Vec<&Slice> = sustained
            .iter()
            .filter(|stretch| is_of(cell, stretch) && !stretch.end.cut_short)
            .collect();
        Some(Stretch {
            workload: cell.workload.name.clone(),
            target: cell.target.name.clone(),
            found: judge(plan, cell, &mine)?,
        })
    });
    found.collect()
}

fn is_of(cell: &Cell<'_>, stretch: &Slice) -> bool {
    cell.workload.name == stretch.workload && cell.target.name == stretch.target
}

/// A fall or a rise counts if every stretch has it: the credit stays used up in the second stretch, which
/// follows the first at once. The settled figures are those of the last stretch.
fn judge(plan: &Plan, cell: &Cell<'_>, stretches: &[&Slice]) -> Option<Sustained> {
    let margin = plan.comparing.margin.share();
    let (first, last) = (stretches.first()?, stretches.last()?);
    let closed = last.closed_loop;
    let tail = if closed {
        Metric::SERVICE_P99
    } else {
        Metric::RESPONSE_P99
    };
    let rates = block_levels(cell, Metric::Throughput);
    let tails: Vec<f64> = block_levels(cell, tail).iter().map(|log| -log).collect();
    let settled: Vec<Settled> = stretches.iter().filter_map(|it| Settled::of(it)).collect();
    let has_step = settled.first().is_some_and(|it| it.after.is_some());
    let full = cell.full();
    let now = settled.last()?;
    let rounds_rate = Metric::Throughput.figure(&full).value();
    let rounds_p99 = usual_p99(&tails, rates.len());
    // A change counts only if the figures that are printed show it.
    let throughput_fell = rounds_rate.is_none_or(|rounds| now.rate < rounds)
        && settled
            .iter()
            .all(|it| fell(&rates, it.steady_rate.ln(), margin, has_step));
    let throughput_rose = rounds_rate.is_none_or(|rounds| now.rate > rounds)
        && settled
            .iter()
            .all(|it| rises(&rates, it.least_rate.ln(), margin));
    let is_longer = rounds_p99
        .zip(now.p99)
        .is_some_and(|(rounds, p99)| p99 > rounds);
    let p99_rose = is_longer
        && settled.iter().all(|it| {
            let level = it.p99.map(|p99| -p99.ln());
            level.is_some_and(|level| falls(&tails, level, margin, has_step))
        });
    let is_confirmed = throughput_fell || throughput_rose || p99_rose;
    let unconfirmed = settled
        .first()
        .filter(|_| settled.len() > 1 && !is_confirmed);
    Some(Sustained {
        seconds: stretches.iter().map(|it| it.end.seconds).sum(),
        operations: stretches.iter().map(|it| it.ok() + it.failed()).sum(),
        step_after: Settled::of(first)?.after,
        throughput: Some(now.rate),
        p99: now.p99,
        interleaved_throughput: rounds_rate,
        interleaved_p99: rounds_p99,
        throughput_fell,
        throughput_rose,
        p99_rose,
        unconfirmed_throughput: unconfirmed.map(|first| first.rate),
    })
}

/// The median over the blocks of the percentile, seconds; `levels` are the negated logarithms of the
/// blocks that have enough operations for a percentile. `None` if these are fewer than half of the
/// blocks, or fewer than [`FEWEST_TAILS`].
fn usual_p99(levels: &[f64], blocks: usize) -> Option<f64> {
    if levels.len() < FEWEST_TAILS || 2 * levels.len() < blocks {
        return None;
    }
    let middle = crate::words::middle(levels.iter().copied())?;
    Some((-middle).exp())
}

/// Whether the throughput fell; all levels are logarithms.
fn fell(blocks: &[f64], settled: f64, margin: f64, has_step: bool) -> bool {
    falls(blocks, settled, margin, has_step) || falls_far(blocks, settled, margin)
}

/// The mean log level of a target in each block, over its full slices.
fn block_levels(cell: &Cell<'_>, metric: Metric) -> Vec<f64> {
    let full = cell.full();
    let blocks = full.chunk_by(|one, other| one.block == other.block);
    let levels = blocks.filter_map(|block| {
        let values = metric.of_block(block)?;
        let logs: f64 = values.iter().map(|value| value.ln()).sum();
        Some(logs / values.len() as f64)
    });
    levels.filter(|level| level.is_finite()).collect()
}

/// The settled part of a stretch.
struct Settled {
    /// Seconds before this part, if a step down precedes it.
    after: Option<f64>,
    /// Successful operations per second.
    rate: f64,
    /// The larger of `rate` and the median over the seconds: one stall is no fall.
    steady_rate: f64,
    /// The smaller of both: one quick second is no rise.
    least_rate: f64,
    /// 99th percentile, seconds; `None` with too few operations.
    p99: Option<f64>,
}

impl Settled {
    fn of(stretch: &Slice) -> Option<Self> {
        let seconds = &stretch.probed.as_ref()?.seconds;
        let parts = parts(seconds, stretch.end.seconds);
        // A part without operations is a deep step.
        let levels: Vec<f64> = parts
            .iter()
            .map(|part| (part.operations.max(0.5) / part.length).ln())
            .collect();
        let from = settled_from(&levels);
        let settled = parts.get(from..)?;
        let operations: f64 = settled.iter().map(|part| part.operations).sum();
        let length: f64 = settled.iter().map(|part| part.length).sum();
        if length <= 0.0 {
            return None;
        }
        let rate = operations / length;
        let each = settled.iter().map(|part| part.operations / part.length);
        let usual = crate::words::middle(each).unwrap_or(rate);
        let start = settled.first().map_or(0, |part| part.first);
        let counted = seconds.iter().filter(|second| second.number >= start);
        Some(Self {
            after: (from > 0).then_some(start as f64),
            rate,
            steady_rate: rate.max(usual),
            least_rate: rate.min(usual),
            p99: quantile(counted, stretch.closed_loop),
        })
    }
}

/// A second of a stretch, or a second with the short rest after it.
struct Part {
    /// Number of its first second.
    first: u64,
    length: f64,
    operations: f64,
}

fn parts(seconds: &[ProbedSecond], length: f64) -> Vec<Part> {
    let whole = length.max(0.0).ceil() as u64;
    let mut parts: Vec<Part> = Vec::new();
    for number in 0..whole {
        let own = (length - number as f64).min(1.0);
        let mine = seconds.iter().filter(|second| second.number == number);
        let counts = mine.flat_map(|second| &second.services);
        let operations = counts.map(|(_, count)| *count).sum::<u64>() as f64;
        match parts.last_mut().filter(|_| own < SHORTEST_PART) {
            Some(before) => {
                before.length += own;
                before.operations += operations;
            }
            None => parts.push(Part {
                first: number,
                length: own,
                operations,
            }),
        }
    }
    parts
}

/// The 99th percentile over seconds, in seconds; `None` with too few operations.
fn quantile<'a>(seconds: impl Iterator<Item = &'a ProbedSecond>, closed_loop: bool) -> Option<f64> {
    let times = seconds.flat_map(|second| {
        if closed_loop {
            &second.services
        } else {
            &second.responses
        }
    });
    let mut times: Vec<(u64, u64)> = times.copied().collect();
    times.sort_unstable();
    let all: u64 = times.iter().map(|(_, count)| count).sum();
    if !printable_percentile(TAIL, all) {
        return None;
    }
    let rank = (all as f64 * TAIL).ceil() as u64;
    let mut below = 0;
    let found = times.iter().find(|(_, count)| {
        below += count;
        below >= rank
    });
    found.map(|(nanos, _)| *nanos as f64 / NANOS_PER_SECOND)
}

/// Withholds the verdicts that a target's fall under continuous load makes untrue, or a rise that the
/// other side does not share, and those that the ratio under continuous load contradicts.
pub(crate) fn withhold(compared: &mut Compared, stretches: &[Stretch]) {
    let levels: Vec<(String, String)> = compared
        .targets
        .iter()
        .filter_map(|level| Some((level.workload.clone(), level.level_of.clone()?)))
        .collect();
    let all = compared
        .targets
        .iter_mut()
        .chain(&mut compared.curves)
        .chain(&mut compared.workloads);
    for comparison in all.filter(|each| !each.twin && is_affected(each.metric)) {
        let sides = [&comparison.baseline, &comparison.challenger];
        let is_side = |stretch: &&Stretch| match comparison.across {
            Across::Targets => {
                stretch.workload == comparison.workload && sides.contains(&&stretch.target)
            }
            Across::Levels => {
                let is_level = |(level, sweep): &(String, String)| {
                    *level == stretch.workload && *sweep == comparison.workload
                };
                levels.iter().any(is_level) && sides.contains(&&stretch.target)
            }
            Across::Workloads => {
                stretch.target == comparison.workload && sides.contains(&&stretch.workload)
            }
        };
        let mine: Vec<&Stretch> = stretches.iter().filter(is_side).collect();
        let is_unknown = matches!(comparison.outcome, Outcome::Unknown { .. });
        // A tail that rises does not change how many operations were completed.
        let is_rate = comparison.metric == Metric::Throughput;
        let has_fallen = mine.iter().any(|stretch| {
            let found = &stretch.found;
            found.throughput_fell || found.p99_rose && !is_rate
        });
        let is_contradicted = is_contradicted(comparison, &mine);
        let has_risen = rise_apart(&mine);
        if is_unknown || !(has_fallen || has_risen || is_contradicted) {
            continue;
        }
        let has_changed = mine
            .iter()
            .any(|stretch| stretch.found.throughput_fell || stretch.found.throughput_rose);
        let why = why(comparison, &mine, !has_changed && !is_contradicted);
        comparison.found.outcome = Outcome::NotSustained {
            why: Messages::NONE.in_english(&why),
            data: Some(why),
        };
    }
}

/// Whether the throughput of a side rose, and that of the other side did not rise as much.
pub(crate) fn rise_apart(sides: &[&Stretch]) -> bool {
    let any = sides.iter().any(|side| side.found.throughput_rose);
    let rises = sides.iter().map(|side| {
        let rise = side.found.throughput? / side.found.interleaved_throughput?;
        Some(rise.ln()).filter(|rise| rise.is_finite())
    });
    let rises: Option<Vec<f64>> = rises.collect();
    let Some(rises) = rises.filter(|rises| rises.len() > 1) else {
        return any;
    };
    let least = rises.iter().copied().fold(f64::INFINITY, f64::min);
    let most = rises.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    any && most - least > UNLIKE
}

/// Whether a figure depends on how long a target can keep its speed. CPU time per operation and
/// memory do not.
fn is_affected(metric: Metric) -> bool {
    !matches!(metric, Metric::ServerCpu | Metric::ServerMemory)
}

/// Whether a difference in throughput is not there under continuous load, although no target alone
/// fell by more than its noise. A curve has several stretches for each target and is not tested.
fn is_contradicted(comparison: &Comparison, sides: &[&Stretch]) -> bool {
    let is_claim = matches!(comparison.outcome, Outcome::Faster | Outcome::Slower);
    if comparison.metric != Metric::Throughput
        || !is_claim
        || matches!(comparison.across, Across::Levels)
    {
        return false;
    }
    let rate_of = |name: &str| {
        let mut stretches = sides.iter();
        let side = stretches.find(|stretch| side_name(comparison, stretch) == name)?;
        side.found.throughput
    };
    let rates = rate_of(&comparison.challenger).zip(rate_of(&comparison.baseline));
    let ratios = comparison.ratio.value().zip(rates);
    ratios.is_some_and(|(interleaved, (challenger, baseline))| {
        let sustained = (challenger / baseline).ln();
        contradicts(&comparison.log_ratios(), interleaved.ln(), sustained)
    })
}

/// The side of a comparison that a stretch belongs to.
fn side_name<'s>(comparison: &Comparison, stretch: &'s Stretch) -> &'s str {
    match comparison.across {
        Across::Workloads => &stretch.workload,
        Across::Targets | Across::Levels => &stretch.target,
    }
}

/// Both figures of each side, as a clause: the throughput, or the p99 if only that changed.
fn why(comparison: &Comparison, sides: &[&Stretch], is_tail: bool) -> Message {
    let each = sides.iter().map(|stretch| {
        let figures = shown(&stretch.found, is_tail);
        message!(
            "sustained-side",
            name = side_name(comparison, stretch),
            figures
        )
    });
    let sides: Vec<Message> = each.collect();
    message!("not-sustained-why", tail = is_tail, sides)
}

/// `1.39 k/s → 700/s`.
pub(crate) fn shown(found: &Sustained, is_tail: bool) -> Message {
    let (rounds, sustained) = if is_tail {
        let value = |figure| known(figure, Value::Seconds);
        (value(found.interleaved_p99), value(found.p99))
    } else {
        let value = |figure| known(figure, Value::Rate);
        (value(found.interleaved_throughput), value(found.throughput))
    };
    message!("sustained-figures", rounds, sustained)
}
