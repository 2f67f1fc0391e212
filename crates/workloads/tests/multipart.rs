//! Tests of multipart uploads and reads of parts, against an in-memory store.

#![allow(clippy::unwrap_used, reason = "a test may")]

#[path = "support/parts.rs"]
mod parts;
mod support;

use std::collections::BTreeMap;

use parts::{Store, error};
use sha2::{Digest, Sha256};
use support::{
    Judged, Request, Response, all_correct, drive, drive_stage, give, response, s3_work, site,
};
use tenbin_engine::{ErrorClass, Exchange, Judgement, Next, Role, Transaction, Workload};
use tenbin_plan::{self as plan, Checksum, S3Operation, WorkloadKind};
use tenbin_workloads::{Prepared, prepare};

/// Objects of 2500 bytes in parts of 1000.
fn in_parts(operation: S3Operation, objects: u64) -> plan::Workload {
    let mut work = s3_work(operation, 2500, objects);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        s3.part_size = 1000;
        s3.parts_at_once = 2;
    }
    work
}

fn prepared(work: &plan::Workload) -> Box<dyn Prepared> {
    prepare(work, &site("http://localhost:9000"), 1, 1).unwrap()
}

fn transactions(worker: &mut dyn Workload) -> Vec<Transaction> {
    std::iter::from_fn(|| worker.transaction()).collect()
}

fn tidy(prepared: &mut dyn Prepared, store: &mut Store) {
    while let Some(mut stage) = prepared.after_run() {
        drive_stage(&mut stage, &mut |request| store.response(request));
    }
}

fn key(object: u64) -> String {
    format!("tenbin-0000000000000001/work/{object:08}")
}

#[test]
fn multipart_uploads_are_complete_and_count_as_one_operation() {
    let mut prepared = prepared(&in_parts(S3Operation::Multipart, 6));
    let mut store = Store::default();
    let mut worker = prepared.slice().remove(0);
    let names = worker.operations().to_vec();
    assert_eq!(names, ["MULTIPART", "CREATE", "PART", "COMPLETE", "ABORT"]);
    let roles: Vec<Role> = (0..5).map(|op| worker.role(op)).collect();
    assert_eq!(roles[0], Role::Transaction);
    assert!(roles[1..].iter().all(|role| *role == Role::Step));
    // Five requests per object.
    let judged = drive(worker.as_mut(), 4, 15, 7, &mut |request| {
        if request.method == "PUT" {
            let hash: String = Sha256::digest(&request.body)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(request.header("x-amz-content-sha256"), Some(hash.as_str()));
        }
        store.response(request)
    });
    assert!(all_correct(&judged), "{judged:?}");
    let done = transactions(worker.as_mut());
    assert_eq!(
        (done.len(), store.objects.len()),
        (2, 2),
        "{:?}",
        store.seen
    );
    for whole in &done {
        assert_eq!((whole.op, whole.payload), (0, 2500));
        assert_eq!(whole.outcome, Judgement::Correct);
    }
    for object in store.objects.values() {
        assert_eq!(object.parts, [1000, 1000, 500]);
    }
    tidy(prepared.as_mut(), &mut store);
    assert!(store.objects.is_empty() && store.uploads.is_empty());
    assert_eq!(prepared.left_behind(), None);
}

#[test]
fn parts_of_one_object_are_out_at_once_but_not_too_many() {
    // With four connections and two parts in parallel, two objects are uploaded in parallel.
    let mut prepared = prepared(&in_parts(S3Operation::Multipart, 6));
    let mut worker = prepared.slice().remove(0);
    let mut idle: Vec<Exchange> = (0..4).map(|_| Exchange::default()).collect();
    let mut out = Vec::new();
    let mut store = Store::default();
    // Prepares requests until the worker waits; returns the methods of the requests.
    let ask = |worker: &mut dyn Workload, out: &mut Vec<Exchange>, idle: &mut Vec<Exchange>| {
        let mut asked = BTreeMap::new();
        while let Some(mut exchange) = idle.pop() {
            if worker.next(support::NOW, &mut exchange) == Next::Wait {
                idle.push(exchange);
                break;
            }
            *asked.entry(worker.operations()[exchange.op]).or_insert(0) += 1;
            out.push(exchange);
        }
        asked
    };
    assert_eq!(
        ask(worker.as_mut(), &mut out, &mut idle),
        [("CREATE", 2)].into()
    );
    let mut finish = |worker: &mut dyn Workload, mut exchange: Exchange| {
        let request = Request::read(&exchange, worker.payload(&exchange));
        let judged = give(worker, &mut exchange, store.response(&request), 7);
        assert_eq!(judged, Ok(Judgement::Correct));
        exchange
    };
    idle.push(finish(worker.as_mut(), out.remove(0)));
    assert_eq!(
        ask(worker.as_mut(), &mut out, &mut idle),
        [("PART", 2)].into(),
        "three connections rest, and one object may have two parts out"
    );
    idle.push(finish(worker.as_mut(), out.remove(0)));
    assert_eq!(
        ask(worker.as_mut(), &mut out, &mut idle),
        [("PART", 2)].into()
    );
    assert_eq!(out.len(), 4, "all connections are in use");
}

/// Drives up to `requests` requests of uploads on one connection; returns the judgements and the
/// ended transactions.
fn one_by_one(
    worker: &mut dyn Workload,
    requests: usize,
    server: &mut dyn FnMut(&Request) -> Response,
) -> (Judged, Vec<Transaction>) {
    let judged = drive(worker, 1, requests, 7, server);
    (judged, transactions(worker))
}

#[test]
fn an_upload_with_a_failed_step_is_aborted_and_fails_once() {
    let status = |code: &str| Judgement::Failed(ErrorClass::Status, code.into());
    let wrong = "the response to a part has no ETag, or another checksum than the part";
    type Fault = fn(&Request) -> Option<Response>;
    let of_part: Fault = |request| (request.method == "PUT").then(|| error(503, "SlowDown"));
    let no_etag: Fault = |request| (request.method == "PUT").then(|| response(200, ""));
    let late: Fault = |request| {
        let completes = request.method == "POST" && !request.body.is_empty();
        completes.then(|| error(200, "InternalError"))
    };
    let lost: Fault = |request| (request.method == "PUT").then_some(Response::Lost);
    for (fault, requests, outcome, at_end) in [
        (of_part, 3, status("SlowDown"), 0),
        (
            no_etag,
            3,
            Judgement::Failed(ErrorClass::Wrong, wrong.into()),
            0,
        ),
        (late, 6, status("InternalError"), 0),
        (
            lost,
            3,
            Judgement::Failed(ErrorClass::Reset, String::new()),
            0,
        ),
    ] {
        let mut prepared = prepared(&in_parts(S3Operation::Multipart, 6));
        let mut store = Store::default();
        let mut worker = prepared.slice().remove(0);
        let (_, done) = one_by_one(worker.as_mut(), requests, &mut |request| {
            fault(request).unwrap_or_else(|| store.response(request))
        });
        assert_eq!(done.len(), 1, "{done:?}");
        assert_eq!(done[0].outcome, outcome);
        assert_eq!(store.uploads.len(), at_end, "{:?}", store.seen);
        assert_eq!(store.asked("DELETE"), 1);
    }
}

#[test]
fn what_a_slice_leaves_open_is_aborted_before_the_next() {
    let mut prepared = prepared(&in_parts(S3Operation::Multipart, 6));
    let mut store = Store::default();
    let mut workers = prepared.slice();
    drive(workers[0].as_mut(), 4, 7, 7, &mut |request| {
        store.response(request)
    });
    assert!(!store.uploads.is_empty());
    prepared.slice_done(workers);
    let mut stage = prepared.before_slice().unwrap();
    assert!(stage.what.text().starts_with("aborting "), "{}", stage.what);
    assert!(all_correct(&drive_stage(&mut stage, &mut |request| {
        store.response(request)
    })));
    assert!(store.uploads.is_empty());
    assert!(prepared.before_slice().is_none());
}

#[test]
fn an_upload_whose_id_never_came_is_found_and_no_other_touched() {
    let mut prepared = prepared(&in_parts(S3Operation::Multipart, 1));
    let mut store = Store::default();
    let others = [key(0) + "0", "mine".to_owned()];
    for other in &others {
        let upload = parts::Upload {
            key: other.clone(),
            ..Default::default()
        };
        store.uploads.insert(format!("of {other}"), upload);
    }
    drive(prepared.slice()[0].as_mut(), 1, 3, 7, &mut |request| {
        store.response(request);
        Response::Lost
    });
    assert_eq!(store.uploads.len(), 3 + others.len());
    tidy(prepared.as_mut(), &mut store);
    let mut left: Vec<_> = store.uploads.values().map(|upload| &upload.key).collect();
    left.sort_unstable();
    assert_eq!(left, others.iter().rev().collect::<Vec<_>>());
    assert_eq!(prepared.left_behind(), None);
}

#[test]
fn a_part_that_is_stored_after_the_abort_does_not_stay() {
    let mut prepared = prepared(&in_parts(S3Operation::Multipart, 1));
    let mut store = Store::default();
    drive(
        prepared.slice()[0].as_mut(),
        1,
        2,
        7,
        &mut |request| match request.method.as_str() {
            "PUT" => Response::Lost,
            _ => store.response(request),
        },
    );
    let mut aborts = 0;
    while let Some(mut stage) = prepared.after_run() {
        let late = store.uploads.clone();
        drive_stage(&mut stage, &mut |request| {
            let response = store.response(request);
            aborts += usize::from(request.path.contains("uploadId"));
            if aborts == 3 {
                store.uploads.clone_from(&late);
            }
            response
        });
    }
    assert!(store.uploads.is_empty(), "after {aborts} aborts");
    assert_eq!(prepared.left_behind(), None);
}

#[test]
fn a_refused_creation_leaves_no_upload() {
    let mut prepared = prepared(&in_parts(S3Operation::Multipart, 6));
    let (judged, done) = one_by_one(prepared.slice()[0].as_mut(), 3, &mut |_| {
        error(403, "AccessDenied")
    });
    let failed = Judgement::Failed(ErrorClass::Status, "AccessDenied".into());
    assert_eq!(judged, vec![Ok(failed); 3]);
    assert_eq!(done.len(), 3);
    assert!(prepared.before_slice().is_none());
}

#[test]
fn uploads_that_cannot_be_aborted_are_reported_and_cleanup_ends() {
    for refusal in [error(500, "InternalError"), Response::Lost] {
        let mut prepared = prepared(&in_parts(S3Operation::Multipart, 6));
        let mut store = Store::default();
        drive(prepared.slice()[0].as_mut(), 4, 5, 7, &mut |request| {
            store.response(request)
        });
        let open = store.uploads.len();
        let mut asked = 0;
        while let Some(mut stage) = prepared.after_run() {
            drive_stage(&mut stage, &mut |_| {
                asked += 1;
                refusal.clone()
            });
        }
        assert!(asked < 100, "{asked}");
        let told = prepared.left_behind().unwrap();
        let expected = format!(
            "up to {open} unfinished uploads under tenbin-0000000000000001/work/ could not be \
             aborted in bucket box"
        );
        assert!(told.ends_with(&expected), "{told}");
    }
}

#[test]
fn a_checksum_is_announced_sent_and_listed() {
    let mut work = in_parts(S3Operation::Multipart, 1);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        s3.checksum = Checksum::Crc32c;
    }
    let mut store = Store::default();
    let mut heads = Vec::new();
    drive(
        prepared(&work).slice()[0].as_mut(),
        1,
        5,
        7,
        &mut |request| {
            let body = String::from_utf8_lossy(&request.body).into_owned();
            heads.push((request.head.clone(), body));
            store.response(request)
        },
    );
    assert!(heads[0].0.contains("x-amz-checksum-algorithm: CRC32C"));
    for (part, _) in &heads[1..4] {
        assert!(part.contains("x-amz-checksum-crc32c: "), "{part}");
    }
    assert_eq!(heads[4].1.matches("<ChecksumCRC32C>").count(), 3);
    assert_eq!(store.objects.len(), 1);
}

/// Loads objects in parts, changes the stored objects with `change`, and reads parts.
fn read_parts(change: impl Fn(&mut Store)) -> Judged {
    let mut prepared = prepared(&in_parts(S3Operation::GetPart, 9));
    let mut store = Store::default();
    let mut stage = prepared.before_run().unwrap();
    assert_eq!(stage.what.text(), "loading by multipart upload: 9 objects");
    let filled = drive_stage(&mut stage, &mut |request| store.response(request));
    assert!(all_correct(&filled), "{filled:?}");
    assert!(prepared.before_run().is_none());
    assert_eq!(store.objects.len(), 9);
    assert!(store.uploads.is_empty());
    change(&mut store);
    let mut worker = prepared.slice().remove(0);
    let judged = drive(worker.as_mut(), 4, 200, 7, &mut |request| {
        store.response(request)
    });
    tidy(prepared.as_mut(), &mut store);
    assert!(store.objects.is_empty());
    judged
}

#[test]
fn parts_are_read_and_verified() {
    assert!(all_correct(&read_parts(|_| {})));
}

#[test]
fn a_part_in_the_wrong_place_is_found() {
    let judged = read_parts(|store| {
        for object in store.objects.values_mut() {
            object.body[..2000].rotate_left(1000);
        }
    });
    let wrong = Ok(Judgement::Failed(ErrorClass::Wrong, String::new()));
    let found = judged.iter().filter(|one| **one == wrong).count();
    let right = judged.len() - found;
    // Two of three parts are wrong.
    assert!(found > 90 && right > 30, "{found} of {}", judged.len());
}

#[test]
fn parts_of_other_sizes_and_complete_objects_are_wrong() {
    let judged = read_parts(|store| {
        for object in store.objects.values_mut() {
            object.parts = vec![999, 1001, 500];
        }
    });
    let short = Ok(Judgement::Failed(ErrorClass::Short, String::new()));
    assert!(judged.contains(&short) && !all_correct(&judged));
    let judged = read_parts(|store| {
        for object in store.objects.values_mut() {
            object.parts = vec![2500, 0, 0];
        }
    });
    let text = "the part number was ignored".to_owned();
    assert!(judged.contains(&Ok(Judgement::Failed(ErrorClass::Wrong, text))));
}
