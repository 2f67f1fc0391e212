//! Tests of retries: before a run until requests succeed, and measured as planned.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use support::{Judged, Response, drive, response, s3_work, site};
use tenbin_engine::{ErrorClass, Judgement, Role};
use tenbin_plan::{S3Operation, WorkloadKind};
use tenbin_workloads::{Governor, Patient, SENT_AGAIN, prepare};

/// Texts of failed requests that are not retried.
fn failures(judged: &Judged) -> Vec<String> {
    let mut failures = Vec::new();
    for one in judged {
        if let Ok(Judgement::Failed(_, text)) = one
            && text != SENT_AGAIN
        {
            failures.push(text.clone());
        }
    }
    failures
}

/// Loads 25 objects on a server with these responses; returns the number of PUTs by path, the
/// judgements, and the number of refusals.
fn lay_out(
    connections: usize,
    server: &mut dyn FnMut(&str, u32) -> Response,
) -> (BTreeMap<String, u32>, Judged, u64) {
    let mut get = s3_work(S3Operation::Get, 100, 25);
    get.load.connections = connections;
    let mut prepared = prepare(&get, &site("http://localhost:9000"), 1, 1).unwrap();
    let stage = prepared.before_run().unwrap();
    assert!(stage.connections <= connections, "{}", stage.connections);
    let governor = Arc::new(Governor::new(stage.connections));
    let worker = stage.workers.into_iter().next().unwrap();
    let mut patient = Patient::new(worker, Arc::clone(&governor), 0);
    let mut puts: BTreeMap<String, u32> = BTreeMap::new();
    let judged = drive(&mut patient, connections, 10_000, 10, &mut |request| {
        assert_eq!((request.method.as_str(), request.body.len()), ("PUT", 100));
        let count = puts.entry(request.path.clone()).or_default();
        *count += 1;
        server(&request.path, *count)
    });
    (puts, judged, governor.refused().requests)
}

#[test]
fn every_object_is_put_although_its_first_attempts_are_refused() {
    for status in [429, 500, 502, 503, 504] {
        let (puts, judged, refused) = lay_out(4, &mut |_, count| match count {
            1 | 2 => response(status, "<Error><Code>InternalError</Code></Error>"),
            _ => response(200, ""),
        });
        assert_eq!(puts.len(), 25, "{status}");
        assert!(puts.values().all(|&count| count == 3), "{puts:?}");
        assert_eq!(failures(&judged), [""; 0]);
        assert_eq!(refused, 50);
    }
    let (puts, _, refused) = lay_out(4, &mut |_, count| match count {
        1 => Response::Lost,
        _ => response(200, ""),
    });
    assert!(puts.values().all(|&count| count == 2), "{puts:?}");
    assert_eq!(refused, 25);
}

#[test]
fn a_refusal_for_good_ends_laying_out_at_once() {
    let (puts, judged, refused) = lay_out(1, &mut |_, _| {
        response(403, "<Error><Code>AccessDenied</Code></Error>")
    });
    assert_eq!((puts.values().sum::<u32>(), refused), (1, 0));
    assert!(failures(&judged)[0].contains("AccessDenied"), "{judged:?}");
}

#[test]
fn one_request_is_sent_25_times_at_most() {
    let (puts, judged, _) = lay_out(1, &mut |path, _| {
        if path.ends_with('7') {
            response(500, "")
        } else {
            response(200, "")
        }
    });
    assert_eq!(puts.values().max(), Some(&25), "{puts:?}");
    let said = failures(&judged);
    assert!(said[0].contains("an object cannot be put"), "{said:?}");
    assert!(
        said[0].ends_with("; the request was sent 25 times"),
        "{said:?}"
    );
}

#[test]
fn measured_retries_wait_as_planned_and_hold_their_connection() {
    let mut put = s3_work(S3Operation::Put, 100, 10);
    if let WorkloadKind::S3(s3) = &mut put.kind {
        s3.retries = 3;
    }
    put.load.connections = 1;
    let mut prepared = prepare(&put, &site("http://localhost:9000"), 1, 1).unwrap();
    let mut worker = prepared.slice().remove(0);
    let roles: Vec<Role> = (0..worker.operations().len())
        .map(|op| worker.role(op))
        .collect();
    assert_eq!(worker.operations(), ["PUT", "PUT attempt"]);
    assert_eq!(roles, [Role::Transaction, Role::Step]);
    let mut order = Vec::new();
    let judged = drive(worker.as_mut(), 1, 8, 10, &mut |request| {
        order.push(request.path.clone());
        Response::Lost
    });
    // One user sends no other request while it waits for a retry.
    order.dedup();
    assert_eq!(order.len(), 2, "{order:?}");
    assert!(judged.iter().all(|one| *one == Err(ErrorClass::Reset)));
    let transactions: Vec<_> = std::iter::from_fn(|| worker.transaction()).collect();
    let [first, second] = transactions.as_slice() else {
        panic!("two operations: {transactions:?}");
    };
    assert_eq!((first.op, first.started), (0, support::NOW.nanos));
    // Random waits of up to 200, 400 and 800 ms precede the second operation.
    assert!((1..1_400_000_000).contains(&second.started), "{second:?}");
}
