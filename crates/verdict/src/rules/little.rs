//! Little's law.

use hdrhistogram::Histogram;
use tenbin_plan::{HttpVersion, Load, Think};
use tenbin_record::{Role, Slice};
use tenbin_result::format::{percent, plural, ratio};
use tenbin_result::{Blame, Finding, Severity};
use tenbin_stats::Little;

use super::Rule;
use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::latency::{Kind, Sums};

/// How far ρ may be from one, on top of what the ends of a slice can do.
const TOLERANCE: f64 = 0.03;

/// Standard deviations of what chance does at the ends of the slices that are
/// put up with: a finding voids the run, so that one in hundreds is too many.
const DEVIATIONS: f64 = 3.0;

/// Operations a connection must have had in a slice, on average: with fewer the
/// ends of the slice decide the figure.
const OPERATIONS_PER_CONNECTION: f64 = 10.0;

const NANOS_PER_SECOND: f64 = 1e9;

/// Little's law.
pub(super) struct LittlesLaw;

impl Rule for LittlesLaw {
    fn name(&self) -> &'static str {
        "little"
    }

    fn summary(&self) -> &'static str {
        "the figures violate Little's law"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("little.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let closed = cells.iter().filter(|cell| is_closed(cell.workload));
        closed.filter_map(|cell| self.cell(cell)).collect()
    }
}

impl LittlesLaw {
    fn cell(&self, cell: &Cell<'_>) -> Option<Finding> {
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
        Some(Finding {
            rule: self.name().to_owned(),
            severity: Severity::Invalid,
            blame: Blame::Generator,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "{:.1} operations/s × {:.3} ms is {} in flight, but {} were asked for: \
                 ratio {}, not 1 ± {} ({})",
                little.throughput,
                little.residence * 1e3,
                ratio(little.throughput * little.residence),
                ratio(little.concurrency),
                ratio(rho),
                percent(tolerance),
                plural(full.len(), "slice"),
            ),
            advice: if rho > 1.0 {
                "do not use these figures: more was in flight than was asked for, or times are \
                 too long; please report it"
            } else {
                "do not use these figures: connections were idle for an unknown time; look for \
                 fewer objects than connections, or a load generator that cannot keep up"
            }
            .to_owned(),
        })
    }
}

/// X·(R + Z)/N of these slices under this load: 1 when the figures belong together.
/// `None` when nothing ended in them.
pub(crate) fn rho(slices: &[&Slice], load: &Load) -> Option<f64> {
    let think = load.think.map_or(0.0, |think| think.mean().as_secs_f64());
    let little = Totals::of(slices, load, &Sums::default()).little()?;
    Little { think, ..little }.ratio()
}

/// Whether there is a reason for less to be in flight than was asked for.
fn may_rest(cell: &Cell<'_>) -> bool {
    let load = &cell.workload.load;
    // A slice that ends with its work ends raggedly: the last operations leave the
    // others' connections without any. Some are told to rest. And a server of HTTP/2
    // may allow fewer streams.
    let fewer_streams = load.depth > 1 && cell.target.way.http == HttpVersion::Http2;
    // And a step may have to wait for the one before it, as the end of an upload for
    // its parts.
    let mut ops = cell.slices.iter().flat_map(|slice| &slice.ops);
    let in_steps = ops.any(|op| op.role == Role::Step);
    cell.workload.may_end_early() || load.think.is_some() || fewer_streams || in_steps
}

/// Sums over slices. An operation is here a request, since that is what takes up a
/// connection: a step of something larger is one, and that larger thing is not.
#[derive(Default)]
struct Totals {
    slices: f64,
    /// Operations of any outcome that ended in the windows.
    operations: f64,
    /// Operations whose time is known, and the sum of their seconds.
    timed: f64,
    busy: f64,
    /// Seconds inside the windows of operations that no histogram has.
    unrecorded: f64,
    /// Seconds outside the windows of operations that a histogram has.
    outside: f64,
    /// Seconds that connections took to be made inside the windows.
    connecting: f64,
    /// The same with several hosts, where others may or may not have been asked meanwhile.
    connecting_beside: f64,
    /// Sum of the squares of the operations' seconds.
    squares: f64,
    /// Sum of their cubes.
    cubes: f64,
    /// Seconds of measured windows.
    seconds: f64,
    /// Operations that could be out at once, times seconds.
    capacity: f64,
    /// Seconds that a connection rests at least after each answer.
    think: f64,
}

impl Totals {
    /// `sums` are those of the cell of the slices, or new ones.
    fn of(slices: &[&Slice], load: &Load, sums: &Sums) -> Self {
        let mut totals = Self {
            think: fixed_think(load),
            ..Self::default()
        };
        for slice in slices {
            totals.slices += 1.0;
            totals.seconds += slice.seconds;
            totals.capacity += (slice.connections * load.depth) as f64 * slice.seconds;
            let ended = slice.requests().map(|op| op.ok + op.failed_count());
            totals.operations += ended.sum::<u64>() as f64;
            match slice.hosts.len() {
                0 | 1 => totals.connecting += connecting(slice, load.keep_alive),
                _ => totals.connecting_beside += made_inside(slice, load.keep_alive),
            }
            totals.unrecorded += slice.ledger.unrecorded_nanos as f64 / NANOS_PER_SECOND;
            totals.outside += slice.ledger.outside_nanos as f64 / NANOS_PER_SECOND;
        }
        let kinds: [Kind; 2] = [|op| &op.service, |op| &op.failed];
        for kind in kinds {
            let times = sums.of(slices, &|slice| slice.requests().map(kind).collect());
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

    /// Mean time of an operation inside the window. Where it is known what the histograms have too
    /// much and too little at the ends of the window, that is all time in flight divided by the
    /// operations that ended, so that rate times mean is exactly what was in flight; otherwise the
    /// mean of the histograms.
    fn mean_busy(&self) -> f64 {
        match self.unrecorded + self.outside {
            0.0 => self.busy / self.timed,
            _ => (self.busy + self.unrecorded - self.outside).max(0.0) / self.operations,
        }
    }

    /// The same if nobody else was asked while a connection was made.
    fn most(&self) -> Option<Little> {
        let little = self.little()?;
        let residence = little.residence + self.connecting_beside / self.operations;
        Some(Little {
            residence,
            ..little
        })
    }

    /// In one slice, on average.
    fn operations_per_connection(&self) -> Option<f64> {
        let connections = self.capacity / self.seconds;
        let each = self.operations / connections / self.slices;
        each.is_finite().then_some(each)
    }

    /// Length of an operation that straddles an end of the window, with the making
    /// of its connection and the rest behind it, as a share of the window: it may be
    /// counted at one end and not at the other. Long operations straddle more often
    /// than short ones, hence E[R²]/E[R] and not E[R]. Not divided by the number of slices: those begin alike, so what one
    /// loses all may lose.
    fn straddling(&self) -> Option<f64> {
        let length = self.squares / self.busy + self.connecting / self.operations + self.think;
        let share = length / (self.seconds / self.slices);
        share.is_finite().then_some(share)
    }

    /// Standard deviation of ρ from what happens to be cut at the ends. The part of
    /// an operation that reaches over an end has the mean square E[R³]/3E[R]
    /// (renewal theory: the excess of an inspected interval); every connection of
    /// every slice has two ends. Rare long stalls make it large.
    fn scatter(&self) -> Option<f64> {
        let mean_square = self.cubes / (3.0 * self.busy);
        let connections = self.capacity / self.seconds;
        let ends = 2.0 * connections * self.slices;
        let deviation = (ends * mean_square).sqrt() / self.capacity;
        deviation.is_finite().then_some(deviation)
    }
}

/// The rest that every connection takes after each answer. One that is drawn anew each
/// time is left out: its mean over few operations is anybody's guess.
fn fixed_think(load: &Load) -> f64 {
    match load.think {
        Some(Think::Fixed(time)) => time.as_secs_f64(),
        Some(Think::Uniform { .. } | Think::Exponential { .. }) | None => 0.0,
    }
}

/// Seconds that connections of a slice took to be made inside its window, with nothing
/// else to do; `keep_alive` says whether they were used again. What else was out on the
/// connection before is sent again, and its own time goes on; and with several hosts the
/// others are asked meanwhile.
pub fn connecting(slice: &Slice, keep_alive: bool) -> f64 {
    match slice.hosts.len() {
        0 | 1 => made_inside(slice, keep_alive),
        _ => 0.0,
    }
}

/// Seconds that connections took to be made inside the window, whatever else was done
/// meanwhile.
fn made_inside(slice: &Slice, keep_alive: bool) -> f64 {
    let opened = slice.ledger.opened as f64;
    // Connections that are kept were made before the window, or as it opened, each user's
    // to each host. Of those that are not, any number may have been on its way then.
    let before = if keep_alive {
        (slice.connections * slice.hosts.len().max(1)) as f64
    } else {
        slice.ledger.standing as f64
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
    fn depth_makes_room_for_more_on_a_connection() {
        let mut run = Run::pair(8);
        // Two connections with eight at once, 2 ms each.
        run.plan.workloads[0].load.depth = 8;
        run.each(|slice| slice.answers(8_000, 0.002));
        assert_eq!(run.findings(&LittlesLaw), []);
        run.each(|slice| slice.answers(4_000, 0.002));
        assert_eq!(run.findings(&LittlesLaw).len(), 2);
        // A server of HTTP/2 may allow fewer at once, though never more.
        run.plan.targets[0].way.http = HttpVersion::Http2;
        assert_eq!(run.findings(&LittlesLaw).len(), 1);
        run.each(|slice| slice.answers(9_600, 0.002));
        assert_eq!(run.findings(&LittlesLaw).len(), 2);
    }

    #[test]
    fn fires_when_more_is_in_flight_than_connections() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(1_000, 0.0024));
        let findings = run.findings(&LittlesLaw);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert!(findings[0].evidence.contains("ratio 1.2"), "{findings:?}");
    }

    #[test]
    fn fires_when_connections_rest() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(900, 0.002));
        assert_eq!(run.findings(&LittlesLaw).len(), 1);
    }

    /// A server that takes up its connections one after the other: the first responses, to requests
    /// sent before the window opened, take far longer than the later ones.
    #[test]
    fn requests_out_as_the_window_opens_are_counted_with_the_time_that_they_have_in_it() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(850, 0.002));
        assert_eq!(run.findings(&LittlesLaw).len(), 1);
        run.each_of("a", |slice| {
            let missing = slice.0.connections as f64 * slice.0.seconds - 850.0 * 0.002;
            slice.0.ledger.unrecorded_nanos = (missing * 1e9) as u64;
        });
        assert_eq!(run.findings(&LittlesLaw), []);
        // What reached over the end of the window was not in flight inside it.
        run.each_of("a", |slice| {
            slice.0.ledger.outside_nanos = slice.0.ledger.unrecorded_nanos;
        });
        assert_eq!(run.findings(&LittlesLaw).len(), 1);
    }

    #[test]
    fn failures_and_connecting_take_their_time_too() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| {
            slice.answers(800, 0.002);
            slice.fail_after(tenbin_record::ErrorClass::Status, 100, 0.002);
            slice.connecting(900, 0.2);
        });
        assert_eq!(run.findings(&LittlesLaw), []);
    }

    #[test]
    fn connections_on_their_way_when_the_window_opens_are_of_the_window() {
        // A new connection, of 18 ms, for each operation of 2 ms on two connections.
        let mut run = Run::pair(8);
        run.plan.workloads[0].load.keep_alive = false;
        run.each(|slice| {
            slice.answers(100, 0.002);
            slice.0.ledger.opened = 100;
            slice.0.ledger.standing = 0;
            slice.0.ledger.connect_nanos = 100 * 18_000_000;
        });
        assert_eq!(run.findings(&LittlesLaw), []);
        run.each(|slice| slice.answers(100, 0.006));
        assert_eq!(run.findings(&LittlesLaw).len(), 2);
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
                slice.0.ledger.standing = 0;
                slice.0.ledger.connect_nanos = requests * connect_nanos;
            });
        };
        // A new connection of 0.5 ms for each operation of 2 ms, on two connections: made
        // while the other host is asked, or while nobody is.
        for requests in [1_000, 900, 800] {
            on_two_hosts(&mut run, requests, 500_000);
            assert_eq!(run.findings(&LittlesLaw), [], "{requests}");
        }
        on_two_hosts(&mut run, 700, 500_000);
        assert_eq!(run.findings(&LittlesLaw).len(), 1);
        on_two_hosts(&mut run, 1_100, 500_000);
        assert_eq!(run.findings(&LittlesLaw).len(), 1);
    }

    #[test]
    fn connections_made_before_the_window_take_none_of_its_time() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.connecting(0, 0.4));
        assert_eq!(run.findings(&LittlesLaw), []);
    }

    #[test]
    fn silent_when_rare_stalls_happen_to_lie_across_the_ends() {
        // 200 ms slices, 0.1 ms each on one connection, and pauses of 100 ms: one
        // inside a slice, two that began before one and reach 90 ms into it.
        let mut run = Run::single(8);
        run.each(|slice| {
            slice.0.connections = 1;
            slice.0.seconds = 0.2;
            let quick = [1_000, 1_100, 1_100];
            let quick = quick.get(slice.0.index as usize).copied();
            slice.answers(quick.unwrap_or(2_000), 0.000_1);
        });
        let op = &mut run.first_of("a").0.ops[0];
        op.ok += 1;
        op.service.record(100_000_000).unwrap();
        assert_eq!(run.findings(&LittlesLaw), []);
    }

    #[test]
    fn it_is_the_reported_rate_that_is_tested() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.0.ops[0].ok = 1_100);
        assert_eq!(run.findings(&LittlesLaw).len(), 1);
    }

    #[test]
    fn connections_may_rest_at_the_end_of_a_slice_by_count() {
        let mut run = Run::pair(8);
        run.plan.workloads[0].load.requests = Some(800);
        run.each(|slice| slice.answers(800, 0.002));
        assert_eq!(run.findings(&LittlesLaw), []);
        run.each(|slice| slice.answers(1_200, 0.002));
        assert_eq!(run.findings(&LittlesLaw).len(), 2);
    }

    #[test]
    fn connections_may_rest_when_they_are_told_to() {
        let mut run = Run::pair(8);
        let think = Think::Fixed(Duration::from_millis(1));
        run.plan.workloads[0].load.think = Some(think);
        run.each(|slice| slice.answers(600, 0.002));
        assert_eq!(run.findings(&LittlesLaw), []);
        // With their rests, two connections cannot have had more than 667.
        run.each(|slice| slice.answers(720, 0.002));
        assert_eq!(run.findings(&LittlesLaw).len(), 2);
    }

    #[test]
    fn silent_when_the_ends_of_a_slice_explain_it() {
        // 11 operations of 100 ms on each of two connections in one second.
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(22, 0.1));
        assert_eq!(run.findings(&LittlesLaw), []);
        // Too few to say anything, however far off.
        run.each_of("a", |slice| slice.answers(12, 0.3));
        assert_eq!(run.findings(&LittlesLaw), []);
    }

    #[test]
    fn it_is_requests_that_are_in_flight_and_not_what_they_are_part_of() {
        // 1,000 requests of 2 ms on two connections, as steps of 250 wholes of 8 ms.
        let mut run = Run::pair(8);
        run.each(|slice| slice.in_steps(4));
        assert_eq!(run.findings(&LittlesLaw), []);
        // Steps wait for each other, so that less may be in flight; more may not.
        run.each_of("a", |slice| slice.0.ops[0].ok = 900);
        assert_eq!(run.findings(&LittlesLaw), []);
        run.each_of("a", |slice| slice.0.ops[0].ok = 1_400);
        assert_eq!(run.findings(&LittlesLaw).len(), 1);
    }

    #[test]
    fn silent_in_an_open_loop_and_when_the_law_holds() {
        assert_eq!(Run::pair(8).findings(&LittlesLaw), []);
        let mut open = Run::pair(8).open_loop();
        open.each_of("a", |slice| slice.answers(500, 0.002));
        assert_eq!(open.findings(&LittlesLaw), []);
    }
}
