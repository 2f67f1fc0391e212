//! Terminals, pipes and disks that go away: whatever happens to standard error and standard output,
//! a run ends in order and writes its result.

use std::process::Command;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::bounds::for_each;
use super::common::{ACCESS, OwnServer, SECRET, Scratch, free_port, tied, wait_until, words};

const SOON: Duration = Duration::from_secs(60);

/// Name, and a shell script that runs `"$@"`, the command line, and keeps its exit code in `code`.
type Row = (&'static str, &'static str);

#[rustfmt::skip] // one row a line
const ROWS: &[Row] = &[
    ("standard error is full", "\"$@\" 2>/dev/full; echo $? >code"),
    ("standard error is closed", "\"$@\" 2>&-; echo $? >code"),
    ("the reader of standard error has ended", "{ \"$@\" 2>&1 >/dev/null; echo $? >code; } | true"),
    ("only one line of the output is read", "{ \"$@\" 2>&1; echo $? >code; } | head -1"),
    ("nobody reads the output", "{ \"$@\" 2>&1; echo $? >code; } | true"),
    ("both streams are closed", "\"$@\" >&- 2>&-; echo $? >code"),
    ("the report has no reader", "{ \"$@\"; echo $? >code; } 2>/dev/null | true"),
    ("the hang-up is ignored", "trap '' HUP; \"$@\" 2>err & sleep 1; kill -HUP $!; wait $!; echo $? >code"),
];

/// Runs a script with `tenbin` and these arguments, and returns its exit code.
fn scripted(scratch: &Scratch, script: &str, arguments: &[&str]) -> i32 {
    let (mark, path) = scratch.mark();
    let status = tied("sh")
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_tenbin")])
        .args(arguments)
        .current_dir(scratch.path())
        .env(mark, path)
        .output()
        .expect("sh can be started")
        .status;
    assert!(status.success(), "{status}");
    let code = std::fs::read_to_string(scratch.join("code")).expect("its exit code");
    code.trim().parse().expect("a number")
}

#[test]
fn a_run_ends_in_order_without_its_streams() {
    for_each(ROWS, |&(name, script)| {
        let scratch = Scratch::new("attack-stream");
        let listen = ["serve", "http", "--listen", "127.0.0.1:0"];
        let server = OwnServer::start(&scratch, listen);
        let target = format!("own={}", server.url());
        let run = [
            "http", "--target", &target, "--warmup", "0s", "--slice", "1s", "--rounds", "2",
        ];
        let code = scripted(&scratch, script, &run);
        assert!(matches!(code, 0 | 6), "{name}: exit code {code}");
        let directory = scratch.run().expect("a run");
        for file in ["result.json", "SUMMARY.md", "report.html"] {
            assert!(directory.join(file).is_file(), "{name}: no {file}");
        }
        assert_eq!(scratch.result()["run"]["complete"], true, "{name}");
    });
}

#[test]
fn a_mistake_is_refused_without_standard_error() {
    let scratch = Scratch::new("attack-mistake");
    for script in [ROWS[0].1, ROWS[1].1, ROWS[2].1] {
        for (arguments, code) in [
            (&["run", "absent.toml"][..], 2),
            (&["--nonsense"], 2),
            (&["show", "absent"], 2),
            (&["explain", "no_such_rule"], 2),
            (&["http", "--target", "a=http://127.0.0.1:9/"], 3),
        ] {
            assert_eq!(scripted(&scratch, script, arguments), code, "{arguments:?}");
        }
    }
}

/// Number of files in a directory, recursively.
fn files(directory: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let each = entries.map(|entry| {
        if entry.path().is_dir() {
            files(&entry.path())
        } else {
            1
        }
    });
    each.sum()
}

#[test]
fn a_terminal_that_vanishes_ends_the_run_and_leaves_no_object() {
    let scratch = Scratch::new("attack-vanished");
    let (listen, disk) = (format!("127.0.0.1:{}", free_port()), scratch.join("disk"));
    let store = OwnServer::start(
        &scratch,
        words(format!(
            "serve s3 --listen {listen} --durable {disk} --access-key {ACCESS} \
             --secret-key {SECRET}"
        )),
    );
    let line = format!(
        "'{}' s3 get --target own={} --size 1KiB --objects 50 --warmup 0s --slice 60s --rounds 1; \
         echo $? >code",
        env!("CARGO_BIN_EXE_tenbin"),
        store.url()
    );
    let (mark, path) = scratch.mark();
    // The shell of the terminal passes the hang-up on to its jobs. They would inherit that the signal
    // is ignored if the tests run under nohup.
    let mut terminal = Command::new("env")
        .args([
            "--default-signal=HUP",
            "script",
            "--quiet",
            "--command",
            &format!("bash --norc -ic \"{line}\""),
            "/dev/null",
        ])
        .current_dir(scratch.path())
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .env("TERM", "xterm")
        .env(mark, path)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("script, of util-linux");
    let lines = || scratch.run().map(|run| run.join("intervals.jsonl"));
    let measures = || {
        let text = lines().and_then(|lines| std::fs::read_to_string(lines).ok());
        text.is_some_and(|text| text.contains("\"kind\":\"operation\""))
    };
    assert!(wait_until(SOON, measures), "it does not measure");
    assert!(files(std::path::Path::new(&disk)) >= 50);
    let pid = Pid::from_raw(terminal.id().cast_signed());
    kill(pid, Signal::SIGKILL).expect("the terminal is killed");
    let _ = terminal.wait();
    let is_alive = || {
        let alive = scratch.alive();
        alive
            .iter()
            .any(|process| process.command.contains(" s3 get "))
    };
    assert!(wait_until(SOON, || !is_alive()), "{:#?}", scratch.alive());
    assert_eq!(scratch.result()["run"]["complete"], false);
    let objects = std::path::Path::new(&disk).join("buckets/tenbin-bench=/objects");
    assert_eq!(files(&objects), 0, "objects were left");
}
