//! Nothing that a target starts survives it.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::support::{House, family, guards, is_alive, launch_of, script, wait_until};

/// A child, a grandchild, and a daemon that has left the session, its parent dead.
const FAMILY: &str = "
    sh -c 'sleep 1000 & wait' &
    sh -c 'setsid sleep 1000 &'
    touch up; echo up; wait; sleep 1000";

/// Runs [`FAMILY`] below a program that does what Tenbin does.
fn host(house: &House) -> (Child, Vec<i32>) {
    let host = Command::new(std::env::current_exe().unwrap())
        .arg("host")
        .arg(house.path())
        .arg(FAMILY)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let family = family(house, 4);
    assert!(family.iter().all(|&pid| is_alive(pid)));
    (host, family)
}

pub(crate) fn killed_host() {
    let house = House::new();
    let (mut host, family) = host(&house);
    host.kill().unwrap();
    host.wait().unwrap();
    wait_until("the whole family is gone", || {
        !family.iter().any(|&pid| is_alive(pid))
    });
}

/// As a kill by program name does it, which leaves nobody to tidy up.
pub(crate) fn killed_with_all_guards() {
    for first in 0..3 {
        let house = House::new();
        let (mut host, family) = host(&house);
        let mut own = guards(&house);
        own.push(host.id().cast_signed());
        let count = own.len();
        own.rotate_left(first % count);
        for pid in own {
            kill(Pid::from_raw(pid), Signal::SIGKILL).ok();
        }
        host.wait().unwrap();
        wait_until("the whole family is gone", || {
            !family.iter().any(|&pid| is_alive(pid))
        });
    }
}

pub(crate) fn stubborn() {
    let house = House::new();
    let mut target = script(
        "trap '' TERM
         (trap '' TERM; setsid sh -c 'trap \"\" TERM; touch up; while :; do read x < fifo; done') &
         while [ ! -e up ]; do sleep 0.02; done
         echo up; while :; do read x < fifo; done",
    );
    launch_of(&mut target).stop_within = Duration::from_millis(300);
    // Nobody writes to it: its readers wait without a process of their own.
    let fifo = house.path().join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut running = house.bring_up(&target).unwrap();
    let stubborn = family(&house, 2);

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
        .arg("trap 'echo INT; exit 3' INT; touch up; echo up; sleep 1000 & wait")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let script = family(&house, 2);
    killpg(Pid::from_raw(host.id().cast_signed()), Signal::SIGINT).unwrap();
    host.wait().unwrap();
    wait_until("the script is gone", || {
        !script.iter().any(|&pid| is_alive(pid))
    });
    assert!(!house.log("script").contains("INT"));
}

pub(crate) fn background() {
    let house = House::new();
    let target = script("sleep 1000 & touch up; echo up");
    let mut running = house.bring_up(&target).unwrap();
    let daemon = family(&house, 1)[0];
    std::thread::sleep(Duration::from_millis(100));
    running.alive().unwrap();

    kill(Pid::from_raw(daemon), Signal::SIGKILL).unwrap();
    wait_until("the end of the daemon is noticed", || {
        running.alive().is_err()
    });
    running.stop().unwrap();
}
