//! Whether an agent can have measured the figures that it sent.

use tenbin_engine::request_list::{LONGEST_REQUEST, LONGEST_TEXT, MOST_FAILED, MOST_SLOWEST};
use tenbin_engine::{ListedRequest, RequestList, Sample};

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

/// Whether a list of requests has the length of a list, and its texts and times are those of
/// requests. A replacement character of a text that is not UTF-8 is three bytes long.
pub(super) fn is_possible_list(list: &RequestList) -> bool {
    let is_short = |text: &str, most: usize| text.len() <= 3 * most;
    let is_request = |request: &ListedRequest| {
        let texts = [&request.operation, &request.host, &request.text];
        let id = request.id.as_deref().unwrap_or_default();
        texts.iter().all(|text| is_short(text, LONGEST_TEXT))
            && is_short(id, LONGEST_TEXT)
            && is_short(&request.request, LONGEST_REQUEST)
            && request.ns < MOST << 10
            && request.start_ns.unsigned_abs() < MOST << 10
    };
    list.slowest.len() <= MOST_SLOWEST
        && list.failed.len() <= MOST_FAILED
        && list.slowest.iter().chain(&list.failed).all(is_request)
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
        ledger.opened, ledger.already_open, ledger.reused, ledger.closed_by_client,
        ledger.closed_by_server, ledger.refused, ledger.reset, ledger.resent_refused,
        ledger.resent_goaway, ledger.resent_closed,
    ];
    let of_hosts = sample.hosts.iter().flat_map(|host| {
        let counts = [host.ok, host.service.len()];
        counts.into_iter().chain(host.errors.values().copied())
    });
    let times = [
        ledger.connect_nanos, ledger.unrecorded_nanos, ledger.outside_nanos,
        ledger.turnaround_nanos, sample.cpu,
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
    use tenbin_engine::stages::{BucketSums, StageSum};
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
    fn longer_lists_and_texts_than_an_agent_sends_are_refused() {
        let usual = || RequestList {
            slowest: vec![ListedRequest::default(); MOST_SLOWEST],
            failed: vec![ListedRequest::default(); MOST_FAILED],
        };
        assert!(is_possible_list(&usual()));
        let changes: [fn(&mut RequestList); 4] = [
            |list| list.slowest.push(ListedRequest::default()),
            |list| list.failed.push(ListedRequest::default()),
            |list| list.failed[0].request = "x".repeat(4 * LONGEST_REQUEST),
            |list| list.slowest[0].ns = u64::MAX,
        ];
        for change in changes {
            let mut list = usual();
            change(&mut list);
            assert!(!is_possible_list(&list));
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

    #[test]
    fn stage_times_of_an_agent_can_be_read() {
        for unreadable in [0, 2] {
            let sums = BucketSums {
                answers: 9,
                unreadable,
                stages: vec![StageSum { named: 7, ns: 5 }],
                ..BucketSums::default()
            };
            let bytes = rmp_serde::to_vec(&sums).unwrap();
            assert_eq!(rmp_serde::from_slice::<BucketSums>(&bytes).unwrap(), sums);
        }
    }
}
