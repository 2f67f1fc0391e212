//! The order of slices: balanced, complete, and the same for the same seed.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use support::resolve;
use tenbin_plan::{Pace, Plan, Probes, Relaunch, Turn, schedule};

fn plan(targets: usize, workloads: usize, blocks: u32, seed: u64) -> Plan {
    let mut text = format!("seed = {seed}\n");
    for index in 0..targets {
        text += &format!("[[target]]\nurl = \"http://h:{}\"\n", index + 1);
    }
    for _ in 0..workloads {
        text += "[[workload]]\nkind = \"http\"\n";
    }
    let mut plan = resolve(&text).expect("a right plan");
    plan.rounds.count = blocks * plan.rounds_per_block();
    plan
}

fn letters(turns: &[Turn]) -> String {
    turns
        .iter()
        .map(|turn| char::from(b'A' + turn.target as u8))
        .collect()
}

#[test]
fn two_targets_go_in_quads_with_one_start_drawn_from_the_seed() {
    let orders: BTreeSet<String> = (0..50)
        .map(|seed| letters(&schedule(&plan(2, 1, 3, seed))))
        .collect();
    assert_eq!(
        orders.into_iter().collect::<Vec<_>>(),
        ["ABBAABBAABBA", "BAABBAABBAAB"]
    );
}

#[test]
fn pauses_are_drawn_from_the_seed_and_keep_their_mean() {
    let of = |seed| {
        let plan = plan(2, 1, 3, seed);
        let pauses = (0..400).map(|slice| plan.pause_before(slice));
        pauses.collect::<Vec<Duration>>()
    };
    let pauses = of(7);
    assert_eq!(pauses, of(7));
    assert_ne!(pauses, of(8));
    let mut plan = plan(2, 1, 3, 7);
    let gap = plan.rounds.gap.as_secs_f64();
    let shares: Vec<f64> = pauses
        .iter()
        .map(|pause| pause.as_secs_f64() / gap)
        .collect();
    assert!(shares.iter().all(|share| (0.499..=1.501).contains(share)));
    assert!(shares.iter().any(|share| *share < 0.6), "{shares:?}");
    assert!(shares.iter().any(|share| *share > 1.4), "{shares:?}");
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!((mean - 1.0).abs() < 0.05, "{mean}");
    plan.rounds.gap = Duration::ZERO;
    assert_eq!(plan.pause_before(3), Duration::ZERO);
    plan.rounds.gap = Duration::MAX;
    assert!(plan.pause_before(3) > Duration::ZERO);
}

#[test]
fn blocks_go_round_the_workloads() {
    let turns = schedule(&plan(2, 2, 2, 1));
    let places: Vec<(u32, usize, u32)> = turns
        .iter()
        .step_by(2)
        .map(|turn| (turn.block, turn.workload, turn.round))
        .collect();
    assert_eq!(
        places,
        [
            (0, 0, 0),
            (0, 0, 1),
            (0, 1, 0),
            (0, 1, 1),
            (1, 0, 2),
            (1, 0, 3),
            (1, 1, 2),
            (1, 1, 3),
        ]
    );
}

#[test]
fn one_target_goes_round_by_round() {
    assert_eq!(letters(&schedule(&plan(1, 1, 4, 9))), "AAAA");
}

#[test]
fn a_hand_made_plan_with_half_a_block_is_cut_short() {
    let mut plan = plan(2, 1, 2, 1);
    plan.rounds.count = 3;
    assert_eq!(schedule(&plan).len(), 6);
}

/// A concurrency sweep of 1, 2 and 4 connections, not in order, with other workloads in between.
fn ladder() -> Plan {
    resolve(
        r#"
[[target]]
url = "http://h:1"
[[target]]
url = "http://h:2"
[[workload]]
name = "four"
kind = "http"
load = { connections = 4 }
[[workload]]
name = "other"
kind = "http"
method = "PUT"
[[workload]]
name = "one"
kind = "http"
load = { connections = 1 }
[[workload]]
name = "two"
kind = "http"
load = { connections = 2 }
"#,
    )
    .expect("a right plan")
}

#[test]
fn a_ladder_goes_up_and_down_in_turns() {
    let plan = ladder();
    assert_eq!(plan.concurrency_sweeps(), [[2, 3, 0]]);
    let turns = schedule(&plan);
    let names = |block: u32| -> Vec<&str> {
        let mine = turns.iter().filter(|turn| turn.block == block).step_by(4);
        mine.map(|turn| plan.workloads[turn.workload].name.as_str())
            .collect()
    };
    assert_eq!(names(0), ["one", "other", "two", "four"]);
    assert_eq!(names(1), ["four", "other", "two", "one"]);
    assert_eq!(names(2), names(0));
}

#[test]
fn two_levels_or_an_open_loop_are_no_ladder() {
    let mut plan = ladder();
    plan.workloads.remove(0);
    assert!(plan.concurrency_sweeps().is_empty());
    let mut plan = ladder();
    for workload in &mut plan.workloads {
        workload.load.pace = Pace::Constant { per_second: 1.0 };
    }
    assert!(plan.concurrency_sweeps().is_empty());
}

#[test]
fn a_search_has_no_turns() {
    let text = "[[target]]\nurl = \"http://h:1\"\n[[workload]]\nkind = \"http\"\n\
                [[workload]]\nkind = \"http\"\nload = { slo = \"p99<10ms\" }\n";
    let plan = resolve(text).expect("a right plan");
    assert!(schedule(&plan).iter().all(|turn| turn.workload == 0));
    assert_eq!(
        schedule(&plan).len(),
        plan.slices_in_rounds(plan.rounds.count)
    );
    assert!(
        plan.forecast() > Duration::from_secs(40),
        "{:?}",
        plan.forecast()
    );
}

#[test]
fn the_duration_of_a_search_is_its_longest_time() {
    let search = |rounds: &str| {
        resolve(&format!(
            "rounds = {{ {rounds} }}\n[[target]]\nurl = \"http://h:1\"\n\
             [[workload]]\nkind = \"http\"\nload = {{ slo = \"p99<10ms\" }}\n"
        ))
    };
    let plan = search("duration = \"30s\"").expect("a right plan");
    assert_eq!(plan.longest_search(), Duration::from_secs(30));
    assert_eq!(plan.rounds.slice, Duration::from_millis(500));
    // 128 rounds of 10 s would be too short slices; a search has none.
    assert!(search("count = 128, duration = \"10s\"").is_ok());
    let refused = |rounds: &str| search(rounds).expect_err("a wrong plan").to_string();
    let short = refused("duration = \"5s\"");
    assert!(short.contains("set at least 6s"), "{short}");
    let both = refused("duration = \"30s\", slice = \"1s\"");
    assert!(
        both.contains("at most 60 slices, 1m with slices of 1s"),
        "{both}"
    );
}

#[test]
fn the_forecast_adds_up() {
    let mut plan = plan(2, 3, 2, 1);
    plan.rounds.slice = Duration::from_secs(2);
    plan.rounds.lead = Duration::from_millis(100);
    plan.rounds.gap = Duration::from_millis(10);
    plan.rounds.warmup = Duration::from_secs(1);
    plan.rounds.probes = Probes::None;
    // 24 slices, 23 pauses, 6 warm-ups.
    let without = Duration::from_millis(24 * 2100 + 23 * 10 + 6 * 1000);
    assert_eq!(plan.forecast(), without);
    plan.rounds.probes = Probes::Auto;
    let probes = plan.limit_probes(4);
    // Two loads of each workload on each target; together at most a tenth of the measured time.
    assert_eq!(probes.len(), 3 * 2 * 2);
    let with = plan.forecast();
    assert!(with > without && with <= without + Duration::from_millis(24 * 200));
    let after = plan.times_after_rounds(4);
    assert_eq!(after.len(), probes.len());
    assert_eq!(with, without + after.iter().sum::<Duration>());
    let connections: Vec<usize> = probes.iter().map(|it| it.connections).take(4).collect();
    let planned = plan.workloads[0].load.connections;
    assert_eq!(connections, [1, 1, 2 * planned, 2 * planned]);
}

#[test]
fn probes_of_other_loads_are_left_out_where_they_tell_nothing() {
    let long = || {
        let mut plan = plan(2, 1, 8, 1);
        plan.rounds.slice = Duration::from_secs(2);
        plan
    };
    assert!(!long().limit_probes(16).is_empty());
    let without = |change: fn(&mut Plan)| {
        let mut plan = long();
        change(&mut plan);
        assert_eq!(plan.limit_probes(plan.rounds.count), []);
    };
    without(|plan| plan.rounds.probes = Probes::None);
    without(|plan| plan.rounds.slice = Duration::from_millis(150));
    without(|plan| plan.workloads[0].load.pace = Pace::Constant { per_second: 100.0 });
    without(|plan| plan.workloads[0].load.requests = Some(100));
    let mut one = long();
    one.workloads[0].load.connections = 1;
    let probes = one.limit_probes(16);
    assert!(probes.iter().all(|it| it.connections == 2), "{probes:?}");
}

#[test]
fn targets_that_a_command_starts_are_started_again_in_each_block() {
    let of = |rounds: &str, target: &str, workload: &str| {
        resolve(&format!(
            "[rounds]\ncount = 8\nslice = \"2s\"\nlead = \"0s\"\ngap = \"0s\"\nwarmup = \"1s\"\nprobes = \"none\"\n{rounds}\n\
             [[target]]\nname = \"a\"\ncommand = \"server {{port}}\"\n[[target]]\nname = \"b\"\n{target}\n\
             [[workload]]\nkind = \"http\"\n{workload}\n"
        ))
    };
    let launched = "command = \"server {port}\"";
    let plan = of("", launched, "").expect("a right plan");
    assert_eq!(
        (plan.rounds.relaunch, plan.relaunch()),
        (Relaunch::Auto, Relaunch::Block)
    );
    // 16 slices; 2 warm-ups at the start and in each of the 3 following blocks.
    assert_eq!(plan.forecast(), Duration::from_secs(32 + 8));

    let never = |rounds: &str, target: &str, workload: &str| {
        let plan = of(rounds, target, workload).expect("a right plan");
        assert_eq!(plan.relaunch(), Relaunch::Never);
        plan.forecast()
    };
    assert_eq!(
        never("relaunch = \"never\"", launched, ""),
        Duration::from_secs(34)
    );
    never("relaunch = false", launched, "");
    never("", "url = \"http://h:1\"", "");
    never("", launched, "load = { slo = \"p99<10ms\" }");

    for (word, meant, seconds) in [
        ("true", Relaunch::Slice, 48),
        ("\"block\"", Relaunch::Block, 40),
    ] {
        let plan = of(&format!("relaunch = {word}"), launched, "").expect("a right plan");
        assert_eq!(plan.relaunch(), meant);
        assert_eq!(plan.forecast(), Duration::from_secs(seconds), "{word}");
    }
    let refused = of("relaunch = \"block\"", "url = \"http://h:1\"", "").expect_err("not started");
    assert!(
        refused.to_string().contains("not started by a command"),
        "{refused}"
    );
}

proptest! {
    #[test]
    fn every_round_has_every_target_once(
        targets in 1usize..9, workloads in 1usize..4, blocks in 1u32..4, seed: u64,
    ) {
        let plan = plan(targets, workloads, blocks, seed);
        let turns = schedule(&plan);
        prop_assert_eq!(turns.len(), targets * workloads * plan.rounds.count as usize);
        let mut seen = BTreeMap::<(usize, u32), BTreeSet<usize>>::new();
        for turn in &turns {
            prop_assert_eq!(turn.block, turn.round / plan.rounds_per_block());
            prop_assert!(seen.entry((turn.workload, turn.round)).or_default().insert(turn.target));
        }
        prop_assert!(seen.values().all(|round| round.len() == targets));
    }

    #[test]
    fn squares_are_balanced_in_position_and_carry_over(targets in 3usize..12, seed: u64) {
        let turns = schedule(&plan(targets, 1, 1, seed));
        let mut positions = BTreeMap::<(usize, usize), u32>::new();
        let mut neighbours = BTreeMap::<(usize, usize), u32>::new();
        for round in turns.chunks(targets) {
            for (position, turn) in round.iter().enumerate() {
                *positions.entry((position, turn.target)).or_default() += 1;
            }
            for pair in round.windows(2) {
                *neighbours.entry((pair[0].target, pair[1].target)).or_default() += 1;
            }
        }
        let each = if targets % 2 == 0 { 1 } else { 2 };
        prop_assert_eq!(positions.len(), targets * targets);
        prop_assert!(positions.values().all(|&count| count == each));
        prop_assert_eq!(neighbours.len(), targets * (targets - 1));
        prop_assert!(neighbours.values().all(|&count| count == each));
    }

    #[test]
    fn the_same_seed_gives_the_same_order(targets in 1usize..6, seed: u64) {
        prop_assert_eq!(schedule(&plan(targets, 2, 2, seed)), schedule(&plan(targets, 2, 2, seed)));
    }
}
