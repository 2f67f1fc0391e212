//! Tests of S3 workloads through all stages, against an in-memory store.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use support::{
    Request, Response, all_correct, drive, drive_hosts, drive_stage, give, response, s3_work, site,
};
use tenbin_engine::{ErrorClass, Exchange, Judgement, Next};
use tenbin_plan::{self as plan, Payload, S3Operation, Sizes, Style, WorkloadKind};
use tenbin_workloads::s3::sigv4::{Signed, Signer};
use tenbin_workloads::{Prepared, Site, WorkloadError, prepare};
use url::Url;

const ENDPOINT: &str = "http://localhost:9000";

fn prepared(work: &plan::Workload, threads: usize) -> Box<dyn Prepared> {
    prepare(work, &site(ENDPOINT), 1, threads).unwrap()
}

fn error(status: u16, code: &str) -> Response {
    response(
        status,
        format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>m</Message></Error>"),
    )
}

/// A store with a bucket `box`.
#[derive(Default)]
struct Store {
    bucket: bool,
    objects: BTreeMap<String, Vec<u8>>,
    no_batches: bool,
    /// DELETE acknowledges but keeps the keys that contain this text.
    keeps: Option<&'static str>,
    seen: Vec<String>,
}

impl Store {
    fn with_bucket() -> Self {
        Self {
            bucket: true,
            ..Self::default()
        }
    }

    fn response(&mut self, request: &Request) -> Response {
        assert!(request.header("authorization").is_some());
        assert_eq!(request.header("host"), Some("localhost:9000"));
        if !request.body.is_empty() {
            let length = request.header("content-length").unwrap();
            assert_eq!(length, request.body.len().to_string());
        }
        self.seen
            .push(format!("{} {}", request.method, request.path));
        match request.path.strip_prefix("/box/") {
            Some(key) => self.object(request, key),
            None => self.bucket(request),
        }
    }

    fn object(&mut self, request: &Request, key: &str) -> Response {
        match request.method.as_str() {
            _ if !self.bucket => error(404, "NoSuchBucket"),
            "PUT" => {
                let hash: String = Sha256::digest(&request.body)
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect();
                assert_eq!(request.header("x-amz-content-sha256"), Some(hash.as_str()));
                self.objects.insert(key.into(), request.body.clone());
                response(200, "")
            }
            "GET" => match self.objects.get(key) {
                Some(body) => response(200, body.clone()),
                None => error(404, "NoSuchKey"),
            },
            "DELETE" => {
                self.delete(key);
                response(204, "")
            }
            other => panic!("{other} of an object"),
        }
    }

    fn delete(&mut self, key: &str) {
        if !self.keeps.is_some_and(|text| key.contains(text)) {
            self.objects.remove(key);
        }
    }

    fn list(&self, prefix: &str) -> Response {
        let keys = self.objects.keys().filter(|key| key.starts_with(prefix));
        let keys: String = keys
            .map(|key| format!("<Contents><Key>{key}</Key></Contents>"))
            .collect();
        response(
            200,
            format!("<ListBucketResult><IsTruncated>false</IsTruncated>{keys}</ListBucketResult>"),
        )
    }

    fn bucket(&mut self, request: &Request) -> Response {
        match (request.method.as_str(), request.path.as_str()) {
            ("HEAD", "/box") => response(if self.bucket { 200 } else { 404 }, ""),
            ("PUT", "/box") => {
                self.bucket = true;
                response(200, "")
            }
            ("DELETE", "/box") if self.objects.is_empty() => {
                self.bucket = false;
                response(204, "")
            }
            ("DELETE", "/box") => error(409, "BucketNotEmpty"),
            ("POST", "/box?delete=") if self.no_batches => error(501, "NotImplemented"),
            ("POST", "/box?delete=") => {
                assert!(request.header("content-md5").is_some());
                let xml = String::from_utf8(request.body.clone()).unwrap();
                for key in xml.split("<Key>").skip(1) {
                    self.delete(key.split_once("</Key>").unwrap().0);
                }
                response(200, "<DeleteResult></DeleteResult>")
            }
            ("GET", "/box?list-type=2&max-keys=1&prefix=") => self.list(""),
            ("GET", path) if path.starts_with("/box?list-type=2&max-keys=1000&prefix=") => {
                let (_, prefix) = path.split_once("prefix=").unwrap();
                self.list(&prefix.replace("%2F", "/"))
            }
            other => panic!("{other:?}"),
        }
    }
}

fn check_against(server: &mut dyn FnMut(&Request) -> Response) -> Result<usize, String> {
    let mut prepared = prepared(&s3_work(S3Operation::Put, 10, 10), 1);
    let mut stage = prepared.check().unwrap();
    assert!(stage.must_succeed);
    let judged = drive_stage(&mut stage, server);
    for one in &judged {
        match one {
            Ok(Judgement::Correct) => {}
            Ok(Judgement::Failed(ErrorClass::Status, text)) => return Err(text.clone()),
            other => return Err(format!("{other:?}")),
        }
    }
    Ok(judged.len())
}

#[test]
fn a_bucket_that_is_there_is_not_touched() {
    let mut store = Store::with_bucket();
    assert_eq!(check_against(&mut |request| store.response(request)), Ok(1));
    assert_eq!(store.seen, ["HEAD /box"]);
}

#[test]
fn a_missing_bucket_is_made() {
    let mut store = Store::default();
    assert_eq!(check_against(&mut |request| store.response(request)), Ok(2));
    assert!(store.bucket);
}

#[test]
fn the_reason_of_a_refusal_becomes_a_sentence() {
    for (status, code, sentence) in [
        (403, "SignatureDoesNotMatch", "the secret key is wrong"),
        (403, "InvalidAccessKeyId", "does not know this access key"),
        (403, "RequestTimeTooSkewed", "clocks"),
        (400, "AuthorizationHeaderMalformed", "another region"),
        (
            503,
            "Strange.Code",
            "the server responded with 503 Strange.Code",
        ),
        (503, "<script>", "is it an S3 server?"),
    ] {
        let text = check_against(&mut |request| match request.method.as_str() {
            "HEAD" => error(status, code),
            "GET" => {
                assert_eq!(request.path, "/box?location=");
                error(status, code)
            }
            other => panic!("{other} after a refusal"),
        })
        .unwrap_err();
        assert!(text.contains(sentence), "{code}: {text}");
        assert!(text.starts_with("it cannot be used: "), "{text}");
        assert!(
            !text.contains("<script>") && !text.contains("wJalr"),
            "{text}"
        );
    }
}

#[test]
fn a_refusal_of_head_alone_is_no_obstacle() {
    let judged = check_against(&mut |request| match request.method.as_str() {
        "HEAD" => error(403, "AccessDenied"),
        _ => response(200, "<LocationConstraint/>"),
    });
    assert_eq!(judged, Ok(2));
}

#[test]
fn a_server_that_does_not_respond_gets_one_request() {
    let mut asked = 0;
    let judged = check_against(&mut |_| {
        asked += 1;
        Response::Lost
    });
    assert!(judged.is_err());
    assert_eq!(asked, 1);
}

#[test]
fn a_bucket_that_may_not_be_made_is_a_failure() {
    let text = check_against(&mut |request| match request.method.as_str() {
        "HEAD" => response(404, ""),
        _ => error(403, "AccessDenied"),
    })
    .unwrap_err();
    assert!(text.starts_with("it cannot be made: "), "{text}");
}

/// Drives the check, loading, one slice and the cleanup, which must leave nothing of the run
/// behind.
fn whole_run(mut store: Store, work: &plan::Workload, puts: usize) -> Store {
    let mut prepared = prepared(work, 2);
    let mut server = |request: &Request| store.response(request);
    assert!(all_correct(&drive_stage(
        &mut prepared.check().unwrap(),
        &mut server
    )));
    let filling = [prepared.before_run(), prepared.before_slice()];
    for mut stage in filling.into_iter().flatten() {
        assert!(all_correct(&drive_stage(&mut stage, &mut server)));
    }
    let mut workers = prepared.slice();
    for worker in &mut workers {
        assert!(all_correct(&drive(
            worker.as_mut(),
            2,
            puts,
            3,
            &mut server
        )));
    }
    prepared.slice_done(workers);
    while let Some(mut stage) = prepared.after_run() {
        assert!(!stage.must_succeed);
        drive_stage(&mut stage, &mut server);
    }
    assert_eq!(prepared.left_behind(), None);
    store
}

#[test]
fn only_what_was_put_is_deleted() {
    let keep = [
        ("mine", b"1".to_vec()),
        // With the prefix of the run, but never stored by this run.
        ("tenbin-0000000000000001/work/00000019", b"2".to_vec()),
    ];
    for operation in [S3Operation::Put, S3Operation::Get, S3Operation::Delete] {
        let mut store = Store::with_bucket();
        let objects = 19;
        for (key, body) in &keep {
            store.objects.insert((*key).into(), body.clone());
        }
        let store = whole_run(store, &s3_work(operation, 10, objects), 5);
        let left: Vec<_> = store.objects.keys().map(String::as_str).collect();
        assert_eq!(left, [keep[0].0, keep[1].0], "{operation:?}");
        assert!(store.bucket);
    }
}

#[test]
fn a_bucket_is_removed_if_it_was_made() {
    let store = whole_run(Store::default(), &s3_work(S3Operation::Put, 10, 19), 5);
    assert!(!store.bucket);
    let last = store.seen.last().unwrap();
    assert_eq!(last, "DELETE /box");
}

#[test]
fn what_was_not_sent_is_not_deleted() {
    let store = whole_run(
        Store::with_bucket(),
        &s3_work(S3Operation::Put, 10, 1000),
        0,
    );
    assert_eq!(store.seen, ["HEAD /box"]);
}

#[test]
fn a_server_without_batches_is_tidied_one_by_one() {
    let store = Store {
        no_batches: true,
        ..Store::default()
    };
    let store = whole_run(store, &s3_work(S3Operation::Get, 10, 50), 5);
    assert!(store.objects.is_empty() && !store.bucket);
}

#[test]
fn lost_puts_count_as_made() {
    let mut prepared = prepared(&s3_work(S3Operation::Put, 10, 100), 1);
    let mut store = Store::with_bucket();
    let mut workers = prepared.slice();
    drive(workers[0].as_mut(), 1, 3, 1, &mut |request| {
        store.response(request);
        Response::Lost
    });
    assert_eq!(store.objects.len(), 3);
    let mut stage = prepared.after_run().unwrap();
    drive_stage(&mut stage, &mut |request| store.response(request));
    assert!(store.objects.is_empty());
}

#[test]
fn objects_that_cannot_be_deleted_are_reported_and_cleanup_ends() {
    for refusal in [error(503, "SlowDown"), Response::Lost] {
        let mut prepared = prepared(&s3_work(S3Operation::Put, 10, 5000), 1);
        drive(prepared.slice()[0].as_mut(), 1, 3000, 1, &mut |_| {
            response(200, "")
        });
        let mut asked = 0;
        drive_stage(&mut prepared.after_run().unwrap(), &mut |_| {
            asked += 1;
            refusal.clone()
        });
        assert!(asked < 100, "{asked}");
        assert_eq!(
            prepared.left_behind().unwrap(),
            "up to 3,000 objects under tenbin-0000000000000001/work/ could not be deleted from bucket box"
        );
    }
}

#[test]
fn objects_that_stay_although_their_deletion_was_acknowledged_are_counted_and_named() {
    let mut store = Store {
        keeps: Some("/0000000"),
        ..Store::default()
    };
    let mut prepared = prepared(&s3_work(S3Operation::Put, 10, 100), 1);
    let mut server = |request: &Request| store.response(request);
    drive_stage(&mut prepared.check().unwrap(), &mut server);
    drive(prepared.slice()[0].as_mut(), 1, 30, 1, &mut server);
    while let Some(mut stage) = prepared.after_run() {
        drive_stage(&mut stage, &mut server);
    }
    let left = prepared.leftovers();
    let [objects, bucket] = left.as_slice() else {
        panic!("{left:?}")
    };
    assert_eq!(
        objects.to_string(),
        "10 objects under tenbin-0000000000000001/work/ are left in bucket box: the server \
         responded to DELETE with 204 and kept the objects"
    );
    assert_eq!(objects.objects, Some(10));
    assert_eq!(objects.bucket.as_deref(), Some("box"));
    assert_eq!(
        bucket.to_string(),
        "bucket box, created by this run, is left: it is not empty"
    );
    // Each object was deleted again in a separate request.
    let singles = store
        .seen
        .iter()
        .filter(|seen| seen.starts_with("DELETE /box/"));
    assert_eq!(singles.count(), 10);
    assert!(store.bucket && store.objects.len() == 10);
}

#[test]
fn a_bucket_that_somebody_else_uses_is_not_deleted() {
    let mut store = Store::default();
    let mut prepared = prepared(&s3_work(S3Operation::Put, 10, 100), 1);
    drive_stage(&mut prepared.check().unwrap(), &mut |request| {
        store.response(request)
    });
    store.objects.insert("precious".into(), b"1".to_vec());
    while let Some(mut stage) = prepared.after_run() {
        drive_stage(&mut stage, &mut |request| store.response(request));
    }
    assert!(!store.seen.contains(&"DELETE /box".to_owned()));
    let left = prepared.left_behind().unwrap();
    assert!(left.contains("it is not empty"), "{left}");
}

#[test]
fn a_batch_that_leaves_some_is_gone_through_again() {
    let mut prepared = prepared(&s3_work(S3Operation::Put, 10, 10), 1);
    drive(prepared.slice()[0].as_mut(), 1, 10, 1, &mut |_| {
        response(200, "")
    });
    let mut singles = 0;
    drive_stage(&mut prepared.after_run().unwrap(), &mut |request| {
        if request.method == "POST" {
            return response(
                200,
                "<DeleteResult><Error><Key>k</Key><Code>InternalError</Code></Error></DeleteResult>",
            );
        }
        singles += 1;
        response(204, "")
    });
    assert_eq!(singles, 10);
    assert_eq!(prepared.left_behind(), None);
}

#[test]
fn filling_puts_every_object_once_and_gives_up_at_the_first_failure() {
    let work = s3_work(S3Operation::Get, 10, 103);
    let mut store = Store::with_bucket();
    let mut first = prepared(&work, 3);
    let mut stage = first.before_run().unwrap();
    assert!(first.before_run().is_none());
    assert_eq!(
        (stage.total, stage.what.text()),
        (Some(103), "loading 103 objects")
    );
    assert!(stage.is_loading());
    assert!(all_correct(
        &drive_stage(&mut stage, &mut |request| store.response(request))
    ));
    assert_eq!(store.objects.len(), 103);
    assert_eq!(store.seen.len(), 103);
    let contents: BTreeSet<_> = store.objects.values().collect();
    assert!(contents.len() > 40, "{} of 64 variants", contents.len());

    let mut stage = prepared(&work, 3).before_run().unwrap();
    let judged = drive_stage(&mut stage, &mut |_| error(507, "XMinioStorageFull"));
    assert!(judged.len() <= stage.connections, "{}", judged.len());
    let why = "an object cannot be put: the server has no space left (XMinioStorageFull)";
    let failed = Judgement::Failed(ErrorClass::Status, why.into());
    assert!(judged.contains(&Ok(failed)), "{judged:?}");
}

#[test]
fn every_target_is_sent_the_same_and_reads_go_on_from_slice_to_slice() {
    for operation in [S3Operation::Put, S3Operation::Get, S3Operation::Delete] {
        let work = s3_work(operation, 10, 500);
        let sequence = |prepared: &mut dyn Prepared| {
            let mut seen = Vec::new();
            for worker in &mut prepared.slice() {
                drive(worker.as_mut(), 1, 50, 1, &mut |request| {
                    seen.push(request.path.clone());
                    response(200, "")
                });
            }
            seen
        };
        let mut here = prepared(&work, 2);
        let mut there = prepare(&work, &site("http://other:1"), 1, 2).unwrap();
        let first = sequence(here.as_mut());
        let second = sequence(here.as_mut());
        assert_eq!(first, sequence(there.as_mut()));
        assert_eq!(second, sequence(there.as_mut()));
        // Objects that are stored or deleted exist again in every slice.
        assert_eq!(first == second, operation != S3Operation::Get);
        let position = there.position().map(|position| position.workers);
        let expected = (operation == S3Operation::Get).then(|| vec![100, 100]);
        assert_eq!(position, expected);
        assert!(first.iter().collect::<BTreeSet<_>>().len() > 80);
    }
}

#[test]
fn delete_takes_every_object_once() {
    let mut prepared = prepared(&s3_work(S3Operation::Delete, 10, 21), 2);
    let mut seen = BTreeSet::new();
    for worker in &mut prepared.slice() {
        let judged = drive(worker.as_mut(), 2, usize::MAX, 1, &mut |request| {
            assert!(seen.insert(request.path.clone()));
            response(204, "")
        });
        assert!(all_correct(&judged));
    }
    assert_eq!(seen.len(), 21);
}

#[test]
fn a_refused_operation_carries_the_servers_code() {
    for (operation, expected) in [
        (S3Operation::Put, "SlowDown"),
        (S3Operation::Get, "SlowDown"),
        (S3Operation::Delete, "SlowDown"),
    ] {
        let mut prepared = prepared(&s3_work(operation, 10, 10), 1);
        let judged = drive(prepared.slice()[0].as_mut(), 3, 3, 4, &mut |_| {
            error(503, "SlowDown")
        });
        let failed = Judgement::Failed(ErrorClass::Status, expected.into());
        assert_eq!(judged, vec![Ok(failed); 3]);
    }
}

#[test]
fn other_statuses_of_put_object_are_failures() {
    let mut prepared = prepared(&s3_work(S3Operation::Put, 10, 10), 1);
    let judged = drive(prepared.slice()[0].as_mut(), 1, 1, 4, &mut |_| {
        response(204, "")
    });
    let failed = Judgement::Failed(ErrorClass::Status, String::new());
    assert_eq!(judged, [Ok(failed)]);
}

#[test]
fn unsigned_payloads_say_so_and_no_credentials_sign_nothing() {
    let mut work = s3_work(S3Operation::Put, 10, 10);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        s3.payload = Payload::Unsigned;
    }
    drive(
        prepared(&work, 1).slice()[0].as_mut(),
        1,
        1,
        1,
        &mut |request| {
            assert_eq!(
                request.header("x-amz-content-sha256"),
                Some("UNSIGNED-PAYLOAD")
            );
            response(200, "")
        },
    );
    let mut open = site(ENDPOINT);
    open.credentials = None;
    let mut prepared = prepare(&work, &open, 1, 1).unwrap();
    drive(prepared.slice()[0].as_mut(), 1, 1, 1, &mut |request| {
        assert!(!request.head.contains("uthorization") && !request.head.contains("x-amz"));
        response(200, "")
    });
}

/// Fails unless the signature matches the request, including its host.
fn expect_signed(request: &Request, site: &Site) {
    let authorization = request.header("authorization").unwrap();
    let part = |name: &str| {
        let (_, rest) = authorization.split_once(name).unwrap();
        rest.split(',').next().unwrap()
    };
    let names: Vec<&str> = part("SignedHeaders=").split(';').collect();
    assert!(names.contains(&"host"), "{authorization}");
    let headers: Vec<(&str, &[u8])> = names
        .iter()
        .map(|&name| (name, request.header(name).unwrap().as_bytes()))
        .collect();
    let mut signer = Signer::new(site.credentials.as_ref().unwrap(), &site.region, "s3");
    signer.at(support::NOW.unix_seconds);
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let signature = signer.sign(&Signed {
        method: request.method.as_bytes(),
        path: path.as_bytes(),
        query: query.as_bytes(),
        headers: &headers,
        payload_hash: request.header("x-amz-content-sha256").unwrap().as_bytes(),
    });
    let expected = String::from_utf8(signature.to_vec()).unwrap();
    assert_eq!(part("Signature="), expected, "{}", request.head);
}

#[test]
fn every_host_is_named_and_signed_for() {
    let hosts = ["one:9000", "two"];
    let url = |host: &str| Url::parse(&format!("http://{host}")).unwrap();
    let site = site("http://one:9000").and_host(&url(hosts[1]));
    for (style, of_bucket) in [(Style::Path, ""), (Style::Virtual, "box.")] {
        let mut work = s3_work(S3Operation::Get, 10, 20);
        if let WorkloadKind::S3(s3) = &mut work.kind {
            s3.style = style;
        }
        let mut seen = BTreeSet::new();
        let mut server = |request: &Request| {
            let host = format!("{of_bucket}{}", hosts[request.to]);
            assert_eq!(request.header("host"), Some(&*host), "{}", request.head);
            expect_signed(request, &site);
            seen.insert((request.method.clone(), request.to));
            match request.method.as_str() {
                // This server keeps no objects.
                "GET" => error(404, "NoSuchKey"),
                "HEAD" => response(404, ""),
                _ => response(200, ""),
            }
        };
        let mut prepared = prepare(&work, &site, 1, 1).unwrap();
        drive_stage(&mut prepared.check().unwrap(), &mut server);
        // Exchanges use the hosts in turn, as in the engine.
        let mut stages = std::iter::from_fn(|| prepared.before_run());
        let mut workers = stages.find(|stage| stage.host.is_none()).unwrap().workers;
        workers.extend(prepared.slice());
        for mut worker in workers {
            drive_hosts(worker.as_mut(), &[0, 1], 50, 7, &mut server);
        }
        for mut worker in prepared.after_run().unwrap().workers {
            drive_hosts(worker.as_mut(), &[1, 0], 50, 7, &mut server);
        }
        for (method, to) in [("PUT", 0), ("PUT", 1), ("GET", 0), ("GET", 1)] {
            assert!(seen.contains(&(method.to_owned(), to)), "{method} {to}");
        }
        for method in ["HEAD", "POST", "DELETE"] {
            let somewhere = [0, 1].map(|to| seen.contains(&(method.to_owned(), to)));
            assert!(somewhere.contains(&true), "{method}");
        }
    }
}

#[test]
fn what_cannot_work_is_refused() {
    let refused = |change: &dyn Fn(&mut plan::S3Work)| {
        let mut work = s3_work(S3Operation::Put, 10, 10);
        if let WorkloadKind::S3(s3) = &mut work.kind {
            change(s3);
        }
        prepare(&work, &site(ENDPOINT), 1, 1).err().unwrap()
    };
    for bucket in ["ab", "Box", "a b", "box/", "-box", "a..b", "x\r\nHost: y"] {
        let refused = refused(&|s3| s3.bucket = bucket.into());
        assert!(matches!(refused, WorkloadError::Bucket { .. }), "{bucket}");
    }
    assert!(matches!(
        refused(&|s3| s3.objects = 0),
        WorkloadError::Objects { .. }
    ));
    assert!(matches!(
        refused(&|s3| s3.sizes = Sizes::fixed((5 << 30) + 1)),
        WorkloadError::Size { .. }
    ));

    let mut target = site(ENDPOINT);
    target.region = "us east".into();
    let refused = prepare(&s3_work(S3Operation::Put, 1, 1), &target, 1, 1)
        .err()
        .unwrap();
    assert!(matches!(
        refused,
        WorkloadError::Site { what: "region", .. }
    ));
}

/// The judgement of one GET whose response body is changed by `change`.
fn get_with(size: u64, piece: usize, change: impl Fn(&mut Vec<u8>)) -> Judgement {
    let mut prepared = prepared(&s3_work(S3Operation::Get, size, 8), 1);
    let mut store = Store::with_bucket();
    drive_stage(&mut prepared.before_run().unwrap(), &mut |request| {
        store.response(request)
    });
    let mut workers = prepared.slice();
    let mut exchange = Exchange::default();
    assert_eq!(workers[0].next(support::NOW, &mut exchange), Next::Ready);
    let key = format!("tenbin-0000000000000001/work/{:08}", exchange.tag);
    let mut body = store.objects[&key].clone();
    change(&mut body);
    give(
        workers[0].as_mut(),
        &mut exchange,
        response(200, body),
        piece,
    )
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn content_is_verified_alike_however_it_is_split(size in 0_u64..200, piece in 1_usize..250) {
        prop_assert_eq!(get_with(size, piece, |_| {}), Judgement::Correct);
    }

    #[test]
    fn one_flipped_bit_is_found(
        size in 1_u64..200, piece in 1_usize..250, at: prop::sample::Index, bit in 0..8,
    ) {
        let judged = get_with(size, piece, |body| {
            let at = at.index(body.len());
            body[at] ^= 1_u8 << bit;
        });
        prop_assert_eq!(judged, Judgement::Failed(ErrorClass::Wrong, String::new()));
    }

    #[test]
    fn missing_and_surplus_bytes_are_found(
        size in 1_u64..200, piece in 1_usize..250, cut: prop::sample::Index,
    ) {
        let short = get_with(size, piece, |body| body.truncate(cut.index(body.len())));
        prop_assert_eq!(short, Judgement::Failed(ErrorClass::Short, String::new()));
        let long = get_with(size, piece, |body| body.push(0));
        prop_assert_eq!(long, Judgement::Failed(ErrorClass::Wrong, String::new()));
    }
}
