//! Runs that end early: by Ctrl-C, by SIGKILL, or because a target died.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::common::{Nginx, Running, Scratch, Tenbin};
use crate::stand::{SOON, measured_seconds, run_directory, server, shown};

#[test]
fn a_target_killed_while_it_is_measured() {
    let scratch = Scratch::new("killed-target");
    let plan = scratch.write(
        "plan.toml",
        r#"
[rounds]
count = 8
slice = "1s"
warmup = "0s"

[[target]]
name = "doomed"
builtin = "http"

[[workload]]
kind = "http"
"#,
    );
    let mut run = Tenbin::new(&scratch, ["run", &plan]).start();
    run.wait_until(SOON, || measured_seconds(&scratch) >= 2);
    let servers: Vec<_> = scratch
        .alive()
        .into_iter()
        .filter(|process| process.command.contains("serve") && !process.command.contains("guard"))
        .collect();
    assert!(!servers.is_empty(), "{:?}", scratch.alive());
    servers.iter().for_each(|process| process.kill());
    let outcome = run.wait(Duration::from_secs(30));
    outcome.expect_code(4).expect_stderr("doomed");
    scratch.expect_nobody_left(SOON);
    shown(&scratch).expect_stdout("doomed");
}

#[test]
fn an_endpoint_killed_while_it_is_measured() {
    let scratch = Scratch::new("killed-endpoint");
    let mut nginx = Nginx::start(&scratch);
    let target = nginx.target("nginx");
    let mut run = Tenbin::line(
        &scratch,
        format!("http --target {target} --warmup 0s --slice 1s --on-outage 2s"),
    )
    .start();
    run.wait_until(SOON, || measured_seconds(&scratch) >= 2);
    nginx.kill();
    let outcome = run.wait(Duration::from_secs(30));
    outcome.expect_code(4).expect_stderr("nginx");
    shown(&scratch).expect_stdout("nginx");
}

fn long_run(scratch: &Scratch, nginx: &Nginx) -> Running {
    let target = nginx.target("nginx");
    Tenbin::line(
        scratch,
        format!("http --target {target} --warmup 0s --slice 20s --rounds 4"),
    )
    .start()
}

#[test]
fn the_first_ctrl_c_ends_the_slice_and_reports() {
    let scratch = Scratch::new("ctrl-c");
    let nginx = Nginx::start(&scratch);
    let mut run = long_run(&scratch, &nginx);
    run.wait_until(SOON, || measured_seconds(&scratch) >= 2);
    run.signal(Signal::SIGINT);
    let outcome = run.wait(SOON);
    outcome.expect_code(130).expect_stdout("nginx");
    let result = run_directory(&scratch).join("result.json");
    assert!(result.exists(), "{outcome}");
}

/// Starts an object store that stores nothing and delays batch deletions: each deletion sends to
/// `deleting` and waits for `go_on`. Returns the port.
fn slow_to_delete(deleting: mpsc::Sender<()>, go_on: mpsc::Receiver<()>) -> u16 {
    let go_on = Mutex::new(go_on);
    server(move |stream| {
        let mut requests = BufReader::new(stream.try_clone().expect("a second handle"));
        let mut answers = stream;
        while let Some(method) = next_method(&mut requests) {
            if method == "POST" {
                let _ = deleting.send(());
                let _ = go_on.lock().expect("no panic").recv_timeout(SOON);
            }
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
            if answers.write_all(answer).is_err() {
                return;
            }
        }
    })
}

/// Reads one request with its body, and returns the method.
fn next_method(requests: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if requests.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| value.parse().expect("a length"))
    });
    let mut body = vec![0; length.unwrap_or(0)];
    requests.read_exact(&mut body).ok()?;
    head.split(' ').next().map(str::to_owned)
}

#[test]
fn ctrl_c_after_a_target_has_died_ends_the_clean_up_and_keeps_the_exit_code() {
    let scratch = Scratch::new("ctrl-c-after-death");
    let (deleting, asked_to_delete) = mpsc::channel();
    let (go_on, told_to_go_on) = mpsc::channel();
    let port = slow_to_delete(deleting, told_to_go_on);
    let plan = scratch.write(
        "plan.toml",
        format!(
            r#"
[rounds]
slice = "1s"
count = 8
warmup = "0s"

[[target]]
name = "store"
url = "http://127.0.0.1:{port}"
access_key = "any"
secret_key_env = "TENBIN_SECRET_KEY"

[[target]]
name = "doomed"
builtin = "s3-memory"

[[workload]]
kind = "s3"
operation = "put"
size = "1KiB"
objects = 500
"#
        ),
    );
    let mut run = Tenbin::new(&scratch, ["run", &plan])
        .env("TENBIN_SECRET_KEY", "any")
        .start();
    // Waits for at least one slice of each target.
    run.wait_until(SOON, || measured_seconds(&scratch) >= 3);
    let doomed = scratch.alive();
    let mut doomed = doomed
        .iter()
        .filter(|process| process.command.contains("serve") && !process.command.contains("guard"));
    doomed.next().expect("a server").kill();

    asked_to_delete
        .recv_timeout(SOON)
        .expect("a request to delete");
    // The store does not respond to the deletion, so only the signal ends the clean-up.
    run.signal(Signal::SIGINT);
    let outcome = run.wait(Duration::from_secs(20));
    outcome
        .expect_code(4)
        .expect_stderr("doomed")
        .expect_stderr("the clean-up was interrupted")
        .expect_stderr("tenbin clean runs/");
    drop(go_on);
    scratch.expect_nobody_left(SOON);
}

/// A plan of four slices of 20 s on one built-in server, long enough for the test to end the run.
fn long_plan(scratch: &Scratch, target: &str, builtin: &str, workload: &str) -> String {
    scratch.write(
        "plan.toml",
        format!(
            "[rounds]\nslice = \"20s\"\ncount = 4\nwarmup = \"0s\"\n\n\
             [[target]]\nname = \"{target}\"\nbuiltin = \"{builtin}\"\n\n\
             [[workload]]\n{workload}\n"
        ),
    )
}

#[test]
fn the_second_ctrl_c_leaves_at_once_and_leaves_nobody() {
    let scratch = Scratch::new("ctrl-c-twice");
    let put = "kind = \"s3\"\noperation = \"put\"\nsize = \"1KiB\"";
    let plan = long_plan(&scratch, "own", "s3-memory", put);
    let mut run = Tenbin::new(&scratch, ["run", &plan]).start();
    run.wait_until(SOON, || measured_seconds(&scratch) >= 1);
    run.signal(Signal::SIGINT);
    run.signal(Signal::SIGINT);
    let outcome = run.wait(SOON);
    assert_eq!(outcome.code, Some(130), "{outcome}");
    scratch.expect_nobody_left(SOON);
}

#[test]
fn a_run_killed_outright_can_be_shown_and_leaves_nobody() {
    let scratch = Scratch::new("sigkill");
    let plan = long_plan(&scratch, "survivor", "http", "kind = \"http\"");
    let mut run = Tenbin::new(&scratch, ["run", &plan]).start();
    run.wait_until(SOON, || measured_seconds(&scratch) >= 3);
    shown(&scratch).expect_stderr("is still running");
    let directory = run_directory(&scratch);
    let clean = ["clean".as_ref(), directory.as_os_str()];
    let refused = Tenbin::new(&scratch, clean).run();
    refused.expect_code(2).expect_stderr("wait for its end");
    run.signal(Signal::SIGKILL);
    let outcome = run.wait(SOON);
    assert_eq!(outcome.signal, Some(9), "{outcome}");
    scratch.expect_nobody_left(SOON);
    let shown = shown(&scratch);
    shown.expect_stdout("survivor");
    assert!(!shown.stderr.contains("under way"), "{shown}");
    assert!(
        !Path::new(&run_directory(&scratch).join("result.json")).exists(),
        "a killed run has written no result"
    );
}
