//! Resource use of the machine between two readings of its counters.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use tenbin_record::{CpuUse, FrequencyUse, LinkUse, PressureUse, ProgramUse, TcpUse};
use tenbin_targets::counters::{CpuTime, Frequency, Link, Pressure, Program, Tcp};

use crate::machine::meter::grown;

/// CPU use, as a share of one core, from which a program is listed in the record of a slice.
const PROGRAM_NOTICEABLE: f64 = 0.01;
/// Maximum number of programs listed per slice.
const MOST_PROGRAMS: usize = 16;

/// Least time between two readings of programs, as a share of the time that they stand for.
const COVERED: f64 = 0.75;

/// Whether two readings of programs this far apart tell about `seconds`. On a machine without an idle
/// core the first can come late; programs then seem to have done nothing.
pub(super) fn cover(apart: Duration, seconds: f64) -> bool {
    apart.as_secs_f64() >= COVERED * seconds
}

/// CPU time of each program that used CPU time between two readings, busiest first.
pub(super) fn used_by_programs(before: &[Program], after: &[Program]) -> Vec<ProgramUse> {
    let mut used = used_by_each(before, after);
    used.retain(|program| program.cpu_seconds > 0.0);
    used
}

/// CPU time of the programs to list in the record of a slice of `seconds`, busiest first.
pub(super) fn noticeable_programs(
    before: &[Program],
    after: &[Program],
    seconds: f64,
) -> Vec<ProgramUse> {
    let least = PROGRAM_NOTICEABLE * seconds;
    let mut used = used_by_programs(before, after);
    used.retain(|program| program.cpu_seconds >= least);
    used.truncate(MOST_PROGRAMS);
    used
}

/// CPU time of each process between two readings, busiest first.
pub(super) fn used_by_each(before: &[Program], after: &[Program]) -> Vec<ProgramUse> {
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
pub(super) fn by_name(used: Vec<ProgramUse>) -> Vec<ProgramUse> {
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
pub(super) fn others(
    busy: f64,
    own: f64,
    targets: &[Option<f64>],
    here: &[Option<bool>],
) -> Option<f64> {
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
pub(super) fn share_processes(members: &[Vec<i32>], loaded: usize) -> Vec<bool> {
    let of_loaded = members.get(loaded).into_iter().flatten().copied();
    let mut known: HashSet<i32> = of_loaded.collect();
    let each = members.iter().enumerate().map(|(at, mine)| {
        let is_shared = at != loaded && mine.iter().any(|pid| known.contains(pid));
        known.extend(mine);
        is_shared
    });
    each.collect()
}

pub(super) fn pressure_between(before: &Pressure, after: &Pressure) -> PressureUse {
    PressureUse {
        cpu_some_us: grown(before.cpu_some, after.cpu_some),
        io_some_us: grown(before.io_some, after.io_some),
        io_full_us: grown(before.io_full, after.io_full),
        memory_some_us: grown(before.memory_some, after.memory_some),
        memory_full_us: grown(before.memory_full, after.memory_full),
    }
}

pub(super) fn tcp_between(before: &Tcp, after: &Tcp) -> TcpUse {
    TcpUse {
        active_opens: grown(before.active_opens, after.active_opens),
        sent_segments: grown(before.sent_segments, after.sent_segments),
        retransmitted_segments: grown(before.retransmitted_segments, after.retransmitted_segments),
        listen_overflows: grown(before.listen_overflows, after.listen_overflows),
        listen_drops: grown(before.listen_drops, after.listen_drops),
        time_wait_before: before.time_wait,
        time_wait_after: after.time_wait,
    }
}

pub(super) fn faster(before: Option<Frequency>, after: Option<Frequency>) -> Option<FrequencyUse> {
    let seen = before.into_iter().chain(after);
    let fastest = seen.max_by(|a, b| a.fastest_mhz.total_cmp(&b.fastest_mhz))?;
    Some(FrequencyUse {
        fastest_mhz: fastest.fastest_mhz,
        most_mhz: fastest.most_mhz,
    })
}

pub(super) fn links_between(before: &[Link], after: &[Link]) -> Vec<LinkUse> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_that_came_late_tell_nothing_about_the_slice() {
        let apart = Duration::from_millis;
        assert!(cover(apart(1_000), 1.0) && cover(apart(1_300), 1.0));
        assert!(!cover(apart(130), 1.3), "both were read at its end");
    }

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
