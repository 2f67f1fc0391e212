//! The figures of each workload on each target: the rows of every table.

pub(crate) mod basis;
pub(crate) mod connections;
pub mod hits;
pub(crate) mod latency;
pub(crate) mod percentiles;
mod request_list;
pub(crate) mod single;
pub(crate) mod size_class;
pub(crate) mod spread;
pub(crate) mod use_case;

use std::collections::BTreeMap;

use tenbin_plan::Plan;
use tenbin_record::{Counts, Environment, OpFigures, PackedHistogram, Role, ServerUse, Slice};
use tenbin_result::{CacheHits, Figure, GroupResult, Metric, OperationResult, ResultOf, TimedFrom};

use crate::cell::Cell;
use crate::continuous_load::Stretch;
use crate::evidence::is_closed;
use crate::figures::basis::Basis;
use crate::figures::latency::Kind;
use crate::figures::percentiles::spectrum;
use crate::server;
use crate::server::backend::{Backend, Backends};
use crate::server::processes;
use crate::server::stages;
use crate::server::stored;

/// The figures of every workload on every target, in the order of the plan, including cells without
/// slices. `cells` are the cells of the run.
///
/// Rates and costs are medians over the full slices, with order-statistic intervals. Percentiles
/// and mean times are computed over all requests of the full slices together, with intervals from
/// the differences between slices. Without a full slice, figures come from slices that were cut
/// short and have no interval. Counts are sums over all slices.
pub(crate) fn figures_of(
    plan: &Plan,
    slices: &[Slice],
    cells: &[Cell<'_>],
    stretches: &[Stretch],
    environment: &Environment,
) -> Vec<ResultOf> {
    let backends = Backends::in_run(plan, slices);
    let each = cells.iter();
    each.map(|cell| {
        let is_own = |stretch: &&Stretch| {
            stretch.workload == cell.workload.name && stretch.target == cell.target.name
        };
        ResultOf {
            sustained: stretches.iter().find(is_own).map(|it| it.found.clone()),
            ..of_cell(
                cell,
                backends.of_target(&cell.target.name),
                slices,
                environment,
            )
        }
    })
    .collect()
}

fn of_cell(
    cell: &Cell<'_>,
    backends: &[Backend],
    slices: &[Slice],
    environment: &Environment,
) -> ResultOf {
    let full = cell.full();
    let basis = Basis::of(cell);
    let used = || cell.slices.iter().filter_map(|slice| slice.server());
    let each = |pick: &dyn Fn(&ServerUse) -> Option<u64>| {
        basis.each(|slice| server::each(slice, |used| Some(pick(used)? as f64)))
    };
    let server_cpu = basis.metric(Metric::ServerCpu);
    let singles = single::of_cell(cell, &basis, environment);
    ResultOf {
        workload: cell.workload.name.clone(),
        target: cell.target.name.clone(),
        slices: full.len() as u64,
        cut_short: (cell.slices.len() - full.len()) as u64,
        ok: Some(cell.slices.iter().map(|slice| slice.ok()).sum()),
        failed: Some(cell.slices.iter().map(|slice| slice.failed()).sum()),
        throughput: basis.metric(Metric::Throughput),
        sustained: None,
        server_cpu,
        per_core_second: server_cpu.map(Figure::inverse),
        scope: used().next_back().map(|used| used.scope),
        rss_start_bytes: used().next().and_then(|used| used.rss_start_bytes),
        peak_rss_bytes: used().filter_map(|used| used.rss_bytes).max(),
        rss_end_bytes: used().next_back().and_then(|used| used.rss_end_bytes),
        read_bytes: each(&|used| used.read_bytes),
        written_bytes: each(&|used| used.written_bytes),
        written_per_stored: basis.each(|slice| {
            let written = server::amount(slice, |used| Some(used.written_bytes? as f64))?;
            per(written, stored::bytes(&cell.workload.kind, slice)?)
        }),
        voluntary_switches: each(&|used| used.voluntary_switches),
        involuntary_switches: each(&|used| used.involuntary_switches),
        processes: processes::of_cell(cell, &basis, backends),
        not_observed: processes::not_observed(cell.target, &cell.slices).map(str::to_owned),
        group: group(cell, &basis),
        client_cpu: basis.each(|slice| per(slice.client.cpu_seconds, slice.ok() + slice.failed())),
        client_allocated_bytes: basis.each(|slice| {
            let allocated = slice.end.allocated?;
            per(allocated.bytes as f64, slice.ok() + slice.failed())
        }),
        client_allocations: basis.each(|slice| {
            let allocated = slice.end.allocated?;
            per(allocated.count as f64, slice.ok() + slice.failed())
        }),
        client_busiest_thread: basis.each(|slice| Some(slice.client.busiest_thread)),
        connections: cell
            .target
            .reach
            .has_connections()
            .then(|| connections::of_cell(cell, &basis)),
        hosts: connections::hosts_of_cell(cell, &basis),
        spectrum: spectrum(cell, &basis),
        slow_requests: request_list::slowest(cell),
        failed_requests: request_list::failed(cell),
        slowest: singles.slowest,
        fastest: singles.fastest,
        patterns: singles.patterns,
        cache: single::cache_of(cell).map(|cache| CacheHits {
            forecast: cache.forecast(),
            observed: cache.observed(),
            lookups: cache.lookups,
        }),
        search: single::search_of(cell),
        stages: stages::of_cell(&basis),
        operations: operations_by_role(&cell.slices)
            .iter()
            .map(|(name, role)| of_operation(cell, &basis, slices, name, *role))
            .collect(),
    }
}

/// The figures of the target's control group (cgroup); `None` if no slice has such figures.
fn group(cell: &Cell<'_>, basis: &Basis<'_>) -> Option<GroupResult> {
    let seen = cell.slices.iter().filter_map(|slice| slice.server()?.group);
    let groups: Vec<_> = seen.collect();
    let last = groups.last()?;
    Some(GroupResult {
        alone: groups.iter().all(|group| group.alone),
        cpu: basis.each(|slice| server::each_of_group(slice, |group| group.cpu_seconds)),
        memory_bytes: last.memory_bytes,
        memory_peak_bytes: last.memory_peak_bytes,
        throttled: basis.each(|slice| {
            let group = slice.server()?.group?;
            let stretch = slice.server()?.seconds.filter(|seconds| *seconds > 0.0)?;
            Some(group.throttled_us? as f64 / 1e6 / stretch)
        }),
        read_bytes: basis
            .each(|slice| server::each_of_group(slice, |group| Some(group.read_bytes? as f64))),
        written_bytes: basis
            .each(|slice| server::each_of_group(slice, |group| Some(group.written_bytes? as f64))),
    })
}

fn of_operation(
    cell: &Cell<'_>,
    basis: &Basis<'_>,
    slices: &[Slice],
    name: &str,
    role: Role,
) -> OperationResult {
    let ops: Vec<&OpFigures> = cell
        .slices
        .iter()
        .flat_map(|slice| find(slice, name))
        .collect();
    let mut errors = BTreeMap::new();
    for (class, count) in ops.iter().flat_map(|op| &op.errors) {
        if *count > 0 {
            *errors.entry(class.name().to_owned()).or_default() += count;
        }
    }
    let mut counts = Counts::default();
    for op in &ops {
        counts += op.counts;
    }
    let mut statuses = BTreeMap::new();
    let mut failures = BTreeMap::new();
    let sent = slices
        .iter()
        .filter(|slice| slice.workload == cell.workload.name && slice.target == cell.target.name);
    for op in sent.flat_map(|slice| find(slice, name)) {
        for (status, count) in &op.statuses {
            *statuses.entry(*status).or_default() += count;
        }
        for (text, count) in &op.failures {
            tenbin_record::failure::count(&mut failures, text, *count);
        }
    }
    let closed = is_closed(cell.workload);
    let [service_p50, service_p90, service_p99] =
        basis.quantiles([0.50, 0.90, 0.99], service, name);
    let (timed, [p50, p90, p99]): (Kind, _) = if closed {
        (service, [service_p50, service_p90, service_p99])
    } else {
        (
            response,
            basis.quantiles([0.50, 0.90, 0.99], response, name),
        )
    };
    let [first_byte_p50, first_byte_p99] = basis.quantiles([0.50, 0.99], first_byte, name);
    OperationResult {
        operation: name.to_owned(),
        role,
        counts: counts.map(Some),
        failed: Some(ops.iter().map(|op| op.failed_count()).sum()),
        errors,
        statuses,
        failures,
        throughput: basis.every(|slice| slice.throughput_of(find(slice, name)?)),
        bandwidth: basis.every(|slice| {
            let op = find(slice, name)?;
            let rate = slice.throughput_of(op)?;
            Some(per(op.counts.payload as f64, op.counts.ok).unwrap_or(0.0) * rate)
        }),
        timed_from: if closed {
            TimedFrom::Write
        } else {
            TimedFrom::IntendedStart
        },
        p50,
        p90,
        p99,
        max: largest(&ops, timed),
        service_p50,
        service_p99,
        first_byte_p50,
        first_byte_p99,
    }
}

fn service(op: &OpFigures) -> &PackedHistogram {
    &op.times.service
}

fn response(op: &OpFigures) -> &PackedHistogram {
    &op.times.response
}

fn first_byte(op: &OpFigures) -> &PackedHistogram {
    &op.times.first_byte
}

fn largest(ops: &[&OpFigures], kind: Kind) -> Option<f64> {
    let filled = ops.iter().map(|op| kind(op)).filter(|h| !h.is_empty());
    let nanos = filled.map(PackedHistogram::max).max()?;
    Some(nanos as f64 / 1e9)
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
    use tenbin_record::{ErrorClass, UseScope};

    use super::*;
    use crate::testing::Run;

    fn first(run: &Run) -> ResultOf {
        run.figures().remove(0)
    }

    #[test]
    fn a_row_has_every_figure_with_its_interval() {
        let mut run = Run::pair(8);
        run.first_of("a").fail(ErrorClass::Reset, 3);
        let row = first(&run);
        assert_eq!(
            (row.slices, row.cut_short, row.ok, row.failed),
            (16, 0, Some(16_000), Some(3))
        );
        assert_eq!(row.throughput.unwrap().value, 1_000.0);
        assert_eq!(row.server_cpu.unwrap().value, 0.001_5);
        assert_eq!(row.written_bytes.unwrap().value, 2_048.0);
        assert_eq!(row.peak_rss_bytes, Some(10_000_000));
        assert_eq!(row.rss_start_bytes, None, "not 0");
        assert_eq!(row.scope, Some(UseScope::Processes));
        assert_eq!(row.group, None);
        assert_eq!(row.client_allocated_bytes, None, "not 0");
        assert_eq!(row.written_per_stored, None, "nothing is stored");
        let get = &row.operations[0];
        assert_eq!(get.errors, BTreeMap::from([("reset".to_owned(), 3)]));
        assert_eq!(get.bandwidth.unwrap().value, 1_024_000.0);
        let p99 = get.p99.unwrap();
        assert!((p99.value - 0.002).abs() < 0.000_01, "{p99:?}");
        assert_eq!(get.timed_from, TimedFrom::Write);
    }

    #[test]
    fn work_for_a_core_second_is_the_inverse_of_its_cost() {
        let mut run = Run::pair(8);
        let mut used = 1.0;
        run.each(|slice| {
            used += 0.01;
            slice.server_cpu(used);
        });
        let row = first(&run);
        let (cost, work) = (row.server_cpu, row.per_core_second);
        let (cost, work) = (cost.unwrap(), work.unwrap());
        let ends = |figure: Figure| figure.interval.unwrap();
        assert!((cost.value * work.value - 1.0).abs() < 1e-12);
        assert!(ends(work).low < work.value && work.value < ends(work).high);
        assert!((ends(cost).low * ends(work).high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn memory_begins_with_the_first_slice_and_ends_with_the_last() {
        let mut run = Run::single(3);
        for (slice, at) in run.slices.iter_mut().zip(1..) {
            let used = slice.end.server.as_mut().unwrap().get_mut();
            used.rss_start_bytes = Some(at * 10);
            used.rss_bytes = Some(at * 10 + 7);
            used.rss_end_bytes = Some(at * 10 + 5);
        }
        let row = first(&run);
        let memory = [row.rss_start_bytes, row.peak_rss_bytes, row.rss_end_bytes];
        assert_eq!(memory, [Some(10), Some(37), Some(35)]);
    }

    #[test]
    fn a_control_group_is_reported_only_if_there_is_one() {
        let mut run = Run::single(2);
        for slice in &mut run.slices {
            let used = slice.end.server.as_mut().unwrap().get_mut();
            used.seconds = Some(1.0);
            used.group = Some(tenbin_record::GroupUse {
                alone: true,
                throttled_us: Some(250_000),
                written_bytes: Some(4_000),
                ..Default::default()
            });
        }
        let group = first(&run).group.unwrap();
        assert!(group.alone);
        assert_eq!(group.throttled.unwrap().value, 0.25);
        assert_eq!(group.written_bytes.unwrap().value, 4.0);
        assert_eq!(group.read_bytes, None, "not 0");
    }

    #[test]
    fn a_slice_cut_short_gives_no_figure_but_its_counts() {
        let mut run = Run::pair(8);
        let mut slice = run.first_of("a");
        slice.answers(10, 0.2);
        slice.cut_short();
        let row = first(&run);
        assert_eq!((row.slices, row.cut_short, row.ok), (15, 1, Some(15_010)));
        assert_eq!(row.throughput.unwrap().interval.unwrap().low, 1_000.0);
    }

    #[test]
    fn a_slice_without_completed_operations_has_no_rate() {
        let mut run = Run::single(2);
        run.first_of("a").answers(0, 0.002);
        let row = first(&run);
        assert_eq!((row.slices, row.ok), (2, Some(1_000)));
        assert_eq!(row.throughput, None, "not that of the other one");
        assert_eq!(row.operations[0].throughput, None);
        assert_eq!(row.operations[0].bandwidth, None);
    }

    #[test]
    fn a_run_of_nothing_but_stumps_has_points_only() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.cut_short());
        assert_eq!(
            first(&run).throughput,
            Some(Figure {
                value: 1_000.0,
                interval: None,
                n: 16
            })
        );
    }

    #[test]
    fn a_percentile_is_that_of_all_requests() {
        // In one of eight slices, 12 % of the requests take 0.9 s because of stalls; this is 1.5 %
        // of all requests.
        let mut run = Run::single(8);
        run.each(|slice| {
            let of_slice = slice.0.index;
            let service = &mut slice.0.ops[0].times.service;
            service.clear();
            let stalled = if of_slice == 3 { 120 } else { 0 };
            service.record_n(1_000_000, 1_000 - stalled).unwrap();
            service.record_n(900_000_000, stalled).unwrap();
            slice.0.ops[0].times.response = service.clone();
            let setup = &mut slice.0.setup.connect;
            setup.record_n(1_000, 100 - stalled / 12).unwrap();
            setup.record_n(8_000_000, stalled / 12).unwrap();
        });
        let row = first(&run);
        let get = &row.operations[0];
        let p99 = get.p99.unwrap();
        let interval = p99.interval.unwrap();
        assert!((p99.value - 0.9).abs() < 0.001, "{p99:?}");
        assert!(
            interval.low < 0.0011 && p99.value <= interval.high,
            "{p99:?}"
        );
        assert!((get.p50.unwrap().value - 0.001).abs() < 1e-5);
        assert!((get.service_p99.unwrap().value - 0.9).abs() < 0.001);
        let connect = row.connections.unwrap().connect.unwrap().p99.unwrap().value;
        assert!((connect - 0.008).abs() < 1e-4, "{connect}");
        run.plan.workloads[0].load.pace = tenbin_plan::Pace::Constant { per_second: 1e3 };
        let open = first(&run).operations[0].p99.unwrap().value;
        assert!((open - 0.9).abs() < 0.001, "{open}");
    }

    #[test]
    fn percentiles_need_enough_requests_over_all_slices() {
        let with = |answers| {
            let mut run = Run::pair(8);
            run.each(|slice| slice.answers(answers, 0.002));
            first(&run).operations[0].p99
        };
        assert_eq!(with(30).unwrap().n, 16, "480 of 368");
        assert_eq!(with(20), None);
    }

    #[test]
    fn a_stall_in_one_slice_shows_as_the_largest_time() {
        let mut run = Run::pair(8);
        let mut stalled = run.first_of("a");
        stalled.0.ops[0]
            .times
            .service
            .record(3_000_000_000)
            .unwrap();
        stalled.cut_short();
        let get = &first(&run).operations[0];
        assert!((get.max.unwrap() - 3.0).abs() < 0.01, "{:?}", get.max);
        assert!(get.p99.unwrap().interval.unwrap().high < 0.0021);
        run.each(|slice| slice.0.ops[0].times.service.clear());
        assert_eq!(first(&run).operations[0].max, None, "not 0");
    }

    #[test]
    fn first_bytes_stand_apart_from_service_times() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let first_byte = &mut slice.0.ops[0].times.first_byte;
            first_byte.record_n(500_000, 1_000).unwrap();
        });
        let get = &first(&run).operations[0];
        let p50 = get.first_byte_p50.unwrap().value;
        assert!((p50 - 0.000_5).abs() < 0.000_001, "{p50}");
        assert_eq!(get.service_p50, get.p50);
    }

    #[test]
    fn what_was_not_observed_is_unknown_and_not_zero() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.unobserved());
        let row = first(&run);
        assert_eq!(row.server_cpu, None);
        assert_eq!(row.written_bytes, None);
        assert_eq!(row.peak_rss_bytes, None);
    }
}
