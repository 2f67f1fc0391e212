//! Measures the load generator's machine during a slice.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use nix::time::ClockId;
use tenbin_record::{
    CpuUse, DiskUse, FrequencyUse, LinkUse, MachineUse, PauseUse, PortsUse, PressureUse,
    ProgramUse, TcpUse,
};
use tenbin_targets::counters::{self, CpuTime, Frequency, Link, Ports, Program, Tcp};
use tenbin_targets::{Detail, MachineCounters, MachineMonitor, Reading, Scope};

use crate::live_target::LiveTarget;
use crate::meter::{self, grown};

/// CPU use, as a share of one core, from which a program is listed in the record of a slice.
const PROGRAM_NOTICEABLE: f64 = 0.01;
/// Maximum number of programs listed per slice.
const MOST_PROGRAMS: usize = 16;

/// Reads the state of the load generator's machine and of every target on it.
pub(crate) struct Machine {
    monitor: MachineMonitor,
    /// Whether each target runs on this machine, in target order; `None` if unknown.
    here: Vec<Option<bool>>,
}

/// A reading of all counters at one time.
pub(crate) struct Snapshot {
    at: Instant,
    counters: MachineCounters,
    own_cpu_seconds: Option<f64>,
    /// CPU time of every program except Tenbin and the targets; `None` if the system does not
    /// report CPU times.
    programs: Option<Vec<Program>>,
    /// CPU time of each process of the target under load.
    of_loaded: Vec<Program>,
    /// Resource usage of each target, in target order.
    pub(crate) targets: Vec<Option<Reading>>,
    /// Resource usage of the listening processes of each unobserved target, in target order.
    listeners: Vec<Option<Reading>>,
}

impl Machine {
    /// Monitors the machine and the free space on the filesystem of the run directory.
    pub(crate) fn new(run_directory: &std::path::Path, live_targets: &[LiveTarget]) -> Self {
        Self {
            monitor: MachineMonitor::new(run_directory),
            here: live_targets
                .iter()
                .map(|live| live.running.is_here())
                .collect(),
        }
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
            // Read last: there may be thousands of processes.
            programs: programs_beside(live_targets),
        }
    }

    /// Starts to measure the CPU time that programs use while no target has load.
    pub(crate) fn pause(&self, live_targets: &[LiveTarget]) -> Pause {
        Pause {
            at: Instant::now(),
            programs: programs_beside(live_targets),
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
        let cpu = old.cpu.zip(new.cpu).map(|(old, new)| cpu_between(old, new));
        let own = before.own_cpu_seconds.zip(after.own_cpu_seconds);
        let own_cpu_seconds = own.map(|(before, after)| (after - before).max(0.0));
        let members = live_targets.iter().map(|live| live.running.members());
        let shared = share_processes(&members.collect::<Vec<_>>(), loaded);
        let looks = before.targets.iter().zip(&after.targets);
        let of_targets: Vec<Option<f64>> = looks
            .zip(live_targets)
            .zip(&shared)
            .map(|(((before, after), live), is_shared)| {
                // A halted target uses nothing; shared processes count for one target only.
                if live.running.is_halted() || *is_shared {
                    return Some(0.0);
                }
                // The usage of a whole host is not the usage of the target.
                let own = |reading: &Reading| reading.usage.scope == Scope::Processes;
                meter::between((*before).filter(own), (*after).filter(own))?.cpu_seconds
            })
            .collect();
        let looks = before.listeners.iter().zip(&after.listeners);
        let of_servers: Vec<Option<f64>> = looks
            .zip(&of_targets)
            .map(|((before, after), observed)| {
                observed.or_else(|| meter::between(*before, *after)?.cpu_seconds)
            })
            .collect();
        let here = self.here.get(loaded).copied().flatten();
        MachineUse {
            seconds: (after.at - before.at).as_secs_f64(),
            cpu,
            own_cpu_seconds,
            others_cpu_seconds: cpu
                .zip(own_cpu_seconds)
                .and_then(|(cpu, own)| others(cpu.busy, own, &of_servers, &self.here)),
            programs: before
                .programs
                .as_deref()
                .zip(after.programs.as_deref())
                .map(|(old, new)| {
                    let least = PROGRAM_NOTICEABLE * (after.at - before.at).as_secs_f64();
                    let mut used = used_by_programs(old, new);
                    used.retain(|program| program.cpu_seconds >= least);
                    used.truncate(MOST_PROGRAMS);
                    used
                }),
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
            pressure: PressureUse {
                cpu_some_us: grown(old.pressure.cpu_some, new.pressure.cpu_some),
                io_some_us: grown(old.pressure.io_some, new.pressure.io_some),
                io_full_us: grown(old.pressure.io_full, new.pressure.io_full),
                memory_some_us: grown(old.pressure.memory_some, new.pressure.memory_some),
                memory_full_us: grown(old.pressure.memory_full, new.pressure.memory_full),
            },
            tcp: TcpUse {
                active_opens: grown(old.tcp.active_opens, new.tcp.active_opens),
                sent_segments: grown(old.tcp.sent_segments, new.tcp.sent_segments),
                retransmitted_segments: grown(
                    old.tcp.retransmitted_segments,
                    new.tcp.retransmitted_segments,
                ),
                listen_overflows: grown(tcp_before.listen_overflows, new.tcp.listen_overflows),
                listen_drops: grown(tcp_before.listen_drops, new.tcp.listen_drops),
                time_wait_before: old.tcp.time_wait,
                time_wait_after: new.tcp.time_wait,
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

/// A running measurement of a pause between slices.
pub(crate) struct Pause {
    at: Instant,
    programs: Option<Vec<Program>>,
    active_opens: Option<u64>,
}

impl Pause {
    /// Ends the pause and returns the CPU time of programs during the pause.
    pub(crate) fn over(self, live_targets: &[LiveTarget]) -> Option<PauseUse> {
        let seconds = self.at.elapsed().as_secs_f64();
        let before = self.programs?;
        Some(PauseUse {
            seconds,
            active_opens: grown(self.active_opens, counters::tcp().active_opens),
            programs: used_by_programs(&before, &programs_beside(live_targets)?),
        })
    }
}

fn programs_beside(live_targets: &[LiveTarget]) -> Option<Vec<Program>> {
    let members = live_targets.iter().flat_map(|live| {
        let observed = live.running.members().into_iter();
        observed.chain(live.running.listener_members())
    });
    counters::programs(&members.collect::<Vec<i32>>())
}

/// CPU time of each program that used CPU time between two readings, busiest first.
fn used_by_programs(before: &[Program], after: &[Program]) -> Vec<ProgramUse> {
    let mut used = used_by_each(before, after);
    used.retain(|program| program.cpu_seconds > 0.0);
    used
}

/// CPU time of each process between two readings, busiest first.
fn used_by_each(before: &[Program], after: &[Program]) -> Vec<ProgramUse> {
    let before: HashMap<(i32, u64), f64> = before
        .iter()
        .map(|program| ((program.pid, program.start), program.cpu_seconds))
        .collect();
    let mut used: Vec<ProgramUse> = after
        .iter()
        .filter_map(|program| {
            let had = before.get(&(program.pid, program.start))?;
            Some(ProgramUse {
                pid: program.pid,
                name: program.name.clone(),
                cpu_seconds: (program.cpu_seconds - had).max(0.0),
                rss_bytes: Some(program.rss_bytes),
                processes: None,
            })
        })
        .collect();
    used.sort_by(|one, other| other.cpu_seconds.total_cmp(&one.cpu_seconds));
    used
}

/// Sums the processes with the same name, under the process ID of the first process.
fn by_name(used: Vec<ProgramUse>) -> Vec<ProgramUse> {
    let mut together: Vec<ProgramUse> = Vec::new();
    for program in used {
        match together.iter_mut().find(|known| known.name == program.name) {
            Some(known) => {
                known.cpu_seconds += program.cpu_seconds;
                let both = known.rss_bytes.zip(program.rss_bytes);
                known.rss_bytes = both.map(|(one, other)| one + other);
                known.processes = Some(known.processes.unwrap_or(1) + 1);
            }
            None => together.push(program),
        }
    }
    together.sort_by(|one, other| other.cpu_seconds.total_cmp(&one.cpu_seconds));
    together.truncate(MOST_PROGRAMS);
    together
}

pub(crate) fn cpu_between(before: CpuTime, after: CpuTime) -> CpuUse {
    // The kernel's idle time may decrease (proc(5)).
    let grown = |before: f64, after: f64| (after - before).max(0.0);
    CpuUse {
        cores: after.cores,
        busy: grown(before.busy, after.busy),
        interrupts: grown(before.interrupts, after.interrupts),
        idle: grown(before.idle, after.idle),
        iowait: grown(before.iowait, after.iowait),
        steal: grown(before.steal, after.steal),
    }
}

/// CPU time used by other programs: `busy` minus the CPU time of Tenbin and of the targets on this
/// machine. Unknown if an unobserved target may run here, or if the location of an observed target
/// is unknown.
fn others(busy: f64, own: f64, targets: &[Option<f64>], here: &[Option<bool>]) -> Option<f64> {
    let mut left = busy - own;
    for (used, here) in targets.iter().zip(here) {
        match (used, here) {
            (_, Some(false)) => {}
            (Some(used), Some(true)) => left -= used,
            (None, _) | (_, None) => return None,
        }
    }
    Some(left.max(0.0))
}

/// Whether each target shares an observed process with the loaded target, or with a target before
/// it: the CPU time of such a process is not the use of an idle target. `members` are the process
/// ids of each target.
fn share_processes(members: &[Vec<i32>], loaded: usize) -> Vec<bool> {
    let of_loaded = members.get(loaded).into_iter().flatten().copied();
    let mut known: HashSet<i32> = of_loaded.collect();
    let each = members.iter().enumerate().map(|(at, mine)| {
        let is_shared = at != loaded && mine.iter().any(|pid| known.contains(pid));
        known.extend(mine);
        is_shared
    });
    each.collect()
}

fn faster(before: Option<Frequency>, after: Option<Frequency>) -> Option<FrequencyUse> {
    let seen = before.into_iter().chain(after);
    let fastest = seen.max_by(|a, b| a.fastest_mhz.total_cmp(&b.fastest_mhz))?;
    Some(FrequencyUse {
        fastest_mhz: fastest.fastest_mhz,
        most_mhz: fastest.most_mhz,
    })
}

fn links_between(before: &[Link], after: &[Link]) -> Vec<LinkUse> {
    let used = |new: &Link| {
        let old = before.iter().find(|old| old.name == new.name)?;
        Some(LinkUse {
            name: new.name.clone(),
            received_bytes: new.received.checked_sub(old.received)?,
            sent_bytes: new.sent.checked_sub(old.sent)?,
            bits_per_second: new.bits_per_second,
        })
    };
    after.iter().filter_map(used).collect()
}

/// CPU time of this process, over all threads.
pub(crate) fn own_cpu_seconds() -> Option<f64> {
    let time = ClockId::CLOCK_PROCESS_CPUTIME_ID.now().ok()?;
    Some(std::time::Duration::from(time).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_time_of_an_unobserved_target_is_not_counted_as_others() {
        let (here, elsewhere, perhaps) = (Some(true), Some(false), None);
        let seen = [Some(2.0), Some(0.5)];
        assert_eq!(others(5.0, 1.0, &seen, &[here, here]), Some(1.5));
        assert_eq!(others(5.0, 1.0, &[None], &[elsewhere]), Some(4.0));
        assert_eq!(others(5.0, 1.0, &[Some(9.0)], &[elsewhere]), Some(4.0));
        assert_eq!(others(5.0, 1.0, &[Some(1.0)], &[perhaps]), None);
        assert_eq!(others(5.0, 1.0, &[None], &[here]), None);
        assert_eq!(others(5.0, 1.0, &[Some(1.0), None], &[here, perhaps]), None);
        assert_eq!(
            others(1.0, 2.0, &[], &[]),
            Some(0.0),
            "clock ticks are coarse"
        );
    }

    #[test]
    fn processes_that_targets_share_count_once() {
        let members = [vec![7, 8], vec![1, 2], vec![2, 3], vec![], vec![8]];
        let shared = |loaded| share_processes(&members, loaded);
        assert_eq!(shared(1), [false, false, true, false, true]);
        assert_eq!(shared(2), [false, true, false, false, true]);
        assert_eq!(shared(4), [true, false, true, false, false]);
    }

    #[test]
    fn a_program_with_a_reused_process_id_has_no_figures() {
        let program = |pid, start, cpu_seconds| Program {
            pid,
            start,
            name: "db".to_owned(),
            cpu_seconds,
            rss_bytes: 4096,
        };
        let before = [program(1, 5, 1.0), program(2, 5, 1.0), program(3, 5, 1.0)];
        let after = [program(1, 5, 1.25), program(2, 9, 9.0), program(3, 5, 2.0)];
        let used = used_by_programs(&before, &after);
        let used: Vec<(i32, f64)> = used.iter().map(|one| (one.pid, one.cpu_seconds)).collect();
        assert_eq!(used, [(3, 1.0), (1, 0.25)]);
    }

    #[test]
    fn processes_of_one_name_are_summed_with_the_memory_of_idle_ones() {
        let program = |pid, name: &str, cpu_seconds| Program {
            pid,
            start: 5,
            name: name.to_owned(),
            cpu_seconds,
            rss_bytes: 4096,
        };
        let at = |busy| {
            [
                program(1, "access", busy),
                program(2, "access", 1.0),
                program(3, "proxy", 2.0),
            ]
        };
        let used = by_name(used_by_each(&at(1.0), &at(1.5)));
        let told: Vec<_> = used
            .iter()
            .map(|one| {
                (
                    one.name.as_str(),
                    one.cpu_seconds,
                    one.rss_bytes,
                    one.processes,
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("access", 0.5, Some(8192), Some(2)),
                ("proxy", 0.0, Some(4096), None)
            ]
        );
        assert_eq!(used_by_programs(&at(1.0), &at(1.5)).len(), 1);
    }

    #[test]
    fn a_link_that_came_up_in_between_has_no_figures() {
        let link = |name: &str, received| Link {
            name: name.to_owned(),
            received,
            sent: 7,
            bits_per_second: Some(1_000_000_000),
        };
        let used = links_between(
            &[link("eth0", 100)],
            &[link("eth0", 150), link("eth1", 1_000)],
        );
        assert_eq!(used.len(), 1);
        assert_eq!((used[0].received_bytes, used[0].sent_bytes), (50, 0));
    }

    #[test]
    fn the_higher_frequency_of_both_readings_counts() {
        let at = |fastest_mhz| {
            Some(Frequency {
                fastest_mhz,
                most_mhz: 3e3,
            })
        };
        assert_eq!(faster(at(2e3), at(1e3)).unwrap().fastest_mhz, 2e3);
        assert_eq!(faster(None, at(1e3)).unwrap().fastest_mhz, 1e3);
        assert_eq!(faster(None, None), None);
    }
}
