//! Baseline, twin, margin, precision, expectations and sweeps.

mod support;

use std::path::Path;
use std::time::Duration;

use support::resolve;
use tenbin_plan::{Demand, Draft, Plan, Reach, schedule};

const TWO: &str = "[[target]]\nname = \"old\"\nurl = \"http://h:1\"\n\
                   [[target]]\nname = \"new\"\nbuiltin = \"http\"\n";
const RATE: &str = "[workload.load]\nrate = \"10/s\"\n";
const WORKLOAD: &str = "[[workload]]\nkind = \"http\"\nname = \"get\"\n";

fn plan(text: &str) -> Plan {
    resolve(text).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"))
}

fn with(head: &str) -> String {
    format!("{head}\n{TWO}{WORKLOAD}")
}

fn refusal(text: &str) -> String {
    resolve(text).expect_err(text).to_string()
}

/// Resolves a plan, and checks that its printed text resolves to the same plan.
fn repeated(text: &str) -> Plan {
    let once = plan(text);
    let printed = once.to_toml();
    let again = plan(&printed);
    assert_eq!(again, once, "{printed}");
    assert_eq!(again.to_toml(), printed);
    once
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.targets.iter().map(|it| it.name.as_str()).collect()
}

#[test]
fn the_first_is_the_baseline_unless_another_is_named() {
    let usual = repeated(&with(""));
    assert_eq!(usual.baseline().unwrap().name, "old");
    let other = repeated(&with("baseline = \"new\""));
    assert_eq!(other.baseline().unwrap().name, "new");
    assert_eq!(names(&other), ["old", "new"]);
    let challengers: Vec<&str> = other.challengers().map(|it| it.name.as_str()).collect();
    assert_eq!(challengers, ["old"]);
    assert_eq!(
        refusal(&with("baseline = \"nwe\"")),
        "plan.toml:1:12: baseline: there is no target \"nwe\" among old, new; did you mean \"new\"?"
    );
}

#[test]
fn the_anchor_is_a_target_that_others_are_divided_by() {
    assert_eq!(plan(&with("")).anchor(), None);
    let anchored = repeated(&with("anchor = \"new\""));
    assert_eq!(anchored.anchor().unwrap().name, "new");
    assert_eq!(anchored.baseline().unwrap().name, "old");
    let unknown = refusal(&with("anchor = \"nwe\""));
    assert!(unknown.contains("did you mean \"new\"?"), "{unknown}");
    let one = format!("anchor = \"a\"\n[[target]]\nname = \"a\"\nbuiltin = \"http\"\n{WORKLOAD}");
    let alone = refusal(&one);
    assert!(alone.contains("\"a\" is the only target"), "{alone}");
}

#[test]
fn the_deciding_figure_is_one_that_every_target_and_workload_has() {
    assert_eq!(plan(&with("")).comparing.decide, None);
    for name in ["throughput", "mean", "p95", "p99.9", "bandwidth"] {
        let plan = repeated(&with(&format!("decide = \"{name}\"")));
        assert_eq!(plan.comparing.decide.unwrap().to_string(), name);
    }
    let unobserved = refusal(&with("decide = \"cpu\""));
    assert!(
        unobserved.contains("target \"old\" is not observed"),
        "{unobserved}"
    );
    let observed =
        with("decide = \"cpu\"").replacen("h:1\"\n", "h:1\"\nobserve = { port = true }\n", 1);
    repeated(&observed);
    let fact = refusal(&with("decide = \"errors\""));
    assert!(
        fact.contains("errors of two targets has no ratio"),
        "{fact}"
    );
    let wrong = refusal(&with("decide = \"cpus\""));
    assert!(wrong.contains("did you mean \"cpu\"?"), "{wrong}");
    let open = refusal(&(with("decide = \"throughput\"") + RATE));
    assert!(open.contains("\"get\" has a rate"), "{open}");
    repeated(&(with("decide = \"p99\"") + RATE));
}

#[test]
fn a_twin_is_the_baseline_again_and_decides_how_many_rounds_there_are() {
    let plan = repeated(&with("aa = true\nbaseline = \"new\""));
    assert_eq!(names(&plan), ["old", "new", "new-twin"]);
    assert_eq!(plan.twin().unwrap().reach, plan.baseline().unwrap().reach);
    assert_eq!(plan.challengers().count(), 1);
    // Six Williams squares of three targets.
    assert_eq!(plan.rounds.count, 36);
    let rounded = self::plan(&with("aa = true\n[rounds]\ncount = 16"));
    assert_eq!(rounded.rounds.count, 18);
    assert!(refusal(&with("aa = 1")).contains("aa: 1 is neither true nor false"));
}

#[test]
fn a_twin_gets_a_name_that_is_free() {
    let text = "aa = true\n[[target]]\nname = \"a\"\nbuiltin = \"http\"\n\
                [[target]]\nname = \"a-twin\"\nbuiltin = \"http\"\n";
    let plan = repeated(&format!("{text}{WORKLOAD}"));
    assert_eq!(names(&plan), ["a", "a-twin", "a-twin-2"]);
    let one = format!("aa = true\n[[target]]\nname = \"a\"\nbuiltin = \"http\"\n{WORKLOAD}");
    let plan = repeated(&one);
    assert_eq!((plan.rounds.count, plan.challengers().count()), (16, 0));
}

#[test]
fn the_margin_is_a_percentage() {
    assert_eq!(plan(&with("")).comparing.margin.share(), 0.05);
    let plan = repeated(&with("margin = \"2.5 %\""));
    assert_eq!(plan.comparing.margin.to_string(), "2.5%");
    for (line, wrong) in [
        ("margin = \"5\"", "has no percent sign"),
        ("margin = 5", "5 is not text"),
        ("margin = \"0%\"", "is not between 0.1% and 100%"),
    ] {
        let found = refusal(&with(line));
        assert!(found.contains(wrong), "{found}");
    }
}

#[test]
fn a_run_that_ends_by_precision_has_fewest_and_most_rounds() {
    let plan = repeated(&with(
        "[rounds]\ncount = 12\nuntil = \"±2%\"\nslice = \"1s\"",
    ));
    let until = plan.rounds.until.unwrap();
    assert_eq!((plan.rounds.count, until.most), (12, 96));
    assert_eq!(schedule(&plan).len(), 2 * 96);
    assert_eq!(until.within().unwrap().share(), 0.02);
    assert!(plan.shortest() * 7 < plan.forecast());
    assert!(plan.shortest() > Duration::from_secs(24));
    let fixed = repeated(&with(""));
    assert_eq!(fixed.shortest(), fixed.forecast());
    for (lines, wrong) in [
        ("max_count = 32", "max_count: requires until (--until)"),
        (
            "until = \"2%\"\nmax_count = 8",
            "max_count: 8 is below the minimum number of rounds, 16",
        ),
        ("until = \"2\"", "until: \"2\" has no percent sign"),
        ("until = \"80%\"", "is not between 0.01% and 50%"),
        ("max_rounds = 8", "did you mean \"max_count\"?"),
    ] {
        let found = refusal(&with(&format!("[rounds]\n{lines}")));
        assert!(found.contains(wrong), "{lines}: {found}");
    }
}

#[test]
fn expectations_are_about_targets_and_workloads_that_there_are() {
    let plan = repeated(&with(
        "expect = [\"p99 < 20ms\", \"new:throughput>0.95x baseline\", \"old:get:errors<0.1%\"]\n\
         fail_if = \"new:p99>2x baseline\"",
    ));
    let printed: Vec<String> = plan
        .comparing
        .expect
        .iter()
        .map(|it| it.to_string())
        .collect();
    assert_eq!(
        printed,
        [
            "p99<20ms",
            "new:throughput>0.95x baseline",
            "old:get:errors<0.1%",
            "new:p99>2x baseline"
        ]
    );
    let demands = plan.comparing.expect.iter().map(|each| each.demand);
    let fail_if = demands.filter(|demand| *demand == Demand::FailIf);
    assert_eq!(fail_if.count(), 1);
    assert_eq!(plan.comparing.expect[2].workload.as_deref(), Some("get"));
    let one = plan_of_one("expect = \"max<1s\"");
    assert_eq!(one.comparing.expect.len(), 1);
    for (line, wrong) in [
        (
            "expect = \"nwe:p99<1s\"",
            "names \"nwe\", which is no target or workload; there are old, new, get; did you mean \"new\"?",
        ),
        ("expect = \"old:new:p99<1s\"", "names two of a kind"),
        (
            "expect = [\"p99<1s\", \"p99<1\"]",
            "plan.toml:1:21: expect: \"1\" has no unit",
        ),
        (
            "expect = \"old:p99<2x baseline\"",
            "compares \"old\" with itself: it is the baseline",
        ),
        ("expect = 5", "5 is not text"),
    ] {
        let found = refusal(&with(line));
        assert!(found.contains(wrong), "{line}: {found}");
    }
    let alone = format!(
        "expect = \"p99<2x baseline\"\n[[target]]\nname = \"a\"\nbuiltin = \"http\"\n{WORKLOAD}"
    );
    assert!(refusal(&alone).contains("add a second target"));
}

fn plan_of_one(head: &str) -> Plan {
    repeated(&format!(
        "{head}\n[[target]]\nname = \"a\"\nbuiltin = \"http\"\n{WORKLOAD}"
    ))
}

fn swept(lines: &str) -> String {
    format!(
        "[[target]]\nname = \"web\"\ncommand = \"web -p {{port}} -w {{workers}}\"\n{lines}\n{WORKLOAD}"
    )
}

#[test]
fn a_sweep_makes_a_target_of_each_value() {
    let plan = repeated(&swept(
        "sweep.workers = [1, 2, 4]\nenv = { N = \"{workers}\" }",
    ));
    assert_eq!(
        names(&plan),
        ["web@workers=1", "web@workers=2", "web@workers=4"]
    );
    let Reach::Launched(launch) = &plan.targets[1].reach else {
        panic!("it is launched");
    };
    assert_eq!(launch.command, ["web", "-p", "{port}", "-w", "2"]);
    assert_eq!(launch.env["N"], "2");
    // The fewest squares with which a difference can be significant among two hypotheses.
    assert_eq!(plan.rounds.count, 7 * 6);
    let point = plan.targets[2].sweep.as_ref().unwrap();
    assert_eq!(
        (point.of.as_str(), point.to_string().as_str()),
        ("web", "workers=4")
    );
}

#[test]
fn several_sweeps_multiply_and_any_point_is_a_baseline() {
    let lines = "command = [\"web\", \"{workers}\", \"{mode}\", \"{port}\"]\n\
                 sweep = { workers = [1, 2], mode = [\"on\", \"off/x\"] }\n";
    let target = format!("[[target]]\nname = \"web\"\n{lines}{WORKLOAD}");
    let text = format!("baseline = \"web@mode=off-x@workers=2\"\naa = true\n{target}");
    let plan = repeated(&text);
    assert_eq!(
        names(&plan),
        [
            "web@mode=on@workers=1",
            "web@mode=on@workers=2",
            "web@mode=off-x@workers=1",
            "web@mode=off-x@workers=2",
            "web@mode=off-x@workers=2-twin",
        ]
    );
    assert_eq!(plan.twin().unwrap().sweep, None);
    let Reach::Launched(launch) = &plan.twin().unwrap().reach else {
        panic!("it is launched");
    };
    assert_eq!(launch.command, ["web", "2", "off/x", "{port}"]);
}

#[test]
fn wrong_sweeps_are_refused() {
    for (lines, wrong) in [
        ("sweep.workers = []", "sweep: workers has no values"),
        (
            "sweep.workers = [1, 1]",
            "has the same name as another value",
        ),
        (
            "sweep.workers = [\"a/b\", \"a-b\"]",
            "has the same name as another value",
        ),
        ("sweep.workers = [\"{port}\"]", "has a brace in it"),
        ("sweep.Workers = [1]", "is not a name for a placeholder"),
        ("sweep.port = [1]", "{port} is another placeholder"),
        (
            "sweep.workers = [1]\nsweep.threads = [1]",
            "{threads} is missing from command, env, url and ready",
        ),
        ("", "unknown placeholder {workers}"),
        (
            "sweep = 4",
            "invalid type: integer `4`, expected a table such as { workers = [1, 2, 4] }",
        ),
        (
            "url = \"http://h:{workers}/\"\nsweep.workers = [\"x\"]",
            "http://h:x/",
        ),
    ] {
        let found = refusal(&swept(lines));
        assert!(found.contains(wrong), "{lines}: {found}");
    }
    let values = |n: u32| {
        (0..n)
            .map(|it| it.to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let many = swept(&format!("sweep.workers = [{}]", values(33)));
    assert!(
        refusal(&many)
            .contains("has 33 combinations, each a target that runs throughout; the maximum is 32")
    );
    let there =
        format!("[[target]]\nname = \"a\"\nurl = \"http://h:1\"\nsweep.workers = [1]\n{WORKLOAD}");
    assert!(refusal(&there).contains("sweep: is for a target that has a command"));
}

#[test]
fn no_sweep_and_no_condition_makes_resolving_panic() {
    for text in [
        "aa = true\nbaseline = \"x\"\n".to_owned(),
        "aa = true\nexpect = \"p99<1s\"".to_owned(),
        "expect = \"<\"".to_owned(),
        "expect = \":::<\"".to_owned(),
        format!("margin = \"%\"\n{TWO}"),
        swept("sweep.workers = [[1]]"),
        swept("sweep.workers = [1979-05-27]"),
    ] {
        let draft = Draft::from_toml(&text, Path::new("plan.toml"));
        let resolved = draft.and_then(|draft| draft.resolve(&mut support::world(&[], &[])));
        assert!(resolved.is_err(), "{text}");
    }
}

const TWO_WORKLOADS: &str = "[[target]]\nname = \"web\"\nurl = \"http://h:1\"\n\
    [[workload]]\nkind = \"http\"\nname = \"kept\"\n\
    [[workload]]\nkind = \"http\"\nname = \"closed\"\nload = { keep_alive = false }\n";

/// A plan with this number of targets, and with `keys` before the targets.
fn with_targets(keys: &str, targets: usize, workloads: &str) -> String {
    let mut text = keys.to_owned();
    for at in 0..targets {
        text += &format!(
            "[[target]]\nname = \"t{at}\"\nurl = \"http://h:{}\"\n",
            at + 1
        );
    }
    text + workloads
}

const SWEEP: &str = "[[workload]]\nkind = \"http\"\nname = \"get\"\n\
    load = { ramp = \"1,2,3,4,6,8,12,16,24,32,64\" }\n";
const GET: &str = "[[workload]]\nkind = \"http\"\nname = \"get\"\n";

#[test]
fn the_levels_of_a_sweep_are_one_question() {
    let plan = repeated(&with_targets("", 4, SWEEP));
    assert_eq!(plan.workloads.len(), 11);
    assert_eq!(plan.hypotheses(), 3);
    assert_eq!(plan.rounds.count, 28);
    assert_eq!(plan.fewest_rounds(), Some(28));
    // Written as separate workloads, the levels are the same hypothesis.
    let each = [1, 2, 4].map(|n| {
        format!("[[workload]]\nkind = \"http\"\nname = \"c{n}\"\nload = {{ connections = {n} }}\n")
    });
    let plan = repeated(&with_targets("", 4, &each.concat()));
    assert_eq!((plan.hypotheses(), plan.rounds.count), (3, 28));
    // Two levels have no optimum between them, so each level is a hypothesis.
    let plan = repeated(&with_targets("", 4, &each[..2].concat()));
    assert_eq!((plan.hypotheses(), plan.rounds.count), (6, 32));
    let plan = repeated(&with_targets("aa = true\n", 2, GET));
    assert_eq!((plan.hypotheses(), plan.rounds.count), (1, 36));
    assert_eq!(repeated(&with_targets("", 1, SWEEP)).hypotheses(), 0);
}

#[test]
fn a_slow_target_lengthens_slices_of_the_same_requests() {
    let s3 = |operation: &str| {
        let target = |name| format!("[[target]]\nname = {name:?}\nbuiltin = \"s3-memory\"\n");
        let work =
            format!("[[workload]]\nkind = \"s3\"\nname = \"w\"\noperation = {operation:?}\n");
        plan(&format!(
            "[rounds]\ncount = 12\n{}{}{work}",
            target("a"),
            target("b")
        ))
    };
    let get = s3("get");
    // 24 slices of 2.2 s last 1.5 times longer at most.
    let more = Duration::from_millis(24 * 2_200 * 3 / 2);
    assert_eq!(get.longest(), Some(get.forecast() + more));
    assert_eq!(s3("put").longest(), None);
    assert_eq!(plan(&with_targets("", 2, GET)).longest(), None);
}

#[test]
fn a_fixed_rate_has_a_longest_time_for_targets_that_cannot_keep_up() {
    let times = |load: &str| {
        let work = format!("{GET}\n[workload.load]\n{load}\n");
        let plan = plan(&with_targets("[rounds]\ncount = 12\n", 2, &work));
        let longer = plan.longest_if_behind();
        (longer.map(|longer| longer - plan.forecast()), plan.rounds)
    };
    let (more, rounds) = times("rate = \"100/s\"\ntimeout = \"30s\"");
    // Every slice and every warm-up lasts twice as long.
    let slice = rounds.lead + rounds.slice;
    assert_eq!(more, Some(2 * (12 * slice + rounds.warmup)));
    let (more, _) = times("rate = \"100/s\"\ntimeout = \"1s\"");
    assert_eq!(more, Some(Duration::from_secs(2 * 13)));
    assert_eq!(times("connections = 4").0, None);
}

#[test]
fn rounds_are_rounded_up_to_whole_blocks() {
    for (targets, keys, asked, rounds) in [
        (2, "", 15, 16),
        (2, "", 16, 16),
        (2, "aa = true\n", 16, 18),
        (3, "", 8, 12),
        (4, "", 25, 28),
    ] {
        let text = with_targets(&format!("{keys}[rounds]\ncount = {asked}\n"), targets, GET);
        let plan = plan(&text);
        assert_eq!(plan.rounds.count, rounds, "{asked} with {targets} targets");
        let expected = (asked != rounds).then_some(asked);
        assert_eq!(plan.rounds.asked, expected);
        assert_eq!(schedule(&plan).len(), plan.targets.len() * rounds as usize);
    }
    let text = "[rounds]\nuntil = \"2%\"\nmax_count = 33\n";
    let plan = repeated(&with_targets(text, 2, GET));
    assert_eq!(plan.rounds.most(), 34);
}

#[test]
fn a_gate_draws_the_order_of_each_block_and_has_its_own_rounds() {
    let plan = repeated(&with_targets(
        "seed = 3\n[gate]\nfigures = [\"throughput\", \"p99=10%\"]\n",
        2,
        GET,
    ));
    assert_eq!((plan.rounds.count, plan.rounds.most()), (10, 80));
    assert_eq!(plan.rounds.slice, Duration::from_secs(1));
    let order: Vec<usize> = schedule(&plan).iter().map(|turn| turn.target).collect();
    let quads: Vec<&[usize]> = order.chunks(4).collect();
    let of = |quad: [usize; 4]| quads.iter().filter(|it| ***it == quad).count();
    let (abba, baab) = (of([0, 1, 1, 0]), of([1, 0, 0, 1]));
    assert_eq!(abba + baab, 40);
    assert!((10..=30).contains(&abba), "{abba}");
}

#[test]
fn workloads_of_one_target_are_compared_in_abba_quads() {
    let plan = repeated(&format!(
        "[compare]\nworkloads = [\"kept\", \"closed\"]\n{TWO_WORKLOADS}"
    ));
    assert_eq!((plan.rounds.count, plan.rounds_per_block()), (16, 2));
    let order: Vec<usize> = schedule(&plan).iter().map(|turn| turn.workload).collect();
    assert_eq!(order.len(), 32);
    let (a, b) = (order[0], order[1]);
    assert_ne!(a, b);
    for quad in order.chunks(4) {
        assert_eq!(quad, [a, b, b, a]);
    }
    let blocks: Vec<u32> = schedule(&plan).iter().map(|turn| turn.block).collect();
    assert_eq!(&blocks[..8], [0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn workloads_of_two_targets_are_compared_on_each_and_targets_at_each() {
    let text = format!("[compare]\nworkloads = [\"kept\", \"closed\"]\n{TWO_WORKLOADS}").replacen(
        "[[workload]]",
        "[[target]]\nname = \"other\"\nbuiltin = \"http\"\n[[workload]]",
        1,
    );
    let plan = repeated(&text);
    let turns = schedule(&plan);
    let of = |pick: &dyn Fn(&tenbin_plan::Turn) -> Option<usize>| -> Vec<usize> {
        turns
            .iter()
            .filter(|turn| turn.block == 0)
            .filter_map(pick)
            .collect()
    };
    for target in [0, 1] {
        let order = of(&|turn| (turn.target == target).then_some(turn.workload));
        assert_eq!([order[0], order[1]], [order[3], order[2]], "{order:?}");
    }
    for workload in [0, 1] {
        let order = of(&|turn| (turn.workload == workload).then_some(turn.target));
        assert_eq!([order[0], order[1]], [order[3], order[2]], "{order:?}");
    }
}

#[test]
fn workloads_that_cannot_be_compared_are_refused() {
    let with = |list: &str| refusal(&format!("[compare]\nworkloads = {list}\n{TWO_WORKLOADS}"));
    assert!(with("[\"kept\"]").contains("needs at least two workloads"));
    assert!(with("[\"kept\", \"kpet\"]").contains("did you mean \"kept\"?"));
    assert!(with("[\"kept\", \"kept\"]").contains("is listed twice; remove one"));
    let open = TWO_WORKLOADS.replace("keep_alive = false", "rate = \"10/s\"");
    let mixed = format!("[compare]\nworkloads = [\"kept\", \"closed\"]\n{open}");
    assert!(refusal(&mixed).contains("workloads of one kind"));
}
