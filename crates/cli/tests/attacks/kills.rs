//! Kills in any order: all processes of a run end, and the results so far can be shown.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::bounds::{Attacked, for_each};
use super::common::{Groonga, OwnServer, Scratch, Tenbin};

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

/// Kills every `tenbin` of the test.
fn kill_all(scratch: &Scratch) {
    for process in scratch.alive() {
        if process.command.starts_with(env!("CARGO_BIN_EXE_tenbin")) {
            let _ = kill(Pid::from_raw(process.pid.cast_signed()), Signal::SIGKILL);
        }
    }
}

/// Milliseconds from the moment that the attack waits for to the kill.
const DELAYS: [u64; 8] = [0, 2, 5, 10, 20, 40, 80, 160];

#[test]
fn a_kill_while_the_result_is_written_leaves_no_half_file() {
    let scratch = Scratch::new("attack-report");
    let server = OwnServer::start(&scratch, ["serve", "http", "--listen", "127.0.0.1:0"]);
    let target = format!("own={}", server.url());
    for_each(&DELAYS, |&delay| {
        let own = Scratch::new("attack-report-run");
        let words = "--warmup 0s --slice 100ms --gap 10ms --rounds 8 --sustain 0";
        let words = ["http", "--target", &target]
            .into_iter()
            .chain(words.split(' '));
        let mut run = Tenbin::new(&own, words).start();
        let is_measured = || {
            let lines = own.run().map(|run| run.join("intervals.jsonl"));
            let lines = lines.and_then(|lines| std::fs::read_to_string(lines).ok());
            lines.is_some_and(|text| text.contains("\"kind\":\"complete\""))
        };
        while run.is_running() && !is_measured() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(delay));
        run.signal(Signal::SIGKILL);
        let outcome = run.wait(SOON);
        own.expect_nobody_left(SOON);
        let directory = run_directory(&own);
        if directory.join("result.json").exists() {
            assert_eq!(own.result()["run"]["complete"], true, "{delay} ms");
        }
        for (file, end) in [("report.html", "</html>"), ("SUMMARY.md", "")] {
            let text = std::fs::read_to_string(directory.join(file));
            let is_whole = text.map_or(true, |text| {
                !text.is_empty() && text.trim_end().ends_with(end)
            });
            assert!(is_whole, "{delay} ms: half of {file}: {outcome}");
        }
        let shown = Tenbin::new(&own, ["show".as_ref(), directory.as_os_str()]);
        Attacked::run("killed while it reports", &own, shown)
            .expect_codes(&[0, 6])
            .expect_said("own");
    });
}

#[test]
fn a_killed_load_of_pages_leaves_no_process_and_can_be_repeated() {
    let scratch = Scratch::new("attack-load");
    let data = "search data --synthetic 2000 --text-limit 400 --out data -q";
    Tenbin::new(&scratch, data.split(' ')).run().expect_code(0);
    let groonga = Groonga::at(&scratch, "127.0.0.1", "status\n");
    let load = |files: &str| {
        let line = format!(
            "search load {files} --into groonga --server {} --batch 20",
            groonga.url()
        );
        Tenbin::new(&scratch, line.split(' '))
    };
    load("data").run().expect_code(0);
    let files = || {
        let entries = std::fs::read_dir(scratch.join("data")).expect("the data");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names.collect::<BTreeSet<_>>()
    };
    let before = files();
    for delay in DELAYS {
        let run = load("data/pages.grn").start();
        std::thread::sleep(Duration::from_millis(50 + delay));
        kill_all(&scratch);
        run.wait(SOON);
    }
    load("data/pages.grn")
        .run()
        .expect_code(0)
        .expect_stdout("2000 records in the database");
    assert_eq!(files(), before, "a killed load left files");
    drop(groonga);
    scratch.expect_nobody_left(SOON);
}
