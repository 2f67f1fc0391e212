//! Figures that violate Little's law.

use hdrhistogram::Histogram;
use tenbin_plan::{HttpVersion, Load, Think};
use tenbin_record::{Role, Slice};
use tenbin_result::{Cause, Finding, Severity, Value, message};
use tenbin_stats::Little;

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::figures::latency::{Kind, Sums};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Accepted difference of ρ ([`rho`]) from 1, in addition to the effects of the edges of a slice.
const TOLERANCE: f64 = 0.03;

/// Accepted random variation at the slice edges, in standard deviations. A finding makes the run
/// invalid, so even one false finding in hundreds of runs is too many.
const DEVIATIONS: f64 = 3.0;

/// Mean number of operations per connection in a slice below which ρ is not judged, because
/// operations cut off at the edges of the slice dominate ρ.
const OPERATIONS_PER_CONNECTION: f64 = 10.0;

const NANOS_PER_SECOND: f64 = 1e9;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "little",
    summary: Texts {
        english: "the figures violate Little's law",
        japanese: "数値がリトルの法則に反する",
    },
    severities: &[Severity::Invalid],
    explanation: pages!("little"),
    messages: Messages {
        english: r#"
            violated =
                { $throughput } operations/s × { $residence } ms is { $in_flight } operations in
                flight, but the load has { $at_once }: ratio { $rho }, not 1 ± { $tolerance }
                ({ $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                })
            too-many-in-flight =
                do not use these figures: more operations were in flight than the load allows, or
                the times are too long; please report it with the run directory
            idle-connections =
                do not use these figures: connections were idle without a known reason; there may
                be fewer objects than connections
        "#,
        japanese: r#"
            violated =
                { $throughput } 操作/s × { $residence } ms から求めた処理中の操作は { $in_flight } だが、
                負荷の設定は { $at_once }。比は { $rho } で、1 ± { $tolerance } に収まらない({ $slices } スライス)
            too-many-in-flight =
                この数値は使わない。処理中の操作が負荷の設定より多いか、時間が長すぎる。
                実行ディレクトリーを添えて報告してほしい
            idle-connections =
                この数値は使わない。理由は不明だが、使われていない接続があった。
                オブジェクト数が同時接続数より少ない可能性がある
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let closed = cells.iter().filter(|cell| is_closed(cell.workload));
    closed.filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let full = cell.full();
    let totals = Totals::of(&full, &cell.workload.load, &cell.sums);
    if totals.operations_per_connection()? < OPERATIONS_PER_CONNECTION {
        return None;
    }
    let little = totals.little()?;
    let rho = little.ratio()?;
    let tolerance = TOLERANCE + totals.straddling()? + DEVIATIONS * totals.scatter()?;
    let too_many = rho > 1.0 + tolerance;
    let too_few = totals.most()?.ratio()? < 1.0 - tolerance && !may_rest(cell);
    if !too_many && !too_few {
        return None;
    }
    let violated = message!(
        "violated",
        throughput = Value::Fixed(little.throughput, 1),
        residence = Value::Fixed(little.residence * 1e3, 3),
        in_flight = Value::Ratio(little.throughput * little.residence),
        at_once = Value::Ratio(little.concurrency),
        rho = Value::Ratio(rho),
        tolerance = Value::Share(tolerance),
        slices = full.len()
    );
    let advice = if rho > 1.0 {
        message!("too-many-in-flight")
    } else {
        message!("idle-connections")
    };
    let finding = RULE.finding(Severity::Invalid, Cause::Generator, violated, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// ρ = X·(R + Z)/N of `slices` under `load`: 1 if the figures are consistent. `None` if no
/// operation ended.
pub(crate) fn rho(slices: &[&Slice], load: &Load) -> Option<f64> {
    let think = load.think.map_or(0.0, |think| think.mean().as_secs_f64());
    let little = Totals::of(slices, load, &Sums::default()).little()?;
    Little { think, ..little }.ratio()
}

/// By which factor the edges of the slices make the throughput of a closed loop too high: the mean
/// time of the requests that started in a slice ÷ the time in a slice for each completed request. 1
/// if as much time lies outside the slices as requests in flight at the start bring in; above 1 if
/// long requests that started in a slice end after it. By Little's law, N ÷ (mean time of a request)
/// is the throughput that the target can keep. `None` if nothing ended.
pub(crate) fn overstated(cell: &Cell<'_>) -> Option<f64> {
    let load = &cell.workload.load;
    let totals = Totals::of(&cell.full(), load, &cell.sums);
    let think = load.think.map_or(0.0, |think| think.mean().as_secs_f64());
    let beside = totals.little()?.residence - totals.mean_busy() + think;
    let factor = (totals.busy / totals.timed + beside) / (totals.mean_busy() + beside);
    factor.is_finite().then_some(factor)
}

/// Whether connections may be idle without a fault, so that ρ below 1 is normal.
fn may_rest(cell: &Cell<'_>) -> bool {
    let load = &cell.workload.load;
    // If a slice ends when all its operations are done, some connections run out of operations
    // earlier. A load can have a think time. An HTTP/2 server can allow fewer streams than
    // requested.
    let fewer_streams = load.depth > 1 && cell.target.connect.http == HttpVersion::Http2;
    // A sub-request can wait for an earlier sub-request: the end of an upload waits for the parts.
    let mut ops = cell.slices.iter().flat_map(|slice| &slice.ops);
    let in_steps = ops.any(|op| op.role == Role::Step);
    cell.workload.may_end_early() || load.think.is_some() || fewer_streams || in_steps
}

/// Sums over slices. Operations are requests here, because requests occupy connections:
/// sub-requests count, transactions do not.
#[derive(Default)]
struct Totals {
    slices: f64,
    /// Number of operations that ended in the windows, with any outcome.
    operations: f64,
    /// Number of operations with a known duration; `busy` is the sum of their durations, seconds.
    timed: f64,
    busy: f64,
    /// Seconds that operations missing from all histograms spent inside the windows.
    unrecorded: f64,
    /// Seconds that operations in the histograms spent outside the windows.
    outside: f64,
    /// Time for which connections were free because the load generator had not sent their next
    /// request yet, seconds.
    turnaround: f64,
    /// Time inside the windows spent on opening connections, with a single host, seconds.
    connecting: f64,
    /// Time inside the windows spent on opening connections, with several hosts, seconds.
    /// Connections to other hosts may have been in use meanwhile.
    connecting_beside: f64,
    /// Sum of the squared times of opening connections, s².
    connecting_squares: f64,
    /// Sum of the squared durations of the timed operations, s².
    squares: f64,
    /// Sum of the cubed durations of the timed operations, s³.
    cubes: f64,
    /// Total length of the measured windows, seconds.
    seconds: f64,
    /// Sum over the windows of (operations that can be in flight at once × seconds).
    capacity: f64,
    /// Think time after each response, seconds, if the think time is fixed; otherwise 0.
    think: f64,
}

impl Totals {
    /// Adds up `slices`. `sums` is the cache of the cell, or a new cache.
    fn of(slices: &[&Slice], load: &Load, sums: &Sums) -> Self {
        let mut totals = Self {
            think: fixed_think(load),
            ..Self::default()
        };
        for slice in slices {
            totals.slices += 1.0;
            totals.seconds += slice.end.seconds;
            totals.capacity += (slice.connections * load.depth) as f64 * slice.end.seconds;
            let ended = slice.requests().map(|op| op.counts.ok + op.failed_count());
            totals.operations += ended.sum::<u64>() as f64;
            match slice.hosts.len() {
                0 | 1 => totals.connecting += connecting(slice, load.keep_alive),
                _ => totals.connecting_beside += made_inside(slice, load.keep_alive),
            }
            totals.unrecorded += slice.ledger.unrecorded_nanos as f64 / NANOS_PER_SECOND;
            totals.outside += slice.ledger.outside_nanos as f64 / NANOS_PER_SECOND;
            totals.turnaround += slice.ledger.turnaround_nanos as f64 / NANOS_PER_SECOND;
        }
        let opened = sums.merged(slices, &|slice| vec![&slice.setup.connect]);
        totals.connecting_squares = opened.map_or(0.0, |times| squares(&times));
        let kinds: [Kind; 2] = [|op| &op.times.service, |op| &op.times.failed];
        for kind in kinds {
            let times = sums.merged(slices, &|slice| slice.requests().map(kind).collect());
            times.iter().for_each(|times| totals.add_times(times));
        }
        totals
    }

    fn add_times(&mut self, times: &Histogram<u64>) {
        for step in times.iter_recorded() {
            let n = step.count_at_value() as f64;
            let value = times.median_equivalent(step.value_iterated_to());
            let seconds = value as f64 / NANOS_PER_SECOND;
            self.timed += n;
            self.busy += n * seconds;
            self.squares += n * seconds.powi(2);
            self.cubes += n * seconds.powi(3);
        }
    }

    fn little(&self) -> Option<Little> {
        (self.seconds > 0.0 && self.operations > 0.0 && self.timed > 0.0).then(|| Little {
            throughput: self.operations / self.seconds,
            residence: self.mean_busy() + self.connecting / self.operations,
            think: self.think,
            concurrency: self.capacity / self.seconds,
        })
    }

    /// Mean time of an operation inside the window, seconds. If `unrecorded` and `outside` are
    /// known, the mean is the total time in flight divided by the number of ended operations, so
    /// that rate times mean is exactly the number in flight. Otherwise, the mean of the histograms.
    fn mean_busy(&self) -> f64 {
        match self.unrecorded + self.outside {
            0.0 => self.busy / self.timed,
            _ => (self.busy + self.unrecorded - self.outside).max(0.0) / self.operations,
        }
    }

    /// The figures with all known times in which a connection was not idle without a reason: the
    /// upper bound of ρ. These are the time in which the load generator prepared the next request or
    /// waited for a core, and the time to open connections, as if no request to another host was in
    /// flight meanwhile.
    fn most(&self) -> Option<Little> {
        let little = self.little()?;
        let known = self.turnaround + self.connecting_beside;
        let residence = little.residence + known / self.operations;
        Some(Little {
            residence,
            ..little
        })
    }

    /// Mean number of operations per connection in a slice.
    fn operations_per_connection(&self) -> Option<f64> {
        let connections = self.capacity / self.seconds;
        let each = self.operations / connections / self.slices;
        each.is_finite().then_some(each)
    }

    /// Mean duration of an operation that crosses an edge of the window, as a share of the window,
    /// including connection setup and think time. A server that drops attempts to connect makes some
    /// set-ups last seconds. Such an operation may count at one edge and not
    /// at the other edge. Long operations cross an edge more often than short operations, hence
    /// E[R²]/E[R] instead of E[R]. More slices do not reduce this error: all slices start the same
    /// way, so the error can be equal in all slices.
    fn straddling(&self) -> Option<f64> {
        let opening = self.connecting_squares / (self.busy + self.connecting);
        let length =
            self.squares / self.busy + self.connecting / self.operations + opening + self.think;
        let share = length / (self.seconds / self.slices);
        share.is_finite().then_some(share)
    }

    /// Standard deviation of ρ from the random position of the edges; rare long stalls increase it.
    /// The part of an operation beyond an edge has the mean square E[R³]/3E[R] (renewal theory: the
    /// excess of an inspected interval), and each connection has two edges in each slice.
    fn scatter(&self) -> Option<f64> {
        let mean_square = self.cubes / (3.0 * self.busy);
        let connections = self.capacity / self.seconds;
        let ends = 2.0 * connections * self.slices;
        let deviation = (ends * mean_square).sqrt() / self.capacity;
        deviation.is_finite().then_some(deviation)
    }
}

/// Sum of the squares of the times, s².
fn squares(times: &Histogram<u64>) -> f64 {
    let steps = times.iter_recorded().map(|step| {
        let value = times.median_equivalent(step.value_iterated_to());
        step.count_at_value() as f64 * (value as f64 / NANOS_PER_SECOND).powi(2)
    });
    steps.sum()
}

/// The think time after each response, seconds, if the think time is fixed; otherwise 0, because
/// the mean of a random think time over few operations is uncertain.
fn fixed_think(load: &Load) -> f64 {
    match load.think {
        Some(Think::Fixed(time)) => time.as_secs_f64(),
        Some(Think::Uniform { .. } | Think::Exponential { .. }) | None => 0.0,
    }
}

/// Time inside the window of a slice spent on opening connections that carried nothing meanwhile,
/// seconds. `keep_alive`: whether connections were kept. A request that is sent again on a new
/// connection counts as in flight. 0 with several hosts, because requests to other hosts are in
/// flight meanwhile.
pub fn connecting(slice: &Slice, keep_alive: bool) -> f64 {
    match slice.hosts.len() {
        0 | 1 => made_inside(slice, keep_alive),
        _ => 0.0,
    }
}

/// Time inside the window spent on opening connections, seconds, even while other requests were in
/// flight.
fn made_inside(slice: &Slice, keep_alive: bool) -> f64 {
    let opened = slice.ledger.opened as f64;
    // With keep-alive, one connection per user and host was opened before the window or at the
    // start of the window. Without keep-alive, any number may have been opening at the start.
    let before = if keep_alive {
        (slice.connections * slice.hosts.len().max(1)) as f64
    } else {
        slice.ledger.already_open as f64
    };
    let inside = opened - before;
    if inside <= 0.0 {
        return 0.0;
    }
    slice.ledger.connect_nanos as f64 / NANOS_PER_SECOND * inside / opened
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tenbin_plan::Think;
    use tenbin_record::HostFigures;

    use super::*;
    use crate::testing::Run;

    #[test]
    fn attempts_to_connect_that_are_repeated_after_a_second_are_no_idle_connections() {
        let mut run = Run::single(8);
        run.plan.workloads[0].load.keep_alive = false;
        // 2 connections; 7 % of the time is neither a request nor the opening of a connection that
        // was done inside the slice.
        run.each(|slice| slice.answers(930, 0.002));
        assert_eq!(run.findings(&RULE).len(), 1);
        run.each(|slice| slice.0.setup.connect.record_n(1_020_000_000, 1).unwrap());
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn depth_allows_more_operations_per_connection() {
        let mut run = Run::pair(8);
        // Two connections with eight requests in flight each, 2 ms per request.
        run.plan.workloads[0].load.depth = 8;
        run.each(|slice| slice.answers(8_000, 0.002));
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| slice.answers(4_000, 0.002));
        assert_eq!(run.findings(&RULE).len(), 2);
        // An HTTP/2 server can allow fewer streams, never more.
        run.plan.targets[0].connect.http = HttpVersion::Http2;
        assert_eq!(run.findings(&RULE).len(), 1);
        run.each(|slice| slice.answers(9_600, 0.002));
        assert_eq!(run.findings(&RULE).len(), 2);
    }

    #[test]
    fn fires_when_more_is_in_flight_than_connections() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(1_000, 0.0024));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert!(findings[0].evidence.contains("ratio 1.2"), "{findings:?}");
    }

    #[test]
    fn fires_when_connections_rest() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(900, 0.002));
        assert_eq!(run.findings(&RULE).len(), 1);
    }

    /// One connection on a busy machine: 100 µs per request, and the load generator waits for a core
    /// for a twentieth of the time before it sends the next request.
    #[test]
    fn silent_when_the_load_generator_waits_for_a_core() {
        let mut run = Run::single(8);
        run.each(|slice| {
            slice.0.connections = 1;
            slice.answers(9_300, 0.000_1);
            slice.0.ledger.turnaround_nanos = 70_000_000;
        });
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| slice.0.ledger.turnaround_nanos = 5_000_000);
        assert_eq!(run.findings(&RULE).len(), 1, "idle without a reason");
        // The time between requests never explains too many requests.
        run.each(|slice| {
            slice.answers(10_500, 0.000_1);
            slice.0.ledger.turnaround_nanos = 0;
        });
        assert_eq!(run.findings(&RULE).len(), 1);
        // Nor does it make a run with requests in flight all the time impossible.
        run.each(|slice| {
            slice.answers(9_900, 0.000_1);
            slice.0.ledger.turnaround_nanos = 200_000_000;
        });
        assert_eq!(run.findings(&RULE), []);
    }

    /// A server accepts connections one after another. The first responses, to requests sent before
    /// the window opened, take far longer than later responses.
    #[test]
    fn requests_in_flight_at_the_window_start_count_with_their_time_inside() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(850, 0.002));
        assert_eq!(run.findings(&RULE).len(), 1);
        run.each_of("a", |slice| {
            let missing = slice.0.connections as f64 * slice.0.end.seconds - 850.0 * 0.002;
            slice.0.ledger.unrecorded_nanos = (missing * 1e9) as u64;
        });
        assert_eq!(run.findings(&RULE), []);
        // The part of an operation after the end of the window does not count as in flight.
        run.each_of("a", |slice| {
            slice.0.ledger.outside_nanos = slice.0.ledger.unrecorded_nanos;
        });
        assert_eq!(run.findings(&RULE).len(), 1);
    }

    #[test]
    fn failures_and_connecting_take_their_time_too() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| {
            slice.answers(800, 0.002);
            slice.fail_after(tenbin_record::ErrorClass::Status, 100, 0.002);
            slice.connecting(900, 0.2);
        });
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn connections_being_opened_at_the_window_start_count() {
        // Two connections; each operation of 2 ms needs a new connection, which takes 18 ms.
        let mut run = Run::pair(8);
        run.plan.workloads[0].load.keep_alive = false;
        run.each(|slice| {
            slice.answers(100, 0.002);
            slice.0.ledger.opened = 100;
            slice.0.ledger.already_open = 0;
            slice.0.ledger.connect_nanos = 100 * 18_000_000;
        });
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| slice.answers(100, 0.006));
        assert_eq!(run.findings(&RULE).len(), 2);
    }

    #[test]
    fn with_several_hosts_connections_may_be_made_beside_requests_or_not() {
        let mut run = Run::pair(8);
        run.plan.workloads[0].load.keep_alive = false;
        let on_two_hosts = |run: &mut Run, requests: u64, connect_nanos: u64| {
            run.each_of("b", |slice| {
                slice.answers(requests, 0.002);
                slice.0.hosts = ["x", "y"].map(HostFigures::new).into();
                slice.0.ledger.opened = requests;
                slice.0.ledger.already_open = 0;
                slice.0.ledger.connect_nanos = requests * connect_nanos;
            });
        };
        // Two connections; each operation of 2 ms needs a new connection, which takes 0.5 ms. The
        // connection opens while a request to the other host is in flight, or while no request is.
        for requests in [1_000, 900, 800] {
            on_two_hosts(&mut run, requests, 500_000);
            assert_eq!(run.findings(&RULE), [], "{requests}");
        }
        on_two_hosts(&mut run, 700, 500_000);
        assert_eq!(run.findings(&RULE).len(), 1);
        on_two_hosts(&mut run, 1_100, 500_000);
        assert_eq!(run.findings(&RULE).len(), 1);
    }

    #[test]
    fn connections_made_before_the_window_take_none_of_its_time() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.connecting(0, 0.4));
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_when_rare_stalls_happen_to_lie_across_the_ends() {
        // Slices of 200 ms, 0.1 ms per operation on one connection, and pauses of 100 ms: one
        // inside a slice, and two that start before a slice and end 90 ms after its start.
        let mut run = Run::single(8);
        run.each(|slice| {
            slice.0.connections = 1;
            slice.0.end.seconds = 0.2;
            let quick = [1_000, 1_100, 1_100];
            let quick = quick.get(slice.0.index as usize).copied();
            slice.answers(quick.unwrap_or(2_000), 0.000_1);
        });
        let op = &mut run.first_of("a").0.ops[0];
        op.counts.ok += 1;
        op.times.service.record(100_000_000).unwrap();
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn it_is_the_reported_rate_that_is_tested() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.0.ops[0].counts.ok = 1_100);
        assert_eq!(run.findings(&RULE).len(), 1);
    }

    #[test]
    fn connections_may_rest_at_the_end_of_a_slice_by_count() {
        let mut run = Run::pair(8);
        run.plan.workloads[0].load.requests = Some(800);
        run.each(|slice| slice.answers(800, 0.002));
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| slice.answers(1_200, 0.002));
        assert_eq!(run.findings(&RULE).len(), 2);
    }

    #[test]
    fn think_times_may_leave_connections_idle() {
        let mut run = Run::pair(8);
        let think = Think::Fixed(Duration::from_millis(1));
        run.plan.workloads[0].load.think = Some(think);
        run.each(|slice| slice.answers(600, 0.002));
        assert_eq!(run.findings(&RULE), []);
        // With think time, two connections complete at most 667 operations.
        run.each(|slice| slice.answers(720, 0.002));
        assert_eq!(run.findings(&RULE).len(), 2);
    }

    #[test]
    fn silent_when_the_ends_of_a_slice_explain_it() {
        // 11 operations of 100 ms on each of two connections in one second.
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(22, 0.1));
        assert_eq!(run.findings(&RULE), []);
        // Too few operations for a conclusion, although ρ is far from 1.
        run.each_of("a", |slice| slice.answers(12, 0.3));
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn requests_count_rather_than_transactions() {
        // 1,000 requests of 2 ms on two connections, as sub-requests of 250 transactions of 8 ms.
        let mut run = Run::pair(8);
        run.each(|slice| slice.in_steps(4));
        assert_eq!(run.findings(&RULE), []);
        // Sub-requests wait for each other, so there can be fewer requests in flight than
        // connections, but never more.
        run.each_of("a", |slice| slice.0.ops[0].counts.ok = 900);
        assert_eq!(run.findings(&RULE), []);
        run.each_of("a", |slice| slice.0.ops[0].counts.ok = 1_400);
        assert_eq!(run.findings(&RULE).len(), 1);
    }

    #[test]
    fn silent_in_an_open_loop_and_when_the_law_holds() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        let mut open = Run::pair(8).open_loop();
        open.each_of("a", |slice| slice.answers(500, 0.002));
        assert_eq!(open.findings(&RULE), []);
    }
}
