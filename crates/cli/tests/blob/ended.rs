//! Killed and interrupted runs: stored blobs are readable, and are removed.

use std::time::Duration;

use nix::sys::signal::Signal;

use crate::common::{Running, Scratch, Tenbin};
use crate::stand::{Blobs, blob, failed, ok, started};

/// Pseudo-random delays from a fixed seed.
struct Moments(u64);

impl Moments {
    fn next(&mut self, most: u64) -> Duration {
        // Linear congruential generator with the constants of Knuth's MMIX.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        Duration::from_millis((self.0 >> 33) % most)
    }
}

/// Waits until `begun` returns true, then for `after`, and kills the run.
fn killed(mut run: Running, after: Duration, begun: impl FnMut() -> bool) {
    run.wait_until(Duration::from_secs(60), begun);
    std::thread::sleep(after);
    run.signal(Signal::SIGKILL);
    run.wait(Duration::from_secs(30));
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
    // Kills in a slice, at the end of a slice (when journals are folded), during reads, and
    // during deletions.
    let runs = [
        on_disk("p", ""),
        on_disk("p", ""),
        "--phases p --locations db --slice 500ms --rounds 100".to_owned(),
        "--phases p --locations db --slice 500ms --rounds 100".to_owned(),
        on_disk("g", "--choose sequential"),
        on_disk("d", ""),
        on_disk("p", ""),
    ];
    // On each of the four connections, a PUT or a deletion in flight at the kill can have taken
    // effect without a response.
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
        // Unacknowledged PUTs and deletions can account for all blobs on the server.
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
        // Blobs with a started deletion are not read.
        assert_eq!(failed(&reading, "get"), 0, "{at}: {reading}");
        reading
            .expect_stderr("of set \"blobs\" are kept")
            .expect_stderr("were put by runs that were killed");
    }
    let held = server.held();
    let deleting = blob(&scratch, &server, &on_disk("d", ""));
    assert!(ok(&deleting, "delete") >= read, "{deleting}");
    let left = server.held();
    let expected = held - read - unheard_deletions..=held - read;
    assert!(expected.contains(&left), "{left} of {held}: {deleting}");
    deleting.expect_stderr("0 blobs of set \"blobs\" are kept");
    let nothing = blob(&scratch, &server, "--phases g --locations db");
    nothing
        .expect_code(4)
        .expect_stderr("there is nothing to read: set \"blobs\" has no blobs in ")
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
            .expect_stderr("deleted ")
            .expect_stderr(" of set tenbin-")
            .expect_stderr("nothing is left in set tenbin-");
        // At most one PUT in flight on each of the four connections.
        assert!(server.settled() <= before + 4, "{cleaned}");
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
    // A completed run leaves no journals.
    let run = blob(
        &scratch,
        &server,
        "--phases p --objects 5 --slice 20s --rounds 1",
    );
    run.expect_measured();
    assert!(!newest().join("blobs").exists(), "{run}");
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
    // A PUT without a response within a second after the end can be stored unnoticed: at most one
    // on each of the four connections.
    assert!(server.settled() <= 4, "{run}");
}
