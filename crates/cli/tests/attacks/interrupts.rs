//! Ctrl-C in each phase of a run: the phase ends soon, the run says what stays, and the result is
//! kept.

use std::path::Path;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::Value;

use super::bounds::for_each;
use super::common::{Scratch, Tenbin};
use super::s3::{Listing, Store, key, page, plan};

/// Time limit for a phase to come and to end on a busy machine. Without Ctrl-C, no clean-up of
/// these tests would end in this time.
const SOON: Duration = Duration::from_secs(30);

/// A page of new keys that is never the last, after a short wait.
fn endless(prefix: &str, at: usize, filling: &str) -> String {
    std::thread::sleep(Duration::from_millis(20));
    let keys: String = (0..20)
        .map(|k| key(&format!("{prefix}{at:08}{k:02}")))
        .collect();
    page(&format!("{keys}{filling}"), Some(&format!("t{at}")))
}

#[rustfmt::skip] // one row a line
const ROWS: &[(&str, Listing)] = &[
    ("a listing without end", |prefix, at| endless(prefix, at, "")),
    ("pages of 12 MB without end", |prefix, at| endless(prefix, at, &"<a>b</a>".repeat(1_500_000))),
    ("pages of deep elements without end", |prefix, at| endless(prefix, at, &format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000)))),
];

fn tenbin<'a>(scratch: &'a Scratch, words: &[&str]) -> Tenbin<'a> {
    Tenbin::new(scratch, words)
        .env("TENBIN_ACCESS_KEY", "any")
        .env("TENBIN_SECRET_KEY", "any")
}

#[test]
fn a_clean_up_that_does_not_end_takes_no_result_with_it() {
    for_each(ROWS, |&(name, listing)| {
        let scratch = Scratch::new("attack-clean-up");
        let store = Store::start(listing);
        let plan = plan(&scratch, store.port, "put");
        let mut run = tenbin(&scratch, &["run", &plan]).start();
        let has_result = || {
            let directory = scratch.run();
            directory.is_some_and(|run| run.join("report.html").is_file())
        };
        // The result is written while the listing goes on.
        run.wait_until(SOON, has_result);
        std::thread::sleep(Duration::from_millis(500));
        assert!(run.is_running(), "{name}: {}", run.so_far());
        run.signal(Signal::SIGINT);
        let run = run.wait(SOON);
        run.expect_code(130)
            .expect_stderr("the clean-up was interrupted")
            .expect_stderr("tenbin clean runs/")
            .expect_stdout("evil");
        store.expect_own_deletions(name);
        assert_eq!(scratch.result()["run"]["complete"], true, "{name}");
        let directory = scratch.run().expect("a run");
        let left = left(&directory);
        assert_eq!(left[0]["reason"], "the clean-up was interrupted", "{name}");

        let directory = directory.to_str().expect("a path in UTF-8");
        let mut clean = tenbin(&scratch, &["clean", directory]).start();
        let deleted = store.deletions();
        clean.wait_until(SOON, || store.deletions() > deleted);
        clean.signal(Signal::SIGINT);
        let clean = clean.wait(SOON);
        clean
            .expect_code(130)
            .expect_stderr("objects may be left")
            .expect_stderr("run the same command again");
        store.expect_own_deletions(name);
    });
}

fn left(run: &Path) -> Value {
    let text = std::fs::read_to_string(run.join("left.json")).expect("left.json");
    serde_json::from_str(&text).expect("JSON")
}
