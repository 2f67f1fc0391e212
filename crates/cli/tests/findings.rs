//! Findings with real causes, and the explanations of the findings.

mod common;

use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::{
    MACHINE_RULES, Nginx, Outcome, OwnServer, Scratch, Tenbin, free_port, search_path, tied,
};

/// Locks out other tests, because connections are counted for the whole machine: a test that counts
/// connections must not run beside a test that opens many.
fn alone() -> MutexGuard<'static, ()> {
    static CONNECTIONS: Mutex<()> = Mutex::new(());
    CONNECTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An unrelated program that uses about 40 % of a core.
struct Hog(std::process::Child);

impl Hog {
    fn start() -> Self {
        let work = "while :; do i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; sleep 0.1; done";
        let child = tied("sh").args(["-c", work]).spawn().expect("sh runs");
        Self(child)
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Rule names of all findings, in the order of the document.
fn rules(run: &Outcome) -> Vec<String> {
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let findings = document["findings"].as_array().expect("findings");
    let names = findings
        .iter()
        .map(|finding| finding["rule"].as_str().expect("a name"));
    names.map(str::to_owned).collect()
}

/// Runs a short measurement of these targets.
fn weigh(scratch: &Scratch, targets: &[String], more: &[&str]) -> Outcome {
    let mut arguments: Vec<&str> = vec!["http", "--quiet", "--connections", "4"];
    for target in targets {
        arguments.extend(["--target", target]);
    }
    arguments.extend("--rounds 2 --slice 300ms --gap 10ms --warmup 50ms".split(' '));
    arguments.extend(more);
    Tenbin::new(scratch, arguments).run()
}

/// The first finding of a rule.
#[track_caller]
fn finding(run: &Outcome, rule: &str) -> serde_json::Value {
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let findings = document["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["rule"] == rule);
    found.unwrap_or_else(|| panic!("no {rule}: {run}")).clone()
}

#[test]
fn a_server_that_keeps_no_connection_is_told_from_one_that_does() {
    let _alone = alone();
    let scratch = Scratch::new("keep-alive");
    let hello = "location / { return 200 'hello'; }";
    let keeping = Nginx::serving(&scratch, hello);
    let closing = Nginx::serving(&scratch, &format!("keepalive_timeout 0; {hello}"));
    let targets = [keeping.target("keeping"), closing.target("closing")];
    let run = weigh(&scratch, &targets, &["--json"]);
    let found = finding(&run, "keep_alive");
    assert_eq!(found["target"], "closing", "{run}");
    assert_eq!(found["severity"], "suspect", "{run}");
    assert_eq!(found["cause"], "server", "{run}");
    // With one target, the same is a note, which is on the first screen before any doubt.
    let run = weigh(&scratch, &targets[1..], &[]);
    let cause = run
        .stdout
        .find("NOTE: keep_alive; http-GET, closing; server; ");
    let cause = cause.unwrap_or_else(|| panic!("not on the first screen: {run}"));
    for doubt in ["NOTE: absolute_figures", "NOTE: others_busy"] {
        assert!(run.stdout.find(doubt).is_none_or(|it| cause < it), "{run}");
    }
}

#[test]
fn a_response_in_two_writes_waits_for_a_delayed_acknowledgement() {
    let scratch = Scratch::new("two-writes");
    let truth = |options: &[&str]| {
        let fixed = ["serve", "truth", "--listen", "127.0.0.1:0"];
        OwnServer::start(&scratch, [&fixed[..], options].concat())
    };
    let server = truth(&["--two-writes"]);
    let run = weigh(&scratch, &[server.url()], &["--json"]);
    let found = finding(&run, "tail_signature");
    assert_eq!(found["cause"], "server", "{run}");
    let evidence = found["evidence"].as_str().expect("evidence");
    assert!(evidence.contains("delayed acknowledgement"), "{run}");
    let slow = truth(&["--service", "fixed:46ms"]);
    let run = weigh(&scratch, &[slow.url()], &["--json"]);
    assert!(!run.stdout.contains("tail_signature"), "{run}");
}

#[test]
fn there_is_no_verdict_between_servers_that_answer_otherwise() {
    let scratch = Scratch::new("parity");
    let page = "x".repeat(3_000);
    let whole = Nginx::serving(&scratch, &format!("location / {{ return 200 '{page}'; }}"));
    let short = Nginx::serving(&scratch, "location / { return 200 'not here'; }");
    let targets = [whole.target("whole"), short.target("short")];
    let run = weigh(&scratch, &targets, &[]);
    run.expect_code(6);
    assert_eq!(run.answer(), "NO VERDICT on short against whole");
    run.expect_stdout("INVALID  these figures cannot be trusted")
        .expect_stdout("a response body of short has 8 bytes on average, one of whole has 3000");
    run.expect_stdout("Explanation of a finding: tenbin explain unequal_answers");
}

#[test]
fn a_run_directory_that_was_changed_or_measured_nothing_is_invalid() {
    let scratch = Scratch::new("changed-record");
    let server = OwnServer::start(&scratch, ["serve", "http", "--listen", "127.0.0.1:0"]);
    let run = weigh(&scratch, &[server.url()], &["--json"]);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let directory = document["run"]["directory"].as_str().expect("a directory");
    let show = || Tenbin::new(&scratch, ["show", directory]).run();
    assert!(!show().stdout.contains("changed_record"), "{run}");
    let file = scratch.path().join(directory).join("intervals.jsonl");
    let whole = std::fs::read_to_string(&file).expect("lines");
    let write = |text: &str| std::fs::write(&file, text).expect("written");

    let at = whole.lines().position(|line| line.contains("p50_ns"));
    let at = at.expect("a line of an operation") + 1;
    write(&whole.replacen("\"p50_ns\":", "\"p50_ns\":1", 1));
    let changed = show();
    changed
        .expect_code(6)
        .expect_stdout("INVALID  these figures cannot be trusted");
    changed.expect_stdout(&format!(
        "line {at} of intervals.jsonl was changed after the run wrote it"
    ));

    write(&whole[..whole.len() - 9]);
    let shortened = show();
    shortened.expect_code(6);
    shortened.expect_stdout("the end of the record was removed");

    // The state after SIGKILL: no `result.json`.
    let result = scratch.path().join(directory).join("result.json");
    std::fs::remove_file(result).expect("a result");
    let killed = show();
    assert!(!killed.stdout.contains("changed_record"), "{killed}");
    killed.expect_stdout("intervals.jsonl ends within a line");

    // The record of a run without slices.
    write(&whole[..=whole.find('\n').expect("a first line")]);
    let nothing = show();
    nothing
        .expect_code(6)
        .expect_stdout("INVALID  these figures cannot be trusted");
}

#[test]
fn every_rule_has_its_page() {
    let scratch = Scratch::new("explain");
    let all = Tenbin::new(&scratch, ["explain"]).run();
    all.expect_code(0);
    for line in all.stdout.lines() {
        let name = line.split(' ').next().expect("a name");
        let page = Tenbin::new(&scratch, ["explain", name]).run();
        page.expect_code(0).expect_stdout("**Threshold.**");
        assert!(page.stdout.starts_with(&format!("# {name}\n")), "{page}");
    }
    assert!(all.stdout.lines().count() > 20, "{all}");
    let unknown = Tenbin::new(&scratch, ["explain", "keep-aliv"]).run();
    unknown
        .expect_code(2)
        .expect_stderr("there is no rule \"keep-aliv\"; did you mean keep_alive?");
}

#[test]
fn a_server_that_closes_connections_is_named_before_a_busy_machine() {
    let _alone = alone();
    let scratch = Scratch::new("cause-first");
    let hello = "location / { return 200 'hello'; }";
    let keeping = Nginx::serving(&scratch, hello);
    let closing = Nginx::serving(&scratch, &format!("keepalive_timeout 0; {hello}"));
    let _hogs = [Hog::start(), Hog::start()];
    let targets = [keeping.target("keeping"), closing.target("closing")];
    let run = weigh(&scratch, &targets, &["--json"]);
    let found = rules(&run);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let invalid = document["findings"].as_array().expect("findings").iter();
    // On a slow machine the generator may not get the CPU to load this server at all, and no cause
    // of a figure comes before the reason not to use it.
    let unusable = invalid
        .filter(|finding| finding["severity"] == "invalid")
        .count();
    let place = |rule: &str| {
        let usable = found.iter().skip(unusable);
        usable.clone().position(|name| name == rule)
    };
    let keep_alive = place("keep_alive").unwrap_or_else(|| panic!("{run}"));
    for rule in MACHINE_RULES.iter().chain(&["too_wide"]) {
        assert!(
            place(rule).is_none_or(|place| keep_alive < place),
            "{found:?}"
        );
        let usable = found.iter().skip(unusable);
        assert!(usable.filter(|name| name == rule).count() <= 1, "{found:?}");
    }
    let limits = document["limits"].as_array().expect("limits");
    let closing = limits.iter().find(|limit| limit["target"] == "closing");
    let cause = closing.expect("a limit")["cause"].as_str();
    let expected = match unusable {
        0 => &["connection_setup"][..],
        _ => &["connection_setup", "load_generator", "other_programs"],
    };
    assert!(
        cause.is_some_and(|cause| expected.contains(&cause)),
        "{run}"
    );
}

#[test]
fn a_server_behind_a_proxy_is_its_backend_and_the_proxy_keeps_no_connection() {
    let _alone = alone();
    let scratch = Scratch::new("backend");
    let port = free_port();
    // A unique program name, because the finding adds up all programs of the same name.
    let interpreter = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .expect("python3 runs");
    let interpreter = String::from_utf8(interpreter.stdout).expect("a path");
    let program = scratch.path().join("backend");
    std::os::unix::fs::symlink(interpreter.trim(), &program).expect("linked");
    let mut behind = tied(program.to_str().expect("a path in UTF-8"))
        .env("PATH", search_path())
        .args([
            "-m",
            "http.server",
            "--bind",
            "127.0.0.1",
            &port.to_string(),
        ])
        .current_dir(scratch.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3 runs");
    std::fs::write(scratch.path().join("index.html"), "hello").expect("written");
    let proxied = format!("location / {{ proxy_pass http://127.0.0.1:{port}; }}");
    let nginx = Nginx::serving(&scratch, &proxied);
    let target = nginx.target("web");
    let observe = format!("web=pid:{}", nginx.pid());
    let arguments = "--json --rounds 8 --slice 300ms --gap 100ms --warmup 200ms --connections 4";
    let arguments = [
        "http", "--quiet", "--target", &target, "--observe", &observe,
    ]
    .into_iter()
    .chain(arguments.split(' '));
    let run = Tenbin::new(&scratch, arguments).run();
    let _ = behind.kill();
    let _ = behind.wait();
    let backend = finding(&run, "backend_cpu");
    let seen = backend["evidence"].as_str().expect("a sentence");
    assert!(
        seen.contains(&format!("backend (pid {})", behind.id())),
        "{run}"
    );
    assert!(
        seen.contains("a database or another backend of this target"),
        "{run}"
    );
    // By default, nginx opens a new connection to its upstream for each request.
    let hop = finding(&run, "proxy_hop");
    let seen = hop["evidence"].as_str().expect("a sentence");
    assert!(
        seen.contains("connections were opened behind web per request"),
        "{run}"
    );
}

#[test]
fn the_cost_of_a_connection_for_each_request_is_a_ratio_on_one_server() {
    let _alone = alone();
    let scratch = Scratch::new("workloads");
    let nginx = Nginx::serving(&scratch, "location / { return 200 'hello'; }");
    let plan = format!(
        "[compare]\nworkloads = [\"kept\", \"closed\"]\n\
         [rounds]\ncount = 12\nslice = \"200ms\"\ngap = \"10ms\"\nwarmup = \"50ms\"\n\
         [load]\nconnections = 4\n\
         [[target]]\nname = \"web\"\nurl = \"{}\"\n\
         [[workload]]\nname = \"kept\"\nkind = \"http\"\n\
         [[workload]]\nname = \"closed\"\nkind = \"http\"\nload = {{ keep_alive = false }}\n",
        nginx.url()
    );
    let plan = scratch.write("plan.toml", plan);
    let run = Tenbin::new(&scratch, ["run", "--quiet", "--json", &plan]).run();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let found = &document["workload_comparisons"][0];
    assert_eq!(
        [&found["workload"], &found["baseline"], &found["challenger"]],
        ["web", "kept", "closed"],
        "{run}"
    );
    let ratio = found["ratio"]["value"].as_f64().expect("a ratio");
    assert!(ratio < 0.9, "{run}");
    assert!(found["ratio"]["interval"].is_object(), "{run}");
    let quads = found["block_ratios"].as_array().map(Vec::len);
    assert_eq!(quads, Some(6), "{run}");
    let directory = document["run"]["directory"].as_str().expect("a directory");
    let shown = Tenbin::new(&scratch, ["show", directory]).run();
    shown.expect_stdout("÷ kept on web (decides)");
}

#[test]
fn workers_that_share_a_socket_are_counted_and_their_luck_is_named() {
    // The longer the warm-up, the more surely it tells unevenness from chance.
    let scratch = Scratch::new("prefork");
    let server = OwnServer::start(
        &scratch,
        "serve truth --listen 127.0.0.1:0 --prefork 4 --service fixed:20ms".split(' '),
    );
    let target = format!("web={}", server.url());
    let arguments = "--json --ramp 1..32 --rounds 6 --slice 600ms --gap 10ms --warmup 2s";
    let arguments = ["http", "--quiet", "--target", &target]
        .into_iter()
        .chain(arguments.split(' '));
    let run = Tenbin::new(&scratch, arguments).run();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let uneven = finding(&run, "uneven_workers");
    let seen = uneven["evidence"].as_str().expect("a sentence");
    assert!(
        seen.contains("workers that accept on a shared socket"),
        "{run}"
    );
    assert!(
        seen.contains("each slice opened its connections 8 times"),
        "{run}"
    );
    let workers = document["capacities"][0]["workers"]["value"]
        .as_f64()
        .expect("a number");
    assert!((3.0..5.0).contains(&workers), "{workers}: {run}");
    let optimum = finding(&run, "optimum_concurrency");
    let seen = optimum["evidence"].as_str().expect("a sentence");
    let too_few = ["1 connections are enough", "2 connections are enough"];
    assert!(
        too_few.iter().all(|claim| !seen.starts_with(claim)),
        "{run}"
    );
}
