//! Tests of the resource use of a process tree, including the use of ended processes.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use tenbin_targets::Running;

use crate::support::{TestRun, is_alive, launch_of, script, wait_until};

/// Defines the shell function `busy`, which uses the CPU for a while.
const BUSY: &str = "busy() { i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; }";

/// CPU seconds of the shell's children, from the second line of the output of `times`.
fn children_by_times(file: &Path) -> f64 {
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().nth(1).unwrap();
    line.split_whitespace()
        .map(|time| {
            let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
            minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
        })
        .sum()
}

fn cpu(running: &Running) -> f64 {
    running.usage().unwrap().cpu_seconds.unwrap()
}

pub(crate) fn ended_children() {
    let run = TestRun::new();
    let target = script(&format!(
        "{BUSY}; echo up
         for n in 1 2 3 4 5 6; do (busy); done
         times > times; touch done; exec sleep 1000"
    ));
    let running = run.bring_up(&target).unwrap();
    let mut last = 0.0;
    let done = run.path().join("done");
    let readings = std::cell::Cell::new(0);
    while !done.exists() {
        let now = cpu(&running);
        assert!(now >= last, "went from {last} down to {now}");
        last = now;
        readings.set(readings.get() + 1);
        std::thread::sleep(Duration::from_millis(3));
    }
    let total = cpu(&running);
    let children = children_by_times(&run.path().join("times"));
    assert!(
        children > 0.2 && readings.get() > 10,
        "too quick: {children} s"
    );
    // The shell itself has used almost no CPU time; clock ticks lose up to 20 ms.
    let beyond = total - children;
    assert!(
        (-0.03..0.1).contains(&beyond),
        "{total} s observed, {children} s used"
    );
    wait_until("the shell has become sleep", || {
        running.usage().unwrap().rss_bytes > Some(100_000)
    });
}

pub(crate) fn fine_grained() {
    let run = TestRun::new();
    let target = script("echo up; while :; do :; done");
    let running = run.bring_up(&target).unwrap();
    let first = cpu(&running);
    wait_until("the busy shell has used a little", || {
        let used = cpu(&running) - first;
        used > 0.0 && (used * 100.0).fract() > 0.001
    });
}

/// The kernel discards the use of children whose parent ignores SIGCHLD.
pub(crate) fn careless_parent() {
    uses_two_spins("echo up; exec env --ignore-signal=CHLD $EXE careless");
}

/// The guard collects a process that outlives its parent.
pub(crate) fn orphans() {
    uses_two_spins(
        "echo up
         sh -c '(setsid $EXE spin; touch first) & exit'
         while [ ! -e first ]; do sleep 0.3; done
         sh -c '(setsid $EXE spin; touch done) & exit'
         exec sleep 1000",
    );
}

/// Checks the use of two `spin` processes that run in sequence, so that the second cannot hide the
/// loss of the first one's use.
fn uses_two_spins(text: &str) {
    let run = TestRun::new();
    let mut target = script(text);
    let exe = std::env::current_exe().unwrap().display().to_string();
    launch_of(&mut target).env.insert("EXE".into(), exe);
    let running = run.bring_up(&target).unwrap();
    let done = run.path().join("done");
    wait_until("both have ended", || cpu(&running) > 0.0 && done.exists());
    // The guard may not have collected the process that created the file.
    std::thread::sleep(Duration::from_millis(50));
    let (total, used) = (cpu(&running), 2.0 * SPIN.as_secs_f64());
    assert!(
        (used - 0.06..used + 0.15).contains(&total),
        "{total} s observed, {used} s used"
    );
}

const SPIN: Duration = Duration::from_millis(300);

/// A parent that never waits for its children.
#[expect(clippy::zombie_processes, reason = "the very point")]
pub(crate) fn careless() -> ExitCode {
    let exe = std::env::current_exe().unwrap();
    for _ in 0..2 {
        let child = Command::new(&exe).arg("spin").spawn().unwrap();
        let pid = child.id().cast_signed();
        while is_alive(pid) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    std::fs::write("done", "").unwrap();
    std::thread::sleep(Duration::from_secs(60));
    ExitCode::SUCCESS
}

/// A child that uses a known amount of CPU time.
pub(crate) fn spin() -> ExitCode {
    let clock = nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID;
    while Duration::from(clock.now().unwrap()) < SPIN {}
    ExitCode::SUCCESS
}

pub(crate) fn written_bytes() {
    const WRITTEN: u64 = 4 << 20;
    // The file is in Cargo's target directory, because the temporary directory may be in memory.
    let here = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let run = TestRun::new();
    let file = here.path().join("file");
    let target = script(&format!(
        "echo up
         dd if=/dev/zero of={} bs=64k count=64 conv=fsync 2>/dev/null
         touch done; exec sleep 1000",
        file.display()
    ));
    let running = run.bring_up(&target).unwrap();
    let done = run.path().join("done");
    while !done.exists() {
        running.usage();
        std::thread::sleep(Duration::from_millis(2));
    }
    let written = running.usage().unwrap().written_bytes.unwrap();
    assert!(
        (WRITTEN..WRITTEN + (1 << 20)).contains(&written),
        "{written} bytes observed, {WRITTEN} written"
    );
}
