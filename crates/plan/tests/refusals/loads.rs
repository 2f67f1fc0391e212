//! Refusals of loads.

use super::support::{resolve, resolve_in, world};
use super::{TARGET, WORKLOAD, check, refusal};

#[test]
fn load() {
    check(&[
        (
            "[load]",
            "connections = 0",
            "plan.toml:2:15: connections: 0 is too small; the minimum is 1",
        ),
        (
            "[load]",
            "connections = -3",
            "plan.toml:2:15: connections: -3 is too small; the minimum is 1",
        ),
        (
            "[load]",
            "rate = 0",
            r#"plan.toml:2:8: rate: 0 is out of range; a rate must be above 0 and at most 1000000000/s, for example "1000/s""#,
        ),
        (
            "[load]",
            "rate = \"9/fortnight\"",
            r#"plan.toml:2:8: rate: "9/fortnight" has the unknown unit "fortnight"; the units are /s, /m and /h, for example "1000/s""#,
        ),
        (
            "[load]",
            "timeout = \"0s\"",
            "plan.toml:2:11: timeout: 0s is too short; the minimum is 1ms",
        ),
        (
            "[load]",
            "keep_alive = \"no\"",
            r#"plan.toml:2:14: keep_alive: "no" is neither true nor false"#,
        ),
        (
            "[load]",
            "requests = 0",
            "plan.toml:2:12: requests: 0 is too small; the minimum is 1",
        ),
        (
            "",
            "threads = 0",
            "plan.toml:1:11: threads: 0 is too small; the minimum is 1",
        ),
    ]);
}

#[test]
fn arrivals_that_contradict_each_other() {
    check(&[
        (
            "[load]",
            "arrivals = \"poisson\"",
            "plan.toml:2:12: arrivals: needs a rate: set rate or steps (--rate or --step)",
        ),
        (
            "[load]",
            "rate = 5\narrivals = \"possion\"",
            r#"plan.toml:3:12: arrivals: "possion" is not one of "constant", "poisson"; did you mean "poisson"?"#,
        ),
        (
            "[load]",
            "rate_to = 9",
            "plan.toml:2:11: rate_to: needs a rate to start from",
        ),
        (
            "[load]",
            "rate = 5\nthink = \"1s\"",
            "plan.toml:3:9: think: an open loop (rate, steps or trace) has no think time, because it does not wait for responses; leave out one of them",
        ),
        (
            "[load]",
            "think = \"normal:1s\"",
            r#"plan.toml:2:9: think: "normal:1s" is not a think time; write for example "100ms", "uniform:50ms..150ms" or "exponential:100ms""#,
        ),
        (
            "[load]",
            "think = \"uniform:2s..1s\"",
            r#"plan.toml:2:9: think: "uniform:2s..1s" has the larger value first; write for example "uniform:1s..2s""#,
        ),
        (
            "[load]",
            "think = \"uniform:2s\"",
            r#"plan.toml:2:9: think: "uniform:2s" has no end; write for example "uniform:50ms..150ms""#,
        ),
        (
            "[load]",
            "think = \"exponential:2\"",
            r#"plan.toml:2:9: think: "2" has no unit; write for example "500ms", "2s" or "1m30s""#,
        ),
        (
            "[load]",
            "trace_speed = 2",
            "plan.toml:2:15: trace_speed: needs a trace",
        ),
        (
            "[load]",
            "rate = 5\nsteps = [\"1/s for 1s\"]",
            "plan.toml:3:9: steps: excludes rate; leave out one of them",
        ),
        (
            "[load]",
            "steps = [\"1/s for 1m\"]",
            "plan.toml:2:9: steps: they take 1m together, longer than the slice of 2s",
        ),
        (
            "[load]",
            "steps = [\"1/s\", \"2/s for 0s\"]",
            "plan.toml:2:10: steps: \"1/s\" is not a step; write for example \"100/s for 1s\"\nplan.toml:2:17: steps: \"2/s for 0s\" has a duration of 0; write for example \"100/s for 1s\"",
        ),
    ]);
}

#[test]
fn ramps_and_objectives_that_make_no_sense() {
    check(&[
        (
            "[load]",
            "ramp = \"fast\"",
            r#"plan.toml:2:8: ramp: "fast" is not a ramp; write for example "1..256" (doubling), "1,2,4,8" or "10:100:10" (from, to, step)"#,
        ),
        (
            "[load]",
            "ramp = \"1..8\"\nconnections = 4",
            "plan.toml:2:8: ramp: sets the numbers of connections; leave out connections (--connections)",
        ),
        (
            "[load]",
            "rate = 5\nramp = \"1..8\"",
            "plan.toml:3:8: ramp: is for a closed loop; leave out rate, steps, trace and slo",
        ),
        (
            "[load]",
            "slo = \"p99\"",
            r#"plan.toml:2:7: slo: "p99" is not a limit; write for example "p99<10ms,errors<0.1%": p50 to p99.99, mean and errors can be limited"#,
        ),
        (
            "[load]",
            "slo = \"p99<1s\"\nrate = 5\nrate_to = 9",
            "plan.toml:2:7: slo: the search chooses the rates; leave out rate_to, steps and trace (rate is the first rate of the search)",
        ),
        (
            "[load]",
            "slo = \"p99<1s\"\nrequests = 5",
            "plan.toml:2:7: slo: steps of the search end by time; leave out requests (--requests)",
        ),
        (
            "[load]",
            "slo = \"p99<1s\"\nthink = \"5s\"",
            "plan.toml:3:9: think: a maximum-rate search (slo) is an open loop, which has no think time; leave out one of them",
        ),
    ]);
}

#[test]
fn traces_that_cannot_be_played() {
    let files: &[(&str, &[u8])] = &[
        ("/made-up/good.txt", b"0\n1\n"),
        ("/made-up/bad.txt", b"0\n\n1s\n"),
        ("/made-up/empty.txt", b"# nothing\n"),
    ];
    let refusal = |load: &str| {
        let text = format!("[load]\n{load}\n{TARGET}{WORKLOAD}");
        resolve_in(&text, &mut world(&[], files))
            .expect_err(load)
            .to_string()
    };
    for (load, expected) in [
        (
            "trace = \"none.txt\"",
            "plan.toml:2:9: trace: cannot read /made-up/none.txt: entity not found",
        ),
        (
            "trace = \"bad.txt\"",
            "plan.toml:2:9: trace: /made-up/bad.txt:3: \"1s\" is not a time; write seconds, such as 0.25 or 1767225600.25, or for example 2026-01-01T00:00:00.25Z",
        ),
        (
            "trace = \"empty.txt\"",
            "plan.toml:2:9: trace: /made-up/empty.txt has no arrivals; write one a line, in seconds or as timestamps",
        ),
        (
            "trace = \"good.txt\"\ntrace_speed = 0",
            "plan.toml:3:15: trace_speed: 0 is out of range; a speed must be above 0 and at most 1000000",
        ),
        (
            "trace = \"good.txt\"\ntrace_speed = \"twice\"",
            "plan.toml:3:15: trace_speed: \"twice\" is not a speed; write for example 2.0, for twice as fast",
        ),
        (
            "trace = \"good.txt\"\narrivals = \"poisson\"",
            "plan.toml:3:12: arrivals: a trace has the time of every arrival; leave out trace or arrivals",
        ),
        (
            "trace = \"good.txt\"\nrate = 5",
            "plan.toml:2:9: trace: excludes rate and steps; set only one of the three",
        ),
        (
            "trace = \"good.txt\"\nthink = \"1s\"",
            "plan.toml:3:9: think: an open loop (rate, steps or trace) has no think time, because it does not wait for responses; leave out one of them",
        ),
    ] {
        assert_eq!(refusal(load), expected, "{load}");
    }
}

#[test]
fn more_requests_out_at_once_than_there_is_room_for() {
    let plan = |load: &str, urls: &str| {
        format!(
            "[load]\n{load}\n[[target]]\nname = \"a\"\n{urls}\n[[target]]\nname = \"b\"\n\
             url = \"http://h\"\n{WORKLOAD}"
        )
    };
    let one = "url = \"http://g\"";
    let two = "urls = [\"http://g1\", \"http://g2 weight 9\"]";
    for (load, urls, expected) in [
        (
            "connections = 101\ndepth = 1000",
            one,
            "workload \"http-GET\": 101 connections, 1000 requests deep, could have 101000 requests",
        ),
        (
            "connections = 50001",
            two,
            "workload \"http-GET\": 50001 connections to each of the 2 hosts of target \"a\" could have \
             100002 requests",
        ),
    ] {
        let tail = " in flight, and the most is 100000; lower connections or depth";
        let expected = format!("plan.toml: {expected}{tail}");
        assert_eq!(refusal(&plan(load, urls)), expected);
    }
    for (load, urls) in [
        ("connections = 100\ndepth = 1000", one),
        ("connections = 50000", two),
    ] {
        assert!(resolve(&plan(load, urls)).is_ok(), "{load} {urls}");
    }
}
