//! `tenbin doctor s3`: every problem that can be detected is created once; a server without
//! problems passes all checks.

mod common;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, SystemTime};

use common::{ACCESS, Agents, Outcome, SECRET, Scratch, Store, Tenbin, free_port};
use serde_json::Value;

/// Checks that depend on the state of the test machine.
const HERE: [&str; 7] = [
    "busy", "space", "outgoing ports", "cores", "kernel", "clock source", "tls",
];

/// Results of `tenbin doctor s3` with these options and the keys of the stores.
fn doctor(scratch: &Scratch, options: &[&str]) -> Findings {
    let arguments = [&["doctor", "s3", "--json"], options].concat();
    let run = Tenbin::new(scratch, arguments)
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .run();
    run.expect_silence_about(SECRET);
    Findings::of(run)
}

struct Findings {
    document: Value,
    run: Outcome,
}

impl Findings {
    fn of(run: Outcome) -> Self {
        let document = serde_json::from_str(&run.stdout).expect("a document");
        Self { document, run }
    }

    /// State of a check, and evidence and advice; `target` is `None` for checks of this machine.
    fn find(&self, check: &str, target: Option<&str>) -> (String, String) {
        let all = self.document["findings"].as_array().expect("findings");
        let found = all
            .iter()
            .find(|each| each["check"] == check && each["target"].as_str() == target)
            .unwrap_or_else(|| panic!("no {check} of {target:?}: {}", self.run));
        let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
        let said = format!("{}; {}", text("evidence"), text("advice"));
        (text("state"), said)
    }

    #[track_caller]
    fn expect(&self, check: &str, target: Option<&str>, state: &str, words: &str) -> &Self {
        let (found, said) = self.find(check, target);
        assert_eq!(found, state, "{check}: {said}\n{}", self.run);
        assert!(said.contains(words), "`{words}` in: {check}: {said}");
        self
    }

    /// The results of an agent for its machine (`None`) or a target: name and state of each check.
    fn of_agent(&self, agent: &str, target: Option<&str>) -> Vec<(&str, &str)> {
        let all = self.document["findings"].as_array().expect("findings");
        let is_so = |each: &&Value| each["agent"] == agent && each["target"].as_str() == target;
        let pairs = all.iter().filter(is_so).map(|each| {
            let text = |key: &str| each[key].as_str().expect("a text");
            (text("check"), text("state"))
        });
        pairs.collect()
    }

    /// Names of the checks in this state.
    fn in_state(&self, state: &str) -> Vec<&str> {
        let all = self.document["findings"].as_array().expect("findings");
        let is_so = |each: &&Value| each["state"] == state;
        let names = all.iter().filter(is_so).map(|each| each["check"].as_str());
        names.map(|name| name.expect("a name")).collect()
    }
}

#[test]
fn without_a_server_it_looks_at_this_machine_and_says_whether_it_is_fit() {
    let scratch = Scratch::new("doctor-machine");
    let run = Tenbin::new(&scratch, ["doctor", "--duration", "1s", "--json"]).run();
    let found = Findings::of(run);
    found.run.expect_code(0);
    let fit = found.document["fit"]
        .as_str()
        .expect("an answer")
        .to_owned();
    let warned = !found.in_state("warning").is_empty();
    assert_eq!(fit, if warned { "ratios" } else { "yes" }, "{}", found.run);
    for (check, words) in [
        ("busy", "load"),
        ("cores", "governor"),
        ("kernel", "connections can wait"),
        ("clock source", "ns to read the time"),
        ("tls", "one core encrypts"),
        ("noise", "longest pause"),
        ("outgoing ports", "for 16 connections"),
        ("open files", "16 connections"),
        ("space", "runs"),
    ] {
        let (_, said) = found.find(check, None);
        assert!(said.contains(words), "{check}: {said}");
    }
    let run = Tenbin::new(&scratch, ["doctor", "--duration", "1s"]).run();
    run.expect_code(0);
    let last = run.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("fit to"), "{run}");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its number").port().to_string();
    let run = Tenbin::new(&scratch, ["doctor", "--duration", "1s", "--port", &port]).run();
    run.expect_code(3).expect_stdout("not fit to measure: port");
}

#[test]
fn a_server_with_which_nothing_is_wrong_and_one_with_other_keys_and_region() {
    let scratch = Scratch::new("doctor-minio");
    let minio = Store::minio(
        &scratch,
        &["--quiet"],
        &[("MINIO_SITE_REGION", "eu-west-1")],
    );
    minio.make_directory("there");
    let target = minio.target("m");
    let with_bucket = |bucket: &str, options: &[&str]| {
        let common = ["--target", &target, "--bucket", bucket];
        doctor(&scratch, &[&common, options].concat())
    };
    let with = |options: &[&str]| with_bucket("there", options);
    let m = Some("m");

    let free = free_port().to_string();
    let clean = with(&["--region", "eu-west-1", "--port", &free]);
    clean.run.expect_code(0);
    assert_eq!(clean.document["failed"], 0);
    assert_eq!(clean.in_state("failed"), [""; 0]);
    assert_eq!(clean.in_state("unknown"), [""; 0], "{}", clean.run);
    // Ignores warnings that depend on the test machine.
    let mut warnings = clean.in_state("warning");
    warnings.retain(|check| !HERE.contains(check));
    assert_eq!(warnings, [""; 0], "{}", clean.run);
    let seen = format!("by pid {} (minio)", minio.pid());
    clean.expect("reach", m, "ok", &seen);
    clean.expect("debug logs", m, "ok", "did not grow with 20 requests");

    let region = with(&[]);
    region.run.expect_code(3);
    region.expect("region", m, "failed", "--region eu-west-1");
    assert_eq!(region.in_state("failed"), ["region"], "{}", region.run);

    let access = with(&["--region", "eu-west-1", "--access-key", "somebody"]);
    access.run.expect_code(3);
    access.expect("access key", m, "failed", "InvalidAccessKeyId");
    access.expect("secret key", m, "unknown", "does not show it");

    let secret = with(&["--region", "eu-west-1", "--secret-key", "another-secret"]);
    secret.run.expect_silence_about("another-secret");
    secret.expect("access key", m, "ok", "accepts it");
    secret.expect("secret key", m, "failed", "SignatureDoesNotMatch");

    let missing = with_bucket("not-there", &["--region", "eu-west-1"]);
    missing.run.expect_code(0);
    missing.expect("bucket", m, "warning", "a run creates it");
    let left = minio.entries();
    assert!(!left.contains(&"not-there".to_owned()), "{left:?}");
}

#[test]
fn a_talkative_server_with_few_files() {
    let scratch = Scratch::new("doctor-rclone");
    let rclone = Store::rclone(&scratch, &["-vv"], 100);
    let r = Some("r");
    let found = doctor(
        &scratch,
        &["--target", &rclone.target("r"), "--connections", "64"],
    );
    found.run.expect_code(3);
    found.expect(
        "debug logs",
        r,
        "warning",
        "suspected: its command line has -vv",
    );
    found.expect("debug logs", r, "warning", "its log grew by");
    found.expect("open files", r, "failed", "the server may have 100");
    // The state depends on the free disk space of the test machine.
    let (state, said) = found.find("space", r);
    assert_ne!(state, "unknown", "{said}");
    assert!(said.contains("the directory on its command line"), "{said}");
    drop(rclone);
    scratch.expect_nobody_left(Duration::from_secs(10));
}

#[test]
fn where_no_run_could_be_kept_and_where_no_server_is_named() {
    let scratch = Scratch::new("doctor-out");
    for out in ["/proc/foo", "/dev/full"] {
        let found = doctor(&scratch, &["--out", out]);
        found.run.expect_code(3);
        found.expect("space", None, "failed", "cannot create a directory in");
        found
            .run
            .expect_stderr("no server was checked; name one with --target");
    }
}

#[test]
fn nobody_there_and_somebody_on_the_wanted_port() {
    let scratch = Scratch::new("doctor-ports");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let port = taken.local_addr().expect("its address").port().to_string();
    let closed = format!("c=http://127.0.0.1:{}", free_port());
    let unknown = "u=http://no-such-host.invalid";
    let found = doctor(
        &scratch,
        &["--port", &port, "--target", &closed, "--target", unknown],
    );
    found.run.expect_code(3);
    let own = format!("pid {} (", std::process::id());
    found.expect("port", None, "failed", &own);
    found.expect("port", None, "failed", &format!("127.0.0.1:{port}"));
    found.expect("reach", Some("c"), "failed", "connection refused");
    found.expect("reach", Some("u"), "failed", "cannot resolve host");
}

#[test]
fn too_few_open_files_and_ports_here() {
    let scratch = Scratch::new("doctor-files");
    let script = "ulimit -n 64; exec \"$0\" doctor s3 --json --connections 70000";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_tenbin")])
        .current_dir(scratch.path())
        .output()
        .expect("sh can be started");
    assert_eq!(output.status.code(), Some(3));
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let findings = document["findings"].as_array().expect("findings");
    for (check, words) in [
        ("open files", "this process may have 64"),
        ("outgoing ports", "70000 connections"),
    ] {
        let found = findings.iter().find(|each| each["check"] == check);
        let found = found.unwrap_or_else(|| panic!("no {check}: {document}"));
        assert_eq!(found["state"], "failed", "{found}");
        assert!(found.to_string().contains(words), "{found}");
    }
}

/// Starts a server with a constant response and a clock that is `off` seconds ahead; returns the
/// URL of the server.
fn fake(status: &'static str, body: &'static str, off: i64) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let port = listener.local_addr().expect("its address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let mut head = Vec::new();
                let mut byte = [0];
                while matches!(stream.read(&mut byte), Ok(1)) {
                    head.push(byte[0]);
                    if !head.ends_with(b"\r\n\r\n") {
                        continue;
                    }
                    head.clear();
                    let answer = format!(
                        "HTTP/1.1 {status}\r\nDate: {}\r\nContent-Length: {}\r\n\r\n{body}",
                        date(off),
                        body.len()
                    );
                    if stream.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    format!("http://127.0.0.1:{port}")
}

fn date(off: i64) -> String {
    let now = SystemTime::now();
    let by = Duration::from_secs(off.unsigned_abs());
    httpdate::fmt_http_date(if off < 0 { now - by } else { now + by })
}

#[test]
fn clocks_strangers_and_buckets_of_others() {
    let scratch = Scratch::new("doctor-fakes");
    let listing = "<ListBucketResult><Name>tenbin-bench</Name></ListBucketResult>";
    let denied = "<Error><Code>AccessDenied</Code></Error>";
    let skewed = "<Error><Code>RequestTimeTooSkewed</Code></Error>";
    let targets = [
        ("hour", fake("403 Forbidden", skewed, 3600)),
        ("minute", fake("200 OK", listing, -60)),
        ("denied", fake("403 Forbidden", denied, 0)),
        ("stranger", fake("200 OK", "<html>\u{1b}[2Jhello</html>", 0)),
    ];
    let targets: Vec<String> = targets
        .iter()
        .map(|(name, url)| format!("--target={name}={url}"))
        .collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let found = doctor(&scratch, &targets);
    found.run.expect_code(3);
    let hour = found.find("clock", Some("hour"));
    assert_eq!(hour.0, "failed", "{}", found.run);
    assert!(hour.1.contains("s ahead of"), "{hour:?}");
    found.expect("clock", Some("minute"), "warning", "s behind");
    found.expect("clock", Some("denied"), "ok", "");
    found.expect("bucket", Some("denied"), "failed", "another account");
    found.expect("bucket", Some("minute"), "ok", "exists");
    found.expect(
        "s3",
        Some("stranger"),
        "failed",
        "check that this is the API port of an S3 server",
    );
}

#[test]
fn servers_that_tenbin_starts_are_looked_at_and_stopped() {
    let scratch = Scratch::new("doctor-builtin");
    let run = Tenbin::new(&scratch, ["doctor", "s3", "--builtin", "b=s3-memory"]).run();
    run.expect_code(0)
        .expect_stdout("signatures made with it are accepted");
    run.expect_stdout("0 failed");
    scratch.expect_nobody_left(Duration::from_secs(10));
    // The check does not even create the directory `runs`.
    assert!(!scratch.entries().contains(&"runs".to_owned()));
}

#[test]
fn agents_check_their_machines_and_the_targets_from_there() {
    let scratch = Scratch::new("doctor-agents");
    let keys = ["--env", "TENBIN_ACCESS_KEY,TENBIN_SECRET_KEY"];
    let variables = [("TENBIN_ACCESS_KEY", ACCESS), ("TENBIN_SECRET_KEY", SECRET)];
    let agents = Agents::start_with(&scratch, 1, &keys, &variables);
    let limits = [&keys[..], &["--allow", "10.0.0.0/8"]].concat();
    let hub = &agents.hub;
    let elsewhere = hub.start_agent(&scratch, "elsewhere", &[], &limits, &variables);
    let mut options = agents.options(2);
    options.extend(["--builtin".to_owned(), "m=s3-memory".to_owned()]);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let found = doctor(&scratch, &options);
    found.run.expect_code(3);
    found.run.expect_stderr("2 of 2 agents found");
    let machine = [
        "busy", "cores", "kernel", "clock source", "tls", "outgoing ports", "open files",
    ];
    for agent in ["agent-0", "elsewhere"] {
        let checks = found.of_agent(agent, None);
        let names: Vec<&str> = checks.iter().map(|(check, _)| *check).collect();
        assert_eq!(names, machine, "an agent records nothing: {}", found.run);
    }
    let target = found.of_agent("agent-0", Some("m"));
    for check in ["reach", "s3", "access key", "secret key"] {
        assert!(target.contains(&(check, "ok")), "{check}: {}", found.run);
    }
    assert_eq!(
        found.of_agent("elsewhere", Some("m")),
        [("limits", "failed")]
    );
    let why = "this agent may not send requests to 127.0.0.1";
    found.run.expect_stdout(why);

    let mut words = vec!["doctor", "--duration", "1s"];
    words.extend(options.iter().take_while(|word| **word != "--builtin"));
    let run = Tenbin::new(&scratch, words).run();
    run.expect_code(0).expect_stdout("(elsewhere)");
    assert_eq!(run.stdout.matches("  noise  ").count(), 3, "{run}");

    let mut list = vec!["agents", "--json"];
    list.extend(&options[2..6]);
    let listed = Tenbin::new(&scratch, list).run();
    listed.expect_code(0);
    let listed: Value = serde_json::from_str(&listed.stdout).expect("a document");
    let states: Vec<[&Value; 2]> = listed
        .as_array()
        .expect("agents")
        .iter()
        .map(|agent| {
            let bound = agent["clock_bound_seconds"].as_f64().expect("a bound");
            assert!((0.0..0.1).contains(&bound), "{agent}");
            assert!(
                agent["ceiling_per_second"].as_u64() > Some(1_000),
                "{agent}"
            );
            [&agent["name"], &agent["state"]]
        })
        .collect();
    assert_eq!(states, [["agent-0", "free"], ["elsewhere", "free"]]);
    drop(elsewhere);
}
