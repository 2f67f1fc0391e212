//! Writes and deletions are believed only after a sample of them was read back: lying proxies in
//! front of the built-in S3 server, and honest servers.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

mod common;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use common::lying_s3::{Lie, LyingProxy};
use common::{ACCESS, Outcome, OwnServer, SECRET, Scratch, Store, Tenbin};
use serde_json::Value;

const SOON: Duration = Duration::from_secs(60);

fn store(scratch: &Scratch, arguments: &[&str]) -> OwnServer {
    let mut all = vec!["serve", "s3", "--listen", "127.0.0.1:0"];
    all.extend(["--access-key", ACCESS, "--secret-key", SECRET]);
    all.extend(arguments);
    OwnServer::start(scratch, all)
}

/// Runs `tenbin s3` with these arguments and a short measurement.
fn measure(scratch: &Scratch, arguments: &str) -> Outcome {
    let mut all = vec!["s3"];
    all.extend(arguments.split_whitespace());
    all.extend("-c 4 --warmup 0s --gap 10ms".split_whitespace());
    if !arguments.contains("--slice") {
        all.extend(["--slice", "250ms"]);
    }
    Tenbin::new(scratch, &all)
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(SOON)
        .run()
}

/// The newest run directory.
fn directory(scratch: &Scratch) -> PathBuf {
    let runs = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    let runs = runs.map(|entry| entry.expect("an entry").path());
    let runs = runs.filter(|path| path.join("result.json").exists());
    runs.max_by_key(|path| {
        path.metadata()
            .and_then(|data| data.modified())
            .expect("a time")
    })
    .expect("a run")
}

fn document(scratch: &Scratch) -> Value {
    let text = std::fs::read_to_string(directory(scratch).join("result.json")).expect("a result");
    serde_json::from_str(&text).expect("JSON")
}

/// What was read back of an operation on a target.
fn read_back(document: &Value, target: &str, operation: &str) -> Value {
    let of_target = &document["environment"]["targets"][target]["read_back"];
    let all = of_target.as_object().into_iter().flatten();
    let mut all = all.flat_map(|(_, results)| results.as_array().cloned().unwrap_or_default());
    all.find(|result| result["operation"] == operation)
        .unwrap_or_else(|| panic!("nothing was read back of {operation}: {of_target}"))
}

fn count(result: &Value, name: &str) -> u64 {
    result[name]
        .as_u64()
        .unwrap_or_else(|| panic!("no {name}: {result}"))
}

#[test]
fn writes_that_were_acknowledged_and_not_done_are_invalid() {
    let scratch = Scratch::new("lying-proxies");
    let minio = Store::minio(&scratch, &[], &[]);
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, minio.port()));
    // The objects of `LosesHalf` are written many times: an earlier write that was stored does not
    // hide a lost write.
    for (lie, arguments, kind, words) in [
        (
            Lie::ForwardsNothing,
            "put --objects 5000",
            "missing",
            "do not exist",
        ),
        (
            Lie::LosesHalf,
            "put --objects 100",
            "other_content",
            "have other content",
        ),
        (
            Lie::HeadLies,
            "put --objects 5000",
            "missing",
            "GET responded with 404",
        ),
        (
            Lie::OtherContent,
            "put --objects 5000",
            "other_content",
            "have other content",
        ),
        (
            Lie::OtherSize,
            "put --objects 5000",
            "other_size",
            "have another size",
        ),
        (
            Lie::OtherEtag,
            "put --objects 5000",
            "other_etag",
            "as ETag",
        ),
        (
            Lie::LosesHalf,
            "multipart --objects 60 --part-size 5MiB --size 1MiB",
            "other_content",
            "MULTIPART",
        ),
        (Lie::LosesHalf, "copy --objects 50", "missing", "COPY"),
    ] {
        let proxy = LyingProxy::start(server, lie);
        let operation = arguments.split_whitespace().next().expect("an operation");
        let size = match operation {
            "multipart" => "",
            _ => "--size 1KiB",
        };
        let target = format!("--target liar=http://{}", proxy.address());
        let run = measure(&scratch, &format!("{arguments} {size} --rounds 2 {target}"));
        let document = document(&scratch);
        let name = match operation {
            "put" => "PUT",
            "multipart" => "MULTIPART",
            _ => "COPY",
        };
        let result = read_back(&document, "liar", name);
        // The last copy to a name can be lost while an earlier one is still there.
        let kinds: &[&str] = match name {
            "COPY" => &["missing", "other_content"],
            _ => &[kind],
        };
        assert!(
            kinds.iter().any(|kind| count(&result, kind) > 0),
            "{lie:?} {arguments}: {result}\n{run}"
        );
        assert_eq!(document["trust"], "invalid", "{lie:?}: {run}");
        run.expect_stdout("INVALID").expect_stdout("read_back");
        let screen: Vec<&str> = run.stdout.split_whitespace().collect();
        assert!(
            screen.join(" ").contains(words),
            "{lie:?} {arguments}: {run}"
        );
        let page =
            std::fs::read_to_string(directory(&scratch).join("report.html")).expect("a page");
        assert!(page.contains("read back after the measurement"), "{lie:?}");
    }
    drop(minio);
    scratch.expect_nobody_left(Duration::from_secs(10));
}

#[test]
fn a_liar_is_not_recommended() {
    let scratch = Scratch::new("lying-recommended");
    let server = store(&scratch, &[]);
    let proxy = LyingProxy::start(server.address, Lie::ForwardsNothing);
    let targets = format!(
        "--target honest=http://{} --target liar=http://{}",
        server.address,
        proxy.address()
    );
    let run = measure(
        &scratch,
        &format!("put --objects 5000 --size 1KiB --rounds 12 {targets}"),
    );
    let document = document(&scratch);
    let honest = read_back(&document, "honest", "PUT");
    assert_eq!(count(&honest, "checked"), 100, "{run}");
    assert_eq!(count(&honest, "missing"), 0, "{run}");
    for case in document["use_cases"].as_array().expect("use cases") {
        assert_eq!(case["target"], Value::Null, "{case}");
    }
    let summary = std::fs::read_to_string(directory(&scratch).join("SUMMARY.md")).expect("it");
    assert!(summary.contains("read_back"), "{summary}");
    assert!(
        summary.contains("none: the figures cannot be trusted"),
        "{summary}"
    );
    drop(server);
    scratch.expect_nobody_left(Duration::from_secs(10));
}

#[test]
fn deletions_that_were_acknowledged_and_not_done_are_invalid_and_what_is_left_is_a_finding() {
    let scratch = Scratch::new("lying-deletions");
    let server = store(&scratch, &["--fault", "keep-deleted:75%"]);
    for operation in ["delete", "delete-batch"] {
        let arguments = format!(
            "{operation} --objects 200 --size 1KiB --rounds 2 --target jog=http://{}",
            server.address
        );
        let run = measure(&scratch, &arguments);
        let document = document(&scratch);
        let name = match operation {
            "delete" => "DELETE",
            _ => "DELETE batch",
        };
        let result = read_back(&document, "jog", name);
        assert!(count(&result, "checked") >= 60, "{result}\n{run}");
        assert!(count(&result, "kept") >= 40, "{result}\n{run}");
        let screen: Vec<&str> = run.stdout.split_whitespace().collect();
        assert!(screen.join(" ").contains("still exist"), "{run}");
        let findings = document["findings"].to_string();
        assert!(findings.contains("left_behind"), "{findings}");
        let summary = std::fs::read_to_string(directory(&scratch).join("SUMMARY.md")).expect("it");
        assert!(summary.contains("left_behind"), "{summary}");
    }
    drop(server);
    scratch.expect_nobody_left(Duration::from_secs(10));
}

#[test]
fn honest_servers_pass() {
    let scratch = Scratch::new("honest-writers");
    let minio = Store::minio(&scratch, &[], &[]);
    let target = minio.target("minio");
    for (arguments, operations) in [
        ("put --objects 20 --size 1KiB", &["PUT"][..]),
        ("put --objects 5000 --size 1KiB..64KiB --unique", &["PUT"]),
        (
            "multipart --objects 2 --size 6MiB --part-size 5MiB --slice 2s",
            &["MULTIPART"],
        ),
        ("copy --objects 30 --size 2MiB", &["COPY"]),
        ("delete --objects 150 --size 1KiB", &["DELETE"]),
        (
            "delete-batch --objects 150 --size 1KiB --batch 7",
            &["DELETE batch"],
        ),
        ("put --objects 30 --size 1KiB --versions 3", &["PUT"]),
        ("delete --objects 30 --size 1KiB --versions 3", &["DELETE"]),
        (
            "mixed --operations get:40,put:30,delete:20,stat:10 --objects 50 --size 4KiB",
            &["PUT", "DELETE"],
        ),
        (
            "mixed --operations get:50,put:50 --rewrite --objects 8 --size 4KiB",
            &["PUT"],
        ),
    ] {
        let run = measure(
            &scratch,
            &format!("{arguments} --rounds 2 --target {target}"),
        );
        run.expect_measured();
        let document = document(&scratch);
        for operation in operations {
            let result = read_back(&document, "minio", operation);
            let misses = [
                "missing", "kept", "other_size", "other_content", "other_etag",
            ];
            let misses: u64 = misses.iter().map(|kind| count(&result, kind)).sum();
            assert_eq!(misses, 0, "{arguments}: {result}\n{run}");
            assert!(
                count(&result, "checked") > 0,
                "{arguments}: {result}\n{run}"
            );
        }
        assert!(
            !document["findings"].to_string().contains("left_behind"),
            "{run}"
        );
    }
    drop(minio);
    scratch.expect_nobody_left(Duration::from_secs(10));
}

/// Runs `tenbin blob` with these arguments on an S3 store, and returns the document.
fn measure_blobs(scratch: &Scratch, arguments: &str) -> (Outcome, Value) {
    let words = format!(
        "blob {arguments} --store t=s3 --size 1KiB --objects 200 --rounds 2 -c 4 --warmup 0s --gap 10ms \
         --slice 2s"
    );
    let run = Tenbin::line(scratch, words)
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(SOON)
        .run();
    let document = document(scratch);
    (run, document)
}

#[test]
fn blobs_are_read_back_and_deleted_blobs_are_looked_for() {
    let scratch = Scratch::new("lying-blobs");
    let server = store(&scratch, &[]);
    let target = format!("--target t=http://{}", server.address);
    for (phases, operations) in [
        ("p", &["PUT"][..]),
        ("pgd", &["DELETE"]),
        ("put:40,get:40,delete:20", &["PUT", "DELETE"]),
    ] {
        let (run, document) = measure_blobs(&scratch, &format!("--phases {phases} {target}"));
        run.expect_measured();
        for operation in operations {
            let result = read_back(&document, "t", operation);
            assert!(count(&result, "checked") >= 60, "{phases}: {result}\n{run}");
            for kind in ["missing", "kept", "other_size", "other_content"] {
                assert_eq!(count(&result, kind), 0, "{phases}: {result}\n{run}");
            }
        }
        assert!(!document["findings"].to_string().contains("read_back"));
    }
    let proxy = LyingProxy::start(server.address, Lie::OtherContent);
    let liar = format!("--phases p --target t=http://{}", proxy.address());
    let (run, document) = measure_blobs(&scratch, &liar);
    assert_eq!(document["trust"], "invalid", "{run}");
    let result = read_back(&document, "t", "PUT");
    assert!(count(&result, "other_content") >= 60, "{result}\n{run}");
    drop(server);
    let server = store(&scratch, &["--fault", "keep-deleted:75%"]);
    let target = format!("--target t=http://{}", server.address);
    for phases in ["pgd", "put:40,get:40,delete:20"] {
        let (run, document) = measure_blobs(&scratch, &format!("--phases {phases} {target}"));
        assert_eq!(document["trust"], "invalid", "{phases}: {run}");
        let result = read_back(&document, "t", "DELETE");
        assert!(count(&result, "kept") >= 40, "{phases}: {result}\n{run}");
    }
    drop(server);
    scratch.expect_nobody_left(Duration::from_secs(10));
}
