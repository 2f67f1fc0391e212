//! Kills in any order: all processes of a run end, and the results so far can be shown.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::bounds::{Attacked, for_each};
use super::common::{Scratch, Tenbin};

const SOON: Duration = Duration::from_secs(30);

/// Whether a process with this command line is killed.
type Victims = fn(&str) -> bool;

const ROWS: &[(&str, Victims)] = &[
    ("the run alone", |line| line.contains(" run ")),
    ("the guards alone", |line| line.contains("guard")),
    ("Tenbin and its guards at the same time", |line| {
        line.contains(" run ") || line.contains("guard")
    }),
    ("everything that is called tenbin", |line| {
        line.contains(env!("CARGO_BIN_EXE_tenbin")) && !line.starts_with("sh ")
    }),
];

/// A plan whose target starts a process in a new session and a grandchild process.
fn plan(scratch: &Scratch) -> String {
    scratch.write(
        "plan.toml",
        format!(
            r#"
[rounds]
slice = "20s"
count = 4
warmup = "0s"

[[target]]
name = "family"
command = ["sh", "-c", "(setsid sleep 1000 &); sh -c 'sleep 1000 & wait' & exec '{}' serve http --listen 127.0.0.1:{{port}}"]
url = "http://127.0.0.1:{{port}}/"

[[workload]]
kind = "http"
"#,
            env!("CARGO_BIN_EXE_tenbin")
        ),
    )
}

#[test]
fn nothing_lives_on_after_a_kill_in_any_order() {
    for_each(ROWS, |&(name, is_victim)| {
        let scratch = Scratch::new("attack-kill");
        let plan = plan(&scratch);
        let mut run = Tenbin::new(&scratch, ["run", &plan]).start();
        run.wait_until(SOON, || measured_seconds(&scratch) >= 2);
        let alive = scratch.alive();
        let victims: Vec<_> = alive
            .iter()
            .filter(|process| is_victim(&process.command))
            .collect();
        assert!(!victims.is_empty(), "{name}: {alive:#?}");
        // SIGSTOP comes first, so that no victim reacts to the end of another victim.
        for which in [Signal::SIGSTOP, Signal::SIGKILL] {
            for victim in &victims {
                let pid = Pid::from_raw(victim.pid.cast_signed());
                let _ = kill(pid, which);
            }
        }
        let outcome = run.wait(SOON);
        assert!(!outcome.stderr.contains("panicked"), "{name}: {outcome}");
        scratch.expect_nobody_left(SOON);
        let run = run_directory(&scratch);
        let shown = Tenbin::new(&scratch, ["show".as_ref(), run.as_os_str()]);
        Attacked::run(name, &scratch, shown)
            .expect_codes(&[0, 6])
            .expect_said("family");
    });
}

fn run_directory(scratch: &Scratch) -> PathBuf {
    let runs = std::fs::read_dir(scratch.path().join("runs")).expect("a runs directory");
    let mut runs: Vec<PathBuf> = runs.flatten().map(|entry| entry.path()).collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

/// Number of operation lines in `intervals.jsonl` so far: one per operation and second.
fn measured_seconds(scratch: &Scratch) -> usize {
    let runs = std::fs::read_dir(scratch.path().join("runs"));
    let lines = |run: &Path| std::fs::read_to_string(run.join("intervals.jsonl"));
    runs.into_iter()
        .flatten()
        .flatten()
        .filter_map(|run| lines(&run.path()).ok())
        .map(|text| text.matches("\"kind\":\"operation\"").count())
        .sum()
}
