//! Tests of PUT bodies and signatures, against an in-memory store that parses bodies like a server.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha512};
use support::{Request, Response, all_correct, drive, drive_stage, response, s3_work, site};
use tenbin_engine::{ErrorClass, Judgement};
use tenbin_plan::{
    self as plan, Checksum, ContentKind, Credentials, KeySource, Payload, RequestHeader,
    S3Operation, S3Work, Secret, SessionToken, Signature, Style, WorkloadKind,
};
use tenbin_workloads::s3::sigv4::{Signed, Signer};
use tenbin_workloads::{Site, prepare};

const ENDPOINT: &str = "http://localhost:9000";

fn changed(operation: S3Operation, size: u64, change: impl Fn(&mut S3Work)) -> plan::Workload {
    let mut work = s3_work(operation, size, 50);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        change(s3);
    }
    work
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses a body in `aws-chunked`: chunks with the text after their lengths, and the lines after
/// the last chunk.
fn unchunked(body: &[u8]) -> (Vec<(String, Vec<u8>)>, String) {
    let (mut chunks, mut rest) = (Vec::new(), body);
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap();
        let line = std::str::from_utf8(&rest[..end]).unwrap();
        let (length, extension) = line.split_once(';').unwrap_or((line, ""));
        let length = usize::from_str_radix(length, 16).unwrap();
        rest = &rest[end + 2..];
        chunks.push((extension.to_owned(), rest[..length].to_vec()));
        if length == 0 {
            return (chunks, String::from_utf8(rest.to_vec()).unwrap());
        }
        assert_eq!(&rest[length..length + 2], b"\r\n");
        rest = &rest[length + 2..];
    }
}

/// Checks the signature of a request; returns the signer after it has signed the head.
fn signed_head(request: &Request, site: &Site) -> Signer {
    let authorization = request.header("authorization").unwrap();
    let part = |name: &str| {
        let (_, rest) = authorization.split_once(name).unwrap();
        rest.split(',').next().unwrap()
    };
    let names: Vec<&str> = part("SignedHeaders=").split(';').collect();
    for line in request.head.lines().skip(1) {
        let name = line.split(':').next().unwrap().to_lowercase();
        let counts = name.starts_with("x-amz-") || name.starts_with("content-e");
        assert!(!counts || names.contains(&&*name), "{name} is not signed");
    }
    let headers: Vec<(&str, &[u8])> = names
        .iter()
        .map(|&name| (name, request.header(name).unwrap().as_bytes()))
        .collect();
    let mut signer = Signer::new(site.credentials.as_ref().unwrap(), &site.region, "s3");
    signer.at(support::NOW.unix_seconds);
    let signature = signer.sign(&Signed {
        method: request.method.as_bytes(),
        path: request.path.as_bytes(),
        query: b"",
        headers: &headers,
        payload_hash: request.header("x-amz-content-sha256").unwrap().as_bytes(),
    });
    assert_eq!(part("Signature="), String::from_utf8_lossy(&signature));
    signer
}

/// A store of the content of PUTs, without framing.
#[derive(Default)]
struct Store {
    objects: BTreeMap<String, Vec<u8>>,
}

impl Store {
    fn response(&mut self, request: &Request, site: &Site) -> Response {
        if request.method == "GET" {
            return match self.objects.get(&request.path) {
                Some(body) => response(200, body.clone()),
                None => response(404, ""),
            };
        }
        let length = request.header("content-length").unwrap();
        assert_eq!(length, request.body.len().to_string());
        let body = self.content(request, site);
        self.objects.insert(request.path.clone(), body);
        response(200, "")
    }

    fn content(&self, request: &Request, site: &Site) -> Vec<u8> {
        let mut signer = signed_head(request, site);
        let hash = request.header("x-amz-content-sha256").unwrap();
        if !hash.starts_with("STREAMING-") {
            assert_eq!(hash, hex(&Sha256::digest(&request.body)));
            return request.body.clone();
        }
        assert_eq!(request.header("content-encoding"), Some("aws-chunked"));
        let (chunks, behind) = unchunked(&request.body);
        if hash == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" {
            for (extension, chunk) in &chunks {
                let own =
                    signer.sign_chunk(hex(&Sha256::digest(chunk)).as_bytes().try_into().unwrap());
                let own = format!("chunk-signature={}", String::from_utf8_lossy(&own));
                assert_eq!(*extension, own);
            }
            assert_eq!(behind, "\r\n");
        } else {
            assert_eq!(hash, "STREAMING-UNSIGNED-PAYLOAD-TRAILER");
            let name = request.header("x-amz-trailer").unwrap();
            assert!(behind.starts_with(&format!("{name}:")), "{behind}");
            assert!(request.header(name).is_none());
        }
        let content: Vec<u8> = chunks.into_iter().flat_map(|(_, chunk)| chunk).collect();
        let decoded = request.header("x-amz-decoded-content-length").unwrap();
        assert_eq!(decoded, content.len().to_string());
        content
    }
}

/// Stores every object, and reads some objects.
fn put_and_get(work: &plan::Workload) -> Store {
    let site = site(ENDPOINT);
    let mut store = Store::default();
    let mut server = |request: &Request| store.response(request, &site);
    let mut prepared = prepare(work, &site, 1, 2).unwrap();
    let stage = &mut prepared.before_run().unwrap();
    assert!(all_correct(&drive_stage(stage, &mut server)));
    for worker in &mut prepared.slice() {
        let judged = drive(worker.as_mut(), 3, 40, 1000, &mut server);
        assert!(all_correct(&judged), "{judged:?}");
    }
    assert_eq!(store.objects.len(), 50);
    store
}

#[test]
fn payloads_in_chunks_are_signed_one_by_one() {
    for size in [0, 1, 65_536, 150_000] {
        put_and_get(&changed(S3Operation::Get, size, |s3| {
            s3.payload = Payload::Streaming;
        }));
    }
}

#[test]
fn a_checksum_follows_the_content() {
    for checksum in [Checksum::Crc32c, Checksum::Sha256, Checksum::Crc64Nvme] {
        put_and_get(&changed(S3Operation::Get, 150_000, |s3| {
            s3.payload = Payload::Trailer;
            s3.checksum = checksum;
        }));
    }
}

#[test]
fn unique_content_is_different_for_every_object_and_signed() {
    for compressible in [0, 50] {
        let store = put_and_get(&changed(S3Operation::Get, 5000, |s3| {
            s3.content = ContentKind::Unique;
            s3.compressible = compressible;
        }));
        let contents: std::collections::BTreeSet<_> = store.objects.values().collect();
        assert_eq!(contents.len(), 50);
        let same = contents
            .first()
            .unwrap()
            .iter()
            .filter(|&&byte| byte == b'~');
        let same = same.count() as f64 / 5000.0;
        let asked = f64::from(compressible) / 100.0;
        assert!((same - asked).abs() < 0.05, "{same}");
    }
}

#[test]
fn a_flipped_bit_of_unique_content_is_found() {
    let work = changed(S3Operation::Get, 5000, |s3| {
        s3.content = ContentKind::Unique;
    });
    let site = site(ENDPOINT);
    let mut store = Store::default();
    let mut prepared = prepare(&work, &site, 1, 1).unwrap();
    drive_stage(&mut prepared.before_run().unwrap(), &mut |request| {
        store.response(request, &site)
    });
    let mut gets = 0;
    let judged = drive(prepared.slice()[0].as_mut(), 2, 50, 700, &mut |request| {
        gets += 1;
        let mut body = store.objects[&request.path].clone();
        if gets % 5 == 0 {
            body[4000] ^= 1;
        }
        response(200, body)
    });
    let wrong = Ok(Judgement::Failed(ErrorClass::Wrong, String::new()));
    assert_eq!(judged.iter().filter(|one| **one == wrong).count(), 10);
}

#[test]
fn a_session_token_goes_along_signed() {
    let mut with_token = site(ENDPOINT);
    if let Some(keys) = &mut with_token.credentials {
        keys.session_token = Some(SessionToken {
            secret: Secret::new("the+token/=="),
            source: KeySource::Literal,
        });
    }
    let work = s3_work(S3Operation::Put, 10, 10);
    for signature in [Signature::V4, Signature::V2, Signature::None] {
        let site = with_token.clone().signed(signature);
        let mut prepared = prepare(&work, &site, 1, 1).unwrap();
        let slice = &mut prepared.slice();
        drive(slice[0].as_mut(), 1, 3, 1, &mut |request| {
            let token = request.header("x-amz-security-token");
            let expected = (signature != Signature::None).then_some("the+token/==");
            assert_eq!(token, expected);
            if signature == Signature::V4 {
                signed_head(request, &site);
            }
            response(200, "")
        });
    }
}

#[test]
fn version_2_signs_and_says_nothing_about_the_payload() {
    use hmac::{Hmac, KeyInit, Mac};
    let credentials = Credentials::literal("AK", "secret");
    for (style, bucket) in [(Style::Path, ""), (Style::Virtual, "/box")] {
        let work = changed(S3Operation::Put, 10, |s3| {
            s3.style = style;
            s3.checksum = Checksum::Md5;
            s3.content_type = Some("text/plain".into());
            s3.storage_class = Some("STANDARD".into());
        });
        let mut site = site(ENDPOINT).signed(Signature::V2);
        site.credentials = Some(credentials.clone());
        let mut prepared = prepare(&work, &site, 1, 1).unwrap();
        let slice = &mut prepared.slice();
        let judged = drive(slice[0].as_mut(), 1, 3, 1, &mut |request| {
            assert_eq!(
                request.header("date"),
                Some("Sun, 30 Aug 2015 12:36:00 GMT")
            );
            assert!(request.header("x-amz-content-sha256").is_none());
            let to_sign = format!(
                "PUT\n{}\ntext/plain\nSun, 30 Aug 2015 12:36:00 GMT\n\
                 x-amz-storage-class:STANDARD\n{bucket}{}",
                request.header("content-md5").unwrap(),
                request.path
            );
            let mut mac = Hmac::<sha1::Sha1>::new_from_slice(b"secret").unwrap();
            mac.update(to_sign.as_bytes());
            let signature = base64::Engine::encode(
                &base64::engine::general_purpose::STANDARD,
                mac.finalize().into_bytes(),
            );
            let expected = format!("AWS AK:{signature}");
            assert_eq!(request.header("authorization"), Some(&*expected));
            response(200, "")
        });
        assert!(all_correct(&judged));
    }
}

#[test]
fn anonymous_requests_are_not_signed_whatever_keys_there_are() {
    let site = site(ENDPOINT).signed(Signature::None);
    let mut prepared = prepare(&s3_work(S3Operation::Put, 10, 10), &site, 1, 1).unwrap();
    drive(prepared.slice()[0].as_mut(), 1, 2, 1, &mut |request| {
        let head = request.head.to_lowercase();
        assert!(
            !head.contains("authorization") && !head.contains("x-amz"),
            "{head}"
        );
        response(200, "")
    });
}

/// The judgements of three measured requests whose responses have these headers; loading gets plain
/// responses.
fn response_with(
    operation: S3Operation,
    checksum: Checksum,
    headers: impl Fn(&Request) -> String,
) -> Vec<Judgement> {
    let work = changed(operation, 10, |s3| s3.checksum = checksum);
    let site = site(ENDPOINT);
    let mut prepared = prepare(&work, &site, 1, 1).unwrap();
    let mut bodies = BTreeMap::new();
    let mut server = |request: &Request| {
        if request.method == "PUT" {
            bodies.insert(request.path.clone(), request.clone());
        }
        let put: &Request = &bodies[&request.path];
        let body = match request.method.as_str() {
            "GET" => put.body.clone(),
            _ => Vec::new(),
        };
        Response::Headed(200, headers(put), body)
    };
    if let Some(mut stage) = prepared.before_run() {
        drive_stage(&mut stage, &mut |request| match server(request) {
            Response::Headed(status, _, body) => response(status, body),
            other => other,
        });
    }
    let judged = drive(prepared.slice()[0].as_mut(), 1, 3, 10, &mut server);
    judged.into_iter().map(Result::unwrap).collect()
}

#[test]
fn headers_of_the_workload_go_with_every_request_and_are_signed() {
    let work = changed(S3Operation::Get, 100, |s3| {
        s3.headers = vec![RequestHeader {
            name: "x-amz-request-payer".to_owned(),
            value: Secret::new("requester"),
            printed: "requester".to_owned(),
        }];
    });
    let site = site(ENDPOINT);
    let mut store = Store::default();
    let mut methods = BTreeSet::new();
    let mut server = |request: &Request| {
        assert_eq!(request.header("x-amz-request-payer"), Some("requester"));
        let authorization = request.header("authorization").unwrap();
        assert!(
            authorization.contains(";x-amz-request-payer,"),
            "{authorization}"
        );
        methods.insert(request.method.clone());
        match request.method.as_str() {
            "PUT" | "GET" => store.response(request, &site),
            _ => response(200, ""),
        }
    };
    let mut prepared = prepare(&work, &site, 1, 1).unwrap();
    drive_stage(&mut prepared.check().unwrap(), &mut server);
    drive_stage(&mut prepared.before_run().unwrap(), &mut server);
    drive(prepared.slice()[0].as_mut(), 1, 5, 10, &mut server);
    drive_stage(&mut prepared.after_run().unwrap(), &mut server);
    let expected = ["DELETE", "GET", "HEAD", "POST", "PUT"].map(str::to_owned);
    assert_eq!(methods, expected.into());
}

/// Drives all stages before and after a run without slices. `refuses` is the response to the PUT with
/// a wrong SHA-512, `None` for an acknowledgement; with `keeps`, the server deletes nothing. Returns
/// the header that counts as ignored, the number of leftovers, and the methods of all requests.
fn checksum_check(
    refuses: impl Fn(&Request) -> Option<Response>,
    keeps: bool,
) -> (Option<&'static str>, usize, Vec<String>) {
    let work = changed(S3Operation::Put, 10, |s3| s3.checksum = Checksum::Sha512);
    let mut prepared = prepare(&work, &site(ENDPOINT), 1, 1).unwrap();
    let mut methods = Vec::new();
    let mut server = |request: &Request| {
        methods.push(request.method.clone());
        match request.method.as_str() {
            "PUT" => {
                let sent = request.header("x-amz-checksum-sha512").unwrap();
                let right = STANDARD.encode(Sha512::digest(&request.body));
                assert_ne!(sent, right);
                refuses(request).unwrap_or_else(|| response(200, ""))
            }
            _ => response(if keeps { 500 } else { 204 }, ""),
        }
    };
    while let Some(mut stage) = prepared.before_run() {
        assert!(all_correct(&drive_stage(&mut stage, &mut server)));
    }
    while let Some(mut stage) = prepared.after_run() {
        drive_stage(&mut stage, &mut server);
    }
    let left = prepared.leftovers().len();
    (prepared.ignored_checksum(), left, methods)
}

#[test]
fn a_server_that_accepts_a_wrong_checksum_is_found_before_the_run() {
    const HEADER: &str = "x-amz-checksum-sha512";
    let error = |status: u16, code: &str| {
        let body = format!("<Error><Code>{code}</Code></Error>");
        move |_: &Request| Some(response(status, body.clone()))
    };
    let (ignored, left, methods) = checksum_check(|_| None, false);
    assert_eq!((ignored, left), (Some(HEADER), 0));
    assert_eq!(methods, ["PUT", "DELETE"]);
    let (ignored, left, methods) = checksum_check(error(400, "BadDigest"), false);
    assert_eq!((ignored, left), (None, 0));
    assert_eq!(methods, ["PUT"]);
    // The object may have been stored.
    let (ignored, left, methods) = checksum_check(error(503, "SlowDown"), false);
    assert_eq!((ignored, left), (None, 0));
    assert_eq!(methods, ["PUT", "DELETE"]);
    // An error with status 200.
    let (ignored, _, _) = checksum_check(error(200, "BadDigest"), false);
    assert_eq!(ignored, None);
    let (ignored, left, methods) = checksum_check(|_| None, true);
    assert_eq!((ignored, left), (Some(HEADER), 1));
    assert_eq!(methods, ["PUT", "DELETE", "DELETE"]);
}

#[test]
fn a_server_that_stored_something_else_is_found_by_its_own_checksum() {
    let sums = [
        (Checksum::Crc32, "x-amz-checksum-crc32"),
        (Checksum::Crc32c, "x-amz-checksum-crc32c"),
        (Checksum::Crc64Nvme, "x-amz-checksum-crc64nvme"),
        (Checksum::Sha1, "x-amz-checksum-sha1"),
        (Checksum::Sha256, "x-amz-checksum-sha256"),
        (Checksum::Sha512, "x-amz-checksum-sha512"),
        (Checksum::XxHash64, "x-amz-checksum-xxhash64"),
        (Checksum::XxHash3, "x-amz-checksum-xxhash3"),
        (Checksum::XxHash128, "x-amz-checksum-xxhash128"),
    ];
    let is_wrong = |one: &Judgement| matches!(one, Judgement::Failed(ErrorClass::Wrong, _));
    for operation in [S3Operation::Put, S3Operation::Get] {
        for (checksum, name) in sums {
            let right = response_with(operation, checksum, |put| {
                format!("{name}: {}\r\n", put.header(name).unwrap())
            });
            assert_eq!(right, vec![Judgement::Correct; 3], "{name}");
            let wrong = response_with(operation, checksum, |_| format!("{name}: AAAA\r\n"));
            assert!(wrong.iter().all(is_wrong), "{name}: {wrong:?}");
        }
    }
    let etag = |bytes: &[u8]| format!("ETag: \"{}\"\r\n", hex(&md5::Md5::digest(bytes)));
    let right = response_with(S3Operation::Put, Checksum::Md5, |put| etag(&put.body));
    assert_eq!(right, vec![Judgement::Correct; 3]);
    let wrong = response_with(S3Operation::Put, Checksum::Md5, |_| etag(b"else"));
    assert!(wrong.iter().all(is_wrong), "{wrong:?}");
}
