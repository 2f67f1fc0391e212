//! Runs that cannot start: Tenbin prints the reason and leaves no run directory.

use std::process::Command;

use nix::sys::signal::Signal;

use crate::common::{Nginx, Scratch, Tenbin, free_port};
use crate::stand::{SOON, run_directory};

#[test]
fn a_closed_port() {
    let scratch = Scratch::new("closed-port");
    let target = format!("gone=http://127.0.0.1:{}/", free_port());
    let run = Tenbin::new(&scratch, ["http", "--target", &target]).run();
    run.expect_code(3)
        .expect_stderr("gone")
        .expect_stderr("refused");
    expect_only_the_reason(&run.stderr);
    scratch.expect_nobody_left(SOON);
    expect_no_run(&scratch);
}

/// Fails if a run that could not start says more than the reason: what became of its directory.
#[track_caller]
fn expect_only_the_reason(stderr: &str) {
    for other in ["results are kept", "removed"] {
        assert!(!stderr.contains(other), "`{other}`: {stderr}");
    }
}

/// Fails if a run directory exists.
fn expect_no_run(scratch: &Scratch) {
    let runs = std::fs::read_dir(scratch.path().join("runs"));
    let left: Vec<_> = runs.into_iter().flatten().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_url_that_is_not_there() {
    let scratch = Scratch::new("not-found");
    let locations = "location / { return 404; } location /away { return 503; } \
                     location /form { return 405; }";
    let nginx = Nginx::serving(&scratch, locations);
    let short = ["--warmup", "0s", "--slice", "100ms", "--rounds", "2"];
    let http = |url: &str, more: &[&str]| {
        let line = [&["http", url][..], &short, more].concat();
        Tenbin::new(&scratch, line).run()
    };
    let run = http(&nginx.url(), &[]);
    run.expect_code(3)
        .expect_stderr("the first request failed: GET returned status 404")
        .expect_stderr("--expect 404");
    expect_only_the_reason(&run.stderr);
    expect_no_run(&scratch);
    let accepted = http(&nginx.url(), &["--expect", "404"]);
    accepted.expect_measured();
    let form = format!("{}form", nginx.url());
    http(&form, &[]).expect_code(3).expect_stderr(
        "the server does not accept GET here (status 405): use -X POST, or another path (--path)",
    );
    let away = format!("{}away", nginx.url());
    http(&away, &[])
        .expect_code(4)
        .expect_stderr("warning: target")
        .expect_stderr("GET returned status 503");
}

#[test]
fn a_name_that_does_not_resolve() {
    let scratch = Scratch::new("unresolved");
    let run = Tenbin::line(&scratch, "http --target lost=http://no-such-host.invalid/").run();
    run.expect_code(3).expect_stderr("no-such-host.invalid");
    expect_only_the_reason(&run.stderr);
}

/// Runs a plan with these soft and hard limits of open files.
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
    // The slice may be too short to open all connections, but no socket was refused.
    let seconds = kept.matches("\"refused\":").count();
    assert!(seconds > 0, "{kept}");
    assert_eq!(kept.matches("\"refused\":0,").count(), seconds, "{kept}");
    // The target gets the user's limit, not the limit that Tenbin raised for the load.
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
command = ["sh", "-c", "echo I am thinking; : {port}; sleep 60 & sleep 60"]
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
    expect_only_the_reason(&run.stderr);
    scratch.expect_nobody_left(SOON);
}

#[test]
fn ctrl_c_while_a_target_starts() {
    let scratch = Scratch::new("interrupted-start");
    let plan = scratch.write(
        "plan.toml",
        r#"
[[target]]
name = "slow"
command = ["sh", "-c", "echo I am thinking; : {port}; exec sleep 61"]
url = "http://127.0.0.1:{port}/"
ready_within = "60s"

[[workload]]
kind = "http"
"#,
    );
    let mut run = Tenbin::new(&scratch, ["run", &plan]).start();
    let starts = || {
        let alive = scratch.alive();
        alive
            .iter()
            .any(|process| process.command.contains("sleep 61"))
    };
    run.wait_until(SOON, starts);
    run.signal(Signal::SIGINT);
    let run = run.wait(SOON);
    run.expect_code(130).expect_stderr("interrupted");
    scratch.expect_nobody_left(SOON);
    expect_no_run(&scratch);
}

#[test]
fn a_failed_start_is_not_taken_for_the_last_run() {
    let scratch = Scratch::new("failed-start");
    let start = |says: &str| {
        let plan = format!(
            "[[target]]\nname = \"off\"\ncommand = [\"sh\", \"-c\", \": {{port}}; {says} exit 1\"]\n\
             url = \"http://127.0.0.1:{{port}}/\"\n\n[[workload]]\nkind = \"http\"\n"
        );
        let plan = scratch.write("plan.toml", plan);
        let run = Tenbin::new(&scratch, ["run", &plan]).run();
        run.expect_code(3).expect_stderr("off");
        expect_only_the_reason(&run.stderr);
    };
    start("");
    expect_no_run(&scratch);
    let nginx = Nginx::start(&scratch);
    let target = nginx.target("nginx");
    let line = format!("http --target {target} --warmup 0s --slice 100ms --rounds 2");
    Tenbin::line(&scratch, line).run().expect_measured();
    // Names of run directories contain the second.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    start("echo broken;");
    let shown = Tenbin::new(&scratch, ["show", "last"]).run();
    shown
        .expect_stdout("nginx")
        .expect_stderr("measured nothing");
    let listed = Tenbin::new(&scratch, ["list"]).run();
    listed.expect_code(0).expect_stdout("see targets/off.log");
    assert!(!listed.stdout.contains("killed"), "{listed}");
}
