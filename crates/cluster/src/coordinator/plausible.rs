//! Whether an agent can have measured the figures that it sent.

use tenbin_engine::Sample;

use crate::message::CpuOfMachine;

/// Most cores of a machine.
const MOST_CORES: f64 = 65_536.0;
/// Largest count that a thread can reach in a second, and largest number of bytes.
pub(super) const MOST: u64 = 1 << 48;

/// Whether a machine can have used this much of its CPU time.
pub(super) fn is_possible_cpu(cpu: CpuOfMachine) -> bool {
    let is_share = (0.0..=1.0).contains(&cpu.busy);
    let are_cores = |cores| (0.0..=MOST_CORES).contains(&cores);
    is_share && cpu.others.is_none_or(are_cores)
}

/// Whether all counts of a sample are so small that sums over a run cannot overflow.
pub(super) fn is_possible(sample: &Sample) -> bool {
    let of_ops = sample.ops.iter().flat_map(|op| {
        let counts = op.counts.into_array().into_iter().chain(op.answered);
        let times = op.times.as_ref().map(|times| times.len()).into_array();
        let sums = op.statuses.values().chain(op.failures.values());
        let sums: Vec<u64> = sums.chain(op.errors.values()).copied().collect();
        counts.chain(times).chain(sums)
    });
    let ledger = &sample.ledger;
    let of_connections = [
        ledger.opened,
        ledger.already_open,
        ledger.reused,
        ledger.closed_by_client,
        ledger.closed_by_server,
        ledger.refused,
        ledger.reset,
        ledger.resent_refused,
        ledger.resent_goaway,
        ledger.resent_closed,
    ];
    let of_hosts = sample.hosts.iter().flat_map(|host| {
        let counts = [host.ok, host.service.len()];
        counts.into_iter().chain(host.errors.values().copied())
    });
    let times = [
        ledger.connect_nanos,
        ledger.unrecorded_nanos,
        ledger.outside_nanos,
        ledger.turnaround_nanos,
        sample.cpu,
    ];
    let pause = sample.pause.is_none_or(|pause| pause.start <= pause.end);
    let counts = of_ops
        .chain(of_connections)
        .chain(of_hosts)
        .chain(sample.late);
    let counts = counts.chain([sample.backlog, sample.waited.unwrap_or(0)]);
    pause
        && counts.into_iter().all(|count| count < MOST)
        && times.iter().all(|time| *time < MOST << 10)
}

#[cfg(test)]
mod tests {
    use tenbin_engine::{ErrorClass, OpSample, Pause};

    use super::*;

    #[test]
    fn a_machine_cannot_use_more_than_all_of_its_cpu_time() {
        let is_possible = |busy, others| is_possible_cpu(CpuOfMachine { busy, others });
        assert!(is_possible(0.0, None) && is_possible(1.0, Some(16.0)));
        for wrong in [-0.1, 1.01, f64::NAN, f64::INFINITY] {
            assert!(!is_possible(wrong, None), "{wrong}");
        }
        for wrong in [-0.1, 1e9, f64::NAN] {
            assert!(!is_possible(0.5, Some(wrong)), "{wrong}");
        }
    }

    #[test]
    fn samples_whose_sums_could_overflow_are_refused() {
        let usual = || Sample {
            ops: vec![OpSample::new("GET")],
            ..Sample::default()
        };
        assert!(is_possible(&usual()));
        let changes: [fn(&mut Sample); 5] = [
            |sample| sample.ops[0].counts.ok = u64::MAX,
            |sample| *sample.ops[0].errors.entry(ErrorClass::Connect).or_default() = MOST,
            |sample| sample.cpu = u64::MAX,
            |sample| sample.late[3] = u64::MAX,
            |sample| sample.pause = Some(Pause { start: 2, end: 1 }),
        ];
        for change in changes {
            let mut sample = usual();
            change(&mut sample);
            assert!(!is_possible(&sample), "{sample:?}");
        }
    }
}
