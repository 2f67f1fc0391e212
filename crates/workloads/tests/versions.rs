//! Tests of versions, locks, tags, appends and archives through all stages, against an in-memory
//! store.

#![allow(clippy::unwrap_used, reason = "a test may")]

#[path = "support/store.rs"]
mod store;
mod support;

use store::{Lack, Store};
use support::{Request, Response, all_correct, drive, drive_stage, response, s3_work, site};
use tenbin_engine::{ErrorClass, Judgement};
use tenbin_plan::{self as plan, ListForm, Mix, S3Operation, S3Work, WorkloadKind};
use tenbin_workloads::{Prepared, prepare};

const PREFIX: &str = "tenbin-0000000000000001/work/";

fn work(operation: S3Operation, change: impl Fn(&mut S3Work)) -> plan::Workload {
    let mut work = s3_work(operation, 100, 12);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        s3.entries = 5;
        change(s3);
    }
    work
}

fn versions(operation: S3Operation) -> plan::Workload {
    work(operation, |s3| s3.versions = 3)
}

fn prepared(work: &plan::Workload) -> Box<dyn Prepared> {
    prepare(work, &site("http://localhost:9000"), 1, 2).unwrap()
}

/// The first failure of a stage that must succeed.
fn failure(judged: &support::Judged) -> Option<String> {
    judged.iter().find_map(|one| match one {
        Ok(Judgement::Failed(_, why)) => Some(why.clone()),
        _ => None,
    })
}

/// Drives all stages before the first slice. The error is the text of the first failure.
fn make_ready(
    prepared: &mut dyn Prepared,
    server: &mut dyn FnMut(&Request) -> Response,
) -> Result<(), String> {
    let mut judged = drive_stage(&mut prepared.check().unwrap(), server);
    while failure(&judged).is_none()
        && let Some(mut stage) = prepared.before_run()
    {
        judged = drive_stage(&mut stage, server);
    }
    failure(&judged).map_or(Ok(()), Err)
}

fn tidy(prepared: &mut dyn Prepared, store: &mut Store) {
    while let Some(mut stage) = prepared.after_run() {
        drive_stage(&mut stage, &mut |request| store.response(request));
    }
}

/// Drives a run with two slices of `requests` requests, whose cleanup must leave nothing.
fn whole_run(mut store: Store, work: &plan::Workload, requests: usize) -> Store {
    let mut prepared = prepared(work);
    let ready = make_ready(prepared.as_mut(), &mut |request| store.response(request));
    assert_eq!(ready, Ok(()));
    for _ in 0..2 {
        if let Some(mut stage) = prepared.before_slice() {
            let judged = drive_stage(&mut stage, &mut |request| store.response(request));
            assert!(all_correct(&judged), "{judged:?}");
        }
        for mut worker in prepared.slice() {
            let judged = drive(worker.as_mut(), 2, requests, 7, &mut |request| {
                store.response(request)
            });
            assert!(!judged.is_empty() && all_correct(&judged), "{judged:?}");
        }
    }
    tidy(prepared.as_mut(), &mut store);
    assert_eq!(prepared.left_behind(), None);
    assert!(!store.bucket, "{:?}", store.keys.keys());
    store
}

#[test]
fn every_operation_works_with_versions_and_leaves_nothing() {
    use S3Operation::{Delete, DeleteBatch, Get, List, Put, Stat};
    for operation in [Put, Get, Stat, Delete, DeleteBatch] {
        let store = whole_run(Store::default(), &versions(operation), 40);
        let asked = store
            .seen
            .iter()
            .any(|seen| seen.contains("versionId=v%2F"));
        let by_id = !matches!(operation, Put | DeleteBatch);
        assert_eq!(asked, by_id, "{operation:?}");
    }
    let list = work(List, |s3| {
        s3.versions = 3;
        s3.list = ListForm::Versions;
    });
    whole_run(Store::default(), &list, 40);
    let mix = work(Put, |s3| {
        s3.versions = 2;
        s3.mix = Mix::new([(Put, 3.0), (Get, 3.0), (Delete, 2.0), (Stat, 1.0)]).unwrap();
    });
    whole_run(Store::default(), &mix, 60);
}

#[test]
fn every_version_has_content_of_its_own_and_another_is_found_out() {
    let work = versions(S3Operation::Get);
    let mut prepared = prepared(&work);
    let mut store = Store::default();
    make_ready(prepared.as_mut(), &mut |request| store.response(request)).unwrap();
    assert_eq!(store.keys.len(), 12);
    let all: Vec<_> = store.keys.values().flatten().collect();
    assert_eq!(all.len(), 36);
    // The server always returns the latest version, whatever version is requested.
    let latest: Vec<_> = store
        .keys
        .values()
        .map(|versions| versions.last().unwrap().id.clone())
        .collect();
    let mut asked_for_latest = 0;
    let mut worker = prepared.slice().remove(0);
    let judged = drive(worker.as_mut(), 1, 200, 7, &mut |request| {
        let (path, query) = request.path.split_once('?').unwrap();
        let id = query.strip_prefix("versionId=").unwrap();
        let id = id
            .replace("%2F", "/")
            .replace("%2B", "+")
            .replace("%3D", "=");
        asked_for_latest += usize::from(latest.contains(&id));
        let key = path.strip_prefix("/box/").unwrap();
        response(200, store.keys[key].last().unwrap().body.clone())
    });
    let wrong = Ok(Judgement::Failed(ErrorClass::Wrong, String::new()));
    let wrong = judged.iter().filter(|one| **one == wrong).count();
    // Two versions sometimes have the same of the 64 bodies.
    assert!(wrong + asked_for_latest <= 200);
    assert!(
        wrong > 100,
        "{wrong} of 200 found, {asked_for_latest} right"
    );
}

#[test]
fn a_bucket_without_what_is_needed_is_said_in_a_sentence() {
    let there = || Store {
        bucket: true,
        ..Store::default()
    };
    let check = |operation, mut store: Store| {
        let work = versions(operation);
        let sentence = make_ready(prepared(&work).as_mut(), &mut |request| {
            store.response(request)
        });
        sentence.unwrap_err()
    };
    let said = check(S3Operation::Get, there());
    assert!(
        said.starts_with("it cannot be used: it keeps no versions;"),
        "{said}"
    );
    let said = check(S3Operation::Get, Store::without(Lack::Versioning));
    assert!(
        said.contains("the server does not support bucket versioning (501 NotImplemented)"),
        "{said}"
    );
    let said = check(S3Operation::Retain, there());
    assert!(said.contains("its objects cannot be locked;"), "{said}");
    let said = check(S3Operation::LegalHold, Store::without(Lack::Lock));
    assert!(
        said.contains("the server does not support object lock (501 NotImplemented)"),
        "{said}"
    );
    let kept = Store {
        versioning: true,
        ..there()
    };
    let mut prepared = prepared(&versions(S3Operation::Get));
    let mut kept = kept;
    make_ready(prepared.as_mut(), &mut |request| kept.response(request)).unwrap();
    tidy(prepared.as_mut(), &mut kept);
    assert!(kept.bucket && kept.keys.is_empty());
}

#[test]
fn locks_are_taken_away_before_what_they_hold() {
    for operation in [S3Operation::Retain, S3Operation::LegalHold] {
        // With an odd number of requests, the last hold is not released.
        let store = whole_run(Store::default(), &work(operation, |_| {}), 7);
        assert!(
            store
                .seen
                .iter()
                .any(|seen| seen.contains("legal-hold=&versionId="))
        );
    }
}

#[test]
fn nothing_outside_the_prefix_is_touched_whatever_is_listed() {
    let mut store = Store::default();
    store.put("precious", b"1".to_vec());
    store.put("tenbin-0000000000000001/other/1", b"2".to_vec());
    store.also_listed = vec![
        "precious".to_owned(),
        "tenbin-0000000000000001/other/1".to_owned(),
    ];
    (store.bucket, store.versioning) = (true, true);
    let mut prepared = prepared(&versions(S3Operation::Put));
    make_ready(prepared.as_mut(), &mut |request| store.response(request)).unwrap();
    let mut worker = prepared.slice().remove(0);
    drive(worker.as_mut(), 1, 20, 7, &mut |request| {
        store.response(request)
    });
    assert!(store.keys.keys().any(|key| key.starts_with(PREFIX)));
    store.seen.clear();
    tidy(prepared.as_mut(), &mut store);
    assert_eq!(prepared.left_behind(), None);
    let left: Vec<_> = store.keys.keys().collect();
    assert_eq!(left, ["precious", "tenbin-0000000000000001/other/1"]);
    assert!(store.seen.iter().all(|seen| !seen.contains("precious")));
}

#[test]
fn a_version_that_is_left_is_reported() {
    let mut store = Store::default();
    let mut prepared = prepared(&versions(S3Operation::Get));
    make_ready(prepared.as_mut(), &mut |request| store.response(request)).unwrap();
    store.sticky = store
        .keys
        .values()
        .next()
        .map(|of_key| of_key[1].id.clone());
    tidy(prepared.as_mut(), &mut store);
    let left = prepared.left_behind().unwrap();
    assert!(left.contains("1 object") && left.contains(PREFIX), "{left}");

    let mut store = Store::default();
    let mut prepared = self::prepared(&versions(S3Operation::Get));
    make_ready(prepared.as_mut(), &mut |request| store.response(request)).unwrap();
    let mut asked = 0;
    while let Some(mut stage) = prepared.after_run() {
        drive_stage(&mut stage, &mut |_| {
            asked += 1;
            Response::Lost
        });
    }
    let left = prepared.left_behind().unwrap();
    assert!(
        asked < 50 && left.contains("could not be listed"),
        "{asked}: {left}"
    );
}

#[test]
fn tags_are_put_compared_and_deleted() {
    use S3Operation::{DeleteTags, GetTags, PutTags};
    for operation in [PutTags, GetTags, DeleteTags] {
        whole_run(Store::default(), &work(operation, |_| {}), 20);
        let mut store = Store::without(Lack::Tags);
        let mut prepared = prepared(&work(operation, |_| {}));
        let said = make_ready(prepared.as_mut(), &mut |request| store.response(request));
        let expected = "the server does not support object tags (501 NotImplemented)";
        assert_eq!(said.unwrap_err(), expected);
        tidy(prepared.as_mut(), &mut store);
        assert!(!store.bucket);
    }
    let mut store = Store::default();
    let mut prepared = prepared(&work(GetTags, |_| {}));
    make_ready(prepared.as_mut(), &mut |request| store.response(request)).unwrap();
    for tags in store.tags.values_mut() {
        *tags = String::from_utf8(tags.clone())
            .unwrap()
            .replace("tenbin", "other")
            .into_bytes();
    }
    let judged = drive(prepared.slice()[0].as_mut(), 1, 5, 7, &mut |request| {
        store.response(request)
    });
    let wrong = Judgement::Failed(
        ErrorClass::Wrong,
        "the tags differ from those that were set".to_owned(),
    );
    assert_eq!(judged, vec![Ok(wrong); 5]);
}

/// The error of a run on a store that lacks a feature; the run must leave nothing behind.
fn said_by(store: Store, operation: S3Operation) -> String {
    let mut store = store;
    let mut prepared = prepared(&work(operation, |_| {}));
    let said = make_ready(prepared.as_mut(), &mut |request| store.response(request));
    tidy(prepared.as_mut(), &mut store);
    assert_eq!(prepared.left_behind(), None, "{operation:?}");
    assert!(store.keys.is_empty() && !store.bucket, "{operation:?}");
    said.unwrap_err()
}

#[test]
fn appends_go_to_the_end_and_a_replaced_object_is_found_out() {
    // The store itself checks every offset, over two slices.
    whole_run(Store::default(), &work(S3Operation::Append, |_| {}), 30);
    let said = said_by(Store::without(Lack::Append), S3Operation::Append);
    assert!(
        said.starts_with("the server does not support append: the length of the object is not"),
        "{said}"
    );
}

#[test]
fn archives_are_unpacked_and_read_and_missing_support_is_reported() {
    use S3Operation::{FanOut, Snowball, ZipGet, ZipList};
    for operation in [Snowball, ZipGet, ZipList, FanOut] {
        whole_run(Store::default(), &work(operation, |s3| s3.page = 5), 20);
    }
    let said = said_by(Store::without(Lack::Archives), Snowball);
    assert!(
        said.starts_with("the server does not support snowball archives (404"),
        "{said}"
    );
    let said = said_by(Store::without(Lack::Archives), ZipGet);
    assert_eq!(
        said,
        "the server does not support reading from ZIP archives (404 NoSuchKey)"
    );
    let said = said_by(Store::without(Lack::Archives), ZipList);
    assert!(
        said.starts_with("the server does not support listing ZIP archives: fewer keys"),
        "{said}"
    );
    let said = said_by(Store::without(Lack::FanOut), FanOut);
    assert_eq!(
        said,
        "the server does not support fan-out (405 MethodNotAllowed)"
    );
}

#[test]
fn snowball_and_fan_out_make_the_objects_they_promise() {
    for (operation, keys) in [(S3Operation::Snowball, 12), (S3Operation::FanOut, 12)] {
        let mut store = Store::default();
        let mut prepared = prepared(&work(operation, |_| {}));
        make_ready(prepared.as_mut(), &mut |request| store.response(request)).unwrap();
        for mut worker in prepared.slice() {
            drive(worker.as_mut(), 1, 6, 7, &mut |request| {
                store.response(request)
            });
        }
        let made = store.keys.iter().filter(|(key, _)| key.starts_with(PREFIX));
        assert_eq!(made.count(), keys, "{operation:?}");
        let whole = |body: &Vec<u8>| operation == S3Operation::FanOut || body.len() == 100;
        assert!(store.keys.values().all(|of_key| whole(&of_key[0].body)));
    }
}

#[test]
fn an_identifier_that_an_object_had_before_is_wrong() {
    let put = work(S3Operation::Put, |s3| {
        s3.objects = 1;
        s3.versions = 3;
    });
    let mut prepared = prepare(&put, &site("http://localhost:9000"), 1, 1).unwrap();
    let mut worker = prepared.slice().remove(0);
    let mut given = 0;
    let judged = drive(worker.as_mut(), 1, 6, 10, &mut |_| {
        given += 1;
        Response::Headed(200, format!("x-amz-version-id: v{}", given / 2), Vec::new())
    });
    let wrong = judged.iter().filter(|one| **one != Ok(Judgement::Correct));
    assert_eq!(wrong.count(), 2, "{judged:?}");
}
