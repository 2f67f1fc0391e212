//! Measures the load generator's machine during a slice.

pub(crate) mod descriptors;
pub(crate) mod meter;
pub(crate) mod ports;
mod usage_between;

use std::time::Instant;

use nix::time::ClockId;
use tenbin_record::{DiskUse, MachineUse, PauseUse, PortsUse, ProgramUse, TcpUse};
use tenbin_targets::counters::{self, Ports, Program, Tcp};
use tenbin_targets::{Detail, MachineCounters, MachineMonitor, Reading, Scope};

use self::meter::grown;
pub(crate) use self::usage_between::cpu_between;
use self::usage_between::{
    by_name, cover, faster, links_between, noticeable_programs, others, pressure_between,
    share_processes, tcp_between, used_by_each, used_by_programs,
};
use crate::target::live::LiveTarget;

/// Reads the state of the load generator's machine and of every target on it.
pub(crate) struct Machine {
    monitor: MachineMonitor,
    /// Whether each target runs on this machine, in target order; `None` if unknown.
    here: Vec<Option<bool>>,
    /// Processes of the hub on this machine.
    hub: Vec<i32>,
    /// Processes of the load generator on this machine beside this one: the hub and the agents.
    generators: Vec<i32>,
}

/// A reading of all counters at one time.
pub(crate) struct Snapshot {
    at: Instant,
    counters: MachineCounters,
    own_cpu_seconds: Option<f64>,
    /// CPU time of every program except Tenbin and the targets; `None` if the system does not
    /// report CPU times.
    programs: Option<Vec<Program>>,
    programs_at: Instant,
    /// CPU time of each process of the target under load.
    of_loaded: Vec<Program>,
    /// CPU time of the load generator's other processes.
    of_generators: Vec<Program>,
    /// Resource usage of each target, in target order.
    pub(crate) targets: Vec<Option<Reading>>,
    /// Resource usage of the listening processes of each unobserved target, in target order.
    listeners: Vec<Option<Reading>>,
}

impl Machine {
    /// Monitors the machine and the free space on the filesystem of the run directory.
    /// `hub` are the processes of the hub on this machine.
    pub(crate) fn new(
        run_directory: &std::path::Path,
        live_targets: &[LiveTarget],
        hub: Vec<i32>,
    ) -> Self {
        Self {
            generators: hub.clone(),
            hub,
            monitor: MachineMonitor::new(run_directory),
            here: live_targets
                .iter()
                .map(|live| live.running.is_here())
                .collect(),
        }
    }

    /// Takes note of the agents' processes on this machine, which can change between slices.
    pub(crate) fn with_agents(&mut self, agents: Vec<i32>) {
        self.generators = agents;
        self.generators.extend(&self.hub);
    }

    /// Reads all counters. The target at `loaded` is read first, because reading the other targets
    /// may take long.
    pub(crate) fn snapshot(&self, live_targets: &[LiveTarget], loaded: usize) -> Snapshot {
        let at = Instant::now();
        let own_cpu_seconds = own_cpu_seconds();
        let counters = self.monitor.read();
        let of_loaded = live_targets[loaded].running.read_usage(Detail::Full);
        let each = live_targets.iter().enumerate();
        let targets = each.map(|(index, live)| {
            if index == loaded {
                of_loaded
            } else {
                live.running.read_usage(Detail::Brief)
            }
        });
        let targets = targets.collect();
        let listeners = live_targets
            .iter()
            .map(|live| live.running.read_listener_usage());
        Snapshot {
            at,
            targets,
            listeners: listeners.collect(),
            own_cpu_seconds,
            counters,
            of_loaded: counters::programs_of(&live_targets[loaded].running.members()),
            of_generators: counters::programs_of(&self.generators),
            // Read last: there may be thousands of processes.
            programs: programs_beside(live_targets, &self.generators),
            programs_at: Instant::now(),
        }
    }

    /// Starts to measure the CPU time that programs use while no target has load.
    pub(crate) fn pause(&self, live_targets: &[LiveTarget]) -> Pause {
        Pause {
            at: Instant::now(),
            targets: usage_of_processes(live_targets),
            programs: programs_beside(live_targets, &self.generators),
            generators: self.generators.clone(),
            active_opens: counters::tcp().active_opens,
        }
    }

    /// The machine's resource use between two snapshots, while the target at `loaded` had load.
    /// `tcp_before` was read before the first connection to that target.
    pub(crate) fn between(
        &self,
        tcp_before: &Tcp,
        before: &Snapshot,
        after: &Snapshot,
        live_targets: &[LiveTarget],
        loaded: usize,
    ) -> MachineUse {
        let (old, new) = (&before.counters, &after.counters);
        let seconds = (after.at - before.at).as_secs_f64();
        let cpu = old.cpu.zip(new.cpu).map(|(old, new)| cpu_between(old, new));
        let own = before.own_cpu_seconds.zip(after.own_cpu_seconds);
        let generators = used_by_each(&before.of_generators, &after.of_generators);
        let generators: f64 = generators.iter().map(|program| program.cpu_seconds).sum();
        let own_cpu_seconds = own.map(|(before, after)| (after - before).max(0.0) + generators);
        let members = live_targets.iter().map(|live| live.running.members());
        let shared = share_processes(&members.collect::<Vec<_>>(), loaded);
        let of_targets = cpu_of_targets(before, after, live_targets, &shared);
        let of_servers = cpu_of_servers(before, after, &of_targets);
        let here = self.here.get(loaded).copied().flatten();
        MachineUse {
            seconds,
            cpu,
            own_cpu_seconds,
            others_cpu_seconds: cpu
                .zip(own_cpu_seconds)
                .and_then(|(cpu, own)| others(cpu.busy, own, &of_servers, &self.here)),
            programs: programs_between(before, after, seconds),
            target_programs: (!after.of_loaded.is_empty())
                .then(|| by_name(used_by_each(&before.of_loaded, &after.of_loaded))),
            pause: None,
            idle_targets: live_targets
                .iter()
                .zip(&of_targets)
                .enumerate()
                .filter(|(at, _)| *at != loaded && !shared[*at])
                .filter(|(_, (live, _))| !live.running.is_halted())
                .filter_map(|(_, (live, used))| Some((live.running.name.clone(), (*used)?)))
                .collect(),
            target_here: here,
            pressure: pressure_between(&old.pressure, &new.pressure),
            tcp: TcpUse {
                // Counted from the first connection to the target.
                listen_overflows: grown(tcp_before.listen_overflows, new.tcp.listen_overflows),
                listen_drops: grown(tcp_before.listen_drops, new.tcp.listen_drops),
                ..tcp_between(&old.tcp, &new.tcp)
            },
            swapped_pages: grown(old.swapped_pages, new.swapped_pages),
            throttled_periods: grown(
                old.throttled.map(|throttled| throttled.periods),
                new.throttled.map(|throttled| throttled.periods),
            ),
            throttled_us: grown(
                old.throttled.map(|throttled| throttled.micros),
                new.throttled.map(|throttled| throttled.micros),
            ),
            frequency: faster(old.frequency, new.frequency),
            governor: new.governor.clone(),
            disk: new.disk.map(|disk| DiskUse {
                available_bytes: disk.available,
                size_bytes: disk.size,
            }),
            links: links_between(&old.links, &new.links),
            ports: Ports::to(here).map(|ports| PortsUse {
                count: ports.count,
                held_seconds: ports.held.as_secs_f64(),
            }),
        }
    }
}

/// CPU time that each target used, in target order; `None` if unknown.
fn cpu_of_targets(
    before: &Snapshot,
    after: &Snapshot,
    live_targets: &[LiveTarget],
    shared: &[bool],
) -> Vec<Option<f64>> {
    let readings = before.targets.iter().zip(&after.targets);
    let targets = readings.zip(live_targets).zip(shared);
    let used = targets.map(|(((before, after), live), is_shared)| {
        // A halted target uses nothing; shared processes count for one target only.
        if live.running.is_halted() || *is_shared {
            return Some(0.0);
        }
        // The usage of a whole host is not the usage of the target.
        let own = |reading: &Reading| reading.usage.scope == Scope::Processes;
        meter::between((*before).filter(own), (*after).filter(own))?.cpu_seconds
    });
    used.collect()
}

/// CPU time of the targets, or, if unknown, of the processes that listen for an unobserved target.
fn cpu_of_servers(
    before: &Snapshot,
    after: &Snapshot,
    of_targets: &[Option<f64>],
) -> Vec<Option<f64>> {
    let readings = before.listeners.iter().zip(&after.listeners);
    let used = readings.zip(of_targets).map(|((before, after), observed)| {
        observed.or_else(|| meter::between(*before, *after)?.cpu_seconds)
    });
    used.collect()
}

/// A running measurement of a pause between slices.
pub(crate) struct Pause {
    at: Instant,
    targets: Vec<Option<Reading>>,
    programs: Option<Vec<Program>>,
    generators: Vec<i32>,
    active_opens: Option<u64>,
}

impl Pause {
    /// Ends the pause and returns the CPU time of programs during the pause.
    pub(crate) fn over(self, live_targets: &[LiveTarget]) -> Option<PauseUse> {
        let seconds = self.at.elapsed().as_secs_f64();
        let before = self.programs?;
        let now = usage_of_processes(live_targets);
        let used = self.targets.iter().zip(&now);
        let used = used.map(|(then, now)| meter::between(*then, *now)?.cpu_seconds);
        let targets = live_targets
            .iter()
            .zip(used)
            .filter_map(|(live, used)| Some((live.running.name.clone(), used?)))
            .collect();
        Some(PauseUse {
            seconds,
            targets,
            active_opens: grown(self.active_opens, counters::tcp().active_opens),
            programs: used_by_programs(&before, &programs_beside(live_targets, &self.generators)?),
        })
    }
}

/// The programs to list for the `seconds` between two snapshots; `None` if their readings do not cover
/// this time.
fn programs_between(before: &Snapshot, after: &Snapshot, seconds: f64) -> Option<Vec<ProgramUse>> {
    let (old, new) = (before.programs.as_deref()?, after.programs.as_deref()?);
    let apart = after.programs_at.duration_since(before.programs_at);
    cover(apart, seconds).then(|| noticeable_programs(old, new, seconds))
}

/// The resource use of each target's processes; `None` for a target on another machine.
fn usage_of_processes(live_targets: &[LiveTarget]) -> Vec<Option<Reading>> {
    let usage = live_targets
        .iter()
        .map(|live| live.running.read_usage(Detail::Brief));
    // The usage of a whole host is not the usage of the target.
    usage
        .map(|read| read.filter(|reading| reading.usage.scope == Scope::Processes))
        .collect()
}

/// All programs except the targets and the load generator.
fn programs_beside(live_targets: &[LiveTarget], generators: &[i32]) -> Option<Vec<Program>> {
    let members = live_targets.iter().flat_map(|live| {
        let observed = live.running.members().into_iter();
        observed.chain(live.running.listener_members())
    });
    let members = members.chain(generators.iter().copied());
    counters::programs(&members.collect::<Vec<i32>>())
}

/// CPU time of this process, over all threads.
pub(crate) fn own_cpu_seconds() -> Option<f64> {
    let time = ClockId::CLOCK_PROCESS_CPUTIME_ID.now().ok()?;
    Some(std::time::Duration::from(time).as_secs_f64())
}
