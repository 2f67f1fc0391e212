//! Computes the figures of a slice from its seconds. A live run and a run read from disk both use
//! this code and so have the same figures.

use std::collections::BTreeMap;

use tenbin_engine::operation::add_by_key;
use tenbin_engine::{ErrorClass, Ledger, Role, Setup, Timed, Times};

use crate::files::slice_histograms::{Totals, is_digested};
use crate::histogram::packed::PackedHistogram;
use crate::histogram::slot_sum::SlotSum;
use crate::seconds::second::Interval;
use crate::slice::late_requests;
use crate::slice::pauses::Pauses;
use crate::slice::probe::Probed;
use crate::slice::thread_use::ThreadUse;
use crate::slice::{
    AgentPart, AgentUse, ClientUse, HostFigures, OpFigures, SetupFigures, Slice, SliceEnd,
    SliceStart, ThreadTurn,
};

/// The figures of an incomplete slice, to which seconds are added.
#[derive(Debug)]
pub(crate) struct SliceFold {
    start: SliceStart,
    /// Figures of operations, without histograms; `sums` has the histograms of `ops` and `hosts`.
    ops: Vec<OpFigures>,
    ledger: Ledger,
    hosts: Vec<HostFigures>,
    sums: Sums,
    threads: BTreeMap<usize, ThreadSum>,
    pauses: Pauses,
    /// See [`Slice::late`].
    late: Vec<u64>,
    /// Failures by second and class, of operations that count as work.
    failed_in: BTreeMap<u64, BTreeMap<ErrorClass, u64>>,
    /// Results second by second; set for a probe of a maximum-rate search and for a continuous
    /// stretch.
    probed: Option<Probed>,
}

/// Histograms of an incomplete slice. Between slices the histograms are empty, but keep their
/// memory for the next slice.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    /// Histograms by operation.
    pub(crate) ops: Vec<Times<SlotSum>>,
    /// Histograms of connection set-up.
    pub(crate) setup: Setup<SlotSum>,
    /// Service times by host.
    pub(crate) hosts: Vec<SlotSum>,
    /// Times of the work by agent: packed, because there can be hundreds of agents.
    pub(crate) agents: Vec<PackedHistogram>,
}

/// Sums of one thread's figures in the window.
#[derive(Debug)]
struct ThreadSum {
    covered_ns: u64,
    cpu_ns: u64,
    /// Time for which the thread waited for a core, nanoseconds; `None` if any sample lacks this
    /// time.
    waited_ns: Option<u64>,
    last_end_ns: u64,
    backlog: u64,
    ok: u64,
}

impl SliceFold {
    /// Starts a slice. `sums` must be empty: new, or returned by [`Self::finish`].
    pub(crate) fn new(start: SliceStart, mut sums: Sums) -> Self {
        let ops = start.operations_by_role();
        let ops = ops.map(|(name, role)| OpFigures::of(name, role));
        let ops: Vec<OpFigures> = ops.collect();
        let probed = start.is_by_second().then(Probed::default);
        let hosts = start.hosts.iter().map(|n| HostFigures::new(n));
        let hosts: Vec<HostFigures> = hosts.collect();
        sums.ops.resize_with(ops.len(), Default::default);
        sums.hosts.resize_with(hosts.len(), Default::default);
        // A probe has no histograms in `slices.bin`, from which those of agents are read.
        let agents = if probed.is_none() { start.agents } else { 0 };
        sums.agents.resize_with(agents, Default::default);
        Self {
            start,
            ops,
            ledger: Ledger::default(),
            hosts,
            sums,
            threads: BTreeMap::new(),
            pauses: Pauses::default(),
            late: Vec::new(),
            failed_in: BTreeMap::new(),
            probed,
        }
    }

    pub(crate) fn start(&self) -> &SliceStart {
        &self.start
    }

    /// The histograms, to which a caller can add those of a second directly instead of with
    /// [`SliceFold::add`].
    pub(crate) fn sums(&mut self) -> &mut Sums {
        &mut self.sums
    }

    /// Adds a second. Operations and hosts must be in the order of the slice.
    pub(crate) fn add(&mut self, interval: &Interval) {
        if let Some(probed) = &mut self.probed {
            probed.add(interval);
        }
        let ops = self.ops.iter_mut().zip(&mut self.sums.ops);
        for ((sum, times), op) in ops.zip(&interval.ops) {
            sum.add_counts(op);
            times.as_mut().zip(op.times.as_ref()).map(add_to_sum);
        }
        let work = interval.ops.iter().filter(|op| op.role.is_work());
        for op in work.filter(|op| !op.errors.is_empty()) {
            let in_second = self.failed_in.entry(interval.second).or_default();
            add_by_key(in_second, &op.errors);
        }
        self.ledger += interval.ledger;
        let setup = self.sums.setup.as_mut();
        setup.zip(interval.setup.as_ref()).map(add_to_sum);
        let hosts = self.hosts.iter_mut().zip(&mut self.sums.hosts);
        for ((sum, times), host) in hosts.zip(&interval.hosts) {
            sum.add_counts(host);
            times.add(&host.service);
        }
        for (sum, times) in self.sums.agents.iter_mut().zip(&interval.agents) {
            sum.add(times);
        }
        for usage in &interval.threads {
            self.pauses.add(usage);
            late_requests::add(&mut self.late, &usage.late);
        }
        if !interval.drain {
            for usage in &interval.threads {
                self.threads.entry(usage.thread).or_default().add(usage);
            }
        }
    }

    /// Takes the histograms of all added seconds, and resets them.
    pub(crate) fn take_totals(&mut self) -> Totals {
        self.sums.take()
    }

    /// Returns the complete slice with the histograms in `totals`, and empty sums for the next
    /// slice.
    pub(crate) fn finish(
        mut self,
        (end, machines): (SliceEnd, Vec<AgentUse>),
        totals: Totals,
    ) -> (Slice, Sums) {
        for (op, times) in self.ops.iter_mut().zip(totals.ops) {
            op.times = times;
            if self.start.head.closed_loop {
                op.times.response = op.times.service.clone();
            }
        }
        for (host, times) in self.hosts.iter_mut().zip(totals.hosts) {
            host.service = times;
        }
        let mut agents = parts(&self.start, &self.threads);
        for (part, times) in agents.iter_mut().zip(totals.agents) {
            part.times = times;
        }
        for (part, machine) in agents.iter_mut().zip(machines) {
            part.machine = machine;
        }
        let slice = Slice {
            client: client_use(self.threads.values()),
            pause: self.pauses.longest(self.start.head.start),
            head: self.start.head,
            end,
            probed: self.probed,
            ops: self.ops,
            ledger: self.ledger,
            setup: totals.setup,
            hosts: self.hosts,
            agents,
            failed_in: self.failed_in,
            backlog: self.threads.values().map(|thread| thread.backlog).sum(),
            late: self.late,
        };
        (slice, self.sums)
    }
}

impl Sums {
    fn take(&mut self) -> Totals {
        let ops = self.ops.iter_mut().map(|sums| {
            let digested = |times: PackedHistogram, timed| {
                if is_digested(timed) {
                    times.with_digest()
                } else {
                    times
                }
            };
            let taken = sums.as_mut().map(SlotSum::take);
            taken
                .zip(Timed::ALL.into())
                .map(|(times, timed)| digested(times, timed))
        });
        Totals {
            ops: ops.collect(),
            setup: self.setup.as_mut().map(SlotSum::take),
            hosts: self.hosts.iter_mut().map(SlotSum::take).collect(),
            agents: self
                .agents
                .iter_mut()
                .map(|sum| std::mem::take(sum).with_digest())
                .collect(),
        }
    }
}

impl Default for ThreadSum {
    fn default() -> Self {
        Self {
            covered_ns: 0,
            cpu_ns: 0,
            waited_ns: Some(0),
            last_end_ns: 0,
            backlog: 0,
            ok: 0,
        }
    }
}

impl ThreadSum {
    fn add(&mut self, usage: &ThreadUse) {
        self.covered_ns += usage.end_ns.saturating_sub(usage.start_ns);
        self.cpu_ns += usage.cpu_ns;
        self.ok += usage.ok;
        let waited = self.waited_ns.zip(usage.waited_ns);
        self.waited_ns = waited.map(|(sum, part)| sum + part);
        if usage.end_ns >= self.last_end_ns {
            self.last_end_ns = usage.end_ns;
            self.backlog = usage.backlog;
        }
    }

    /// Share of a core that the thread used, 0 to 1; 0 for a thread without a sample.
    fn busy(&self) -> f64 {
        self.share(self.cpu_ns)
    }

    /// Running and waiting time of the thread; `None` if the waiting time is unknown.
    fn turn(&self) -> Option<ThreadTurn> {
        Some(ThreadTurn {
            used: self.busy(),
            waited: self.share(self.waited_ns?),
        })
    }

    fn share(&self, nanos: u64) -> f64 {
        if self.covered_ns == 0 {
            return 0.0;
        }
        nanos as f64 / self.covered_ns as f64
    }
}

/// The part of each agent. The agents share the threads in turn, and the threads share the load
/// evenly.
fn parts(start: &SliceStart, threads: &BTreeMap<usize, ThreadSum>) -> Vec<AgentPart> {
    let mut parts = vec![AgentPart::default(); start.agents];
    // The last thread of each agent may only observe the load.
    let observing = if start.roles.contains(&Role::Poll) {
        start.agents
    } else {
        0
    };
    let sharing = start.threads.saturating_sub(observing);
    let slots = if start.head.closed_loop {
        start.head.connections
    } else {
        sharing
    };
    for thread in (0..sharing).filter(|_| start.agents > 0) {
        let part = &mut parts[thread % start.agents];
        let own = slots / sharing + usize::from(thread < slots % sharing);
        part.share += own as f64 / slots.max(1) as f64;
        part.ok += threads.get(&thread).map_or(0, |sum| sum.ok);
    }
    for (agent, part) in parts.iter_mut().enumerate() {
        let is_own = |thread: &usize| *thread % start.agents == agent;
        let own = threads.iter().filter(|(thread, _)| is_own(thread));
        part.client = client_use(own.map(|(_, sum)| sum));
    }
    parts
}

fn client_use<'a>(threads: impl Iterator<Item = &'a ThreadSum> + Clone) -> ClientUse {
    let cpu_ns: u64 = threads.clone().map(|thread| thread.cpu_ns).sum();
    let busy = threads.clone().map(ThreadSum::busy);
    ClientUse {
        cpu_seconds: cpu_ns as f64 / 1e9,
        busiest_thread: busy.fold(0.0, f64::max),
        readiest_thread: readiest(threads),
    }
}

/// The thread with the largest sum of running time and waiting time for a core; `None` if the
/// waiting time of any thread is unknown.
fn readiest<'a>(threads: impl Iterator<Item = &'a ThreadSum>) -> Option<ThreadTurn> {
    let turns: Option<Vec<ThreadTurn>> = threads.map(ThreadSum::turn).collect();
    let ready = |turn: &ThreadTurn| turn.used + turn.waited;
    let turns = turns?.into_iter();
    turns.max_by(|one, other| ready(one).total_cmp(&ready(other)))
}

fn add_to_sum((sum, times): (&mut SlotSum, &PackedHistogram)) {
    sum.add(times);
}

fn add_times((sum, times): (&mut PackedHistogram, &PackedHistogram)) {
    sum.add(times);
}

/// Adds the figures of an operation, including histograms.
pub(crate) fn add_figures(sum: &mut OpFigures, part: &OpFigures) {
    sum.add_counts(part);
    sum.times.as_mut().zip(part.times.as_ref()).map(add_times);
}

/// Adds the set-up times of connections.
pub(crate) fn add_setup(sum: &mut SetupFigures, part: &SetupFigures) {
    sum.as_mut().zip(part.as_ref()).map(add_times);
}

/// Adds the figures of a host, including the histogram.
pub(crate) fn add_host(sum: &mut HostFigures, part: &HostFigures) {
    sum.add_counts(part);
    sum.service.add(&part.service);
}
