//! Tests of kept and existing data sets, and of reading each object once.

#![allow(clippy::unwrap_used, reason = "a test may")]

#[path = "support/parts.rs"]
mod parts;
mod support;

use std::collections::BTreeSet;

use parts::{Object, Store, error};
use support::{Response, all_correct, drive, drive_stage, response, s3_work, site};
use tenbin_engine::Judgement;
use tenbin_plan::{self as plan, Choose, DataSet, S3Operation, S3Work, WorkloadKind};
use tenbin_workloads::prepare;

fn work(operation: S3Operation, change: impl Fn(&mut S3Work)) -> plan::Workload {
    let mut work = s3_work(operation, 10, 25);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        change(s3);
    }
    work
}

fn keep(operation: S3Operation) -> plan::Workload {
    work(operation, |s3| s3.data = DataSet::Keep)
}

fn existing(operation: S3Operation) -> plan::Workload {
    work(operation, |s3| {
        s3.data = DataSet::Existing;
        s3.verify = false;
    })
}

fn key(object: u64) -> String {
    format!("tenbin-0000000000000001/work/{object:08}")
}

/// Drives a complete run with one short slice; returns the stages and the message about kept data.
fn run(work: &plan::Workload, store: &mut Store) -> (Vec<String>, Option<String>) {
    let mut prepared = prepare(work, &site("http://localhost:9000"), 1, 2).unwrap();
    let mut stages = Vec::new();
    let mut stage = |mut stage: tenbin_workloads::Stage, store: &mut Store| {
        stages.push(stage.what.to_string());
        let judged = drive_stage(&mut stage, &mut |request| store.response(request));
        assert!(all_correct(&judged), "{}: {judged:?}", stage.what);
    };
    stage(prepared.check().unwrap(), store);
    while let Some(next) = prepared.before_run() {
        stage(next, store);
    }
    for worker in &mut prepared.slice() {
        let judged = drive(worker.as_mut(), 2, 40, 7, &mut |request| {
            store.response(request)
        });
        assert!(all_correct(&judged), "{judged:?}");
    }
    while let Some(next) = prepared.after_run() {
        stage(next, store);
    }
    assert_eq!(prepared.left_behind(), None);
    (stages, prepared.kept().map(|kept| kept.to_string()))
}

#[test]
fn a_kept_data_set_is_put_once_and_mended_where_it_is_not_right() {
    let mut store = Store::paged(10);
    let stays =
        "25 objects under tenbin-0000000000000001/work/ are kept in bucket box for later runs";
    let (stages, kept) = run(&keep(S3Operation::Get), &mut store);
    assert_eq!(
        stages,
        [
            "checking bucket box",
            "listing the objects in bucket box",
            "loading 25 objects"
        ]
    );
    assert_eq!(kept.as_deref(), Some(stays));
    assert_eq!((store.objects.len(), store.asked("PUT")), (25, 25));

    store.seen.clear();
    let (stages, kept) = run(&keep(S3Operation::Get), &mut store);
    assert_eq!(stages.len(), 2, "{stages:?}");
    assert_eq!(kept.as_deref(), Some(stays));
    assert_eq!((store.asked("PUT"), store.asked("DELETE")), (0, 0));
    assert_eq!(store.asked("GET /box?"), 3, "pages of ten");

    store.seen.clear();
    store.objects.remove(&key(3));
    store.with(&key(20), b"too short");
    let (stages, kept) = run(&keep(S3Operation::Get), &mut store);
    assert_eq!(stages[2], "loading 2 objects");
    assert_eq!(kept.as_deref(), Some(stays));
    let put: BTreeSet<&str> = store
        .seen
        .iter()
        .filter_map(|s| s.strip_prefix("PUT /box/"))
        .collect();
    assert_eq!(put, [key(3).as_str(), key(20).as_str()].into());
}

#[test]
fn objects_stored_by_one_put_do_not_fit_reads_by_part() {
    let in_parts = work(S3Operation::GetPart, |s3| {
        s3.data = DataSet::Keep;
        s3.part_size = 4;
    });
    let mut store = Store::paged(1000);
    run(&keep(S3Operation::Get), &mut store);
    let (stages, _) = run(&in_parts, &mut store);
    assert_eq!(stages[2], "loading by multipart upload: 25 objects");
    let (stages, _) = run(&in_parts, &mut store);
    assert_eq!(stages.len(), 2, "{stages:?}");
}

#[test]
fn keys_that_are_not_of_the_data_set_are_listed_and_left_alone() {
    let mut store = Store::paged(1000);
    for key in [key(25), key(3) + "x"] {
        store.with(&key, b"somebody's");
    }
    run(&keep(S3Operation::List), &mut store);
    assert_eq!(store.objects.len(), 27);
}

#[test]
fn objects_of_others_are_read_by_their_own_keys_and_nothing_else_happens() {
    for operation in [S3Operation::Get, S3Operation::Stat, S3Operation::List] {
        let mut store = Store::paged(2);
        for at in 0..5 {
            store.with(&format!("photos/ä {at}&.jpg"), &vec![b'x'; at]);
        }
        let before: Vec<String> = store.objects.keys().cloned().collect();
        let (stages, kept) = run(&existing(operation), &mut store);
        assert_eq!((stages.len(), kept), (2, None), "{stages:?}");
        assert_eq!(store.objects.keys().cloned().collect::<Vec<_>>(), before);
        for method in ["PUT", "POST", "DELETE"] {
            assert_eq!(store.asked(method), 0);
        }
        let read: BTreeSet<&String> = store
            .seen
            .iter()
            .filter(|seen| seen.contains("/photos/"))
            .collect();
        let expected = if operation == S3Operation::List { 0 } else { 5 };
        assert_eq!(read.len(), expected, "{read:?}");
    }
}

#[test]
fn only_what_is_below_the_prefix_is_read() {
    let mut store = Store::paged(1000);
    store.with("a/1", b"x");
    store.with("b/1", b"x");
    let mut work = existing(S3Operation::Get);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        s3.prefix = Some("b/".to_owned());
    }
    run(&work, &mut store);
    assert!(store.asked("GET /box/b/1") > 0 && store.asked("GET /box/a/1") == 0);
}

/// The failure of the first stage that fails.
fn refusal(work: &plan::Workload, server: &mut dyn FnMut(&support::Request) -> Response) -> String {
    let mut prepared = prepare(work, &site("http://localhost:9000"), 1, 1).unwrap();
    let mut stages: Vec<_> = prepared.check().into_iter().collect();
    stages.extend(prepared.before_run());
    for mut stage in stages {
        assert!(stage.must_succeed);
        for judged in drive_stage(&mut stage, server) {
            if let Ok(Judgement::Failed(_, why)) = judged {
                return why;
            }
        }
    }
    panic!("nothing failed");
}

#[test]
fn what_is_not_there_is_refused_and_not_made() {
    let mut store = Store {
        no_bucket: true,
        ..Store::default()
    };
    let work = existing(S3Operation::Get);
    let why = refusal(&work, &mut |request| store.response(request));
    assert!(why.contains("the bucket does not exist"), "{why}");
    assert_eq!(store.asked("PUT"), 0);

    let mut store = Store::default();
    let why = refusal(&work, &mut |request| store.response(request));
    assert!(why.starts_with("there are no objects at all;"), "{why}");

    let mut store = Store::default();
    let why = refusal(
        &keep(S3Operation::Get),
        &mut |request| match &*request.method {
            "GET" => error(403, "AccessDenied"),
            _ => store.response(request),
        },
    );
    assert!(why.contains("have no permission"), "{why}");
}

#[test]
fn a_listing_that_turns_in_a_circle_is_a_failure() {
    let page = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t\
                </NextContinuationToken></ListBucketResult>";
    let mut asked = 0;
    let why = refusal(&keep(S3Operation::Get), &mut |request| {
        asked += 1;
        match &*request.method {
            "GET" => response(200, page),
            _ => response(200, ""),
        }
    });
    assert!(why.contains("does not advance"), "{why}");
    assert!(asked < 10);
}

#[test]
fn every_object_is_read_once_over_all_slices_and_then_that_is_said() {
    let once = work(S3Operation::Get, |s3| s3.choose = Choose::Once);
    let mut prepared = prepare(&once, &site("http://localhost:9000"), 1, 2).unwrap();
    let mut store = Store::default();
    for object in 0..25 {
        store.objects.insert(key(object), Object::default());
    }
    let mut read = Vec::new();
    let mut slices = 0;
    while prepared.spent().is_none() {
        slices += 1;
        assert!(slices < 10);
        let mut workers = prepared.slice();
        let mut operations = 0;
        for worker in &mut workers {
            operations += drive(worker.as_mut(), 2, 5, 7, &mut |request| {
                read.push(request.path.clone());
                store.response(request)
            })
            .len();
        }
        assert!(operations > 0, "a slice with nothing in it");
        prepared.slice_done(workers);
    }
    assert_eq!((slices, read.len()), (3, 25));
    assert_eq!(read.iter().collect::<BTreeSet<_>>().len(), 25);
    assert_eq!(
        prepared.spent().unwrap(),
        "all 25 objects have been read once; configure more objects or fewer rounds"
    );
}

#[test]
fn other_choices_are_never_spent() {
    let mut prepared = prepare(
        &work(S3Operation::Get, |_| {}),
        &site("http://localhost:9000"),
        1,
        1,
    )
    .unwrap();
    drive(prepared.slice()[0].as_mut(), 1, 100, 7, &mut |_| {
        Response::Lost
    });
    assert_eq!(prepared.spent(), None);
}

#[test]
fn a_listing_that_never_ends_is_given_up() {
    let mut asked = 0;
    let mut prepared = prepare(
        &existing(S3Operation::Get),
        &site("http://localhost:9000"),
        1,
        2,
    )
    .unwrap();
    let mut stage = prepared.before_run().unwrap();
    let judged = drive_stage(&mut stage, &mut |_| {
        asked += 1;
        assert!(asked < 1000, "it ends by itself");
        response(
            200,
            format!(
                "<ListBucketResult><IsTruncated>true</IsTruncated>\
                 <Contents><Key>a</Key><Size>1</Size></Contents>\
                 <NextContinuationToken>{asked}</NextContinuationToken></ListBucketResult>"
            ),
        )
    });
    let Some(Ok(Judgement::Failed(_, why))) = judged.last() else {
        panic!("it fails: {:?}", judged.last());
    };
    assert!(why.contains("does not end"), "{why}");
}

#[test]
fn a_sweep_that_never_ends_is_given_up_and_says_that_it_does_not_know() {
    let mut prepared = prepare(
        &work(S3Operation::FanOut, |_| ()),
        &site("http://localhost:9000"),
        1,
        2,
    )
    .unwrap();
    prepared.inherit();
    let mut asked = 0;
    while let Some(mut stage) = prepared.after_run() {
        drive_stage(&mut stage, &mut |request| {
            asked += 1;
            assert!(asked < 5000, "it ends by itself");
            match request.method.as_str() {
                "GET" => response(
                    200,
                    format!(
                        "<ListBucketResult><IsTruncated>true</IsTruncated>\
                         <Contents><Key>{}</Key></Contents>\
                         <NextContinuationToken>{asked}</NextContinuationToken>\
                         </ListBucketResult>",
                        key(7)
                    ),
                ),
                _ => response(200, "<DeleteResult/>"),
            }
        });
    }
    assert!(asked > 300);
    assert!(prepared.left_behind().is_some());
}
