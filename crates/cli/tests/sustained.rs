//! What a target does over time: a server that is fast only after rests, and a target that loses a
//! process during the run.
#![cfg(target_os = "linux")]

mod common;

use std::time::Duration;

use common::{OwnServer, Scratch, Tenbin, tied};
use serde_json::Value;

const SOON: Duration = Duration::from_secs(2);

fn finding<'r>(result: &'r Value, rule: &str) -> Option<&'r Value> {
    let mut all = result["findings"].as_array().expect("findings").iter();
    all.find(|one| one["rule"] == rule)
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn a_server_that_is_fast_because_it_rests_does_not_win() {
    let scratch = Scratch::new("sustained");
    let serve = |options: &str| {
        let words = format!("serve truth --listen 127.0.0.1:0 --service fixed:20ms {options}");
        OwnServer::start(&scratch, words.split(' ').collect::<Vec<_>>())
    };
    // Eight connections reach about 400/s. Between its slices the first server saves what it used
    // up; under continuous load it is empty after about 2 s. A service of 20 ms makes the delays of
    // a busy machine small.
    let rests = serve("--capacity 200/s --credit 400");
    let steady = serve("--capacity 300/s");
    let targets = [("rests", &rests), ("steady", &steady)];
    let [first, second] = targets.map(|(name, server)| format!("{name}={}", server.url()));
    let run = Tenbin::line(
        &scratch,
        format!(
            "http --target {first} --target {second} --baseline steady -c 8 --rounds 10 \
             --slice 400ms --lead 50ms --gap 100ms --warmup 100ms --sustain 5s --seed 1"
        ),
    )
    .run();
    run.expect_measured();
    assert!(run.stderr.contains("for 5s without a rest"), "{run}");
    run.expect_stdout("sustained");
    let result = scratch.result();
    let all = result["results"].as_array().expect("results");
    let of = |name: &str| {
        all.iter()
            .find(|one| one["target"] == name)
            .expect("a result")
    };
    let fallen = &of("rests")["sustained"];
    let rates = ["interleaved_throughput", "throughput"].map(|name| number(&fallen[name]));
    assert!(rates[1] < rates[0] * 0.75, "{fallen}");
    assert!(number(&fallen["operations"]) > 400.0, "{fallen}");
    // A busy machine can make the rounds too uneven for the fall to count.
    let comparisons = result["comparisons"].as_array().expect("comparisons");
    let primary = comparisons.iter().find(|one| one["primary"] == true);
    let primary = primary.expect("a primary comparison");
    let ratios = primary["block_ratios"].as_array().expect("ratios");
    let ratios: Vec<f64> = ratios.iter().map(number).collect();
    let (low, high) = ratios
        .iter()
        .fold((f64::MAX, 0.0_f64), |(low, high), ratio| {
            (low.min(*ratio), high.max(*ratio))
        });
    if high / low < 1.1 {
        assert_eq!(primary["outcome"]["kind"], "not_sustained", "{run}");
        let found = finding(&result, "sustained").expect("the finding");
        assert_eq!(found["target"], "rests", "{found}");
    }
    drop((rests, steady));
    scratch.expect_nobody_left(SOON);
}

#[test]
fn an_observed_process_that_dies_is_named_although_others_of_its_name_live() {
    let scratch = Scratch::new("process-ended");
    let server = OwnServer::start(&scratch, ["serve", "http", "--listen", "127.0.0.1:0"]);
    let name = format!("node{}", std::process::id());
    let program = scratch.join(&name);
    std::fs::copy("/bin/sleep", &program).expect("a copy");
    let (key, value) = scratch.mark();
    let start = || {
        let mut command = tied(&program);
        command.arg("60").env(key, value);
        command.spawn().expect("a process")
    };
    let (mut first, mut second) = (start(), start());
    let (observe, target) = (format!("a=name:{name}"), format!("a={}", server.url()));
    let running = Tenbin::line(
        &scratch,
        format!(
            "http --target {target} --observe {observe} --rounds 6 --slice 1s \
             --warmup 0s -c 2"
        ),
    )
    .start();
    std::thread::sleep(Duration::from_secs(3));
    let pid = second.id();
    second.kill().expect("a signal");
    second.wait().expect("its end");
    let run = running.wait(Duration::from_secs(60));
    assert!(run.stderr.contains("has ended"), "{run}");
    let result = scratch.result();
    let found = finding(&result, "process_ended").unwrap_or_else(|| panic!("{run}"));
    let evidence = found["evidence"].as_str().expect("evidence");
    assert!(
        evidence.contains(&format!("{name} (pid {pid})")),
        "{evidence}"
    );
    assert!(
        evidence.contains("after the start of the run"),
        "{evidence}"
    );
    first.kill().expect("a signal");
    first.wait().expect("its end");
    drop(server);
    scratch.expect_nobody_left(SOON);
}
