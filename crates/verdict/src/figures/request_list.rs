//! The slowest and the failed requests over all slices.

use tenbin_record::{RecordedRequest, RecordedRequests, Slice};
use tenbin_result::ListedRequest;

use crate::cell::Cell;

/// Most slowest requests of a workload on a target.
const MOST_SLOWEST: usize = 20;
/// Most failed requests of a workload on a target: the first half and the last half of this number.
const MOST_FAILED: usize = 20;

/// The slowest correct requests of one cell, slowest first.
pub(crate) fn slowest(cell: &Cell<'_>) -> Vec<ListedRequest> {
    let mut all = of_cell(cell, |requests| &requests.slowest);
    all.sort_by(|a, b| b.time.total_cmp(&a.time));
    all.truncate(MOST_SLOWEST);
    all
}

/// The first and the last failed requests of one cell, in the order of their ends.
pub(crate) fn failed(cell: &Cell<'_>) -> Vec<ListedRequest> {
    let mut all = of_cell(cell, |requests| &requests.failed);
    let end = |request: &ListedRequest| request.start + request.time;
    all.sort_by(|a, b| end(a).total_cmp(&end(b)));
    if all.len() > MOST_FAILED {
        let last = all.len() - MOST_FAILED / 2;
        all.drain(MOST_FAILED / 2..last);
    }
    all
}

fn of_cell(
    cell: &Cell<'_>,
    pick: fn(&RecordedRequests) -> &Vec<RecordedRequest>,
) -> Vec<ListedRequest> {
    let slices = cell.slices.iter();
    let listed = slices.filter_map(|slice| Some((*slice, slice.end.requests.as_deref()?)));
    listed
        .flat_map(|(slice, requests)| {
            let requests = pick(requests).iter();
            requests.map(|request| in_run(slice, request))
        })
        .collect()
}

fn in_run(slice: &Slice, request: &RecordedRequest) -> ListedRequest {
    let seconds = |nanos: u64| nanos as f64 / 1e9;
    ListedRequest {
        operation: request.operation.clone(),
        request: request.request.clone(),
        host: request.host.clone(),
        agent: request.agent.clone(),
        slice: u64::from(slice.index),
        start: slice.start + request.start_ns as f64 / 1e9,
        time: seconds(request.ns),
        lag: request.lag_ns.map(seconds),
        connect: request.connect_ns.map(seconds),
        tls: request.tls_ns.map(seconds),
        first_byte: request.first_byte_ns.map(seconds),
        body: request.body_ns.map(seconds),
        status: request.status,
        error: request.error.map(|class| class.name().to_owned()),
        text: request.text.clone(),
        attempts: u64::from(request.attempts),
        id: request.id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::ErrorClass;

    use super::*;
    use crate::testing::Run;

    #[test]
    fn the_lists_of_all_slices_are_merged() {
        let mut run = Run::single(6);
        let mut number = 0;
        run.each(|slice| {
            let requests = (0..15).map(|at| {
                number += 1;
                RecordedRequest {
                    operation: "GET".to_owned(),
                    start_ns: at * 1_000_000,
                    ns: number * 1_000_000,
                    ..RecordedRequest::default()
                }
            });
            let slowest: Vec<RecordedRequest> = requests.collect();
            let failed = slowest.iter().map(|request| RecordedRequest {
                ns: 1_000,
                error: Some(ErrorClass::Timeout),
                ..request.clone()
            });
            slice.0.end.requests = Some(Box::new(RecordedRequests {
                failed: failed.collect(),
                slowest,
            }));
        });
        let row = run.figures().remove(0);
        let times: Vec<f64> = row.slow_requests.iter().map(|it| it.time).collect();
        assert_eq!((times.len(), times[0], times[19]), (20, 0.09, 0.071));
        assert_eq!(row.failed_requests.len(), 20);
        let starts: Vec<f64> = row.failed_requests.iter().map(|it| it.start).collect();
        assert!(starts.is_sorted(), "{starts:?}");
        let slices: Vec<u64> = row.failed_requests.iter().map(|it| it.slice).collect();
        assert_ne!(slices[0], slices[19]);
        assert_eq!(row.failed_requests[0].error.as_deref(), Some("timeout"));
    }

    #[test]
    fn a_run_of_an_older_version_lists_no_requests() {
        let row = Run::single(6).figures().remove(0);
        assert_eq!((row.slow_requests, row.failed_requests), (vec![], vec![]));
    }
}
