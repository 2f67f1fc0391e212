//! Leftovers of a run are counted, named and removable: objects that the server did not delete in
//! spite of a successful response, buckets, and the data of launched targets.

mod common;

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{ACCESS, OwnServer, SECRET, Scratch, Tenbin, free_port, wait_until};
use nix::sys::signal::Signal;

const SOON: Duration = Duration::from_secs(30);

/// The only run directory.
fn run_directory(scratch: &Scratch) -> PathBuf {
    let mut runs: Vec<_> = std::fs::read_dir(scratch.path().join("runs"))
        .expect("a runs directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

/// Number of files in a directory, recursively.
fn files(directory: &Path) -> usize {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let each = entries.map(|entry| {
        if entry.path().is_dir() {
            files(&entry.path())
        } else {
            1
        }
    });
    each.sum()
}

/// Number of operation lines in `intervals.jsonl` so far: one per operation and second.
fn measured_seconds(scratch: &Scratch) -> usize {
    let runs = std::fs::read_dir(scratch.path().join("runs"));
    let runs = runs.into_iter().flatten().flatten();
    let texts =
        runs.filter_map(|run| std::fs::read_to_string(run.path().join("intervals.jsonl")).ok());
    let counts = texts.map(|text| text.matches("\"kind\":\"operation\"").count());
    counts.sum()
}

/// Starts a durable S3 server on this port, independent of any run.
fn store(scratch: &Scratch, port: u16, faults: &[&str]) -> OwnServer {
    let listen = format!("127.0.0.1:{port}");
    let disk = scratch.join("disk");
    let mut arguments = vec!["serve", "s3", "--listen", &listen, "--durable", &disk];
    arguments.extend(["--access-key", ACCESS, "--secret-key", SECRET]);
    for fault in faults {
        arguments.extend(["--fault", fault]);
    }
    OwnServer::start(scratch, arguments)
}

/// `tenbin` with the credentials of the store.
fn tenbin<'a>(scratch: &'a Scratch, line: &str) -> Tenbin<'a> {
    Tenbin::line(scratch, line)
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(SOON)
}

#[test]
fn deletions_that_are_acknowledged_and_not_done_are_reported_and_cleaned_later() {
    let scratch = Scratch::new("acknowledged");
    let port = free_port();
    let forgetful = store(&scratch, port, &["keep-deleted:75%"]);
    let objects = scratch.path().join("disk/buckets/tenbin-bench=/objects");
    let target = format!("jog=http://127.0.0.1:{port}");
    let put = tenbin(
        &scratch,
        &format!(
            "s3 put --target {target} --size 1KiB --objects 40 -c 4 --slice 300ms \
             --rounds 1 --warmup 0s"
        ),
    )
    .run();
    assert!(matches!(put.code, Some(0 | 6 | 7)), "{put}");
    // The server keeps 75 % of the 40 objects, and 75 % of these 30 at the second deletion.
    let left = files(&objects);
    assert_eq!(left, 22, "{put}");
    let directory = run_directory(&scratch);
    let run = directory
        .strip_prefix(scratch.path())
        .expect("it is in there");
    let run = run.to_str().expect("a path in UTF-8");
    put.expect_stderr("target \"jog\": 22 objects under tenbin-")
        .expect_stderr("are left in bucket tenbin-bench: the server responded to DELETE with 204")
        .expect_stderr(&format!("tenbin clean {run}"))
        .expect_stderr("bucket tenbin-bench, created by this run, is left: it is not empty");
    let text = std::fs::read_to_string(directory.join("left.json")).expect("left.json");
    let told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let first = &told[0];
    assert_eq!(first["objects"], 22, "{text}");
    assert_eq!(first["bucket"], "tenbin-bench", "{text}");
    assert_eq!(first["clean"], format!("tenbin clean {run}"), "{text}");
    assert!(
        first["prefix"]
            .as_str()
            .is_some_and(|prefix| prefix.ends_with("/put-1KiB/"))
    );
    assert!(
        first["reason"]
            .as_str()
            .is_some_and(|why| why.contains("204"))
    );

    // The server still ignores 75 % of deletions, so `clean` reports the remaining objects.
    let clean = tenbin(&scratch, &format!("clean {run}")).run();
    clean
        .expect_code(3)
        .expect_stderr("deleted ")
        .expect_stderr("are left in bucket tenbin-bench");
    let still = files(&objects);
    assert!((1..22).contains(&still), "{still}: {clean}");
    drop(forgetful);

    let _healthy = store(&scratch, port, &[]);
    let clean = tenbin(&scratch, &format!("clean {run}")).run();
    clean
        .expect_code(0)
        .expect_stderr(&format!("target \"jog\": deleted {still} object"))
        .expect_stderr("deleted bucket tenbin-bench, which the run had created")
        .expect_stderr("nothing is left under tenbin-");
    assert!(!scratch.path().join("disk/buckets/tenbin-bench=").exists());
    let shown = tenbin(&scratch, &format!("show {run}")).run();
    assert!(!shown.stderr.contains("left in bucket"), "{shown}");
}

#[test]
fn a_bucket_that_a_killed_run_made_is_deleted_and_one_that_was_there_is_not() {
    for was_there in [false, true] {
        let scratch = Scratch::new("killed-bucket");
        let server = store(&scratch, free_port(), &[]);
        let bucket = scratch.path().join("disk/buckets/tenbin-bench=");
        let target = format!("own={}", server.url());
        if was_there {
            // Creates the bucket with an earlier run that keeps its data set.
            let keep = tenbin(
                &scratch,
                &format!(
                    "s3 get --target {target} --size 1KiB --objects 3 --keep --slice 300ms \
                     --rounds 1 --warmup 0s --out before"
                ),
            )
            .run();
            assert!(matches!(keep.code, Some(0 | 6 | 7)), "{keep}");
            assert_eq!(files(&bucket.join("objects")), 3);
        }
        let mut run = tenbin(
            &scratch,
            &format!("s3 put --target {target} --size 1KiB --slice 20s --warmup 0s"),
        )
        .start();
        run.wait_until(SOON, || measured_seconds(&scratch) >= 1);
        run.signal(Signal::SIGKILL);
        run.wait(SOON);
        assert!(files(&bucket) > 4);
        let directory = run_directory(&scratch);
        let directory = directory.to_str().expect("a path in UTF-8");
        let clean = tenbin(&scratch, &format!("clean {directory}")).run();
        clean.expect_code(0).expect_stderr("deleted ");
        assert_eq!(bucket.exists(), was_there, "{clean}");
        if was_there {
            assert_eq!(files(&bucket.join("objects")), 3, "{clean}");
        }
        let again = tenbin(&scratch, &format!("clean {directory}")).run();
        again.expect_code(0).expect_stderr("nothing is left");
        assert!(!again.stderr.contains("deleted "), "{again}");
    }
}

const DURABLE: &str = r#"
[rounds]
slice = "20s"
count = 4
warmup = "0s"

[[target]]
name = "own"
builtin = "s3-durable"

[[workload]]
kind = "s3"
operation = "put"
size = "64KiB"
"#;

#[test]
fn the_data_of_a_launched_target_go_when_tenbin_is_killed_or_left_at_once() {
    for signals in [&[Signal::SIGINT, Signal::SIGINT][..], &[Signal::SIGKILL]] {
        let scratch = Scratch::new("killed-data");
        let plan = scratch.write("plan.toml", DURABLE);
        let mut run = Tenbin::new(&scratch, ["run", &plan]).start();
        run.wait_until(SOON, || measured_seconds(&scratch) >= 1);
        let data = run_directory(&scratch).join("targets/own");
        assert!(files(&data) > 10);
        for signal in signals {
            run.signal(*signal);
        }
        let outcome = run.wait(SOON);
        assert!(
            outcome.code == Some(130) || outcome.signal == Some(9),
            "{outcome}"
        );
        scratch.expect_nobody_left(SOON);
        let gone = wait_until(SOON, || !data.exists());
        assert!(gone, "{signals:?}: {} files", files(&data));
        // The log of the target is kept.
        assert!(run_directory(&scratch).join("targets/own.log").exists());
    }
}

#[test]
fn clean_removes_the_data_of_a_launched_target_whose_guard_was_killed_too() {
    let scratch = Scratch::new("killed-guard");
    // Local data needs no key, even if the plan had the keys literally.
    let keys =
        "builtin = \"s3-durable\"\naccess_key = \"literal\"\nsecret_key = \"literal-secret\"";
    let with_keys = DURABLE.replace("builtin = \"s3-durable\"", keys);
    let plan = scratch.write("plan.toml", with_keys);
    let mut run = Tenbin::new(&scratch, ["run", &plan]).start();
    run.wait_until(SOON, || measured_seconds(&scratch) >= 1);
    let guards = scratch.alive();
    let guards = guards
        .iter()
        .filter(|process| process.command.contains(" guard "));
    guards.for_each(|guard| guard.kill());
    run.signal(Signal::SIGKILL);
    run.wait(SOON);
    scratch.alive().iter().for_each(|process| process.kill());
    scratch.expect_nobody_left(SOON);

    let directory = run_directory(&scratch);
    let data = directory.join("targets/own");
    let left = files(&data);
    assert!(left > 10);
    let directory = directory.to_str().expect("a path in UTF-8");
    let shown = Tenbin::new(&scratch, ["show", directory]).run();
    shown.expect_stderr("the run was killed and left the data of target \"own\"");
    let clean = Tenbin::new(&scratch, ["clean", directory]).run();
    clean.expect_code(0).expect_stderr(&format!(
        "removed the data of target \"own\" ({left} files, "
    ));
    assert!(!data.exists());
    let again = Tenbin::new(&scratch, ["clean", directory]).run();
    again.expect_code(0).expect_stderr("nothing to clean");
}
