//! Tests that no process of a target survives the target.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::support::{TestRun, descendants, guards, is_alive, launch_of, script, wait_until};

/// Starts a child, a grandchild, and a daemon in its own session whose parent has ended.
const DESCENDANTS: &str = "
    sh -c 'sleep 1000 & wait' &
    sh -c 'setsid sleep 1000 &'
    touch up; echo up; wait; sleep 1000";

/// Runs [`DESCENDANTS`] below a program that launches targets as Tenbin does.
fn host(run: &TestRun) -> (Child, Vec<i32>) {
    let host = Command::new(std::env::current_exe().unwrap())
        .arg("host")
        .arg(run.path())
        .arg(DESCENDANTS)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let descendants = descendants(run, 4);
    assert!(descendants.iter().all(|&pid| is_alive(pid)));
    (host, descendants)
}

pub(crate) fn killed_host() {
    let run = TestRun::new();
    let (mut host, descendants) = host(&run);
    host.kill().unwrap();
    host.wait().unwrap();
    wait_until("all descendants have ended", || {
        !descendants.iter().any(|&pid| is_alive(pid))
    });
}

/// Kills Tenbin and all guards, as a kill by program name does: no process is left to clean up.
pub(crate) fn killed_with_all_guards() {
    for first in 0..3 {
        let run = TestRun::new();
        let (mut host, descendants) = host(&run);
        let mut own = guards(&run);
        own.push(host.id().cast_signed());
        let count = own.len();
        own.rotate_left(first % count);
        for pid in own {
            kill(Pid::from_raw(pid), Signal::SIGKILL).ok();
        }
        host.wait().unwrap();
        wait_until("all descendants have ended", || {
            !descendants.iter().any(|&pid| is_alive(pid))
        });
    }
}

pub(crate) fn stubborn() {
    let run = TestRun::new();
    let mut target = script(
        "trap '' TERM
         (trap '' TERM; setsid sh -c 'trap \"\" TERM; touch up; while :; do read x < fifo; done') &
         while [ ! -e up ]; do sleep 0.02; done
         echo up; while :; do read x < fifo; done",
    );
    launch_of(&mut target).stop_within = Duration::from_millis(300);
    // No process writes to the FIFO, so its readers wait forever.
    let fifo = run.path().join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut running = run.bring_up(&target).unwrap();
    let stubborn = descendants(&run, 2);

    let asked = Instant::now();
    running.stop().unwrap();
    assert!(asked.elapsed() >= Duration::from_millis(300), "no grace");
    assert!(asked.elapsed() < Duration::from_secs(30));
    assert!(!stubborn.iter().any(|&pid| is_alive(pid)));
    running.stop().unwrap();
}

pub(crate) fn ctrl_c() {
    let run = TestRun::new();
    // `setsid` gives the host its own process group, which a terminal would signal on Ctrl-C.
    let mut host = Command::new("setsid");
    let mut host = host
        .arg(std::env::current_exe().unwrap())
        .arg("host")
        .arg(run.path())
        .arg("trap 'echo INT; exit 3' INT; touch up; echo up; sleep 1000 & wait")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let script = descendants(&run, 2);
    killpg(Pid::from_raw(host.id().cast_signed()), Signal::SIGINT).unwrap();
    host.wait().unwrap();
    wait_until("the script has ended", || {
        !script.iter().any(|&pid| is_alive(pid))
    });
    assert!(!run.log("script").contains("INT"));
}

pub(crate) fn background() {
    let run = TestRun::new();
    let target = script("sleep 1000 & touch up; echo up");
    let mut running = run.bring_up(&target).unwrap();
    let daemon = descendants(&run, 1)[0];
    std::thread::sleep(Duration::from_millis(100));
    running.alive().unwrap();

    kill(Pid::from_raw(daemon), Signal::SIGKILL).unwrap();
    wait_until("the end of the daemon is noticed", || {
        running.alive().is_err()
    });
    running.stop().unwrap();
}
