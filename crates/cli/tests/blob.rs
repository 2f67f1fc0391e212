//! Blobs by location: tests with the built-in blob server, its injected faults, and a real MinIO.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

mod common;
#[path = "blob/ended.rs"]
mod ended;
#[path = "blob/gone.rs"]
mod gone;
#[path = "blob/mixed.rs"]
mod mixed;
#[path = "blob/stand.rs"]
mod stand;
#[path = "blob/tool.rs"]
mod tool;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use common::{ACCESS, SECRET, Scratch, Store, Tenbin};
use stand::{Blobs, blob, errors_found, failed, failures, ok, started, steps};

#[test]
fn large_blobs_are_stored_piece_by_piece() {
    let scratch = Scratch::new("blob-pieces");
    let server = Blobs::start(&scratch, &["--delete-lag", "0s", "--secret-key", SECRET]);
    // A piece has 4 MiB, so a 9 MiB blob has three pieces.
    let words = "blob --json --warmup 0s --gap 0s --rounds 1 --slice 120s --objects 6 --size 9MiB \
                 --alloc-above 5MiB --hashes md5,crc32 --crc-framed --phases pgd --connections 4 \
                 --threads 2 --target";
    let url = server.url();
    let run = Tenbin::new(&scratch, words.split_whitespace().chain([url.as_str()]))
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(Duration::from_secs(180))
        .run();
    run.expect_measured();
    for (workload, count) in [("put", 6), ("get", 6), ("delete", 6)] {
        let outcome = (ok(&run, workload), failed(&run, workload));
        assert_eq!(outcome, (count, 0), "{workload}: {run}");
    }
    for (step, count) in [("/alloc", 6), ("/putat", 18), ("/sign", 6), ("PUT", 6)] {
        assert_eq!(steps(&run, "put", step), count, "{step}: {run}");
    }
    assert_eq!(server.settled(), 0, "{run}");
}

#[test]
fn a_large_blob_that_fails_half_way_is_counted_once_and_leaves_nothing() {
    let scratch = Scratch::new("blob-pieces-fail");
    let options = "--phases pg --size 1KiB:50,300KiB:50 --alloc-above 100KiB --objects 60 --slice \
                   120s --rounds 1 --hashes crc32";
    for (fault, class) in [("466:10%", "status"), ("wrong-hash:10%", "wrong")] {
        let server = Blobs::start(&scratch, &["--delete-lag", "0s", "--fault", fault]);
        let run = blob(&scratch, &server, options);
        let failed = failed(&run, "put");
        assert!(failed > 0, "{fault}: {run}");
        assert_eq!(ok(&run, "put") + failed, 60, "{fault}: {run}");
        // A PUT in one request with wrong checksums in the response still stores the blob.
        assert!(ok(&run, "get") >= ok(&run, "put"), "{fault}: {run}");
        assert_eq!(server.settled(), 0, "{fault}: {run}");
        assert!(failures(&run, class).0 >= failed, "{fault}: {run}");
        assert!(!run.stderr.contains("cannot be found"), "{fault}: {run}");
        assert!(
            !run.stderr.contains("could not be deleted"),
            "{fault}: {run}"
        );
    }
}

#[test]
fn framed_bodies_are_checked_block_by_block() {
    let scratch = Scratch::new("blob-framed");
    let options = "--phases pg --objects 100 --size 200KiB --slice 60s --rounds 1 --crc-framed";
    for (fault, class, said) in [
        (
            "bad-block:10%",
            "status",
            "the checksum of a block is wrong (466",
        ),
        (
            "unframed:10%",
            "wrong",
            "took a CRC-framed body for a plain one",
        ),
    ] {
        let server = Blobs::start(&scratch, &["--delete-lag", "0s", "--fault", fault]);
        let run = blob(&scratch, &server, options);
        assert_eq!(
            (ok(&run, "put"), failed(&run, "put")),
            (90, 10),
            "{fault}: {run}"
        );
        let (count, texts) = failures(&run, class);
        assert!(count >= 10 && texts.contains(said), "{fault}: {texts}");
        // A framed body taken for a plain body is stored with its checksums, which GET detects.
        let found_out = if class == "wrong" { 10 } else { 0 };
        assert_eq!(
            (ok(&run, "get"), failed(&run, "get")),
            (90, found_out),
            "{fault}: {run}"
        );
        assert_eq!(server.settled(), 0, "{fault}: {run}");
    }
    let files = "blob --target file:///tmp/unused --crc-framed --phases p";
    let refused = Tenbin::new(&scratch, files.split(' ')).run();
    refused
        .expect_code(2)
        .expect_stderr("crc_framed is available only for targets");
}

#[test]
fn what_comes_back_wrong_is_counted_by_its_name() {
    let scratch = Scratch::new("blob-wrong");
    for (fault, class, said) in [
        ("corrupt:10%", "wrong", "differs from what was stored"),
        (
            "truncate:10%",
            "short",
            "the connection was closed within the response",
        ),
        ("swap:10%", "wrong", "that of another blob"),
    ] {
        let server = Blobs::start(&scratch, &["--fault", fault]);
        let run = blob(
            &scratch,
            &server,
            "--phases pg --objects 100 --slice 20s --rounds 1",
        );
        assert_eq!(
            (ok(&run, "get"), failed(&run, "get")),
            (90, 10),
            "{fault}: {run}"
        );
        let (count, texts) = failures(&run, class);
        assert_eq!(count, 10, "{fault}: {run}");
        assert!(texts.contains(said), "{fault}: {texts}");
    }
    // The response head is checked even without verification of the content.
    let server = Blobs::start(&scratch, &["--fault", "misrange:10%"]);
    for unverified in ["", " --no-verify"] {
        let options = "--phases pg --objects 100 --slice 20s --rounds 1 --range random:500";
        let run = blob(&scratch, &server, &format!("{options}{unverified}"));
        let outcome = (ok(&run, "get"), failed(&run, "get"));
        assert_eq!(outcome, (90, 10), "{run}");
        let (count, texts) = failures(&run, "wrong");
        assert!(count == 10 && texts.contains("Content-Range"), "{texts}");
    }
    // Blobs deleted in the first round reappear in the second round.
    let server = Blobs::start(&scratch, &["--fault", "stale:100%", "--delete-lag", "0s"]);
    let run = blob(
        &scratch,
        &server,
        "--phases pgd --objects 30 --slice 20s --rounds 2",
    );
    assert_eq!((ok(&run, "get"), failed(&run, "get")), (30, 30), "{run}");
    assert_eq!(failures(&run, "stale").0, 30, "{run}");
}

#[test]
fn every_refusal_is_told_by_its_name() {
    let scratch = Scratch::new("blob-refusals");
    for (fault, phases, said) in [
        ("400:10%", "p", "bad arguments (400 "),
        ("403:10%", "p", "forbidden"),
        ("429:10%", "p", "limited"),
        ("466:10%", "p", "shorter than its size (466"),
        ("226:10%", "pd", "not deleted (226)"),
    ] {
        let server = Blobs::start(&scratch, &["--fault", fault]);
        let options = format!("--phases {phases} --objects 100 --slice 20s --rounds 1");
        let run = blob(&scratch, &server, &options);
        let (count, texts) = failures(&run, "status");
        // Failures during clean-up are not recorded.
        assert_eq!(count, 10, "{fault}: {run}");
        assert!(texts.contains(said), "{fault}: {texts}");
        if fault.starts_with("226") {
            run.expect_stdout("check that its proxy and Kafka run");
            assert!(
                !run.stdout.contains("not defined for the operation"),
                "{run}"
            );
        }
    }
    let server = Blobs::start(&scratch, &["--fault", "wrong-hash:10%"]);
    let options = "--phases p --objects 100 --slice 20s --rounds 1 --hashes";
    for (hashes, wrong) in [("crc32,md5,sha1,sha256", 10), ("md5", 10)] {
        let run = blob(&scratch, &server, &format!("{options} {hashes}"));
        assert_eq!(failures(&run, "wrong").0, wrong, "{run}");
    }
}

#[test]
fn what_only_a_blobstore_does_is_refused_elsewhere() {
    let scratch = Scratch::new("blob-foreign");
    let target = format!("d=file://{}", scratch.path().join("store").display());
    for (flags, key) in [
        (&["--hashes", "md5"][..], "hashes"),
        (&["--crc-framed"][..], "crc_framed"),
    ] {
        let words = [
            "blob", "--target", &target, "--phases", "p", "--rounds", "1",
        ];
        let run = Tenbin::new(&scratch, words.iter().chain(flags)).run();
        run.expect_code(2);
        run.expect_stderr(&format!(
            "{key} is available only for targets with the blobstore protocol"
        ));
    }
}

#[test]
fn failures_beyond_the_budget_end_the_run() {
    let scratch = Scratch::new("blob-budget");
    let server = Blobs::start(&scratch, &["--fault", "429:50%"]);
    let run = blob(
        &scratch,
        &server,
        "--phases pg --objects 1000 --slice 20s --errors 5",
    );
    run.expect_code(4).expect_stderr("and the run may have 5");
    let few = blob(
        &scratch,
        &server,
        "--phases p --objects 8 --slice 20s --rounds 1 --errors 50",
    );
    few.expect_measured();
}

#[test]
fn connections_that_break_and_are_refused_count_for_the_budget_at_once() {
    let scratch = Scratch::new("blob-killed");
    for phases in ["p", "pg"] {
        let server = Blobs::start(&scratch, &[]);
        let options = format!("--phases {phases} --slice 20s --rounds 1 --errors 9");
        let mut run = started(&scratch, &server, &options);
        run.wait_until(Duration::from_secs(30), || server.held() > 100);
        drop(server);
        let killed = std::time::Instant::now();
        let run = run.wait(Duration::from_secs(60));
        run.expect_code(4).expect_stderr("and the run may have 9");
        assert!(killed.elapsed() < Duration::from_secs(8), "{run}");
    }
}

#[test]
fn parts_batches_and_tokens() {
    let scratch = Scratch::new("blob-more");
    let server = Blobs::start(&scratch, &["--secret-key", SECRET, "--delete-lag", "0s"]);
    let run = blob(
        &scratch,
        &server,
        "--phases p --objects 5 --slice 5s --rounds 1",
    );
    run.expect_code(4);
    assert!(failures(&run, "status").1.contains("forbidden"), "{run}");
    let options = "blob --json --warmup 0s --gap 0s --rounds 1 --slice 20s --objects 100 --size \
                   1KiB..20KiB --phases pgd --range random:500 --batch 7 --target";
    let url = server.url();
    let words = options.split_whitespace().chain([url.as_str()]);
    // The secret key is enough: an access layer has no access keys.
    let run = Tenbin::new(&scratch, words)
        .env("TENBIN_SECRET_KEY", SECRET)
        .run();
    run.expect_measured();
    run.expect_silence_about(SECRET);
    assert_eq!((ok(&run, "put"), ok(&run, "get")), (100, 100), "{run}");
    // One request deletes up to 7 of the 100 blobs, so there are at least 15 requests.
    assert!((15..=24).contains(&ok(&run, "delete")), "{run}");
    assert_eq!(server.settled(), 0, "{run}");
}

#[test]
fn four_kinds_of_store_are_arms_of_one_experiment() {
    let scratch = Scratch::new("blob-arms");
    let minio = Store::minio(&scratch, &["--quiet"], &[]);
    let files = scratch.path().join("files");
    let file_url = format!("disk=file://{}", files.display());
    let synced = format!("synced=file://{}/synced?sync", scratch.path().display());
    let minio_url = minio.target("minio");
    let words = format!(
        "blob --json --warmup 0s --gap 0s --rounds 6 --slice 60s --objects 20 \
         --size 10KiB --connections 4 --phases pggd --builtin blob=blob \
         --builtin dummy=dummy --target {file_url} --target {synced} \
         --target {minio_url} --store minio=s3 --builtin memory=s3-memory"
    );
    let run = Tenbin::line(&scratch, words)
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(Duration::from_secs(600))
        .run();
    run.expect_measured();
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    let results = document["results"].as_array().expect("results");
    assert_eq!(results.len(), 6 * 4, "{run}");
    for result in results {
        let (target, workload) = (&result["target"], &result["workload"]);
        assert_eq!(result["ok"], 6 * 20, "{target} {workload}: {run}");
        assert_eq!(result["failed"], 0, "{target} {workload}: {run}");
        let has_none = ["disk", "synced", "dummy"]
            .iter()
            .any(|name| target == name);
        assert_eq!(result["connections"].is_null(), has_none, "{target}: {run}");
    }
    let left: Vec<_> = std::fs::read_dir(&files).expect("the directory").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn failures_that_name_blobs_are_one_failure() {
    let scratch = Scratch::new("blob-shapes");
    // Error messages contain the blob number, like those of CubeFS's access layer.
    let server = Numbered::start();
    let url = format!("http://{}", server.0);
    let words = "blob --json --warmup 0s --rounds 1 --slice 2s --phases p --size 1KiB --objects \
                 700 --connections 2 --target";
    let run = Tenbin::new(&scratch, words.split_whitespace().chain([url.as_str()])).run();
    let (_, texts) = failures(&run, "status");
    assert_eq!(texts.lines().count(), 1, "{texts}");
    assert!(texts.contains("(0 < 5)"), "{texts}");
    let found = errors_found(&run);
    assert!(
        found.contains("(0 < 5)") && !found.contains("other failures"),
        "{found}"
    );
}

/// A server that rejects every PUT with a different error message.
struct Numbered(std::net::SocketAddr);

impl Numbered {
    fn start() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let number = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(100));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let number = std::sync::Arc::clone(&number);
                std::thread::spawn(move || Self::serve(stream, &number));
            }
        });
        Self(address)
    }

    fn serve(mut stream: TcpStream, number: &std::sync::atomic::AtomicU64) {
        let mut bytes = Vec::new();
        let mut part = [0; 4096];
        while let Ok(1..) = stream
            .read(&mut part)
            .inspect(|&read| bytes.extend(&part[..read]))
        {
            let head = bytes.windows(4).position(|four| four == b"\r\n\r\n");
            let Some(head) = head else { continue };
            let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
            let length = text.split_once("content-length: ").map_or(0, |(_, rest)| {
                let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
                digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
            });
            if bytes.len() < head + 4 + length {
                continue;
            }
            bytes.drain(..head + 4 + length);
            let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let body = format!("{{\"error\":\"blob {number} not written (0 < 5)\"}}");
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 500 Internal Server Error\r\nContent-Length: {length}\r\n\r\n{body}"
            );
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }
}
