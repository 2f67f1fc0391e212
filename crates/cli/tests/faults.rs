//! Everything that goes wrong ends in a clear sentence, a documented exit code,
//! no panic, no orphan, and keeps what was measured before.

mod common;

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use common::{Nginx, Outcome, Scratch, Server, Tenbin, free_port, path_of};
use nix::sys::signal::Signal;

const SOON: Duration = Duration::from_secs(30);

/// The one run directory in the scratch directory's `runs`.
fn run_directory(scratch: &Scratch) -> PathBuf {
    let mut runs: Vec<_> = std::fs::read_dir(scratch.path().join("runs"))
        .expect("a runs directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

/// `tenbin show` of the one run.
fn shown(scratch: &Scratch) -> Outcome {
    let directory = run_directory(scratch);
    Tenbin::new(scratch, ["show".as_ref(), directory.as_os_str()]).run()
}

/// A server that does with every connection what the test says.
fn server(serve: impl Fn(std::net::TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let serve = std::sync::Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let serve = serve.clone();
            thread::spawn(move || serve(stream));
        }
    });
    port
}

#[test]
fn a_closed_port() {
    let scratch = Scratch::new("closed-port");
    let target = format!("gone=http://127.0.0.1:{}/", free_port());
    let run = Tenbin::new(&scratch, ["http", "--target", &target]).run();
    run.expect_code(3)
        .expect_stderr("gone")
        .expect_stderr("refused");
    scratch.expect_nobody_left(SOON);
    expect_no_run(&scratch);
}

/// A failed start leaves nothing behind.
fn expect_no_run(scratch: &Scratch) {
    let runs = std::fs::read_dir(scratch.path().join("runs"));
    let left: Vec<_> = runs.into_iter().flatten().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_url_that_is_not_there() {
    let scratch = Scratch::new("not-found");
    let locations = "location / { return 404; } location /away { return 503; }";
    let nginx = Nginx::serving(&scratch, locations);
    let short = ["--warmup", "0s", "--slice", "100ms", "--rounds", "2"];
    let http = |url: &str, more: &[&str]| {
        let line = [&["http", url][..], &short, more].concat();
        Tenbin::new(&scratch, line).run()
    };
    let run = http(&nginx.url(), &[]);
    run.expect_code(3)
        .expect_stderr("the first request failed: GET was answered with status 404")
        .expect_stderr("--expect 404");
    expect_no_run(&scratch);
    let accepted = http(&nginx.url(), &["--expect", "404"]);
    assert!(matches!(accepted.code, Some(0 | 6)), "{accepted}");
    let away = format!("{}away", nginx.url());
    http(&away, &[])
        .expect_code(4)
        .expect_stderr("warning: target")
        .expect_stderr("GET was answered with status 503");
}

#[test]
fn the_last_run_is_shown_and_files_are_not_taken_for_runs() {
    let scratch = Scratch::new("show-last");
    let show = |what: &str| Tenbin::new(&scratch, ["show", what]).run();
    show("last").expect_code(2).expect_stderr("no run in runs/");
    scratch.write("bad.csv", "a,b\n1,2\n");
    let file = show("bad.csv");
    file.expect_code(2)
        .expect_stderr("bad.csv is neither a run directory nor a result file of drnbench");
    assert!(!file.stderr.contains("plan.toml"), "{file}");
    let nginx = Nginx::start(&scratch);
    for name in ["first", "second"] {
        let target = nginx.target(name);
        let line = [
            "http", "--target", &target, "--warmup", "0s", "--slice", "100ms",
        ];
        let run = Tenbin::new(&scratch, line.into_iter().chain(["--rounds", "2"])).run();
        assert!(matches!(run.code, Some(0 | 6)), "{run}");
    }
    show("last").expect_stdout("second");
    assert!(on_a_terminal(&scratch, "xterm").contains('\u{1b}'));
    assert!(!on_a_terminal(&scratch, "dumb").contains('\u{1b}'));
}

/// What `tenbin show last` writes to a terminal of this kind.
fn on_a_terminal(scratch: &Scratch, kind: &str) -> String {
    let line = format!("{} show last", env!("CARGO_BIN_EXE_tenbin"));
    let shown = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(scratch.path())
        .env("TERM", kind)
        .env_remove("NO_COLOR")
        .output()
        .expect("script, of util-linux");
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains("Trust"), "{text}");
    text
}

#[test]
fn standard_output_that_cannot_be_written() {
    let scratch = Scratch::new("full-stdout");
    let nginx = Nginx::start(&scratch);
    let target = nginx.target("nginx");
    let http = [
        "http", "--target", &target, "--warmup", "0s", "--slice", "100ms", "--rounds", "2",
    ];
    Tenbin::new(&scratch, http).run();
    scratch.write("x.grn", "table_create Pages TABLE_HASH_KEY UInt64\n");
    scratch.write(
        "x.json",
        "[[0,1,0.1],[[[1],[[\"title\",\"ShortText\"]],[\"a\"]]]]",
    );
    scratch.write("terms.txt", "a\n");
    let lines: [&[&str]; 11] = [
        &["--help"],
        &["--version"],
        &["wrk", "--help"],
        &["explain"],
        &["plan", "http", "--target", &target],
        &["show", "last"],
        &["show", "last", "--json"],
        &["search", "terms", "x.json"],
        &["search", "patterns", "terms.txt"],
        &["search", "convert", "x.grn"],
        &["grn2drn", "x.grn"],
    ];
    for line in lines {
        let tenbin = |stdout: std::process::Stdio| {
            common::tied(env!("CARGO_BIN_EXE_tenbin"))
                .args(line)
                .current_dir(scratch.path())
                .stdout(stdout)
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("tenbin starts")
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let full = tenbin(full.expect("/dev/full").into()).wait_with_output();
        let full = full.expect("it ends");
        let said = String::from_utf8_lossy(&full.stderr);
        assert_eq!(full.status.code(), Some(5), "{line:?}: {said}");
        assert!(said.contains("cannot write to standard output: "), "{said}");
        let mut closed = tenbin(std::process::Stdio::piped());
        drop(closed.stdout.take());
        let closed = closed.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&closed.stderr);
        assert!(!said.contains("standard output"), "{line:?}: {said}");
        assert!(
            matches!(closed.status.code(), Some(0 | 6)),
            "{line:?}: {said}"
        );
    }
    Tenbin::new(
        &scratch,
        ["search", "convert", "x.grn", "--output", "/dev/full"],
    )
    .run()
    .expect_code(5)
    .expect_stderr("cannot write /dev/full: ")
    .expect_stderr("free space");
}

#[test]
fn a_name_that_does_not_resolve() {
    let scratch = Scratch::new("unresolved");
    let run = Tenbin::new(
        &scratch,
        ["http", "--target", "lost=http://no-such-host.invalid/"],
    )
    .run();
    run.expect_code(3).expect_stderr("no-such-host.invalid");
}

#[test]
fn a_server_that_accepts_and_never_answers() {
    let scratch = Scratch::new("silent");
    let port = server(|_stream| thread::sleep(Duration::from_secs(60)));
    let target = format!("silent=http://127.0.0.1:{port}/");
    let run = Tenbin::new(&scratch, ["http", "--target", &target, "--timeout", "1s"]).run();
    run.expect_code(3).expect_stderr("never answers");
    assert!(run.took < Duration::from_secs(20), "{run}");
}

#[test]
fn a_server_that_answers_garbage() {
    let scratch = Scratch::new("garbage");
    let port = server(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"220 \x1b[31msmtp.example ESMTP\r\n");
        thread::sleep(Duration::from_secs(1));
    });
    let target = format!("smtp=http://127.0.0.1:{port}/");
    let run = Tenbin::new(&scratch, ["http", "--target", &target]).run();
    run.expect_code(3).expect_stderr("not with HTTP");
    run.expect_silence_about("\x1b[31m");
}

#[test]
fn a_server_that_turns_to_garbage_while_it_is_measured() {
    let scratch = Scratch::new("late-garbage");
    // Good for the preflight and a while, then not.
    let answered = std::sync::atomic::AtomicU32::new(0);
    let port = server(move |mut stream| {
        let mut some = [0; 4096];
        while matches!(stream.read(&mut some), Ok(count) if count > 0) {
            let count = answered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let answer: &[u8] = if count < 3000 {
                b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            } else {
                b"what?\r\n\r\n"
            };
            if stream.write_all(answer).is_err() {
                return;
            }
            thread::sleep(Duration::from_micros(500));
        }
    });
    let target = format!("fickle=http://127.0.0.1:{port}/");
    let run = Tenbin::new(
        &scratch,
        [
            "http",
            "--target",
            &target,
            "--warmup",
            "0s",
            "--slice",
            "300ms",
            "--connections",
            "2",
        ],
    )
    .run();
    run.expect_code(4).expect_stderr("no correct answer");
    shown(&scratch).expect_stdout("fickle");
}

#[test]
fn a_wrong_secret_key() {
    let scratch = Scratch::new("wrong-key");
    let minio = minio_plan(&scratch, "wrong");
    let run = Tenbin::new(&scratch, ["run", &minio])
        .env("TENBIN_SECRET_KEY", "not-the-right-one")
        .run();
    run.expect_code(3)
        .expect_stderr("secret key")
        .expect_silence_about("not-the-right-one");
    scratch.expect_nobody_left(SOON);
}

/// Values that look secret, in every place of a command line that takes some.
#[test]
fn values_that_look_secret_are_in_no_file_of_the_run() {
    let scratch = Scratch::new("secret-values");
    let base64 = "Ym9keS1odXNo"; // of body-hush
    let server = format!(
        "a=sh -c 'printf %s $DB_PASSWORD | base64; echo $DB_PASSWORD; exec \"{}\" serve http --listen 127.0.0.1:{{port}}'",
        env!("CARGO_BIN_EXE_tenbin")
    );
    let run = Tenbin::new(
        &scratch,
        [
            "http",
            "--launch",
            &server,
            "--launch-env",
            "a=DB_PASSWORD=body-hush",
            "--launch-env",
            "a=DB_USER=kept",
            "--method",
            "POST",
            "--path",
            "/x?token={env:QUERY}",
            "--body",
            "password=pw-hush&a=b",
            "--rounds",
            "2",
            "--slice",
            "300ms",
        ],
    )
    .env("QUERY", "query-hush")
    .run();
    run.expect_stderr("kept in plan.toml: env of target \"a\"; write {env:NAME}");
    let directory = run_directory(&scratch);
    let summary = std::fs::read_to_string(directory.join("SUMMARY.md")).expect("a summary");
    assert!(summary.contains("token={env:QUERY}"), "{summary}");
    for secret in ["-hush", base64] {
        run.expect_silence_about(secret);
        let found = Command::new("grep")
            .args(["-r", "-a", "-e", secret])
            .arg(&directory)
            .output();
        let found = String::from_utf8_lossy(&found.expect("grep").stdout).into_owned();
        assert!(found.is_empty(), "{found}");
    }
    let log = std::fs::read_to_string(directory.join("targets/a.log")).expect("a log");
    assert!(log.starts_with("[redacted]\n[redacted]\n"), "{log}");
}

/// A plan whose MinIO has other credentials than the plan says.
fn minio_plan(scratch: &Scratch, name: &str) -> String {
    let minio = path_of(Server::Minio);
    scratch.write(
        &format!("{name}.toml"),
        format!(
            r#"
[rounds]
count = 2
slice = "300ms"
warmup = "0s"

[[target]]
name = "minio"
command = ["{}", "server", "--quiet", "--address", "127.0.0.1:{{port}}", "{{data}}"]
url = "http://127.0.0.1:{{port}}"
ready = {{ url = "http://127.0.0.1:{{port}}/minio/health/cluster" }}
access_key = "tenbinuser"
secret_key_env = "TENBIN_SECRET_KEY"

[target.env]
MINIO_ROOT_USER = "tenbinuser"
MINIO_ROOT_PASSWORD = "the-real-password"
MINIO_BROWSER = "off"

[[workload]]
kind = "s3"
operation = "put"
size = "1KiB"
"#,
            minio.display()
        ),
    )
}

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

/// Lines that the run has kept so far, of seconds that were measured.
fn measured_seconds(scratch: &Scratch) -> usize {
    let Ok(runs) = std::fs::read_dir(scratch.path().join("runs")) else {
        return 0;
    };
    runs.flatten()
        .filter_map(|run| std::fs::read_to_string(run.path().join("intervals.jsonl")).ok())
        .map(|text| {
            text.lines()
                .filter(|line| line.contains("\"kind\":\"operation\""))
                .count()
        })
        .sum()
}

#[test]
fn an_endpoint_killed_while_it_is_measured() {
    let scratch = Scratch::new("killed-endpoint");
    let mut nginx = Nginx::start(&scratch);
    let target = nginx.target("nginx");
    let mut run = Tenbin::new(
        &scratch,
        [
            "http", "--target", &target, "--warmup", "0s", "--slice", "1s",
        ],
    )
    .start();
    run.wait_until(SOON, || measured_seconds(&scratch) >= 2);
    nginx.kill();
    let outcome = run.wait(Duration::from_secs(30));
    outcome.expect_code(4).expect_stderr("nginx");
    shown(&scratch).expect_stdout("nginx");
}

#[test]
fn a_full_disk() {
    let scratch = Scratch::new("full-disk");
    let nginx = Nginx::start(&scratch);
    let small = scratch.join("small");
    std::fs::create_dir(&small).expect("a mount point");
    // A file system of its own, seen by this command only.
    let script = format!(
        "mount -t tmpfs -o size=64k tmpfs '{small}' && '{}' http --target '{}' --warmup 0s \
         --slice 200ms --rounds 400 --gap 10ms --out '{small}'; code=$?; ls '{small}'/*; exit $code",
        env!("CARGO_BIN_EXE_tenbin"),
        nginx.target("nginx"),
    );
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "--", "sh", "-c", &script])
        .output()
        .expect("unshare can be started");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{stderr}\n{stdout}");
    assert!(stderr.contains("full"), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    // What was measured is told, and lies there.
    assert!(stdout.contains("nginx"), "{stdout}");
    assert!(stdout.contains("intervals.jsonl"), "{stdout}");
}

/// `tenbin run` on a plan, with these soft and hard limits of open files.
fn limited(scratch: &Scratch, soft: u32, hard: u32, plan: &str) -> std::process::Output {
    let script = format!(
        "ulimit -Sn {soft} && ulimit -Hn {hard} && exec '{}' run '{plan}'",
        env!("CARGO_BIN_EXE_tenbin")
    );
    Command::new("sh")
        .args(["-c", &script])
        .current_dir(scratch.path())
        .env(scratch.mark().0, scratch.mark().1)
        .output()
        .expect("sh can be started")
}

#[test]
fn too_few_open_files() {
    let scratch = Scratch::new("open-files");
    let told = scratch.join("limit-of-the-target");
    let plan = scratch.write(
        "plan.toml",
        format!(
            r#"
[rounds]
count = 1
slice = "500ms"
warmup = "0s"

[load]
connections = 300

[[target]]
name = "own"
command = ["sh", "-c", "ulimit -Sn > '{told}'; ulimit -Sn 1000; exec '{}' serve http --listen 127.0.0.1:{{port}}"]
url = "http://127.0.0.1:{{port}}/"

[[workload]]
name = "page"
kind = "http"
"#,
            env!("CARGO_BIN_EXE_tenbin")
        ),
    );
    let refused = limited(&scratch, 64, 200, &plan);
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{stderr}");
    let sentence = "target \"own\", workload \"page\": 300 connections need about 380 open files";
    assert!(stderr.contains(sentence), "{stderr}");
    assert!(stderr.contains("may have 200; use fewer"), "{stderr}");
    assert!(!scratch.entries().contains(&"runs".to_owned()));

    let run = limited(&scratch, 64, 1000, &plan);
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(matches!(run.status.code(), Some(0 | 6)), "{stderr}");
    let kept = run_directory(&scratch).join("intervals.jsonl");
    let kept = std::fs::read_to_string(kept).expect("intervals.jsonl");
    // Not all may have come to be accepted in so short a slice, but all got a socket.
    let seconds = kept.matches("\"refused\":").count();
    assert!(seconds > 0, "{kept}");
    assert_eq!(kept.matches("\"refused\":0,").count(), seconds, "{kept}");
    // The target has what the user gave it, not what the load needs.
    let limit = std::fs::read_to_string(told).expect("its limit");
    assert_eq!(limit.trim(), "64");
    scratch.expect_nobody_left(SOON);
}

#[test]
fn a_run_directory_that_cannot_be_made() {
    let scratch = Scratch::new("no-directory");
    let nginx = Nginx::start(&scratch);
    let file = scratch.write("file", "not a directory");
    let target = nginx.target("nginx");
    let run = Tenbin::new(&scratch, ["http", "--target", &target, "--out", &file]).run();
    run.expect_code(5).expect_stderr(&file);
}

#[test]
fn a_plan_that_cannot_be_read() {
    let scratch = Scratch::new("no-plan");
    Tenbin::new(&scratch, ["run", "absent.toml"])
        .run()
        .expect_code(2)
        .expect_stderr("absent.toml");
    let plan = scratch.write("typo.toml", "[load]\nconcurency = 3\n");
    Tenbin::new(&scratch, ["run", &plan])
        .run()
        .expect_code(2)
        .expect_stderr("typo.toml:2")
        .expect_stderr("connections");
    assert!(!scratch.entries().contains(&"runs".to_owned()));
}

#[test]
fn a_target_that_does_not_become_ready() {
    let scratch = Scratch::new("not-ready");
    let plan = scratch.write(
        "plan.toml",
        r#"
[[target]]
name = "talker"
command = ["sh", "-c", "echo I am thinking; sleep 60 & sleep 60"]
url = "http://127.0.0.1:{port}/"
ready_within = "1s"

[[workload]]
kind = "http"
"#,
    );
    let run = Tenbin::new(&scratch, ["run", &plan]).run();
    run.expect_code(3)
        .expect_stderr("talker")
        .expect_stderr("I am thinking");
    scratch.expect_nobody_left(SOON);
}

fn long_run(scratch: &Scratch, nginx: &Nginx) -> common::Running {
    let target = nginx.target("nginx");
    Tenbin::new(
        scratch,
        [
            "http", "--target", &target, "--warmup", "0s", "--slice", "20s", "--rounds", "4",
        ],
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

/// An object store that keeps nothing and is slow to delete: it tells `deleting`
/// that it has been asked to, and waits for `go_on`.
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

/// Reads one request with its body.
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
fn one_ctrl_c_after_a_target_has_died_leaves_the_tidying_alone() {
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
    // At least one slice of each.
    run.wait_until(SOON, || measured_seconds(&scratch) >= 3);
    let doomed = scratch.alive();
    let mut doomed = doomed
        .iter()
        .filter(|process| process.command.contains("serve") && !process.command.contains("guard"));
    doomed.next().expect("a server").kill();

    asked_to_delete
        .recv_timeout(SOON)
        .expect("a request to delete");
    run.signal(Signal::SIGINT);
    // Nothing tells that a signal changed nothing, but that it goes on and on.
    thread::sleep(Duration::from_millis(500));
    assert!(run.is_running(), "{}", run.so_far());
    go_on.send(()).expect("the store waits");
    let outcome = run.wait(Duration::from_secs(30));
    outcome.expect_code(4).expect_stderr("doomed");
    assert!(
        !outcome.stderr.contains("could not be deleted"),
        "{outcome}"
    );
    scratch.expect_nobody_left(SOON);
}

#[test]
fn the_second_ctrl_c_leaves_at_once_and_leaves_nobody() {
    let scratch = Scratch::new("ctrl-c-twice");
    let plan = scratch.write(
        "plan.toml",
        r#"
[rounds]
slice = "20s"
count = 4
warmup = "0s"

[[target]]
name = "own"
builtin = "s3-memory"

[[workload]]
kind = "s3"
operation = "put"
size = "1KiB"
"#,
    );
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
    let plan = scratch.write(
        "plan.toml",
        r#"
[rounds]
slice = "20s"
count = 4
warmup = "0s"

[[target]]
name = "survivor"
builtin = "http"

[[workload]]
kind = "http"
"#,
    );
    let mut run = Tenbin::new(&scratch, ["run", &plan]).start();
    run.wait_until(SOON, || measured_seconds(&scratch) >= 3);
    shown(&scratch).expect_stderr("is under way");
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
        "a killed run has no result of its own"
    );
}
