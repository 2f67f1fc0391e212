//! Converts the slowest and the failed requests to the form in which the run directory records
//! them.

use std::collections::BTreeMap;

use tenbin_engine::request_list::{MOST_FAILED, MOST_SLOWEST};
use tenbin_engine::{ListedRequest, RequestList};
use tenbin_plan::{Target, Workload, conceal_parameters};
use tenbin_record::{RecordedRequest, RecordedRequests, Slice};

/// The requests of a slice without the secrets of the target and the workload; `None` without a
/// request.
pub(crate) fn kept(
    list: RequestList,
    target: &Target,
    workload: &Workload,
) -> Option<Box<RecordedRequests>> {
    if list.is_empty() {
        return None;
    }
    let facts = workload.kind.facts();
    let without_secrets = |text: &str| facts.conceal(&target.secrets.conceal(text));
    let recorded = |one: ListedRequest| RecordedRequest {
        operation: one.operation,
        request: conceal_parameters(&without_secrets(&one.request)),
        host: one.host,
        agent: one.agent,
        start_ns: one.start_ns,
        ns: one.ns,
        lag_ns: one.lag_ns,
        connect_ns: one.connect_ns,
        tls_ns: one.tls_ns,
        first_byte_ns: one.first_byte_ns,
        body_ns: one.body_ns,
        status: one.status,
        error: one.error,
        text: without_secrets(&one.text),
        attempts: one.attempts,
        id: one.id.map(|id| without_secrets(&id)),
    };
    Some(Box::new(RecordedRequests {
        slowest: list.slowest.into_iter().map(recorded).collect(),
        failed: list.failed.into_iter().map(recorded).collect(),
    }))
}

/// What the slices so far have listed, by workload and target. A later slice records only requests
/// that can be in the list of the run, so that the record of a long run stays small.
#[derive(Debug, Default)]
pub(crate) struct ListedSoFar {
    slices: usize,
    cells: BTreeMap<(String, String), ListedOfCell>,
}

#[derive(Debug, Default)]
struct ListedOfCell {
    /// Latencies of the slowest requests, slowest first.
    slowest: Vec<u64>,
    failed: usize,
}

impl ListedSoFar {
    /// Removes the requests of a slice of this workload on this target that cannot be in the list of
    /// the run. `slices` are the slices that count so far.
    pub(crate) fn prune(
        &mut self,
        requests: &mut RecordedRequests,
        (workload, target): (&str, &str),
        slices: &[Slice],
    ) {
        self.catch_up(slices);
        let name = (workload.to_owned(), target.to_owned());
        let Some(cell) = self.cells.get(&name) else {
            return;
        };
        if let Some(least) = cell.slowest.get(MOST_SLOWEST - 1) {
            requests.slowest.retain(|request| request.ns > *least);
        }
        let each = MOST_FAILED / 2;
        if cell.failed >= each && requests.failed.len() > each {
            let last = requests.failed.len() - each;
            requests.failed.drain(..last);
        }
    }

    fn catch_up(&mut self, slices: &[Slice]) {
        // Slices can become void.
        if slices.len() < self.slices {
            *self = Self::default();
        }
        for slice in &slices[self.slices..] {
            let Some(requests) = &slice.end.requests else {
                continue;
            };
            let name = (slice.workload.clone(), slice.target.clone());
            let cell = self.cells.entry(name).or_default();
            cell.slowest
                .extend(requests.slowest.iter().map(|request| request.ns));
            cell.slowest.sort_unstable_by(|a, b| b.cmp(a));
            cell.slowest.truncate(MOST_SLOWEST);
            cell.failed += requests.failed.len();
        }
        self.slices = slices.len();
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::SliceEnd;

    use super::*;

    fn requests(times: std::ops::Range<u64>, failed: usize) -> RecordedRequests {
        let request = |ns| RecordedRequest {
            ns,
            ..RecordedRequest::default()
        };
        RecordedRequests {
            slowest: times.rev().map(request).collect(),
            failed: vec![request(1); failed],
        }
    }

    fn slice(requests: RecordedRequests) -> Slice {
        Slice {
            end: SliceEnd {
                requests: Some(Box::new(requests)),
                ..SliceEnd::default()
            },
            ..Slice::default()
        }
    }

    #[test]
    fn only_requests_that_can_be_in_the_list_of_the_run_are_recorded() {
        let mut so_far = ListedSoFar::default();
        let mut slices = Vec::new();
        for from in [100, 95, 118] {
            let mut next = requests(from..from + 20, 15);
            so_far.prune(&mut next, ("", ""), &slices);
            slices.push(slice(next));
        }
        let counts = slices.iter().map(|slice| {
            let requests = slice.end.requests.as_ref().expect("requests");
            (requests.slowest.len(), requests.failed.len())
        });
        assert_eq!(counts.collect::<Vec<_>>(), [(20, 15), (14, 10), (20, 10)]);
        // After the slices have become void, everything counts again.
        let mut next = requests(0..20, 15);
        so_far.prune(&mut next, ("", ""), &slices[..0]);
        assert_eq!((next.slowest.len(), next.failed.len()), (20, 15));
    }

    #[test]
    fn another_workload_or_target_has_a_list_of_its_own() {
        let mut so_far = ListedSoFar::default();
        let slices = [slice(requests(100..120, 0))];
        let mut next = requests(0..20, 0);
        so_far.prune(&mut next, ("", "b"), &slices);
        assert_eq!(next.slowest.len(), 20);
        so_far.prune(&mut next, ("", ""), &slices);
        assert_eq!(next.slowest.len(), 0);
    }
}
