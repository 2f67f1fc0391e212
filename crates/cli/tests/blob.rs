//! Blobs by location: the built-in blob server, its faults, and real MinIO beside it.

mod common;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::time::Duration;

use common::{ACCESS, Outcome, OwnServer, Running, SECRET, Scratch, Store, Tenbin};
use nix::sys::signal::Signal;
use serde_json::Value;

/// The built-in blob server in a process of its own.
struct Blobs(OwnServer);

impl Blobs {
    fn start(scratch: &Scratch, options: &[&str]) -> Self {
        let fixed = ["serve", "blob", "--listen", "127.0.0.1:0"];
        Self(OwnServer::start(scratch, fixed.iter().chain(options)))
    }

    fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// Blobs that it holds, each of one piece.
    fn held(&self) -> u64 {
        let mut stream = TcpStream::connect(self.0.address).expect("connected");
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            .expect("asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        let number = answer.trim_end().rsplit(' ').next();
        number
            .and_then(|number| number.parse().ok())
            .expect("a number")
    }
}

fn blob(scratch: &Scratch, server: &Blobs, options: &str) -> Outcome {
    started(scratch, server, options).wait(Duration::from_secs(180))
}

fn started(scratch: &Scratch, server: &Blobs, options: &str) -> Running {
    let url = server.url();
    let words = [
        "blob", "--json", "--target", &url, "--warmup", "0s", "--gap", "0s",
    ];
    let common = ["--connections", "4", "--threads", "2"];
    let size = ["--size", "10KiB"].into_iter();
    let size = size.filter(|_| !options.contains("--size"));
    let words = words.into_iter().chain(common);
    let words = words.chain(size).chain(options.split_whitespace());
    Tenbin::new(scratch, words).start()
}

/// The result of a workload, by what its name begins with.
fn result(run: &Outcome, workload: &str) -> Value {
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"));
    let results = document["results"].as_array().expect("results");
    let own = |result: &&Value| {
        let name = result["workload"].as_str().unwrap_or_default();
        name.starts_with(workload)
    };
    let found = results.iter().find(own);
    found
        .cloned()
        .unwrap_or_else(|| panic!("no {workload}: {run}"))
}

fn ok(run: &Outcome, workload: &str) -> u64 {
    result(run, workload)["ok"].as_u64().expect("a count")
}

fn failed(run: &Outcome, workload: &str) -> u64 {
    result(run, workload)["failed"].as_u64().expect("a count")
}

/// Failures of a class, over all workloads, and what was said of failures.
fn failures(run: &Outcome, class: &str) -> (u64, String) {
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"));
    let results = document["results"].as_array().expect("results").iter();
    let operations = results.flat_map(|result| result["operations"].as_array());
    let (mut count, mut texts) = (0, String::new());
    for operation in operations.flatten() {
        count += operation["errors"][class].as_u64().unwrap_or(0);
        for (text, _) in operation["failures"].as_object().into_iter().flatten() {
            texts += text;
            texts.push('\n');
        }
    }
    (count, texts)
}

/// Moments that are the same in every run, milliseconds.
struct Moments(u64);

impl Moments {
    fn next(&mut self, most: u64) -> Duration {
        // The constants of Knuth's MMIX.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        Duration::from_millis((self.0 >> 33) % most)
    }
}

/// Kills a run some time after something has begun to happen.
fn killed(mut run: Running, after: Duration, begun: impl FnMut() -> bool) {
    run.wait_until(Duration::from_secs(60), begun);
    std::thread::sleep(after);
    run.signal(Signal::SIGKILL);
    run.wait(Duration::from_secs(30));
}

/// How often an operation of a workload was correct.
fn steps(run: &Outcome, workload: &str, operation: &str) -> u64 {
    let result = result(run, workload);
    let mut all = result["operations"].as_array().expect("operations").iter();
    let found = all.find(|one| one["operation"] == operation);
    found
        .and_then(|one| one["ok"].as_u64())
        .unwrap_or_else(|| panic!("no {operation}: {run}"))
}

#[test]
fn large_blobs_are_stored_piece_by_piece() {
    let scratch = Scratch::new("blob-pieces");
    let server = Blobs::start(&scratch, &["--delete-lag", "0s", "--secret-key", SECRET]);
    // Pieces are of 4 MiB: three of the large ones.
    let words = "blob --json --warmup 0s --gap 0s --rounds 1 --slice 120s --objects 6 --size 9MiB \
                 --alloc-above 5MiB --hashes md5,crc32 --crc-framed --phases pgd --connections 4 \
                 --threads 2 --target";
    let url = server.url();
    let run = Tenbin::new(&scratch, words.split_whitespace().chain([url.as_str()]))
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(Duration::from_secs(180))
        .run();
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    for (workload, count) in [("put", 6), ("get", 6), ("delete", 6)] {
        let outcome = (ok(&run, workload), failed(&run, workload));
        assert_eq!(outcome, (count, 0), "{workload}: {run}");
    }
    for (step, count) in [("/alloc", 6), ("/putat", 18), ("/sign", 6), ("PUT", 6)] {
        assert_eq!(steps(&run, "put", step), count, "{step}: {run}");
    }
    assert_eq!(server.held(), 0, "{run}");
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
        // Those with wrong sums in one request are there all the same.
        assert!(ok(&run, "get") >= ok(&run, "put"), "{fault}: {run}");
        assert_eq!(server.held(), 0, "{fault}: {run}");
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
            "a block of it not what its sum says (466",
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
        // What was taken for plain is stored with its sums in it, and found out again.
        let found_out = if class == "wrong" { 10 } else { 0 };
        assert_eq!(
            (ok(&run, "get"), failed(&run, "get")),
            (90, found_out),
            "{fault}: {run}"
        );
        assert_eq!(server.held(), 0, "{fault}: {run}");
    }
    let files = "blob --target file:///tmp/unused --crc-framed --phases p";
    let refused = Tenbin::new(&scratch, files.split(' ')).run();
    refused
        .expect_code(2)
        .expect_stderr("crc_framed is for targets that are spoken to");
}

#[test]
fn what_was_put_is_read_after_a_kill_at_any_moment() {
    let scratch = Scratch::new("blob-kill");
    let server = Blobs::start(&scratch, &["--delete-lag", "0s"]);
    let on_disk = |phases: &str, more: &str| {
        format!("--phases {phases} --locations db --slice 60s --rounds 1 {more}")
    };
    let mut moments = Moments(20);
    let mut read = 0;
    // In the middle of a slice; at the end of one, where journals are folded; while
    // blobs are read; and while they are deleted.
    let runs = [
        on_disk("p", ""),
        on_disk("p", ""),
        "--phases p --locations db --slice 500ms --rounds 100".to_owned(),
        "--phases p --locations db --slice 500ms --rounds 100".to_owned(),
        on_disk("g", "--choose sequential"),
        on_disk("d", ""),
        on_disk("p", ""),
    ];
    // PUTs that were out when a run was killed may have been stored without anybody
    // hearing of it, and so with deletions: four connections each time.
    let (mut unheard_puts, mut unheard_deletions) = (0, 0);
    for (at, options) in runs.iter().enumerate() {
        let before = server.held();
        let run = started(&scratch, &server, options);
        let phase = options.split(' ').nth(1).expect("phases");
        killed(run, moments.next(900), || match phase {
            "g" => true,
            "d" => server.held() < before,
            _ => server.held() > before,
        });
        match phase {
            "p" => unheard_puts += 4,
            "d" => unheard_deletions += 4,
            _ => assert_eq!(server.held(), before),
        }
        // All that is left may be what nobody has heard of.
        if server.held() <= unheard_puts + unheard_deletions {
            continue;
        }
        let reading = blob(&scratch, &server, &on_disk("g", ""));
        let held = server.held();
        assert!(matches!(reading.code, Some(0 | 6)), "{at}: {reading}");
        read = ok(&reading, "get");
        assert!(
            read <= held && held <= read + unheard_puts + unheard_deletions,
            "{at}: {read} of {held}"
        );
        // Those that were being deleted are not asked for.
        assert_eq!(failed(&reading, "get"), 0, "{at}: {reading}");
        reading
            .expect_stderr("of set \"blobs\" stay")
            .expect_stderr("were put by runs that were killed");
    }
    let held = server.held();
    let deleting = blob(&scratch, &server, &on_disk("d", ""));
    assert!(ok(&deleting, "delete") >= read, "{deleting}");
    let left = server.held();
    let expected = held - read - unheard_deletions..=held - read;
    assert!(expected.contains(&left), "{left} of {held}: {deleting}");
    deleting.expect_stderr("0 blobs of set \"blobs\" stay");
    let nothing = blob(&scratch, &server, "--phases g --locations db");
    nothing
        .expect_code(4)
        .expect_stderr("there is nothing to read: no blob of set \"blobs\" is in ")
        .expect_stderr(".redb; put some first");
}

#[test]
fn what_a_killed_run_has_left_is_cleaned() {
    let scratch = Scratch::new("blob-clean");
    let server = Blobs::start(&scratch, &["--delete-lag", "0s"]);
    let runs = scratch.path().join("runs");
    let newest = || {
        let entries = std::fs::read_dir(&runs).expect("runs");
        let names = entries.map(|entry| entry.expect("an entry").path());
        names.max().expect("a run")
    };
    let clean = |directory: &std::path::Path| {
        let words = ["clean".as_ref(), directory.as_os_str()];
        Tenbin::new(&scratch, words).run()
    };
    let mut moments = Moments(4);
    for phases in ["p", "pgd", "p --size 1MiB --alloc-above 100KiB"] {
        let before = server.held();
        let options = format!("--phases {phases} --slice 1s --rounds 60");
        let run = started(&scratch, &server, &options);
        killed(run, moments.next(1500), || server.held() > before + 20);
        let directory = newest();
        let show = Tenbin::new(&scratch, ["show".as_ref(), directory.as_os_str()]).run();
        show.expect_stderr("tenbin clean");
        let cleaned = clean(&directory);
        cleaned
            .expect_code(0)
            .expect_stderr("nothing is left in set tenbin-");
        // Those that were out on the four connections.
        assert!(server.held() <= before + 4, "{cleaned}");
        assert!(!directory.join("blobs").exists(), "{cleaned}");
        clean(&directory).expect_code(0);
    }
    let files = scratch.path().join("files");
    let target = format!("file://{}", files.display());
    let words = "blob --warmup 0s --gap 0s --phases p --size 10KiB --slice 60s --rounds 1 --target";
    let words = words.split(' ').chain([target.as_str()]);
    let there = || std::fs::read_dir(&files).is_ok_and(|mut sets| sets.next().is_some());
    killed(
        Tenbin::new(&scratch, words).start(),
        moments.next(500),
        there,
    );
    clean(&newest()).expect_code(0);
    assert!(!there());
    // A run that comes to its end leaves no journals.
    let run = blob(
        &scratch,
        &server,
        "--phases p --objects 5 --slice 20s --rounds 1",
    );
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    assert!(!newest().join("blobs").exists(), "{run}");
}

#[test]
fn what_comes_back_wrong_is_counted_by_its_name() {
    let scratch = Scratch::new("blob-wrong");
    for (fault, class, said) in [
        ("corrupt:10%", "wrong", "not what was put"),
        ("truncate:10%", "short", "began and broke off"),
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
    // The head is looked at also where content is not.
    let server = Blobs::start(&scratch, &["--fault", "misrange:10%"]);
    for unverified in ["", " --no-verify"] {
        let options = "--phases pg --objects 100 --slice 20s --rounds 1 --range random:500";
        let run = blob(&scratch, &server, &format!("{options}{unverified}"));
        let outcome = (ok(&run, "get"), failed(&run, "get"));
        assert_eq!(outcome, (90, 10), "{run}");
        let (count, texts) = failures(&run, "wrong");
        assert!(count == 10 && texts.contains("Content-Range"), "{texts}");
    }
    // What was deleted in the first round comes back in the second.
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
        // Tidying up is not recorded.
        assert_eq!(count, 10, "{fault}: {run}");
        assert!(texts.contains(said), "{fault}: {texts}");
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
            "{key} is for targets that are spoken to as a blobstore"
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
    assert!(matches!(few.code, Some(0 | 6)), "{few}");
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
    let run = Tenbin::new(&scratch, words)
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .run();
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    run.expect_silence_about(SECRET);
    assert_eq!((ok(&run, "put"), ok(&run, "get")), (100, 100), "{run}");
    // One request for seven, and some for the rest.
    assert!((15..=24).contains(&ok(&run, "delete")), "{run}");
    assert_eq!(server.held(), 0, "{run}");
}

#[test]
fn deletions_are_followed_until_they_take_effect() {
    let scratch = Scratch::new("blob-gone");
    let server = Blobs::start(&scratch, &["--delete-lag", "300ms"]);
    let options = "--phases pd --objects 40 --slice 30s --rounds 1 --until-gone";
    let run = blob(&scratch, &server, options);
    assert_eq!(ok(&run, "delete"), 40, "{run}");
    // As many as there are connections for are polled some thirty times each, and not as
    // often as can be.
    let gone = steps(&run, "delete", "gone");
    assert!((16..=40).contains(&gone), "{gone}: {run}");
    let polled = steps(&run, "delete", "is it gone");
    assert!((gone..gone * 60).contains(&polled), "{polled}: {run}");

    let server = Blobs::start(
        &scratch,
        &["--fault", "never-gone:50%", "--delete-lag", "0s"],
    );
    let options = "--phases pd --objects 8 --slice 60s --rounds 1 --until-gone --gone-within \
                   300ms --poll-interval 20ms";
    let run = blob(&scratch, &server, options);
    assert_eq!(
        (ok(&run, "delete"), steps(&run, "delete", "gone")),
        (8, 4),
        "{run}"
    );
    assert!(
        errors_found(&run).contains("4 of 8 acknowledged operations that were polled"),
        "{run}"
    );
    let (count, texts) = failures(&run, "timeout");
    assert_eq!(count, 4, "{run}");
    assert!(
        texts.contains("still there 300ms after its deletion began"),
        "{texts}"
    );
    run.expect_stderr("4 blobs were still there when last asked after");

    // Only a blob that was read is still there: other answers tell nothing, and it is
    // asked after again.
    let server = Blobs::start(
        &scratch,
        &[
            "--gone",
            "404",
            "--fault",
            "500:50%",
            "--delete-lag",
            "100ms",
        ],
    );
    let options = "--phases pd --objects 8 --slice 60s --rounds 1 --until-gone --errors 0";
    let run = blob(&scratch, &server, options);
    assert_eq!(ok(&run, "delete"), 8, "{run}");
    let (untold, texts) = failures(&run, "status");
    assert!(untold > 0 && texts.contains("500 ServerError"), "{run}");
    let server = Blobs::start(&scratch, &["--fault", "500:100%", "--delete-lag", "0s"]);
    let options = "--phases pd --objects 8 --slice 60s --rounds 1 --until-gone --gone-within 300ms";
    let run = blob(&scratch, &server, options);
    assert_eq!(
        (ok(&run, "delete"), steps(&run, "delete", "gone")),
        (8, 0),
        "{run}"
    );
    let (_, texts) = failures(&run, "status");
    assert!(
        texts.contains("gone or not is unknown 300ms after its deletion began"),
        "{texts}"
    );
    run.expect_stderr("of 8 blobs whose deletion was acknowledged it is not known");
    assert!(!run.stderr.contains("still there"), "{run}");

    // What was being deleted when a run ended is not read by the next, and is deleted again.
    let server = Blobs::start(&scratch, &["--delete-lag", "1h"]);
    let on_disk = |options: &str| {
        let options = format!("{options} --locations db --rounds 1 --slice 60s --size 1KiB");
        blob(&scratch, &server, &options)
    };
    on_disk("--phases p --objects 8").expect_stderr("8 blobs of set \"blobs\" stay");
    on_disk("--phases d --until-gone --gone-within 100ms")
        .expect_stderr("8 of them were being deleted when a run ended");
    on_disk("--phases g")
        .expect_code(4)
        .expect_stderr("there is nothing to read: an earlier run was deleting all 8 blobs");
    on_disk("--phases p --objects 3");
    let run = on_disk("--phases g");
    assert_eq!((ok(&run, "get"), failed(&run, "get")), (3, 0), "{run}");
    let run = on_disk("--phases d");
    assert_eq!(ok(&run, "delete"), 11, "{run}");
    run.expect_stderr("0 blobs of set \"blobs\" stay");
    assert!(!run.stderr.contains("were being deleted"), "{run}");

    // A slice that ends before they are gone knows how many are not.
    let server = Blobs::start(&scratch, &["--fault", "never-gone:100%"]);
    let options = "--phases pd --objects 4 --slice 2s --rounds 1 --until-gone";
    let run = blob(&scratch, &server, options);
    assert_eq!(
        (ok(&run, "delete"), steps(&run, "delete", "gone")),
        (4, 0),
        "{run}"
    );
    assert_eq!(server.held(), 4, "{run}");
    run.expect_stderr("4 blobs were still there when last asked after");
}

#[test]
fn the_time_until_gone_is_not_that_of_reads_which_break_off() {
    let scratch = Scratch::new("blob-breaks");
    // As a CubeFS cluster does it, but for its deletion delay.
    let server = Blobs::start(
        &scratch,
        &["--delete-lag", "100ms", "--gone-delay", "610ms"],
    );
    let options = "--phases pd --objects 3000 --size 1KiB --slice 6s --rounds 1";
    let plain = blob(&scratch, &server, options);
    let polled = blob(&scratch, &server, &format!("{options} --until-gone"));
    assert_eq!(ok(&polled, "delete"), 3000, "{polled}");
    let rate = |run: &Outcome| result(run, "delete")["throughput"]["value"].as_f64();
    let (without, with) = (rate(&plain), rate(&polled));
    let kept = with.zip(without).map(|(with, without)| with / without);
    assert!(
        kept.is_some_and(|kept| kept > 0.3),
        "{with:?} of {without:?}"
    );
    let deleted = result(&polled, "delete");
    let mut operations = deleted["operations"].as_array().expect("operations").iter();
    let gone = operations
        .find(|one| one["operation"] == "gone")
        .expect("gone");
    assert!(gone["ok"].as_u64() >= Some(16), "{polled}");
    // Polls come an eighth of the time so far apart.
    let longest = gone["max"].as_f64().expect("a time");
    assert!((0.1..0.4).contains(&longest), "{longest}: {polled}");
    assert_eq!(errors_found(&polled), "", "{polled}");
    assert!(!polled.stderr.contains("still there"), "{polled}");
}

/// What the findings about failures say.
fn errors_found(run: &Outcome) -> String {
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"));
    let findings = document["findings"].as_array().expect("findings").iter();
    let errors = findings.filter(|finding| finding["rule"] == "errors");
    errors
        .filter_map(|finding| finding["evidence"].as_str())
        .collect()
}

#[test]
fn a_run_that_is_interrupted_leaves_nothing() {
    let scratch = Scratch::new("blob-interrupted");
    let server = Blobs::start(&scratch, &["--delete-lag", "0s"]);
    let mut run = started(&scratch, &server, "--phases pgd --slice 30s --rounds 2");
    run.wait_until(Duration::from_secs(30), || server.held() > 100);
    run.signal(Signal::SIGINT);
    let run = run.wait(Duration::from_secs(60));
    run.expect_code(130);
    // A PUT that is not answered within a second at the end may be stored without
    // anybody hearing of it.
    assert!(server.held() <= 4, "{run}");
}

#[test]
fn four_kinds_of_store_are_arms_of_one_experiment() {
    let scratch = Scratch::new("blob-arms");
    let minio = Store::minio(&scratch, &["--quiet"], &[]);
    let files = scratch.path().join("files");
    let file_url = format!("disk=file://{}", files.display());
    let synced = format!("synced=file://{}/synced?sync", scratch.path().display());
    let minio_url = minio.target("minio");
    let words = [
        "blob",
        "--json",
        "--warmup",
        "0s",
        "--gap",
        "0s",
        "--rounds",
        "6",
        "--slice",
        "60s",
        "--objects",
        "20",
        "--size",
        "10KiB",
        "--connections",
        "4",
        "--phases",
        "pggd",
        "--builtin",
        "blob=blob",
        "--builtin",
        "dummy=dummy",
        "--target",
        &file_url,
        "--target",
        &synced,
        "--target",
        &minio_url,
        "--store",
        "minio=s3",
        "--builtin",
        "memory=s3-memory",
    ];
    let run = Tenbin::new(&scratch, words)
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(Duration::from_secs(600))
        .run();
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
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

const CONF: &str = r#"{
    "idc": "z0",
    "code_mode_put_quorums": { "11": 4 },
    "code_mode_get_ordered": { "11": true },
    "cluster_config": { "clusters": [{"cluster_id": 1, "hosts": ["URL"]}] }
}"#;

/// The founding document's lines, with shorter times.
#[test]
fn the_founding_lines_run_and_print_that_tools_lines() {
    let scratch = Scratch::new("blobstore-bench");
    let server = Blobs::start(&scratch, &[]);
    scratch.write("blob.conf", CONF.replace("URL", &server.url()));
    let line = |line: &str| {
        Tenbin::new(&scratch, line.split(' '))
            .within(Duration::from_secs(120))
            .run()
    };
    let run = line(
        "blobstore-bench -b blobstore -c blob.conf -db rocksdb -r build/db/ -d 2 -m pgd -pr mybench \
         -s 10Ki -t 2 -l 2",
    );
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    for said in [
        " DataSize=10240 ",
        " backend=blobstore\n",
        " dbDir=build/db/\n",
        " Running Loop 0 Put Test\n",
        " Loop: 0, Int: 0, Dur(s): ",
        ", Mode: PUT, Ops: ",
        " Loop: 1, Int: TOTAL, Dur(s): ",
        ", Mode: DEL, Ops: ",
        " The subsequent '-m g' or '-m d' test should be specified with '-n ",
        "Slowdowns: 0\n",
        "Verdict  ",
    ] {
        run.expect_stdout(said);
    }
    run.expect_stderr("-db rocksdb: means on disk");
    let total = |mode: &str| {
        let lines = run
            .stdout
            .lines()
            .filter(|line| line.contains("Int: TOTAL"));
        let own = lines.filter(|line| line.contains(mode));
        let ops =
            own.filter_map(|line| line.split("Ops: ").nth(1)?.split(',').next()?.parse().ok());
        ops.collect::<Vec<u64>>()
    };
    assert_eq!(total("PUT").len(), 2, "{run}");
    // Answers that came after the time are stored as well.
    for (put, got) in total("PUT").into_iter().zip(total("GET")) {
        assert!((put..=put + 2).contains(&got) || got < put, "{run}");
    }

    let put = line("blobstore-bench -c blob.conf -db rocksdb -r db -d 20 -n 30 -m p -s 10Ki");
    assert!(matches!(put.code, Some(0 | 6)), "{put}");
    put.expect_stdout("should be specified with '-n 30'");
    let later =
        line("blobstore-bench -c blob.conf -db rocksdb -r db -d 20 -n 20 -m gd -i 1 -o out.json");
    assert!(matches!(later.code, Some(0 | 6)), "{later}");
    later.expect_stderr("10 blobs of set \"blobs\" stay");
    // What is found of several modes is said once.
    later.expect_stdout("a 99th percentile takes 368; likewise delete on blobstore");
    let json = std::fs::read_to_string(scratch.join("out.json")).expect("out.json");
    let rows: Value = serde_json::from_str(&json).expect("JSON");
    let totals = rows.as_array().expect("rows").iter();
    let totals: Vec<_> = totals
        .filter(|row| row["IntervalName"] == "TOTAL")
        .collect();
    assert_eq!(totals.len(), 2, "{json}");
    assert!(totals.iter().all(|row| row["Ops"] == 20), "{json}");
    // Sizes are those of what was put, whatever -s says now.
    for row in totals {
        let [seconds, rate] = ["Seconds", "Mbps"].map(|key| row[key].as_f64().expect("a number"));
        let bytes = rate * seconds * 1_048_576.0;
        assert!((bytes - 20.0 * 10_240.0).abs() < 1.0, "{bytes}: {json}");
    }

    for (mode, verb) in [("g", "read"), ("d", "delete")] {
        let nothing = line(&format!(
            "blobstore-bench -c blob.conf -db rocksdb -r db -pr other -m {mode}"
        ));
        nothing.expect_code(4).expect_stderr(&format!(
            "there is nothing to {verb}: no blob of set \"other\" is in "
        ));
        nothing
            .expect_stderr("db/blobstore.redb; put some first")
            .expect_stderr("run -m p first with the same -r and -pr");
    }

    // Lines come while it runs.
    let long = "blobstore-bench -b dummy -d 600 -m p -s 10Ki -i 2";
    let running = Tenbin::new(&scratch, long.split(' ')).start();
    let second = ", Int: 1, Dur(s): 2.0, Mode: PUT, Ops: ";
    common::wait_until(Duration::from_secs(60), || {
        running.so_far().contains(second)
    });
    running.signal(Signal::SIGINT);
    let running = running.wait(Duration::from_secs(60));
    running.expect_code(130).expect_stdout(second);
    running.expect_stdout(", Int: TOTAL, Dur(s): ");

    let dummy = line("blobstore-bench -b dummy -d 1 -m pgd -pr dummytest -s 10Ki -t 2 -l 2");
    assert!(matches!(dummy.code, Some(0 | 6)), "{dummy}");
    dummy.expect_stdout(" backend=dummy\n");
}

#[test]
fn by_its_name_too() {
    let scratch = Scratch::new("blobstore-bench-name");
    let link = scratch.join("blobstore-bench");
    symlink(env!("CARGO_BIN_EXE_tenbin"), &link).expect("a link");
    let output = std::process::Command::new(&link)
        .arg("-h")
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("Usage: tenbin blobstore-bench "), "{text}");
}

#[test]
fn the_hint_for_n_counts_every_blob_that_stays() {
    let scratch = Scratch::new("blob-hint");
    let server = Blobs::start(&scratch, &[]);
    let conf = format!("{{\"priority_addrs\": [\"{}\"]}}", server.url());
    let conf = scratch.write("blob.conf", conf);
    let words = "blobstore-bench -m p -d 2 -t 16 -s 64Ki -db rocksdb -r db -c";
    let run = Tenbin::new(&scratch, words.split(' ').chain([conf.as_str()])).run();
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
    let (_, hint) = run.stdout.split_once("with '-n ").expect("the hint");
    let (stored, _) = hint.split_once('\'').expect("its end");
    assert_eq!(stored.parse(), Ok(server.held()), "{run}");
    // The same figures stand in intervals and in the line of the whole.
    let lines = run.stdout.lines().filter(|line| line.contains("Mode: PUT"));
    let times: Vec<&str> = lines
        .clone()
        .filter(|line| line.contains("99%: "))
        .collect();
    assert!(times.len() <= 3, "{run}");
    assert!(
        lines.clone().all(|line| !line.contains("99%: unknown")),
        "{run}"
    );
}

#[test]
fn failures_that_name_blobs_are_one_failure() {
    let scratch = Scratch::new("blob-shapes");
    // Answers with the number of the blob in it, as the access layer gives them.
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

/// Refuses every PUT, with another text each.
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
