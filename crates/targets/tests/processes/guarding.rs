//! Nothing that a target starts survives it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::support::{House, is_alive, launch_of, pids, script, wait_until};

/// A child, a grandchild, and a daemon that has left the session, its parent dead.
const FAMILY: &str = "
    echo $$ > pids
    sh -c 'echo $$ >> pids; sleep 1000 & echo $! >> pids; wait' &
    sh -c 'setsid sh -c \"echo \\$\\$ >> pids; exec sleep 1000\" &'
    while [ $(wc -l < pids) -lt 4 ]; do sleep 0.02; done
    echo up; wait; sleep 1000";

pub(crate) fn killed_host() {
    let house = House::new();
    let mut host = Command::new(std::env::current_exe().unwrap())
        .arg("host")
        .arg(house.path())
        .arg(FAMILY)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let family = pids(&house.path().join("pids"), 4);
    assert!(family.iter().all(|&pid| is_alive(pid)));

    host.kill().unwrap();
    host.wait().unwrap();
    wait_until("the whole family is gone", || {
        !family.iter().any(|&pid| is_alive(pid))
    });
}

pub(crate) fn stubborn() {
    let house = House::new();
    let mut target = script(
        "trap '' TERM; echo $$ > pids
         (trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >> pids; while :; do sleep 1; done') &
         while [ $(wc -l < pids) -lt 2 ]; do sleep 0.02; done
         echo up; while :; do sleep 1; done",
    );
    launch_of(&mut target).stop_within = Duration::from_millis(300);
    let mut running = house.bring_up(&target).unwrap();
    let stubborn = pids(&house.path().join("pids"), 2);

    let asked = Instant::now();
    running.stop().unwrap();
    assert!(asked.elapsed() >= Duration::from_millis(300), "no grace");
    assert!(asked.elapsed() < Duration::from_secs(30));
    assert!(!stubborn.iter().any(|&pid| is_alive(pid)));
    running.stop().unwrap();
}

pub(crate) fn ctrl_c() {
    let house = House::new();
    // Its group is the guard's and the script's host: ours, as in a terminal.
    let mut host = Command::new("setsid");
    let mut host = host
        .arg(std::env::current_exe().unwrap())
        .arg("host")
        .arg(house.path())
        .arg("echo $$ > pids; trap 'echo INT; exit 3' INT; echo up; while :; do sleep 0.1; done")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let script = pids(&house.path().join("pids"), 1)[0];
    killpg(Pid::from_raw(host.id().cast_signed()), Signal::SIGINT).unwrap();
    host.wait().unwrap();
    wait_until("the script is gone", || !is_alive(script));
    assert!(!house.log("script").contains("INT"));
}

pub(crate) fn background() {
    let house = House::new();
    let target = script("(echo $BASHPID; exec sleep 1000) & echo $! > pids; echo up");
    let mut running = house.bring_up(&target).unwrap();
    let daemon = pids(&house.path().join("pids"), 1)[0];
    std::thread::sleep(Duration::from_millis(100));
    running.alive().unwrap();

    kill(Pid::from_raw(daemon), Signal::SIGKILL).unwrap();
    wait_until("the end of the daemon is noticed", || {
        running.alive().is_err()
    });
    running.stop().unwrap();
}
