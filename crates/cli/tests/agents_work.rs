//! Several agents do the same work as one machine: every target gets the same requests, objects are
//! read once, and responses are compared.
#![cfg(target_os = "linux")]

mod common;

use std::time::Duration;

use common::mixed::{Kind, Mixed};
use common::{Agents, Cached, Outcome, Scratch, Tenbin};
use nix::sys::signal::Signal;
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(120);

fn run(scratch: &Scratch, agents: &Agents, words: &[&str]) -> Outcome {
    let options = agents.options(2);
    let options = options.iter().map(String::as_str);
    let words = words
        .iter()
        .copied()
        .chain(["--seed", "7", "--gap", "10ms"]);
    let run = Tenbin::new(scratch, words.chain(options))
        .within(LIMIT)
        .run();
    assert!(matches!(run.code, Some(0 | 4 | 6)), "{run}");
    run
}

#[test]
fn two_targets_are_sent_the_same_requests_although_one_is_slower() {
    let scratch = Scratch::new("agents-same");
    let agents = Agents::start(&scratch, 2, &[]);
    for order in ["sequential", "zipf"] {
        let (fast, slow) = (
            Cached::start(Duration::from_micros(200)),
            Cached::start(Duration::from_millis(1)),
        );
        let paths: String = (0..200).map(|at| format!("/{at}\n")).collect();
        let file = scratch.write("paths.txt", paths);
        let targets = [fast.target("fast"), slow.target("slow")];
        let words = [
            &["http", "--target", &targets[0], "--target", &targets[1]][..],
            &["--patterns", &file, "--order", order, "--connections", "4"],
            &["--rounds", "4", "--slice", "200ms", "--warmup", "200ms"],
        ];
        let run = run(&scratch, &agents, &words.concat());
        assert_eq!(fast.counts(), slow.counts(), "{order}: {run}");
        let result = scratch.result();
        let slices = result["slices"].as_array().expect("slices");
        let last = |target: &str| {
            let mut own = slices.iter().filter(|slice| slice["target"] == target);
            let segments = own.by_ref().map(|slice| &slice["segment"]);
            segments
                .inspect(|segment| {
                    let [from, to] = ["from", "to"].map(|at| segment[at].as_u64());
                    assert!(from < to, "{order}: {segment}");
                })
                .last()
                .expect("a slice")
        };
        let (of_fast, of_slow) = (last("fast"), last("slow"));
        assert_eq!(of_fast["digest"], of_slow["digest"], "{order}: {run}");
        let sent: usize = fast.counts().values().sum();
        let known = of_fast["to"].as_u64().expect("a position") as usize;
        // Besides the sequence, the coordinator sends a few requests before the run.
        assert!(
            (known..known + 10).contains(&sent),
            "{order}: {sent} {known}"
        );
    }
}

#[test]
fn objects_that_are_read_once_are_used_up_by_all_agents_together() {
    let scratch = Scratch::new("agents-once");
    let agents = Agents::start(&scratch, 2, &[]);
    let words = "s3 get --builtin one=s3-memory --bucket once --size 1KiB --objects 300 \
                 --choose once --rounds 9 --slice 200ms --warmup 0s --connections 4";
    let words: Vec<&str> = words.split_whitespace().collect();
    let run = run(&scratch, &agents, &words);
    run.expect_code(4)
        .expect_stderr("all 300 objects have been read once");
    let result = scratch.result();
    let slices = result["slices"].as_array().expect("slices");
    let read: u64 = slices
        .iter()
        .map(|slice| slice["ok"].as_u64().expect("a count"))
        .sum();
    assert!(read <= 300, "{read}");
}

#[test]
fn responses_of_another_kind_are_found_by_agents() {
    let scratch = Scratch::new("agents-mixed");
    let agents = Agents::start(&scratch, 2, &[]);
    for (kind, shown) in [
        (Kind::Empty, "and 0 bytes"),
        (Kind::OtherBytes, "and 10000 bytes"),
    ] {
        let server = Mixed::start(kind);
        let url = server.url();
        let words = [
            &["http", "--target", &url, "--connections", "4"][..],
            &["--rounds", "2", "--slice", "500ms", "--warmup", "100ms"],
        ];
        let run = run(&scratch, &agents, &words.concat());
        let result = scratch.result();
        let findings = result["findings"].as_array().expect("findings");
        let mut mixed = findings
            .iter()
            .filter(|one| one["rule"] == "mixed_responses");
        let found = mixed.next().unwrap_or_else(|| panic!("no finding: {run}"));
        assert_eq!(found["severity"], "invalid", "{found}");
        let evidence = found["evidence"].as_str().expect("text");
        assert!(evidence.contains(shown), "{kind:?}: {evidence}");
    }
}

#[test]
fn after_the_loss_of_an_agent_the_other_goes_on_in_the_same_sequence() {
    let (one, other) = (Cached::start(Duration::ZERO), Cached::start(Duration::ZERO));
    let targets = [one.target("one"), other.target("other")];
    let targets = ["--target", &targets[0], "--target", &targets[1]];
    expect_same_segments_after_a_loss(&targets, "200ms", is_in_second_round);
}

#[test]
fn after_a_loss_targets_that_restart_before_each_slice_go_on_in_the_same_sequence() {
    let program = env!("CARGO_BIN_EXE_tenbin");
    let launch = |name| format!("{name}={program} serve http --listen 127.0.0.1:{{port}}");
    let (one, other) = (launch("one"), launch("other"));
    let targets = ["--launch", &one, "--launch", &other, "--relaunch=slice"];
    expect_same_segments_after_a_loss(&targets, "200ms", is_in_second_round);
}

fn is_in_second_round(scratch: &Scratch) -> bool {
    intervals(scratch).matches("planned_seconds").count() >= 3
}

#[test]
fn after_a_loss_in_the_warm_up_all_targets_begin_with_the_same_segment() {
    // The warm-up has three parts, each on both targets. The agent is lost in the second one, after
    // the first target has ended its part.
    let (one, other) = (Cached::start(Duration::ZERO), Cached::start(Duration::ZERO));
    let targets = [one.target("one"), other.target("other")];
    let targets = ["--target", &targets[0], "--target", &targets[1]];
    expect_same_segments_after_a_loss(&targets, "4s", |_| {
        one.log().len() > 100 && other.log().len() > 50
    });
}

/// Kills one of two agents once `is_time` says so, and fails unless both targets get the same segment
/// in every round.
fn expect_same_segments_after_a_loss(
    targets: &[&str],
    warmup: &str,
    is_time: impl Fn(&Scratch) -> bool,
) {
    let scratch = Scratch::new("agents-sequence");
    let agents = Agents::start(&scratch, 2, &[]);
    let paths: String = (0..200).map(|at| format!("/{at}\n")).collect();
    let file = scratch.write("paths.txt", paths);
    let words = "--order zipf --connections 4 --rounds 4 --slice 1s --gap 10ms \
                 --on-agent-loss continue";
    let options = agents.options(2);
    let words = std::iter::once("http")
        .chain(targets.iter().copied())
        .chain(["--patterns", &file, "--warmup", warmup])
        .chain(words.split_whitespace())
        .chain(options.iter().map(String::as_str));
    let mut run = Tenbin::new(&scratch, words).start();
    run.wait_until(LIMIT, || is_time(&scratch));
    agents.agents[1].signal(Signal::SIGKILL);
    let run = run.wait(LIMIT);
    run.expect_measured();
    run.expect_stderr(" with 1 agent");
    let result = scratch.result();
    let slices = result["slices"].as_array().expect("slices");
    assert_eq!(slices.len(), 8, "{run}");
    for round in 0..4 {
        let of_round = slices.iter().filter(|slice| slice["round"] == round);
        let segments: Vec<&Value> = of_round.map(|slice| &slice["segment"]).collect();
        let [first, second] = &segments[..] else {
            panic!("{} slices in round {round}", segments.len())
        };
        for key in ["from", "to", "digest", "skipped"] {
            assert_eq!(first[key], second[key], "round {round}: {first} {second}");
        }
    }
}

/// The lines of the newest run so far.
fn intervals(scratch: &Scratch) -> String {
    let file = scratch.run().map(|run| run.join("intervals.jsonl"));
    let text = file.and_then(|file| std::fs::read_to_string(file).ok());
    text.unwrap_or_default()
}
