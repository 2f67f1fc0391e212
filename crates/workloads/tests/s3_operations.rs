//! Tests of operations other than plain PUT, GET and DELETE, against servers that are closures.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::{
    Judged, Request, Response, all_correct, drive, drive_stage, response, s3_work, site,
};
use tenbin_engine::{ErrorClass, Judgement, Role};
use tenbin_plan::{self as plan, ByteRange, Checksum, Choose, S3Operation, S3Work, WorkloadKind};
use tenbin_workloads::{Prepared, prepare};

fn work(operation: S3Operation, objects: u64, change: impl FnOnce(&mut S3Work)) -> plan::Workload {
    let mut work = s3_work(operation, 100, objects);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        change(s3);
    }
    work
}

fn prepared(work: &plan::Workload) -> Box<dyn Prepared> {
    prepare(work, &site("http://localhost:9000"), 1, 1).unwrap()
}

/// Judgements of a slice with `requests` requests.
fn slice(
    prepared: &mut dyn Prepared,
    requests: usize,
    server: &mut dyn FnMut(&Request) -> Response,
) -> Judged {
    drive(prepared.slice()[0].as_mut(), 4, requests, 1000, server)
}

fn failures(judged: &Judged) -> Vec<(ErrorClass, String)> {
    let failed = judged.iter().filter_map(|one| match one {
        Ok(Judgement::Failed(class, text)) => Some((*class, text.clone())),
        _ => None,
    });
    failed.collect()
}

/// Objects that a workload loads, by path.
fn laid_out(prepared: &mut dyn Prepared) -> BTreeMap<String, Vec<u8>> {
    let mut objects = BTreeMap::new();
    let mut stage = prepared.before_run().unwrap();
    let judged = drive_stage(&mut stage, &mut |request| {
        objects.insert(request.path.clone(), request.body.clone());
        response(200, "")
    });
    assert!(all_correct(&judged));
    objects
}

#[test]
fn a_mix_has_its_shares_reads_what_is_there_and_deletes_what_it_put() {
    let mix = work(S3Operation::Put, 50, |s3| {
        s3.mix = "get:50,stat:20,put:20,delete:10".parse().unwrap();
        s3.verify = true;
    });
    let mut prepared = prepared(&mix);
    let mut objects = laid_out(prepared.as_mut());
    assert_eq!(objects.len(), 50);
    let before: BTreeSet<String> = objects.keys().cloned().collect();
    let mut count: BTreeMap<String, u32> = BTreeMap::new();
    let judged = slice(prepared.as_mut(), 2000, &mut |request| {
        *count.entry(request.method.clone()).or_default() += 1;
        match request.method.as_str() {
            "GET" => response(200, objects[&request.path].clone()),
            "HEAD" => {
                assert!(objects.contains_key(&request.path));
                response(200, "")
            }
            "PUT" => {
                assert!(!before.contains(&request.path), "a new object");
                objects.insert(request.path.clone(), request.body.clone());
                response(200, "")
            }
            _ => {
                assert!(!before.contains(&request.path));
                assert!(objects.remove(&request.path).is_some(), "put before");
                response(204, "")
            }
        }
    });
    // Responses to HEAD state no object size here, so STAT fails.
    assert!(
        failures(&judged)
            .iter()
            .all(|(_, text)| text == "the response has another size, or no size")
    );
    for (method, share) in [("GET", 0.5), ("HEAD", 0.2), ("PUT", 0.2), ("DELETE", 0.1)] {
        let seen = f64::from(count[method]) / 2000.0;
        assert!(
            (share - 0.04..share + 0.04).contains(&seen),
            "{method}: {seen}"
        );
    }
    assert_eq!(
        prepared.slice()[0].operations(),
        ["GET", "STAT", "PUT", "DELETE"]
    );
}

#[test]
fn a_range_of_an_object_is_read_and_compared() {
    for range in [
        ByteRange::Random { length: 30 },
        ByteRange::Fixed {
            first: 10,
            last: 39,
        },
    ] {
        let get = work(S3Operation::Get, 20, |s3| s3.range = Some(range));
        let mut prepared = prepared(&get);
        let objects = laid_out(prepared.as_mut());
        let mut firsts = BTreeSet::new();
        let part = |request: &Request| {
            let range = request
                .header("range")
                .unwrap()
                .strip_prefix("bytes=")
                .unwrap();
            let (first, last) = range.split_once('-').unwrap();
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            assert_eq!(last - first + 1, 30);
            (first, objects[&request.path][first..=last].to_vec())
        };
        let judged = slice(prepared.as_mut(), 300, &mut |request| {
            let (first, part) = part(request);
            firsts.insert(first);
            partial(first, part)
        });
        assert!(all_correct(&judged), "{range}");
        let expected = if range == (ByteRange::Random { length: 30 }) {
            60..=71
        } else {
            1..=1
        };
        assert!(expected.contains(&firsts.len()), "{}", firsts.len());

        let mut wrong = 0;
        let judged = slice(prepared.as_mut(), 100, &mut |request| {
            let (first, mut part) = part(request);
            wrong += 1;
            match wrong % 4 {
                // The next part instead of the requested part; a shortened part; the complete
                // object; the right part.
                0 => {
                    part = objects[&request.path]
                        .iter()
                        .copied()
                        .skip(first + 1)
                        .take(30)
                        .collect()
                }
                1 => part.truncate(29),
                2 => return response(200, objects[&request.path].clone()),
                _ => {}
            }
            partial(first, part)
        });
        let count = |class| {
            failures(&judged)
                .iter()
                .filter(|(own, _)| *own == class)
                .count()
        };
        assert_eq!(count(ErrorClass::Short) + count(ErrorClass::Wrong), 75);
        assert!(count(ErrorClass::Wrong) >= 49);
    }
}

/// A response with a part of an object of 100 bytes.
fn partial(first: usize, part: Vec<u8>) -> Response {
    let last = first + part.len() - 1;
    Response::Headed(
        206,
        format!("Content-Range: bytes {first}-{last}/100"),
        part,
    )
}

#[test]
fn a_response_must_state_the_requested_range() {
    let range = ByteRange::Fixed {
        first: 10,
        last: 39,
    };
    let get = work(S3Operation::Get, 20, |s3| {
        s3.range = Some(range);
        s3.verify = false;
    });
    let judged = |header: &str| {
        let mut prepared = prepared(&get);
        let server = &mut |_: &Request| Response::Headed(206, header.to_owned(), vec![b'x'; 30]);
        let judged = slice(prepared.as_mut(), 1, server);
        failures(&judged).first().map(|(class, _)| *class)
    };
    for right in ["bytes 10-39/100", "bytes 10-39/*"] {
        assert_eq!(judged(&format!("Content-Range: {right}")), None);
    }
    let wrong = [
        "bytes 0-29/100", "bytes 10-38/100", "bytes 10-39/99", "10-39/100", "",
    ];
    for wrong in wrong {
        let class = judged(&format!("Content-Range: {wrong}"));
        assert_eq!(class, Some(ErrorClass::Wrong), "{wrong}");
    }
    assert_eq!(judged(""), Some(ErrorClass::Wrong));
}

fn listed(key: u64) -> String {
    format!("tenbin-0000000000000001/work/{key:08}")
}

fn listing(keys: impl Iterator<Item = u64>, more: bool, token: &str) -> Response {
    let contents: String = keys
        .map(|key| format!("<Contents><Key>{}</Key></Contents>", listed(key)))
        .collect();
    response(
        200,
        format!(
            "<ListBucketResult><IsTruncated>{more}</IsTruncated>{contents}\
             <NextContinuationToken>{token}</NextContinuationToken></ListBucketResult>"
        ),
    )
}

#[test]
fn a_listing_goes_from_page_to_page_and_its_keys_are_counted() {
    let list = work(S3Operation::List, 25, |s3| s3.page = 10);
    let mut tokens = Vec::new();
    let mut server = |missing: u64| {
        let judged = slice(prepared(&list).as_mut(), 40, &mut |request| {
            assert!(request.path.starts_with("/box?"), "{}", request.path);
            assert!(
                request
                    .path
                    .contains("list-type=2&max-keys=10&prefix=tenbin-")
            );
            let token = request.path.split("continuation-token=").nth(1);
            let token = token.map(|rest| rest.split('&').next().unwrap().to_owned());
            tokens.push(token.clone());
            match token.as_deref() {
                None => listing(0..10, true, "a&amp;b"),
                Some("a%26b") => listing(10..20, true, "c"),
                Some("c") => listing(20..25 - missing, false, ""),
                other => panic!("{other:?}"),
            }
        });
        failures(&judged)
    };
    assert_eq!(server(0), []);
    // A server can announce another page after the last key, and then send an empty page.
    let list = work(S3Operation::List, 25, |s3| s3.page = 25);
    let empty_end = slice(prepared(&list).as_mut(), 40, &mut |request| {
        if !request.path.contains("continuation-token") {
            listing(0..25, true, "end")
        } else {
            listing(0..0, false, "")
        }
    });
    assert_eq!(failures(&empty_end), []);
    let short = (ErrorClass::Short, "fewer keys than expected".to_owned());
    assert_eq!(server(2)[0], short);
}

#[test]
fn a_copy_names_its_source_and_an_error_in_an_answer_of_200_is_one() {
    let copy = work(S3Operation::Copy, 10, |_| ());
    let mut prepared = prepared(&copy);
    let objects = laid_out(prepared.as_mut());
    let mut turn = 0;
    let judged = slice(prepared.as_mut(), 40, &mut |request| {
        let source = request.header("x-amz-copy-source").unwrap();
        assert!(objects.contains_key(source), "{source}");
        assert!(!objects.contains_key(&request.path), "a place of its own");
        turn += 1;
        match turn % 10 {
            0 => response(200, "<Error><Code>InternalError</Code></Error>"),
            _ => response(200, "<CopyObjectResult></CopyObjectResult>"),
        }
    });
    let expected = (ErrorClass::Status, "InternalError".to_owned());
    assert_eq!(failures(&judged), vec![expected; 4]);
}

#[test]
fn many_are_deleted_at_once_and_each_once() {
    let delete = work(S3Operation::DeleteBatch, 25, |s3| s3.batch = 10);
    let mut prepared = prepared(&delete);
    let mut keys = Vec::new();
    let mut sizes = Vec::new();
    let judged = slice(prepared.as_mut(), 100, &mut |request| {
        assert_eq!(request.path, "/box?delete=");
        assert!(request.header("content-md5").is_some());
        let body = String::from_utf8(request.body.clone()).unwrap();
        let found: Vec<String> = body
            .split("<Key>")
            .skip(1)
            .map(|rest| rest.split("</Key>").next().unwrap().to_owned())
            .collect();
        sizes.push(found.len());
        keys.extend(found);
        response(200, "<DeleteResult></DeleteResult>")
    });
    assert!(all_correct(&judged));
    assert_eq!(sizes, [10, 10, 5]);
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), 25);

    let judged = slice(prepared.as_mut(), 1, &mut |_| {
        response(
            200,
            "<DeleteResult><Error><Code>AccessDenied</Code></Error></DeleteResult>",
        )
    });
    assert_eq!(
        failures(&judged),
        [(ErrorClass::Status, "AccessDenied".to_owned())]
    );
}

#[test]
fn a_refused_request_is_sent_again_as_often_as_planned_within_one_operation() {
    let slow = || response(503, "<Error><Code>SlowDown</Code></Error>");
    for (retries, expected) in [(0, 1), (2, 3)] {
        let mut put = work(S3Operation::Put, 10, |s3| s3.retries = retries);
        put.load.connections = 1;
        let mut prepared = prepared(&put);
        let mut worker = prepared.slice().remove(0);
        let names = worker.operations().to_vec();
        assert_eq!(names.contains(&"PUT attempt"), retries > 0);
        let role = match retries {
            0 => Role::Request,
            _ => Role::Transaction,
        };
        assert_eq!((names[0], worker.role(0)), ("PUT", role));
        let mut tries: BTreeMap<String, u32> = BTreeMap::new();
        let judged = drive(worker.as_mut(), 1, 12, 10, &mut |request| {
            *tries.entry(request.path.clone()).or_default() += 1;
            if request.path.ends_with("03") {
                slow()
            } else {
                response(200, "")
            }
        });
        let slowed = tries.iter().find(|(path, _)| path.ends_with("03")).unwrap();
        // The 12 requests cycle through ten objects; object 03 is refused in either case.
        assert_eq!(*slowed.1, expected, "{tries:?}");
        assert_eq!(failures(&judged).len() as u32, expected);
        let transactions: Vec<_> = std::iter::from_fn(|| worker.transaction()).collect();
        let failed = transactions
            .iter()
            .filter(|whole| whole.outcome != Judgement::Correct);
        match retries {
            0 => assert!(transactions.is_empty()),
            // Three of the 12 requests are attempts of one operation.
            _ => assert_eq!((transactions.len(), failed.count()), (10, 1)),
        }
    }
}

#[test]
fn a_checksum_goes_along_and_a_different_one_that_comes_back_is_found() {
    for (checksum, header) in [
        (Checksum::Crc32c, "x-amz-checksum-crc32c"),
        (Checksum::Sha1, "x-amz-checksum-sha1"),
        (Checksum::Md5, "content-md5"),
    ] {
        let put = work(S3Operation::Put, 10, |s3| s3.checksum = checksum);
        let mut sums = BTreeSet::new();
        let judged = slice(prepared(&put).as_mut(), 10, &mut |request| {
            let signed = request.header("authorization").unwrap();
            assert!(signed.contains(header), "{signed}");
            sums.insert(request.header(header).unwrap().to_owned());
            response(200, "")
        });
        assert!(all_correct(&judged));
        assert!(sums.len() > 5, "{sums:?}");
    }
}

#[test]
fn what_is_read_once_is_never_read_again() {
    let get = work(S3Operation::Get, 30, |s3| {
        s3.choose = Choose::Once;
        s3.verify = false;
    });
    let mut prepared = prepared(&get);
    let mut seen = Vec::new();
    for _ in 0..3 {
        slice(prepared.as_mut(), 12, &mut |request| {
            seen.push(request.path.clone());
            response(200, vec![0; 100])
        });
    }
    assert_eq!(seen.len(), 30);
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), 30);
}

#[test]
fn several_buckets_are_checked_filled_and_tidied() {
    let put = work(S3Operation::Put, 12, |s3| s3.buckets = 3);
    let mut prepared = prepared(&put);
    let mut log = Vec::new();
    let mut server = |request: &Request| {
        log.push(format!("{} {}", request.method, request.path));
        match (request.method.as_str(), request.path.matches('/').count()) {
            ("HEAD", 1) => response(404, ""),
            ("POST", _) => response(200, "<DeleteResult></DeleteResult>"),
            ("GET", 1) => response(200, "<ListBucketResult></ListBucketResult>"),
            _ => response(if request.method == "DELETE" { 204 } else { 200 }, ""),
        }
    };
    assert!(all_correct(&drive_stage(
        &mut prepared.check().unwrap(),
        &mut server
    )));
    assert!(all_correct(&slice(prepared.as_mut(), 12, &mut server)));
    while let Some(mut stage) = prepared.after_run() {
        assert!(all_correct(&drive_stage(&mut stage, &mut server)));
    }
    assert_eq!(prepared.left_behind(), None);
    for bucket in ["/box-000", "/box-001", "/box-002"] {
        let of_it = |what: &str| log.iter().filter(|line| line.starts_with(what)).count();
        assert_eq!(of_it(&format!("PUT {bucket}/")), 4, "{log:?}");
        for once in ["HEAD", "POST", "DELETE"] {
            assert_eq!(
                of_it(&format!("{once} {bucket}")),
                1,
                "{once} {bucket}: {log:?}"
            );
        }
    }
}

/// Failures of four requests whose responses all have status 200 and this body.
fn failures_of(operation: S3Operation, body: &str) -> Vec<(ErrorClass, String)> {
    let mut prepared = prepared(&work(operation, 400, |s3| s3.batch = 100));
    let judged = slice(prepared.as_mut(), 4, &mut |_| response(200, body));
    failures(&judged)
}

#[test]
fn an_error_behind_an_answer_of_200_is_a_failure() {
    use S3Operation::{Append, Copy, Delete, DeleteBatch, DeleteTags, LegalHold, Put, PutTags};
    let error = "<Error><Code>SlowDown</Code></Error>";
    let late = format!("<?xml version=\"1.0\"?>{}{error}", " ".repeat(6000));
    for operation in [Put, PutTags, DeleteTags, Delete, LegalHold, Copy] {
        for body in [error, &late] {
            let expected = vec![(ErrorClass::Status, "SlowDown".to_owned()); 4];
            assert_eq!(failures_of(operation, body), expected, "{operation:?}");
        }
        let strange = "<Error><Code>Slow Down</Code></Error>";
        assert_eq!(failures_of(operation, strange).len(), 4, "{operation:?}");
    }
    assert_eq!(failures_of(Append, error).len(), 4);
    let gone = "<Deleted><Key>k</Key></Deleted>".repeat(99);
    let batch = format!("<DeleteResult>{gone}{error}</DeleteResult>");
    assert!(batch.find(error).unwrap() < 4096);
    let padded = format!("<DeleteResult>{}{error}</DeleteResult>", " ".repeat(6000));
    for body in [batch, padded, "<DeleteResult>".to_owned()] {
        assert_eq!(failures_of(DeleteBatch, &body).len(), 4, "{body}");
    }
}

#[test]
fn a_copy_succeeds_only_with_a_complete_result() {
    let result = "<CopyObjectResult><ETag>\"a\"</ETag></CopyObjectResult>";
    let late = format!("<?xml version=\"1.0\"?>{}{result}", " ".repeat(6000));
    for whole in [result, &late] {
        assert!(failures_of(S3Operation::Copy, whole).is_empty());
    }
    for other in ["", "<html></html>", &result[..40]] {
        assert_eq!(failures_of(S3Operation::Copy, other).len(), 4, "{other}");
    }
}

#[test]
fn whatever_is_refused_for_the_moment_is_sent_again() {
    use S3Operation::{Get, Put, Stat};
    let fixed = Some(ByteRange::Fixed { first: 3, last: 9 });
    let random = Some(ByteRange::Random { length: 5 });
    for (operation, range, rewrite) in [
        (Stat, None, false),
        (Get, None, false),
        (Get, fixed, false),
        (Get, random, false),
        (Get, random, true),
        (Put, None, false),
        (Put, None, true),
    ] {
        for (status, body) in [(503, ""), (429, "<html></html>"), (503, "<Error/>")] {
            let mut work = work(operation, 10, |s3| {
                s3.range = range;
                s3.rewrite = rewrite;
                s3.retries = 5;
                s3.choose = Choose::Uniform;
            });
            work.load.connections = 1;
            let mut prepared = prepared(&work);
            let mut worker = prepared.slice().remove(0);
            let mut path = None;
            let judged = drive(worker.as_mut(), 1, 6, 10, &mut |request| {
                let first = path.get_or_insert_with(|| request.path.clone());
                assert_eq!(*first, request.path, "{operation:?} {range:?} {rewrite}");
                response(status, body)
            });
            assert_eq!(failures(&judged).len(), 6);
            let mut other = None;
            drive(worker.as_mut(), 1, 1, 10, &mut |request| {
                other = Some(request.path.clone());
                response(200, "")
            });
            assert!(other.is_some(), "and then it is given up");
        }
    }
}

#[test]
fn a_listing_other_than_requested_is_wrong() {
    let list = work(S3Operation::List, 25, |s3| s3.page = 10);
    let first = |page: Response| {
        let mut pages = vec![page];
        let judged = slice(prepared(&list).as_mut(), 1, &mut |_| pages.pop().unwrap());
        failures(&judged).pop().map(|(class, text)| {
            assert_eq!(class, ErrorClass::Wrong, "{text}");
            text
        })
    };
    assert_eq!(first(listing(0..10, true, "t")), None);
    for (keys, expected) in [
        ((0..11).collect::<Vec<u64>>(), "more keys than requested"),
        ((0..10).rev().collect(), "keys out of order"),
        (vec![0, 1, 1, 2, 3, 4, 5, 6, 7, 8], "a key is listed twice"),
    ] {
        let text = first(listing(keys.into_iter(), true, "t"));
        assert_eq!(text.as_deref(), Some(expected));
    }
    // S3 may return fewer keys than requested, or none, although more follow.
    for legal in [0..9, 0..1, 0..0] {
        assert_eq!(first(listing(legal, true, "t")), None);
    }
    let Response::Whole(status, page) = listing(0..10, true, "t") else {
        panic!("a page is whole");
    };
    let page = String::from_utf8(page).unwrap();
    let elsewhere = response(status, page.replacen("tenbin-0", "tenbin-1", 1));
    assert_eq!(
        first(elsewhere).as_deref(),
        Some("a key without the requested prefix")
    );
}

#[test]
fn in_a_mix_a_listing_has_to_go_on_and_to_name_what_is_there_for_sure() {
    let mix = work(S3Operation::List, 25, |s3| {
        s3.mix = "list:90,put:5,delete:5".parse().unwrap();
        s3.page = 10;
    });
    let texts = |page: &dyn Fn(bool) -> Response| -> BTreeSet<String> {
        let judged = slice(prepared(&mix).as_mut(), 200, &mut |request| {
            let more = request.path.contains("continuation-token");
            match request.method.as_str() {
                "GET" => page(more),
                "PUT" => response(200, ""),
                _ => response(204, ""),
            }
        });
        failures(&judged)
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    };
    let expect = |texts: BTreeSet<String>, expected: &str| {
        assert_eq!(
            texts.iter().map(String::as_str).collect::<Vec<_>>(),
            [expected]
        );
    };
    expect(texts(&|_| listing(0..10, true, "t")), "keys out of order");
    let fresh = std::cell::Cell::new(0);
    expect(
        texts(&|_| {
            fresh.set(fresh.get() + 1);
            listing(0..10, true, &fresh.get().to_string())
        }),
        "keys out of order",
    );
    let page = |more: bool| {
        if !more {
            listing(0..10, true, "t")
        } else {
            listing(10..15, false, "")
        }
    };
    expect(texts(&page), "fewer keys than expected");
}

#[test]
fn attributes_of_another_object_are_wrong() {
    let mut prepared = prepared(&work(S3Operation::GetAttributes, 5, |_| {}));
    let mut answered = 0;
    let judged = slice(prepared.as_mut(), 40, &mut |request| {
        assert!(request.header("x-amz-object-attributes").is_some());
        answered += 1;
        let size = match answered % 4 {
            1 => "<ObjectSize>101</ObjectSize>",
            2 => "",
            _ => "<ObjectSize>100</ObjectSize>",
        };
        let xml = format!(
            "<GetObjectAttributesResponse><ETag>e</ETag>{size}</GetObjectAttributesResponse>"
        );
        response(200, xml)
    });
    let why = "the response has another size, or no size".to_owned();
    assert_eq!(failures(&judged), vec![(ErrorClass::Wrong, why); 20]);
}
