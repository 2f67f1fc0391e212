//! Tests of the test helpers, in particular that their checks can fail.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Nginx, Scratch, Server, Tenbin, path_of};

fn get(port: u16) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn failure_of(check: impl FnOnce()) -> String {
    let failure = catch_unwind(AssertUnwindSafe(check)).expect_err("the check fails");
    *failure.downcast::<String>().expect("a message")
}

#[test]
fn nginx_answers_and_is_gone_afterwards() {
    let scratch = Scratch::new("nginx");
    let nginx = Nginx::start(&scratch);
    let port = nginx.port();
    let answer = get(port);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.ends_with("hello world\n"), "{answer}");
    let alive = scratch.alive();
    assert!(
        alive.iter().any(|process| process.pid == nginx.pid()),
        "{alive:?}"
    );

    drop(nginx);
    scratch.expect_nobody_left(Duration::ZERO);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn nginx_does_not_outlive_the_thread_that_started_it() {
    let scratch = Scratch::new("thread");
    std::thread::scope(|scope| {
        scope.spawn(|| std::mem::forget(Nginx::start(&scratch)));
    });
    scratch.expect_nobody_left(Duration::from_secs(2));
}

#[test]
fn a_process_left_over_is_found_by_its_mark() {
    let scratch = Scratch::new("mark");
    let (mark, value) = scratch.mark();
    let mut child = Command::new("sleep")
        .arg("60")
        .env(mark, value)
        .stdin(Stdio::null())
        .spawn()
        .expect("sleep can be started");
    let found = scratch.alive();
    child.kill().expect("sleep can be killed");
    child.wait().expect("sleep can be waited for");
    assert!(
        found.iter().any(|process| process.pid == child.id()),
        "{found:?}"
    );
    scratch.expect_nobody_left(Duration::ZERO);
}

#[test]
fn a_process_left_over_is_found_by_its_open_file() {
    let scratch = Scratch::new("file");
    let output = std::fs::File::create(scratch.join("output")).expect("a file");
    let mut child = Command::new("sleep")
        .arg("60")
        .stdout(output)
        .spawn()
        .expect("sleep can be started");
    let found = scratch.alive();
    child.kill().expect("sleep can be killed");
    child.wait().expect("sleep can be waited for");
    assert!(
        found.iter().any(|process| process.pid == child.id()),
        "{found:?}"
    );
}

#[test]
fn a_process_left_over_fails_the_test() {
    let scratch = Scratch::new("left-over");
    let _nginx = Nginx::start(&scratch);
    let complaint = failure_of(|| scratch.expect_nobody_left(Duration::from_millis(50)));
    assert!(complaint.contains("processes left over"), "{complaint}");
    assert!(complaint.contains("nginx"), "{complaint}");
}

#[test]
fn tenbin_runs_and_ends() {
    let scratch = Scratch::new("tenbin");
    Tenbin::new(&scratch, ["--help"]).run().expect_code(0);
    scratch.expect_nobody_left(Duration::ZERO);
}

#[test]
fn another_exit_code_fails_the_test() {
    let scratch = Scratch::new("code");
    let run = Tenbin::new(&scratch, ["--help"]).run();
    let complaint = failure_of(|| {
        run.expect_code(99);
    });
    assert!(
        complaint.contains("exit code 99 was expected"),
        "{complaint}"
    );
    assert!(complaint.contains("$ tenbin --help"), "{complaint}");
}

#[test]
fn a_tenbin_that_takes_too_long_fails_the_test_and_is_killed() {
    let scratch = Scratch::new("limit");
    let complaint = failure_of(|| {
        Tenbin::new(&scratch, ["--help"])
            .within(Duration::ZERO)
            .run();
    });
    assert!(complaint.contains("not done after"), "{complaint}");
    scratch.expect_nobody_left(Duration::ZERO);
}

#[test]
fn every_server_of_the_set_up_is_there() {
    for server in [
        Server::Nginx,
        Server::Minio,
        Server::Versitygw,
        Server::Rclone,
        Server::Wrk,
    ] {
        path_of(server);
    }
}
