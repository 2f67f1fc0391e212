//! What was seen of one workload on one target.

use std::collections::BTreeMap;

use tenbin_plan::Pace;
use tenbin_record::{MachineUse, ServerUse, Slice};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::figures::latency::NANOS_PER_SECOND;
use crate::limit::quantities::Quantity;
use crate::machine::generator::Thread;
use crate::machine::processor::Busy;
use crate::rules::connections::keep_alive::{NewConnections, Setup};
use crate::rules::machine::thresholds::fullest;
use crate::server;
use crate::server::backend::Backends;
use crate::words::middle;

/// Number of last slices of the rounds that a probe is compared with: the probes follow them.
const LATEST: usize = 4;
/// Additional share of failures with which a probe tells nothing about throughput: 5 percentage
/// points.
const FAILS_MORE: f64 = 0.05;
/// Factor above which the gain from twice the connections is an error of the measurement, such as a
/// pause in the rounds. With few connections, a core that sleeps between requests makes it larger.
const IMPOSSIBLE: f64 = 2.5;
/// Number of connections from which cores no longer sleep between requests.
const KEEPS_AWAKE: usize = 4;
/// Share of the offered rate below which more requests bring no more throughput.
const STAYS_BEHIND: f64 = 0.95;
/// Length of a pause, seconds, below which the clock of CPU time is too coarse.
const SHORT_PAUSE: f64 = 0.05;
/// Fewest operations of a probe with one connection that tell the time of a request alone.
const FEWEST: u64 = 5;

/// The quantities that are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Observed(BTreeMap<Quantity, f64>);

impl Observed {
    /// A quantity; `None` if it is unknown.
    pub(crate) fn get(&self, quantity: Quantity) -> Option<f64> {
        self.0.get(&quantity).copied()
    }

    pub(crate) fn set(&mut self, quantity: Quantity, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.0.insert(quantity, value);
        }
    }

    /// All known quantities by their names in `result.json`.
    pub(crate) fn by_name(&self) -> BTreeMap<String, f64> {
        let all = self.0.iter();
        all.map(|(quantity, value)| (quantity.name().to_owned(), *value))
            .collect()
    }

    /// What was seen of a cell and in its probes; `None` if nothing succeeded.
    pub(crate) fn of(
        cell: &Cell<'_>,
        probes: &[Slice],
        evidence: &Evidence<'_>,
        backends: &Backends<'_>,
    ) -> Option<Self> {
        let full = cell.full();
        let throughput = middle(full.iter().filter_map(|slice| slice.throughput()))?;
        if throughput <= 0.0 {
            return None;
        }
        let mut seen = Self::default();
        seen.set(Quantity::Throughput, Some(throughput));
        seen.load(cell, &full, probes);
        seen.processors(cell, evidence, backends);
        seen.connections(cell, &full);
        seen.transfers(cell, &full);
        seen.machine(&full);
        Some(seen)
    }

    /// How throughput changes with the number of connections, or with the offered rate.
    fn load(&mut self, cell: &Cell<'_>, full: &[&Slice], probes: &[Slice]) {
        let load = &cell.workload.load;
        if let Pace::Constant { per_second } | Pace::Poisson { per_second } = load.pace {
            let kept = self.get(Quantity::Throughput).map(|rate| rate / per_second);
            self.set(Quantity::Kept, kept);
            let stays_behind = kept.is_some_and(|kept| kept < STAYS_BEHIND);
            self.set(Quantity::Doubled, stays_behind.then_some(1.0));
            if stays_behind {
                self.in_use(cell, full, per_second);
            }
        }
        if !is_closed(cell.workload) {
            return;
        }
        let in_flight = (load.connections * load.depth.max(1)) as f64;
        self.set(Quantity::InFlight, Some(in_flight));
        let think = load.think.map(|think| think.mean().as_secs_f64());
        let paused = think.zip(self.get(Quantity::Throughput));
        self.set(
            Quantity::ThinkShare,
            paused.map(|(think, throughput)| throughput * think / in_flight),
        );
        let latest = &full[full.len().saturating_sub(LATEST)..];
        let now = middle(latest.iter().filter_map(|slice| slice.throughput()));
        let rate_of = |connections: usize, fewest: u64| {
            let probe = probes.iter().find(|probe| {
                probe.connections == connections
                    && probe.workload == cell.workload.name
                    && probe.target == cell.target.name
                    && !probe.end.cut_short
            })?;
            let fails_more = failed_share(&[probe]) > failed_share(full) + FAILS_MORE;
            probe
                .throughput()
                .filter(|_| probe.ok() >= fewest && !fails_more)
        };
        let doubled = rate_of(load.connections.saturating_mul(2), 1);
        let doubled = doubled.zip(now).map(|(twice, once)| twice / once);
        let is_possible = |it: &f64| *it < IMPOSSIBLE || load.connections < KEEPS_AWAKE;
        self.set(Quantity::Doubled, doubled.filter(is_possible));
        // With several requests in flight on a connection, one connection is not one request.
        if load.depth > 1 {
            return;
        }
        if load.connections == 1 {
            // Whether a second request waits is seen in the probe with two.
            self.set(Quantity::Alone, now.map(f64::recip));
            self.served(self.get(Quantity::Doubled));
            return;
        }
        let alone = rate_of(1, FEWEST).filter(|rate| *rate > 0.0);
        self.set(Quantity::Alone, alone.map(f64::recip));
        self.served(alone.zip(now).map(|(alone, now)| now / alone));
    }

    /// How much of its connections an open loop uses that stays behind its rate, and how many it needs.
    fn in_use(&mut self, cell: &Cell<'_>, full: &[&Slice], rate: f64) {
        let load = &cell.workload.load;
        let connections = (load.connections * load.depth.max(1)) as f64;
        self.set(Quantity::Connections, Some(connections));
        let times = cell.request_times().filter(|times| !times.is_empty());
        let service = times.map(|times| times.mean() / NANOS_PER_SECOND);
        let requests = middle(full.iter().filter_map(|slice| {
            let ok: u64 = slice.requests().map(|op| op.counts.ok).sum();
            (slice.end.seconds > 0.0).then(|| ok as f64 / slice.end.seconds)
        }));
        let in_flight = service.zip(requests).map(|(service, each)| service * each);
        self.set(
            Quantity::InUse,
            in_flight.map(|in_flight| in_flight / connections),
        );
        self.set(Quantity::Needed, service.map(|service| service * rate));
    }

    /// Requests that could be served at a time: in a run with one in flight, those of the probe.
    pub(crate) fn could_serve(&self) -> Option<f64> {
        self.get(Quantity::InFlight).map(|all| all.max(2.0))
    }

    /// Number of requests served at a time, at most the number that could be. A core that sleeps
    /// between requests responds late to a single request, which makes the quotient too large.
    pub(crate) fn served_at_a_time(&self) -> Option<f64> {
        let served = self.get(Quantity::Served).zip(self.could_serve());
        served.map(|(served, most)| served.min(most))
    }

    fn served(&mut self, served: Option<f64>) {
        self.set(Quantity::Served, served);
        let share = served.zip(self.could_serve());
        self.set(
            Quantity::ServedShare,
            share.map(|(served, all)| served / all),
        );
    }

    /// Who used the cores.
    fn processors(&mut self, cell: &Cell<'_>, evidence: &Evidence<'_>, backends: &Backends<'_>) {
        let thread = Thread::of(cell, backends).map(|thread| thread.ready());
        self.set(Quantity::GeneratorThread, thread);
        let Some(busy) = Busy::of(cell, evidence) else {
            return;
        };
        let cores = busy.cores as f64;
        let unloaded = without_load(cell);
        self.set(
            Quantity::Idle,
            Some(busy.idle()).filter(|_| busy.knows_idle()),
        );
        // What it also uses without load, such as a thread that polls, serves no request.
        self.set(
            Quantity::TargetCores,
            Some((busy.target - unloaded).max(0.0)),
        );
        self.set(Quantity::TargetShare, Some(busy.target / cores));
        // A target that works has a thread that works: nothing left of it means that no sample caught
        // the thread, or that it works without load too. Neither is a thread that uses 0 %.
        let thread_of_target = busy.thread.map(|thread| thread - unloaded);
        let thread_of_target = thread_of_target.filter(|thread| *thread > 0.0);
        self.set(Quantity::TargetThread, thread_of_target);
        let share = busy.thread.map(|thread| thread / busy.target);
        self.set(Quantity::ThreadShare, share);
        let behind = middle(cell.full().iter().filter_map(|slice| backends.cores(slice)));
        let behind = behind.unwrap_or(0.0);
        self.set(Quantity::BackendShare, Some(behind / cores));
        self.set(
            Quantity::OthersShare,
            Some((busy.others - behind).max(0.0) / busy.online as f64),
        );
        let full = cell.full();
        let each = |pick: fn(&ServerUse) -> Option<f64>| {
            middle(full.iter().filter_map(|slice| server::each(slice, pick)))
        };
        let cpu = each(|used| used.cpu_seconds);
        let waited = each(|used| used.waited_for_core_seconds);
        let stored = each(|used| Some((used.read_bytes? + used.written_bytes?) as f64));
        self.set(Quantity::StoredEach, stored);
        let throughput = self.get(Quantity::Throughput);
        let needed = cpu.zip(throughput).map(|(cpu, throughput)| {
            (cpu - unloaded / throughput).max(0.0) + waited.unwrap_or(0.0)
        });
        let alone = self.get(Quantity::Alone);
        self.set(
            Quantity::CpuShare,
            needed.zip(alone).map(|(needed, alone)| needed / alone),
        );
        let demand = throughput.zip(needed);
        let demand = demand.map(|(throughput, needed)| throughput * needed);
        self.set(
            Quantity::CoreDemand,
            demand.map(|demand| demand.max(thread.unwrap_or(0.0))),
        );
        self.set(
            Quantity::CoreWaitShare,
            waited.zip(needed).map(|(waited, needed)| waited / needed),
        );
    }

    /// What connections and the network took.
    fn connections(&mut self, cell: &Cell<'_>, full: &[&Slice]) {
        let new = if cell.workload.load.keep_alive {
            NewConnections::of(cell).share()
        } else {
            Some(1.0)
        };
        self.set(Quantity::NewConnectionShare, new);
        let asks_for_new = !cell.workload.load.keep_alive;
        self.set(
            Quantity::AsksForNew,
            Some(f64::from(u8::from(asks_for_new))),
        );
        let setup = Setup::of(full);
        self.set(
            Quantity::SetupShare,
            setup.map(|it| it.opening / (it.opening + it.responding)),
        );
        let opening = self.get(Quantity::SetupShare);
        let alone = self.get(Quantity::Alone).zip(opening);
        self.set(
            Quantity::AloneOpened,
            alone.map(|(alone, opening)| alone * (1.0 - opening)),
        );
        let statuses = || {
            let ops = full.iter().flat_map(|slice| slice.requests());
            ops.flat_map(|op| &op.statuses)
        };
        let all: u64 = statuses().map(|(_, count)| count).sum();
        let share_of = |is_counted: fn(u16) -> bool| {
            let counted = statuses().filter(|(status, _)| is_counted(**status));
            let counted: u64 = counted.map(|(_, count)| count).sum();
            (all > 0).then(|| counted as f64 / all as f64)
        };
        let refused = share_of(|status| matches!(status, 429 | 503));
        self.set(Quantity::RefusedShare, refused);
        self.set(Quantity::TooManyShare, share_of(|status| status == 429));
    }

    /// What the machine and the target's control group waited for.
    fn machine(&mut self, full: &[&Slice]) {
        let median = |figure: &dyn Fn(&MachineUse) -> Option<f64>| {
            let machines = full.iter().filter_map(|slice| slice.machine());
            middle(machines.filter_map(|machine| figure(&machine)))
        };
        let per_second = |amount: f64, seconds: f64| (seconds > 0.0).then(|| amount / seconds);
        self.set(
            Quantity::StorageShare,
            median(&|it| per_second(it.pressure.io_some_us? as f64 / 1e6, it.seconds)),
        );
        self.set(
            Quantity::SwappedPages,
            median(&|it| per_second(it.swapped_pages? as f64, it.seconds)),
        );
        self.set(
            Quantity::StealShare,
            median(&|it| Some(it.cpu?.steal / it.cpu?.all()?)),
        );
        self.set(Quantity::LinkShare, median(&|it| Some(fullest(it)?.share)));
        let throttled = full.iter().filter_map(|slice| {
            let group = slice.server()?.group?;
            per_second(group.throttled_us? as f64 / 1e6, slice.end.seconds)
        });
        self.set(Quantity::ThrottledShare, middle(throttled));
    }
}

/// Cores that the target uses in the pauses, without load: the median; 0 if unknown.
fn without_load(cell: &Cell<'_>) -> f64 {
    let pauses = cell
        .slices
        .iter()
        .filter_map(|slice| slice.machine()?.pause);
    let used = pauses.filter_map(|pause| {
        let seconds = *pause.targets.get(&cell.target.name)?;
        (pause.seconds > SHORT_PAUSE).then(|| seconds / pause.seconds)
    });
    middle(used).unwrap_or(0.0)
}

/// Share of the operations of some slices that failed; 0 without operations.
fn failed_share(slices: &[&Slice]) -> f64 {
    let failed: u64 = slices.iter().map(|slice| slice.failed()).sum();
    let ok: u64 = slices.iter().map(|slice| slice.ok()).sum();
    failed as f64 / (ok + failed).max(1) as f64
}
