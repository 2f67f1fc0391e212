//! Limits that Tenbin must respect under every attack.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::common::{Outcome, Scratch, Tenbin};

/// Time limit for an attack on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);
/// Limit of the resident memory of a `tenbin`, including buffered data of the peer, bytes.
const MOST_MEMORY: u64 = 320 << 20;
/// Limit for standard output and for standard error, bytes.
const MOST_TEXT: usize = 1 << 20;

/// Result of a `tenbin` under attack.
pub(crate) struct Attacked {
    pub(crate) outcome: Outcome,
    /// Peak resident memory, bytes.
    pub(crate) memory: u64,
    name: String,
}

impl Attacked {
    /// Runs `tenbin` to its end and checks the limits that apply to every attack.
    #[track_caller]
    pub(crate) fn run(name: &str, scratch: &Scratch, tenbin: Tenbin<'_>) -> Self {
        let mut running = tenbin.start();
        let begun = Instant::now();
        let mut memory = 0;
        // The kernel records the peak, so polling misses only growth in the last few milliseconds.
        while running.is_running() && begun.elapsed() < LONGEST {
            memory = peak(running.pid()).unwrap_or(memory);
            std::thread::sleep(Duration::from_millis(5));
        }
        let outcome = running.wait(Duration::from_secs(1));
        let attacked = Self {
            outcome,
            memory,
            name: name.to_owned(),
        };
        attacked.check(scratch);
        attacked
    }

    #[track_caller]
    fn check(&self, scratch: &Scratch) {
        let Self {
            outcome,
            memory,
            name,
        } = self;
        assert!(outcome.signal.is_none(), "{name}: {outcome}");
        for (text, place) in [(&outcome.stdout, "stdout"), (&outcome.stderr, "stderr")] {
            assert!(!text.contains("panicked at"), "{name}: {outcome}");
            assert!(text.len() < MOST_TEXT, "{name}: {} bytes", text.len());
            assert_eq!(control(text), None, "{name}: {place}: {outcome}");
        }
        assert!(
            *memory < MOST_MEMORY,
            "{name}: {} MiB: {outcome}",
            memory >> 20
        );
        expect_harmless_reports(name, &scratch.path().join("runs"));
    }

    /// Fails unless `tenbin` ended with one of these exit codes.
    #[track_caller]
    pub(crate) fn expect_codes(&self, codes: &[i32]) -> &Self {
        let Self { outcome, name, .. } = self;
        let is_expected = outcome.code.is_some_and(|code| codes.contains(&code));
        assert!(
            is_expected,
            "{name}: one of {codes:?} was expected, not {:?}: {outcome}",
            outcome.code
        );
        self
    }

    /// Fails unless standard output or standard error contains this text.
    #[track_caller]
    pub(crate) fn expect_said(&self, text: &str) -> &Self {
        let Self { outcome, name, .. } = self;
        let is_said = outcome.stdout.contains(text) || outcome.stderr.contains(text);
        assert!(is_said, "{name}: {text:?} was expected: {outcome}");
        self
    }
}

/// `tenbin http` against a URL, with two slices of 300 ms and a timeout of 500 ms.
pub(crate) fn for_a_moment<'a>(scratch: &'a Scratch, url: &str, more: &[&str]) -> Tenbin<'a> {
    let line = format!(
        "http --target evil={url} --warmup 0s --slice 300ms --rounds 2 --gap 10ms --timeout 500ms \
         -c 2 --on-outage 1s"
    );
    Tenbin::new(scratch, line.split(' ').chain(more.iter().copied()))
}

/// Checks that the files of the runs contain no control characters.
#[track_caller]
fn expect_harmless_reports(name: &str, runs: &Path) {
    for run in std::fs::read_dir(runs).into_iter().flatten().flatten() {
        for file in [
            "SUMMARY.md", "result.json", "benchmark.txt", "plan.toml", "environment.json",
            "intervals.jsonl",
        ] {
            let Ok(text) = std::fs::read_to_string(run.path().join(file)) else {
                continue;
            };
            assert_eq!(control(&text), None, "{name}: {file}");
        }
    }
}

/// The first control character of a text other than a newline or a tab.
fn control(text: &str) -> Option<char> {
    let is_harmful = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
    text.chars().find(is_harmful)
}

/// Peak resident memory of a process so far, bytes.
fn peak(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}

/// Runs `attack` on all rows, even after a failure. Three rows run at a time, because most of them
/// wait.
#[track_caller]
pub(crate) fn for_each<R: Sync>(rows: &[R], attack: impl Fn(&R) + Sync) {
    const AT_ONCE: usize = 3;
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let done = catch_unwind(AssertUnwindSafe(|| attack(row)));
                    failed.fetch_add(usize::from(done.is_err()), Ordering::Relaxed);
                }
            });
        }
    });
    let failed = failed.into_inner();
    assert_eq!(failed, 0, "rows of {} that failed", rows.len());
}
