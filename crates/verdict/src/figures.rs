//! What each target did at each workload: the rows of every table.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::Serialize;
use tenbin_plan::Plan;
use tenbin_record::{CacheUse, OpFigures, Role, Slice};
use tenbin_stats::{CONFIDENCE, Measured, median};

use crate::connections::{self, ConnectionFigures, HostFigures};
use crate::evidence::{Cell, cells, is_closed};
use crate::latency::{self, Kind, Pick};
use crate::metric::Metric;
use crate::single::{self, SingleFigures};
use crate::stored;

/// One workload on one target.
///
/// Estimates are medians over the slices that ran their full time, with
/// order-statistic intervals. If there is no such slice they come from those
/// cut short, without an interval. Counts are sums over all slices.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetFigures {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Slices that ran their full time.
    pub slices: usize,
    /// Slices cut short.
    pub cut_short: usize,
    /// Work done: requests that are work of their own, and what is made of several.
    pub ok: u64,
    /// Work that failed.
    pub failed: u64,
    /// Work done a second.
    pub throughput: Measured,
    /// CPU seconds of the target for a piece of work done.
    pub server_cpu: Measured,
    /// Largest resident memory seen, bytes; `None` if not observed.
    pub peak_rss_bytes: Option<u64>,
    /// Bytes that the target wrote to storage for a piece of work done.
    pub written_bytes: Measured,
    /// Bytes that the target wrote to storage for a byte it was given to store;
    /// unknown for workloads that store none.
    pub written_per_stored: Measured,
    /// CPU seconds of the generator for a piece of work of any outcome.
    pub client_cpu: Measured,
    /// Bytes that Tenbin's process allocated for an operation of any outcome.
    pub client_allocated_bytes: Measured,
    /// Allocations of Tenbin's process for an operation of any outcome.
    pub client_allocations: Measured,
    /// Share of a core that the busiest generator thread used.
    pub client_busiest_thread: Measured,
    /// What happened to connections.
    pub connections: ConnectionFigures,
    /// Figures of each host, in the target's order; empty when there is but one.
    pub hosts: Vec<HostFigures>,
    /// What is known of single requests, where these are drawn from patterns.
    pub singles: SingleFigures,
    /// What the target's caches were expected to do and did, if that was asked for.
    pub cache: Option<CacheUse>,
    /// Figures of each operation, in the workload's order.
    pub operations: Vec<OperationFigures>,
}

/// One operation of a workload on one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperationFigures {
    /// Name of the operation, for example `GET`.
    pub operation: String,
    /// What it is to the work.
    pub role: Role,
    /// Correct answers.
    pub ok: u64,
    /// Failures.
    pub failed: u64,
    /// Failures by class; absent classes did not occur.
    pub errors: BTreeMap<&'static str, u64>,
    /// Operations still out when their slice's drain ended.
    pub censored: u64,
    /// Correct answers a second.
    pub throughput: Measured,
    /// Body bytes of correct operations a second, either way.
    pub bandwidth: Measured,
    /// Whether the times below count from the intended start (open loop:
    /// response time) or from the write (closed loop: service time).
    pub from_intended_start: bool,
    /// Median time, seconds.
    pub p50: Measured,
    /// 90th percentile, seconds.
    pub p90: Measured,
    /// 99th percentile, seconds.
    pub p99: Measured,
    /// Largest time in any slice, seconds: an extreme, which has no interval. A
    /// stall that only one slice met shows here and in no median over slices.
    pub max: Option<f64>,
    /// Median service time, seconds: what `p50` is in a closed loop.
    pub service_p50: Measured,
    /// 99th percentile of service time, seconds.
    pub service_p99: Measured,
    /// Median time from the write to the first byte, seconds.
    pub first_byte_p50: Measured,
    /// 99th percentile of it, seconds.
    pub first_byte_p99: Measured,
}

/// The figures of every workload on every target, in the plan's order, also
/// where nothing was measured.
pub fn figures(plan: &Plan, slices: &[Slice]) -> Vec<TargetFigures> {
    cells(plan, slices).iter().map(of_cell).collect()
}

fn of_cell(cell: &Cell<'_>) -> TargetFigures {
    let full = cell.full();
    let basis = Basis::of(cell);
    TargetFigures {
        workload: cell.workload.name.clone(),
        target: cell.target.name.clone(),
        slices: full.len(),
        cut_short: cell.slices.len() - full.len(),
        ok: cell.slices.iter().map(|slice| slice.ok()).sum(),
        failed: cell.slices.iter().map(|slice| slice.failed()).sum(),
        throughput: basis.metric(Metric::Throughput),
        server_cpu: basis.metric(Metric::ServerCpu),
        peak_rss_bytes: peak_rss(&cell.slices),
        written_bytes: basis.each(|slice| per(slice.server?.written_bytes? as f64, slice.ok())),
        written_per_stored: basis.each(|slice| {
            let written = slice.server?.written_bytes? as f64;
            per(written, stored::bytes(&cell.workload.kind, slice)?)
        }),
        client_cpu: basis.each(|slice| per(slice.client.cpu_seconds, slice.ok() + slice.failed())),
        client_allocated_bytes: basis.each(|slice| {
            let allocated = slice.client.allocated?;
            per(allocated.bytes as f64, slice.ok() + slice.failed())
        }),
        client_allocations: basis.each(|slice| {
            let allocated = slice.client.allocated?;
            per(allocated.count as f64, slice.ok() + slice.failed())
        }),
        client_busiest_thread: basis.each(|slice| Some(slice.client.busiest_thread)),
        connections: connections::of_cell(cell, &basis),
        hosts: connections::hosts_of_cell(cell, &basis),
        singles: single::of_cell(cell, &basis),
        cache: single::cache_of(cell),
        operations: operations_by_role(&cell.slices)
            .iter()
            .map(|(name, role)| of_operation(cell, &basis, name, *role))
            .collect(),
    }
}

fn of_operation(cell: &Cell<'_>, basis: &Basis<'_>, name: &str, role: Role) -> OperationFigures {
    let ops: Vec<&OpFigures> = cell
        .slices
        .iter()
        .flat_map(|slice| find(slice, name))
        .collect();
    let mut errors = BTreeMap::new();
    for (class, count) in ops.iter().flat_map(|op| &op.errors) {
        if *count > 0 {
            *errors.entry(class.name()).or_default() += count;
        }
    }
    let closed = is_closed(cell.workload);
    let timed: Kind = if closed { service } else { response };
    let quantile = |q, kind| basis.quantile(q, kind, name);
    OperationFigures {
        operation: name.to_owned(),
        role,
        ok: ops.iter().map(|op| op.ok).sum(),
        failed: ops.iter().map(|op| op.failed_count()).sum(),
        errors,
        censored: ops.iter().map(|op| op.censored).sum(),
        throughput: basis.every(|slice| slice.throughput_of(find(slice, name)?)),
        bandwidth: basis.every(|slice| {
            let op = find(slice, name)?;
            let rate = slice.throughput_of(op)?;
            Some(per(op.payload as f64, op.ok).unwrap_or(0.0) * rate)
        }),
        from_intended_start: !closed,
        p50: quantile(0.50, timed),
        p90: quantile(0.90, timed),
        p99: quantile(0.99, timed),
        max: largest(&ops, timed),
        service_p50: quantile(0.50, service),
        service_p99: quantile(0.99, service),
        first_byte_p50: quantile(0.50, first_byte),
        first_byte_p99: quantile(0.99, first_byte),
    }
}

/// The slices that give the figures.
pub(crate) struct Basis<'a> {
    slices: Vec<&'a Slice>,
    /// They were cut short: a figure may stand, an interval may not.
    cut_short: bool,
}

impl<'a> Basis<'a> {
    fn of(cell: &Cell<'a>) -> Self {
        let full = cell.full();
        let cut_short = full.is_empty();
        Self {
            slices: if cut_short { cell.slices.clone() } else { full },
            cut_short,
        }
    }

    fn metric(&self, metric: Metric) -> Measured {
        self.checked(metric.figure(&self.slices))
    }

    pub(crate) fn slices(&self) -> &[&'a Slice] {
        &self.slices
    }

    pub(crate) fn median_of(&self, values: &[f64]) -> Measured {
        self.checked(median(values, CONFIDENCE))
    }

    fn each(&self, figure: impl Fn(&Slice) -> Option<f64>) -> Measured {
        let values: Vec<f64> = self
            .slices
            .iter()
            .filter_map(|slice| figure(slice))
            .collect();
        self.checked(median(&values, CONFIDENCE))
    }

    /// Unknown when a slice lacks it: of a rate, those that lack it are the slow ones.
    fn every(&self, figure: impl Fn(&Slice) -> Option<f64>) -> Measured {
        let values: Option<Vec<f64>> = self.slices.iter().map(|slice| figure(slice)).collect();
        values.map_or(Measured::Unknown, |values| {
            self.checked(median(&values, CONFIDENCE))
        })
    }

    pub(crate) fn quantile_over(&self, q: f64, pick: &Pick<'_>) -> Measured {
        self.checked(latency::quantile_over(&self.slices, q, pick))
    }

    fn quantile(&self, q: f64, kind: Kind, operation: &str) -> Measured {
        let wanted = |op: &OpFigures| op.name == operation;
        self.checked(latency::quantile(&self.slices, q, kind, wanted))
    }

    fn checked(&self, measured: Measured) -> Measured {
        match measured {
            Measured::Interval(estimate) if self.cut_short => Measured::Point {
                value: estimate.value,
                n: estimate.n,
            },
            other => other,
        }
    }
}

fn service(op: &OpFigures) -> &Histogram<u64> {
    &op.service
}

fn response(op: &OpFigures) -> &Histogram<u64> {
    &op.response
}

fn first_byte(op: &OpFigures) -> &Histogram<u64> {
    &op.first_byte
}

fn largest(ops: &[&OpFigures], kind: Kind) -> Option<f64> {
    let filled = ops.iter().map(|op| kind(op)).filter(|h| !h.is_empty());
    let nanos = filled.map(Histogram::max).max()?;
    Some(nanos as f64 / 1e9)
}

fn peak_rss(slices: &[&Slice]) -> Option<u64> {
    let observed = slices.iter().filter_map(|slice| slice.server);
    observed.map(|server| server.rss_bytes).max()
}

fn per(amount: f64, operations: u64) -> Option<f64> {
    (operations > 0).then(|| amount / operations as f64)
}

fn find<'a>(slice: &'a Slice, operation: &str) -> Option<&'a OpFigures> {
    slice.ops.iter().find(|op| op.name == operation)
}

fn operations_by_role(slices: &[&Slice]) -> Vec<(String, Role)> {
    let mut operations: Vec<(String, Role)> = Vec::new();
    for op in slices.iter().flat_map(|slice| &slice.ops) {
        if operations.iter().all(|(name, _)| *name != op.name) {
            operations.push((op.name.clone(), op.role));
        }
    }
    operations
}

#[cfg(test)]
mod tests {
    use tenbin_record::ErrorClass;

    use super::*;
    use crate::testing::Run;

    fn first(run: &Run) -> TargetFigures {
        figures(&run.plan, &run.slices).remove(0)
    }

    #[test]
    fn a_row_has_every_figure_with_its_interval() {
        let mut run = Run::pair(8);
        run.first_of("a").fail(ErrorClass::Reset, 3);
        let row = first(&run);
        assert_eq!(
            (row.slices, row.cut_short, row.ok, row.failed),
            (16, 0, 16_000, 3)
        );
        assert_eq!(row.throughput.estimate().unwrap().value, 1_000.0);
        assert_eq!(row.server_cpu.value(), Some(0.001_5));
        assert_eq!(row.written_bytes.value(), Some(2_048.0));
        assert_eq!(row.peak_rss_bytes, Some(10_000_000));
        assert_eq!(row.client_allocated_bytes, Measured::Unknown, "not 0");
        assert_eq!(
            row.written_per_stored,
            Measured::Unknown,
            "nothing is stored"
        );
        let get = &row.operations[0];
        assert_eq!(get.errors, BTreeMap::from([("reset", 3)]));
        assert_eq!(get.bandwidth.value(), Some(1_024_000.0));
        let p99 = get.p99.estimate().unwrap();
        assert!((p99.value - 0.002).abs() < 0.000_01, "{p99:?}");
        assert!(!get.from_intended_start);
    }

    #[test]
    fn a_slice_cut_short_gives_no_figure_but_its_counts() {
        let mut run = Run::pair(8);
        let mut slice = run.first_of("a");
        slice.answers(10, 0.2);
        slice.cut_short();
        let row = first(&run);
        assert_eq!((row.slices, row.cut_short, row.ok), (15, 1, 15_010));
        assert_eq!(row.throughput.estimate().unwrap().low, 1_000.0);
    }

    #[test]
    fn a_slice_in_which_nothing_ended_leaves_no_rate() {
        let mut run = Run::single(2);
        run.first_of("a").answers(0, 0.002);
        let row = first(&run);
        assert_eq!((row.slices, row.ok), (2, 1_000));
        assert_eq!(
            row.throughput,
            Measured::Unknown,
            "not that of the other one"
        );
        assert_eq!(row.operations[0].throughput, Measured::Unknown);
        assert_eq!(row.operations[0].bandwidth, Measured::Unknown);
    }

    #[test]
    fn a_run_of_nothing_but_stumps_has_points_only() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.cut_short());
        assert_eq!(
            first(&run).throughput,
            Measured::Point {
                value: 1_000.0,
                n: 16
            }
        );
    }

    #[test]
    fn percentiles_of_small_samples_merge_before_they_fall_silent() {
        let with = |answers| {
            let mut run = Run::pair(8);
            run.each(|slice| slice.answers(answers, 0.002));
            first(&run).operations[0].p99
        };
        assert_eq!(with(400).estimate().unwrap().n, 16, "slice by slice");
        assert_eq!(with(200).estimate().unwrap().n, 8, "quad by quad");
        assert!(matches!(with(30), Measured::Point { .. }), "all together");
        assert_eq!(with(20), Measured::Unknown);
    }

    #[test]
    fn a_stall_in_one_slice_shows_as_the_largest_time() {
        let mut run = Run::pair(8);
        let mut stalled = run.first_of("a");
        stalled.0.ops[0].service.record(3_000_000_000).unwrap();
        stalled.cut_short();
        let get = &first(&run).operations[0];
        assert!((get.max.unwrap() - 3.0).abs() < 0.01, "{:?}", get.max);
        assert!(get.p99.estimate().unwrap().high < 0.0021);
        run.each(|slice| slice.0.ops[0].service.clear());
        assert_eq!(first(&run).operations[0].max, None, "not 0");
    }

    #[test]
    fn first_bytes_stand_apart_from_service_times() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let first_byte = &mut slice.0.ops[0].first_byte;
            first_byte.record_n(500_000, 1_000).unwrap();
        });
        let get = &first(&run).operations[0];
        let p50 = get.first_byte_p50.estimate().unwrap().value;
        assert!((p50 - 0.000_5).abs() < 0.000_001, "{p50}");
        assert_eq!(get.service_p50, get.p50);
    }

    #[test]
    fn what_was_not_observed_is_unknown_and_not_zero() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.unobserved());
        let row = first(&run);
        assert_eq!(row.server_cpu, Measured::Unknown);
        assert_eq!(row.written_bytes, Measured::Unknown);
        assert_eq!(row.peak_rss_bytes, None);
    }
}
