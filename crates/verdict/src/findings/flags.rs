//! Flags for unusual slices. Flagged slices stay in all figures; the report states the ratio with
//! and without flagged slices.

use std::collections::BTreeMap;

use tenbin_plan::Plan;
use tenbin_record::Slice;
use tenbin_result::{Message, Metric, Value, message};

use crate::cell::{Cell, cells};
use crate::compare::metric::Measure;
use crate::evidence::is_closed;
use crate::machine::generator::Thread;
use crate::words::middle;

/// Judges one slice relative to the other slices of its target and workload.
pub trait SliceTest: Sync {
    /// Name of the test in files and reports, for example `failing`.
    fn name(&self) -> &'static str;

    /// What the test detects, in one line without a full stop.
    fn summary(&self) -> &'static str;

    /// The reason to flag the slice, a clause without a full stop; `None` for a normal slice.
    fn why(&self, slice: &Slice, others: &OtherSlices) -> Option<Message>;
}

/// Statistics of all full slices of one target and workload, as the reference for a single slice.
#[derive(Debug, Clone)]
pub struct OtherSlices {
    /// The default primary metric for the workload's kind of load (closed or open loop).
    metric: Metric,
    /// Logarithm of the primary metric, by the position of the slice in the run. Slices without
    /// the figure are missing.
    logs: BTreeMap<u32, f64>,
    /// The median of the logarithms.
    centre: Option<f64>,
    /// The spread of the logarithms around the median, as the standard deviation of a normal
    /// distribution.
    spread: Option<f64>,
}

impl OtherSlices {
    fn of(cell: &Cell<'_>) -> Self {
        let metric = Metric::default_primary(is_closed(cell.workload));
        let log = |slice: &Slice| {
            let value = metric.of_slice(slice).filter(|value| *value > 0.0)?;
            Some((slice.index, value.ln()))
        };
        let logs: BTreeMap<u32, f64> = cell.full().into_iter().filter_map(log).collect();
        let centre = middle(logs.values().copied());
        let distances = |centre: f64| middle(logs.values().map(|log| (log - centre).abs()));
        let spread = centre
            .and_then(distances)
            .map(|mad| mad * DEVIATIONS_IN_MAD);
        Self {
            metric,
            centre,
            spread,
            logs,
        }
    }
}

/// Every test of single slices.
pub static SLICE_TESTS: &[&dyn SliceTest] = &[&Failing, &BusyGenerator, &Outlying];

/// A slice that a test has flagged.
#[derive(Debug, Clone, PartialEq)]
pub struct Flag {
    /// Position of the slice in the run, from 0.
    pub slice: u32,
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Name of the test.
    pub test: &'static str,
    /// The reason; a clause without a full stop.
    pub why: Message,
}

/// All flags of a run, in the order of the plan's workloads and targets.
pub fn flags(plan: &Plan, slices: &[Slice]) -> Vec<Flag> {
    cells(plan, slices).iter().flat_map(of_cell).collect()
}

fn of_cell(cell: &Cell<'_>) -> Vec<Flag> {
    let others = OtherSlices::of(cell);
    let mut found = Vec::new();
    for slice in cell.full() {
        for test in SLICE_TESTS {
            found.extend(test.why(slice, &others).map(|why| Flag {
                slice: slice.index,
                workload: slice.workload.clone(),
                target: slice.target.clone(),
                test: test.name(),
                why,
            }));
        }
    }
    found
}

/// Share of failures above which the work of a slice is not comparable.
const MOST_FAILURES: f64 = 0.001;

struct Failing;

impl SliceTest for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn summary(&self) -> &'static str {
        "more than 0.1 % of its operations failed"
    }

    fn why(&self, slice: &Slice, _: &OtherSlices) -> Option<Message> {
        let all = slice.ok() + slice.failed();
        let share = slice.failed() as f64 / all.max(1) as f64;
        (share > MOST_FAILURES).then(|| message!("flag-failing", share = Value::Share(share)))
    }
}

struct BusyGenerator;

impl SliceTest for BusyGenerator {
    fn name(&self) -> &'static str {
        "busy_generator"
    }

    fn summary(&self) -> &'static str {
        "a load generator thread used a core, or waited for a core that other programs used, in \
         more than 90 % of the time"
    }

    fn why(&self, slice: &Slice, _: &OtherSlices) -> Option<Message> {
        let others = slice.machine().and_then(|machine| {
            let used = machine.others_cpu_seconds?;
            (machine.seconds > 0.0).then_some(used / machine.seconds)
        });
        let thread = Thread::of_slice(slice, others);
        thread
            .is_busy()
            .then(|| message!("flag-busy-generator", use = thread.message()))
    }
}

/// Minimum distance of an outlier from the median of all slices, as a multiple of the spread.
const SPREADS: f64 = 5.0;
/// Minimum distance of an outlier from the median of all slices, as a share of the median.
const APART: f64 = 0.10;
/// Minimum number of slices for a meaningful spread.
const FEWEST: usize = 6;
/// Standard deviation of a normal distribution divided by its median absolute deviation.
const DEVIATIONS_IN_MAD: f64 = 1.4826;

struct Outlying;

impl SliceTest for Outlying {
    fn name(&self) -> &'static str {
        "outlying"
    }

    fn summary(&self) -> &'static str {
        "its primary metric differs from the median of the target's slices by more than 10 % and \
         by more than five times their spread"
    }

    fn why(&self, slice: &Slice, others: &OtherSlices) -> Option<Message> {
        if others.logs.len() < FEWEST {
            return None;
        }
        let away = others.logs.get(&slice.index)? - others.centre?;
        let far = away.abs() > (SPREADS * others.spread?).max(APART.ln_1p());
        far.then(|| {
            message!(
                "flag-outlying",
                metric = others.metric.message(),
                share = Value::Share(away.exp_m1().abs()),
                side = Value::word(if away > 0.0 { "above" } else { "below" })
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::ErrorClass;

    use super::*;
    use crate::testing::Run;

    fn found(run: &Run) -> Vec<(u32, &'static str)> {
        let flags = flags(&run.plan, &run.slices);
        flags.iter().map(|flag| (flag.slice, flag.test)).collect()
    }

    #[test]
    fn every_test_has_its_own_name() {
        let names: std::collections::BTreeSet<&str> =
            SLICE_TESTS.iter().map(|test| test.name()).collect();
        assert_eq!(names.len(), SLICE_TESTS.len());
    }

    #[test]
    fn nothing_is_flagged_in_a_good_run() {
        assert_eq!(found(&Run::pair(8)), []);
    }

    #[test]
    fn each_test_flags_the_slice_that_it_is_for() {
        let mut run = Run::pair(8);
        let first = run.first_of("b").0.index;
        run.first_of("b").fail(ErrorClass::Reset, 2);
        assert_eq!(found(&run), [(first, "failing")]);

        let mut run = Run::pair(8);
        run.first_of("b").busiest_thread(0.95);
        assert_eq!(found(&run), [(first, "busy_generator")]);

        let mut run = Run::pair(8);
        run.first_of("b").answers(850, 0.002 / 0.85);
        assert_eq!(found(&run), [(first, "outlying")]);
    }

    #[test]
    fn noise_and_few_slices_have_no_outliers() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let count = 1_000 + u64::from(slice.0.index * 37 % 11) * 30;
            slice.answers(count, 2.0 / count as f64);
        });
        assert_eq!(found(&run), []);
        let mut run = Run::pair(2);
        run.first_of("b").answers(500, 0.004);
        assert_eq!(found(&run), []);
    }
}
