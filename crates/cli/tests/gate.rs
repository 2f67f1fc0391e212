//! `tenbin gate` with real servers: its results, exit codes, outputs and git revisions.

#[path = "gate/ci.rs"]
mod ci;
mod common;
#[path = "gate/containers.rs"]
mod containers;
#[path = "gate/installs.rs"]
mod installs;
#[path = "gate/kinds.rs"]
mod kinds;
#[path = "gate/lint.rs"]
mod lint;
#[path = "gate/quality.rs"]
mod quality;
#[path = "gate/workflow/mod.rs"]
mod workflow;

use std::path::Path;
use std::time::Duration;

use common::{Outcome, Scratch, Tenbin, shell};
use serde_json::Value;

/// Slices long enough for responses on a busy machine. Servers of different speed sleep, so that
/// other tests hardly change their ratio.
const SHORT: &str = "--slice 200ms --lead 20ms --gap 0s --warmup 50ms --connections 2 --threads 1";

fn server(name: &str, delay: &str) -> String {
    let tenbin = env!("CARGO_BIN_EXE_tenbin");
    format!("--launch '{name}={tenbin} serve http --listen 127.0.0.1:{{port}} --delay {delay}'")
}

fn gate(scratch: &Scratch, line: &str) -> Outcome {
    Tenbin::line(scratch, format!("gate {line} {SHORT}")).run()
}

/// The result, unless a busy machine made the run INVALID.
fn outcome(scratch: &Scratch, run: &Outcome, code: i32) -> Option<Value> {
    if run.code == Some(6) {
        run.expect_stdout("INVALID");
        return None;
    }
    run.expect_code(code);
    Some(scratch.result()["gate"].clone())
}

/// The first entry of a Code Quality report.
fn first_entry(scratch: &Scratch, file: &str) -> Value {
    let text = std::fs::read_to_string(scratch.join(file)).expect(file);
    let entries = quality::entries(&text);
    let first = entries.first().unwrap_or_else(|| panic!("{text}"));
    assert_eq!(first["location"]["lines"]["begin"], 1, "{text}");
    first.clone()
}

#[test]
fn alike_servers_pass_and_the_outputs_say_so() {
    let scratch = Scratch::new("gate-alike");
    let summary = scratch.join("summary.md");
    std::fs::write(&summary, "of another step\n").expect("a file");
    let line = format!(
        "gate http {} {} {SHORT} --margin 30% --export github-summary --export junit=gate.xml \
         --export github-comment=comment.md --export code-quality=quality.json",
        server("base", "5ms"),
        server("candidate", "5ms")
    );
    let run = Tenbin::line(&scratch, line)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("GITHUB_ACTIONS", "true")
        .run();
    let Some(gate) = outcome(&scratch, &run, 0) else {
        return;
    };
    assert_eq!(gate["outcome"], "pass", "{gate}");
    assert!(gate["rounds"].as_u64().unwrap() < 80, "{gate}");
    run.expect_stdout("PASS  candidate is not worse than base: throughput")
        .expect_stdout("::notice title=tenbin gate")
        .expect_stdout("throughput (decides)");
    assert!(!run.answer().contains("EQUIVALENT"), "{run}");
    let read = |name: &str| std::fs::read_to_string(scratch.join(name)).expect(name);
    let summary = read("summary.md");
    assert!(summary.starts_with("of another step\n"), "{summary}");
    assert!(summary.contains("**PASS**"), "{summary}");
    assert!(summary.contains("\n```\nthroughput  "), "{summary}");
    let junit = read("gate.xml");
    assert!(junit.contains("failures=\"0\" errors=\"0\""), "{junit}");
    assert!(
        junit.contains("is not worse than base by more than 30 %"),
        "{junit}"
    );
    assert_eq!(read("quality.json"), "[]\n");
    let comment = read("comment.md");
    assert!(comment.starts_with("<!-- tenbin: http -->\n"), "{comment}");
    assert!(comment.contains('●'), "{comment}");
    assert!(comment.chars().count() < 65_536);
    let shown = Tenbin::line(&scratch, "show last").run();
    assert_eq!((shown.code, shown.answer()), (run.code, run.answer()));
    scratch.expect_nobody_left(Duration::from_secs(2));
}

#[test]
fn a_slower_candidate_is_a_regression() {
    let scratch = Scratch::new("gate-slower");
    let line = format!(
        "http {} {} --export junit=gate.xml --export code-quality=quality.json",
        server("base", "4ms"),
        server("candidate", "8ms")
    );
    let run = gate(&scratch, &line);
    let Some(gate) = outcome(&scratch, &run, 7) else {
        return;
    };
    assert_eq!(gate["outcome"], "regression", "{gate}");
    run.expect_stdout("REGRESSION  candidate is worse than base: throughput × 0.");
    let junit = std::fs::read_to_string(scratch.join("gate.xml")).expect("a file");
    assert!(junit.contains("<failure type=\"worse\""), "{junit}");
    let first = first_entry(&scratch, "quality.json");
    assert_eq!(first["severity"], "major", "{first}");
    assert_eq!(first["location"]["path"], "tenbin", "{first}");
    // The plan of the run is the same gate.
    let plan = scratch.run().expect("a run").join("plan.toml");
    std::fs::copy(&plan, scratch.join("gate.toml")).expect("a copy");
    let again = "gate run ./gate.toml --budget 20s --export code-quality=again.json";
    let again = Tenbin::line(&scratch, again).run();
    assert!(matches!(again.code, Some(6 | 7)), "{again}");
    let second = first_entry(&scratch, "again.json");
    // The path within the repository, if the scratch directory is in one.
    let path = second["location"]["path"].as_str().expect("a path");
    assert!(Path::new(path).ends_with("gate.toml"), "{second}");
    assert!(Path::new(path).is_relative(), "{second}");
    if again.code == Some(7) {
        assert_eq!(second["fingerprint"], first["fingerprint"], "{second}");
    }
}

#[test]
fn what_a_gate_cannot_tell_is_neither() {
    let scratch = Scratch::new("gate-unknown");
    // Four quads are no evidence.
    let rounds = "--rounds 8 --max-rounds 8 --sustain 0";
    let servers = [server("base", "5ms"), server("candidate", "5ms")].join(" ");
    let run = gate(&scratch, &format!("http {servers} {rounds}"));
    let Some(gate) = outcome(&scratch, &run, 8) else {
        return;
    };
    assert_eq!(gate["outcome"], "cannot_tell", "{gate}");
    run.expect_stdout("CANNOT TELL")
        .expect_stdout("The maximum of 8 rounds ended");
    let run = self::gate(
        &scratch,
        &format!("http {servers} {rounds} --cannot-tell pass"),
    );
    assert!(matches!(run.code, Some(0 | 6)), "{run}");
}

#[test]
fn every_output_agrees_with_the_exit_code_of_a_suspect_gate() {
    let scratch = Scratch::new("gate-suspect");
    let line = format!(
        "gate http {} {} {SHORT} --margin 30% --suspect fail --export junit=gate.xml",
        server("base", "5ms"),
        server("candidate", "5ms")
    );
    let run = Tenbin::line(&scratch, line)
        .env("GITHUB_ACTIONS", "true")
        .run();
    let junit = std::fs::read_to_string(scratch.join("gate.xml")).expect("a file");
    match run.code {
        // Whether the machine is busy enough for a finding is chance.
        Some(9) => {
            run.expect_stdout("FAIL  candidate is not worse than base")
                .expect_stdout("(--suspect fail, exit code 9)")
                .expect_stdout("::error title=tenbin gate");
            assert!(junit.contains("<failure type=\"SUSPECT\""), "{junit}");
            assert!(!run.stdout.contains("PASS"), "{run}");
        }
        Some(0) => {
            run.expect_stdout("PASS  candidate is not worse than base")
                .expect_stdout("::notice title=tenbin gate");
            assert!(junit.contains("failures=\"0\" errors=\"0\""), "{junit}");
        }
        _ => {
            run.expect_stdout("::error title=tenbin gate");
        }
    }
}

#[test]
fn failures_make_a_gate_invalid() {
    let scratch = Scratch::new("gate-invalid");
    let line = format!(
        "http {} --builtin candidate=http --path /x --check 'body contains \"never\"'",
        server("base", "5ms")
    );
    let run = gate(&scratch, &line);
    assert!(matches!(run.code, Some(4 | 6)), "{run}");
}

#[test]
fn a_gate_needs_two_targets_and_possible_figures() {
    let scratch = Scratch::new("gate-refused");
    let refused = [
        ("http http://127.0.0.1:1/", "a gate compares two targets"),
        (
            "http --builtin a=http --builtin b=http --until 2%",
            "remove until (--until)",
        ),
        (
            "http --builtin a=http --builtin b=http --figure max",
            "has no ratio with an interval",
        ),
        (
            "http --builtin a=http --builtin b=http --figure p99,p99=5%",
            "p99 is listed twice",
        ),
        (
            "http --builtin a=http --builtin b=http --slo 'p99<1s'",
            "a gate needs a fixed load",
        ),
        (
            "http --builtin a=http --builtin b=http --candidate-rev HEAD",
            "--base-rev",
        ),
    ];
    for (line, why) in refused {
        let run = Tenbin::line(&scratch, format!("gate {line}")).run();
        run.expect_code(2).expect_stderr(why);
    }
    assert!(scratch.run().is_none(), "nothing was started");
}

/// A repository with two commits: a server, and a slower one.
fn repository(scratch: &Scratch) -> String {
    let directory = scratch.join("project");
    let script = format!(
        "#!/bin/sh\nexec {} serve http --listen 127.0.0.1:$1 --delay \"$(cat built)\"\n",
        env!("CARGO_BIN_EXE_tenbin")
    );
    std::fs::create_dir(&directory).expect("a directory");
    std::fs::write(format!("{directory}/server"), script).expect("a file");
    let commit = |delay: &str| {
        std::fs::write(format!("{directory}/delay"), delay).expect("a file");
        let line = format!(
            "chmod +x server && git add -A && git -c user.name=a -c user.email=a@example.com commit \
             -q -m '{delay}'"
        );
        shell(&directory, &line);
    };
    shell(&directory, "git init -q -b main");
    commit("4ms");
    shell(&directory, "git tag fast");
    commit("8ms");
    directory
}

#[test]
fn revisions_are_built_in_worktrees_once() {
    let scratch = Scratch::new("gate-revisions");
    let directory = repository(&scratch);
    let builds = scratch.join("builds");
    let log = scratch.join("built.log");
    let run = |more: &str, build: &str| {
        let line = format!(
            "gate --base-rev fast --build-dir {builds} http --launch './server {{port}}' \
             --out ../runs --build '{build}' {more} {SHORT}"
        );
        let words = common::words(&line);
        let inside = ["sh", "-c", "cd project && exec \"$0\" \"$@\""];
        Tenbin::new(&scratch, words).inside(&inside).run()
    };
    let build = format!("cp delay built && echo $TENBIN_COMMIT >> {log}");
    let slower = run("", &build);
    assert!(matches!(slower.code, Some(6 | 7)), "{slower}");
    if slower.code == Some(7) {
        slower.expect_stdout("REGRESSION  candidate is worse than base");
    }
    let built = || {
        std::fs::read_to_string(&log)
            .expect("a log")
            .lines()
            .count()
    };
    assert_eq!(built(), 2, "{slower}");
    let again = run("--candidate-rev fast --margin 30%", &build);
    assert!(matches!(again.code, Some(0 | 6 | 8)), "{again}");
    assert_eq!(built(), 2, "the builds are kept: {again}");
    again.expect_stderr("was built before");
    shell(&directory, "test -z \"$(git status --porcelain)\"");

    let failed = run("", "false");
    failed
        .expect_code(3)
        .expect_stderr("the build of fast")
        .expect_stderr("exit status: 1");
    let unknown = run("--candidate-rev nowhere", "true");
    unknown
        .expect_code(2)
        .expect_stderr("\"nowhere\" is no revision of");
    // Only worktrees of builds that succeeded are left.
    shell(&directory, "test $(git worktree list | wc -l) -eq 3");
    let unbuilt = format!(
        "gate http --base-rev fast --build-dir {builds} --launch './built-later {{port}}' --out ../runs"
    );
    let inside = ["sh", "-c", "cd project && exec \"$0\" \"$@\""];
    Tenbin::new(&scratch, common::words(&unbuilt))
        .inside(&inside)
        .run()
        .expect_code(3)
        .expect_stderr("nothing built ./built-later in the work tree of fast: add --build COMMAND");
    scratch.expect_nobody_left(Duration::from_secs(2));
}

#[test]
fn a_killed_build_is_not_taken_for_a_finished_one() {
    let scratch = Scratch::new("gate-killed");
    let directory = repository(&scratch);
    let (builds, kill) = (scratch.join("builds"), scratch.join("kill"));
    let run = || {
        let line = format!(
            "gate --base-rev fast --candidate-rev fast --build-dir {builds} http \
             --launch './server {{port}}' --out ../runs --rounds 8 --max-rounds 8 {SHORT} \
             --build 'cp delay built && if test -e {kill}; then kill -9 $PPID; fi'"
        );
        let inside = ["sh", "-c", "cd project && exec \"$0\" \"$@\""];
        let words = common::words(&line);
        Tenbin::new(&scratch, words).inside(&inside).run()
    };
    run().expect_stderr("building fast");
    // The worktree is gone, and the next build is killed.
    shell(
        &directory,
        &format!("rm -r {builds}/*/*/tree && touch {kill}"),
    );
    let killed = run();
    assert_eq!(killed.code, None, "{killed}");
    shell(
        &directory,
        &format!("ls {builds}/*/*/tree/server && rm {kill}"),
    );
    let again = run();
    assert_eq!(again.stderr.matches("building fast").count(), 1, "{again}");
    scratch.expect_nobody_left(Duration::from_secs(5));
}

#[test]
fn git_bisect_run_understands_a_gate() {
    let scratch = Scratch::new("gate-bisect");
    let directory = repository(&scratch);
    // After the fast and the slow commit: one that does not build, and a fast and two slow ones.
    for (delay, message) in [
        ("", "broken"),
        ("4ms", "repaired"),
        ("8ms", "culprit"),
        ("8ms", "last"),
    ] {
        std::fs::write(format!("{directory}/delay"), delay).expect("a file");
        let commit = "git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -a";
        shell(
            &directory,
            &format!("{commit} -m {message} && git tag {message}"),
        );
    }
    let builds = scratch.join("builds");
    let gate = |more: &str| {
        format!(
            "gate --git-bisect --base-rev fast --build-dir {builds} --build 'test -s delay && cp delay \
             built' http --launch './server {{port}}' --out ../runs {SHORT} {more}"
        )
    };
    let run = |inside: &str, line: &str| {
        let words = ["sh", "-c", inside];
        Tenbin::new(&scratch, common::words(line))
            .inside(&words)
            .run()
    };
    let alone = "cd project && exec \"$0\" \"$@\"";
    run(alone, &gate("--candidate-rev broken")).expect_code(125);
    run(alone, &gate("--candidate-rev nowhere")).expect_code(128);
    run(alone, &gate("--no-such-option")).expect_code(128);
    let with_value = gate("").replace("--git-bisect", "--git-bisect=yes");
    run(alone, &with_value).expect_code(128);
    // A base that does not build, and one that does not start.
    let broken = gate("").replace("--base-rev fast", "--base-rev broken");
    run(alone, &broken)
        .expect_code(128)
        .expect_stderr("the build of broken");
    let silent = gate("").replace("cp delay built", "sed s/4ms/never/ delay > built");
    run(alone, &silent)
        .expect_code(128)
        .expect_stderr("target \"base\"");
    let found = run(
        "cd project && git bisect start last repaired && git bisect run \"$0\" \"$@\"",
        &gate("--margin 30%"),
    );
    // A busy machine can make a gate INVALID, which git skips.
    if !found.stdout.contains("possible first bad commit") {
        found
            .expect_code(0)
            .expect_stdout("is the first bad commit")
            .expect_stdout("culprit");
    }
    scratch.expect_nobody_left(Duration::from_secs(2));
}
