//! A plan with all steps from documents to report, on a real Groonga: Tenbin starts, loads, checks,
//! restarts and measures the nodes.

mod common;

use std::path::PathBuf;
use std::time::Duration;

use common::{Running, Scratch, Server, Tenbin, path_of, wait_until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

const PAGES: u64 = 60;

/// Creates a script that prints `started` and starts a Groonga with its own address and directory.
fn script(scratch: &Scratch) -> String {
    let groonga = path_of(Server::Groonga);
    scratch.write(
        "groonga.sh",
        format!(
            "set -eu\nhost=$1 port=$2 data=$3\necho started\n\
             [ -e $data/db ] || {groonga} -n $data/db quit > /dev/null\n\
             exec {groonga} -s --protocol http --bind-address $host --port $port \
             --log-path $data/groonga.log $data/db\n",
            groonga = groonga.display()
        ),
    )
}

fn corpus() -> String {
    format!("[corpus]\nsynthetic = {PAGES}\ntext_limit = 200\ndirectory = \"pages\"\nterms = 20\n")
}

fn workload() -> &'static str {
    "[[workload]]\nname = \"search\"\nkind = \"http\"\npatterns = \"{corpus}\"\nhits = \"groonga\"\n"
}

fn target(scratch: &Scratch, name: &str, nodes: u32) -> String {
    format!(
        "[[target]]\nname = \"{name}\"\nnodes = {nodes}\ncorpus = \"groonga\"\n\
         cluster = \"replicas\"\ncommand = \"sh {} {{host}} {{port}} {{data}}\"\n",
        script(scratch)
    )
}

fn run_directory(scratch: &Scratch) -> PathBuf {
    let runs = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    let newest = runs.map(|run| run.expect("an entry").path()).max();
    newest.expect("a run")
}

fn result(scratch: &Scratch) -> Value {
    let text = std::fs::read(run_directory(scratch).join("result.json"));
    serde_json::from_slice(&text.expect("result.json")).expect("JSON")
}

/// Fails unless each result lists its slowest requests, also when shown.
#[track_caller]
fn expect_slow_requests(scratch: &Scratch, results: &[Value]) {
    for side in results {
        let slow = side["slow_requests"].as_array().expect("slow requests");
        assert!(!slow.is_empty(), "{side:#}");
        for request in slow {
            let path = request["request"].as_str().unwrap_or_default();
            assert!(path.starts_with("GET /"), "{request}");
            assert_eq!(request["status"], 200, "{request}");
        }
    }
    let listed = Tenbin::line(scratch, "show last --section slow").run();
    listed
        .expect_stdout("The slowest requests with a correct response")
        .expect_stdout("GET /");
}

#[test]
fn one_plan_goes_from_pages_to_what_a_node_is_worth() {
    let scratch = Scratch::new("search-plan");
    // The pages of `search data` match the `[corpus]` of the plan, so the plan reuses them.
    let pages = PAGES.to_string();
    let by_hand = [
        "search", "data", "--synthetic", &pages, "--text-limit", "200",
    ];
    Tenbin::new(&scratch, [&by_hand[..], &["--out", "pages"]].concat())
        .run()
        .expect_code(0);
    let plan = scratch.write(
        "plan.toml",
        format!(
            "[rounds]\ncount = 2\nslice = \"200ms\"\nwarmup = \"100ms\"\ngap = \"10ms\"\n\
             relaunch = true\n[load]\nconnections = 2\n{}{}{}{}",
            corpus(),
            target(&scratch, "one", 1),
            target(&scratch, "two", 2),
            workload()
        ),
    );
    let run = Tenbin::new(&scratch, ["run", &plan]);
    let run = run.within(Duration::from_secs(240)).run();
    run.expect_measured();
    run.expect_stderr("are reused")
        .expect_stdout("replicas")
        .expect_stdout("node 2 (two)");
    scratch.expect_nobody_left(Duration::from_secs(10));

    let result = result(&scratch);
    let ladder = &result["nodes"][0];
    assert_eq!(ladder["cluster"], "replicas");
    assert_eq!(ladder["workload"], "search");
    let steps = ladder["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 1, "the baseline is a size of the cluster");
    assert_eq!(steps[0]["target"], "two");
    assert_eq!(steps[0]["against"], "one");
    assert_eq!(
        (&steps[0]["nodes"], &steps[0]["against_nodes"]),
        (&2.into(), &1.into())
    );
    for name in ["one", "two"] {
        let known = &result["environment"]["targets"][name];
        assert_eq!(known["records"], PAGES, "{known}");
        assert_eq!(known["relaunched"], true, "{known}");
    }
    let rules: Vec<&str> = result["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|finding| finding["rule"].as_str())
        .collect();
    for rule in ["unequal_hits", "no_hits", "changed_answers", "errors"] {
        assert!(!rules.contains(&rule), "{run}");
    }
    let results = result["results"].as_array().expect("results");
    let two = results.iter().find(|side| side["target"] == "two");
    let hosts = two.expect("the second target")["hosts"]
        .as_array()
        .expect("hosts");
    assert_eq!(hosts.len(), 2, "{hosts:?}");
    expect_slow_requests(&scratch, results);
    for slice in result["slices"].as_array().expect("slices") {
        assert!(slice["ok"].as_u64().expect("a count") > 0, "{slice}");
    }

    let logs = run_directory(&scratch).join("targets");
    for log in ["one@1.log", "two@1.log", "two@2.log"] {
        let text = std::fs::read_to_string(logs.join(log)).expect(log);
        let starts = text.lines().filter(|line| *line == "started").count();
        assert!(
            starts >= 3,
            "once for the pages, once for each slice: {log} {text}"
        );
    }
    let kept = std::fs::read_to_string(run_directory(&scratch).join("plan.toml"));
    assert!(kept.expect("plan.toml").contains("relaunch = \"slice\""));
}

/// Starts a long run on a target of two nodes, and waits until slices are recorded.
fn two_nodes_at_work(scratch: &Scratch) -> Running {
    let plan = scratch.write(
        "plan.toml",
        format!(
            "[rounds]\ncount = 2000\nslice = \"200ms\"\nwarmup = \"100ms\"\ngap = \"10ms\"\n\
             [load]\nconnections = 2\n{}{}{}",
            corpus(),
            target(scratch, "two", 2),
            workload()
        ),
    );
    let run = Tenbin::new(scratch, ["run", &plan]);
    let mut run = run.within(Duration::from_secs(240)).start();
    let lines = || {
        let runs = std::fs::read_dir(scratch.path().join("runs")).ok();
        let mut runs = runs.into_iter().flatten().flatten();
        let intervals = runs.next().map(|run| run.path().join("intervals.jsonl"));
        let text = intervals.and_then(|path| std::fs::read_to_string(path).ok());
        text.map_or(0, |text| text.lines().count())
    };
    run.wait_until(Duration::from_secs(120), || lines() > 8);
    run
}

fn node_at(scratch: &Scratch, host: &str) -> Pid {
    let listening = format!("--bind-address {host} ");
    let processes = scratch.alive().into_iter();
    let mut nodes = processes.filter(|process| {
        process.command.contains(&listening) && !process.command.contains(" guard ")
    });
    let node = nodes.next().expect("the node is there");
    Pid::from_raw(node.pid.cast_signed())
}

#[test]
fn a_node_that_is_killed_ends_the_run_and_what_there_is_is_kept() {
    let scratch = Scratch::new("search-node");
    let run = two_nodes_at_work(&scratch);
    kill(node_at(&scratch, "127.0.0.2"), Signal::SIGKILL).expect("the node is there");
    let run = run.wait(Duration::from_secs(120));
    run.expect_code(4)
        .expect_stderr("two")
        .expect_stderr("127.0.0.2")
        .expect_stderr("the results so far are kept");
    scratch.expect_nobody_left(Duration::from_secs(10));
    let result = result(&scratch);
    assert_eq!(result["run"]["complete"], false);
    let slices = result["slices"].as_array().expect("slices");
    assert!(!slices.is_empty());
}

#[test]
fn no_node_outlives_a_tenbin_that_is_killed() {
    let scratch = Scratch::new("search-killed");
    let run = two_nodes_at_work(&scratch);
    let nodes = ["127.0.0.1", "127.0.0.2"].map(|host| node_at(&scratch, host));
    run.signal(Signal::SIGKILL);
    for node in nodes {
        let gone = wait_until(Duration::from_secs(30), || kill(node, None).is_err());
        assert!(gone, "node {node} is still there");
    }
    scratch.expect_nobody_left(Duration::from_secs(10));
}

#[test]
fn quickstart_compares_groonga_with_and_without_its_cache() {
    let scratch = Scratch::new("quickstart-search");
    let run = Tenbin::new(&scratch, ["quickstart", "search", "--rounds", "12"])
        .within(Duration::from_secs(150))
        .run();
    run.expect_measured();
    run.expect_stdout("cached is FASTER than uncached")
        .expect_stdout("why: uncached is slower than cached: ");
    scratch.expect_nobody_left(Duration::from_secs(10));
    let result = result(&scratch);
    let hits = |target: &str| {
        let mut results = result["results"].as_array().expect("results").iter();
        let own = results.find(|it| it["target"] == target);
        own.and_then(|it| it["cache"]["observed"].as_f64())
    };
    assert_eq!(hits("uncached"), Some(0.0));
    assert!(hits("cached").is_some_and(|share| share > 0.9), "{run}");
}

#[test]
fn quickstart_says_how_to_install_a_missing_groonga() {
    let scratch = Scratch::new("quickstart-search-missing");
    let path = format!("PATH={}", scratch.path().display());
    let run = Tenbin::new(&scratch, ["quickstart", "search"])
        .inside(&["env", &path])
        .run();
    run.expect_code(3)
        .expect_stderr("apt install groonga-bin (Debian, Ubuntu)");
    assert!(!scratch.path().join("runs").exists(), "{run}");
}
