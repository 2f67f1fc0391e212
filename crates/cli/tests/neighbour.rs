//! A maximum-rate search while other programs use all cores, and a gate in CI while they use most of
//! each. This file is a separate test program because those programs disturb every measurement that
//! runs at the same time.

mod common;
#[path = "gate/workflow/mod.rs"]
mod workflow;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::{OwnServer, Scratch, Spinner, Tenbin, not_run};
use workflow::{Busy, Runner, repository, say_decided};

/// Lets one test run at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn rare_pauses_beside_a_busy_neighbour_end_in_an_interval_in_the_announced_time() {
    let _alone = alone();
    let scratch = Scratch::new("slo-pauses");
    // One request in 4,500 starts a pause of 50 ms. This request and those that arrive in the first
    // 30 ms wait for more than 20 ms: 1 % of all at a rate of (4,500 * 1 % - 1) / 30 ms.
    let serve = ["serve", "truth", "--listen", "127.0.0.1:0"];
    let pauses = ["--rare-pause", "50ms/4500"];
    let server = OwnServer::start(&scratch, [&serve[..], &pauses].concat());
    let url = server.url();
    let limit = 1_467.0;
    // One per core, so that the server also waits for a core.
    let _neighbours = Spinner::on_all_cores(&scratch);
    let load = format!(
        "http --target {url} --slo p99<20ms --rate 200/s --slice 1s --lead 200ms \
         --gap 20ms --warmup 100ms --seed 1"
    );
    let begun = std::time::Instant::now();
    let run = Tenbin::line(&scratch, load)
        .within(Duration::from_secs(180))
        .run();
    let took = begun.elapsed();
    // Exit code 8: the neighbours left too little of the machine to decide on a rate.
    assert!(matches!(run.code, Some(0 | 6 | 8)), "{run}");
    assert!(run.stderr.contains("in at most 1m"), "{run}");
    // The announced minute excludes start, end and report, which take long on a busy machine.
    assert!(took < Duration::from_secs(100), "{took:?}");
    let document = scratch.result();
    let search = &document["searches"][0];
    let sentence = search["sentence"].as_str().expect("a sentence");
    // Stalls of the machine make more requests slow, so they cannot raise the rate.
    let (rate, failed) = (search["rate"].as_f64(), search["failed"].as_f64());
    assert!(rate.is_none_or(|rate| rate < limit * 1.3), "{search:#}");
    // Requests delayed by a stall of this machine do not count against the server. Far fewer than
    // 1 % of the other requests are slow at half of the limit.
    assert!(
        failed.is_none_or(|failed| failed > limit * 0.5),
        "{search:#}"
    );
    if rate.is_none() || failed.is_none() {
        let reasons = ["could not be decided", "late", "waited for a core"];
        let has_reason = reasons.iter().any(|reason| sentence.contains(reason));
        assert!(has_reason, "{sentence}");
    } else {
        let ends = ["the limit is between", "→ use more --"];
        assert!(ends.iter().any(|end| sentence.contains(end)), "{sentence}");
    }
}

#[test]
fn a_workflow_beside_busy_programs_neither_fails_an_equal_change_nor_passes_a_slower_one() {
    let _alone = alone();
    let scratch = Scratch::new("gate-beside");
    let origin = repository(&scratch);
    let mut busy = Busy::start(&scratch, 60);
    let mut told = Vec::new();
    // Exit code 8: the programs left too little of the machine to decide.
    for (branch, codes) in [("equal", [0, 8]), ("slower", [7, 8])] {
        let runner = Runner::new(&scratch, &origin, branch, "--max-rounds 40");
        let (code, said) = runner.gate_of_workflow(&scratch);
        busy.expect_running();
        runner.expect_two_builds();
        if code == 6 {
            assert!(said.contains("INVALID"), "{said}");
            not_run("the result is INVALID, because the machine is busy");
            continue;
        }
        assert!(codes.contains(&code), "{branch}: {said}");
        let word = match code {
            0 => "PASS",
            7 => "REGRESSION",
            _ => "CANNOT TELL",
        };
        assert!(runner.summary().contains(word), "{branch}: {said}");
        if code != 8 {
            told.push(branch);
        }
    }
    // The programs leave no quiet machine, so no gate must decide.
    say_decided(&told, 2);
    drop(busy);
    scratch.expect_nobody_left(Duration::from_secs(2));
}
