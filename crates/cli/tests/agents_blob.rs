//! Blobs that several agents put, read and delete together: every target gets the same requests,
//! and nothing is left, also after an agent was lost.
#![cfg(target_os = "linux")]

mod common;
#[allow(dead_code, reason = "some helpers are for runs without agents")]
#[path = "blob/stand.rs"]
mod stand;

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use common::{
    ACCESS, Agents, Outcome, Running, SECRET, Scratch, Server, Store, Tenbin, free_port, path_of,
    tied, wait_until,
};
use nix::sys::signal::Signal;
use serde_json::Value;
use stand::{Blobs, errors_found, failed, failures, ok, steps};

const LIMIT: Duration = Duration::from_secs(180);

/// Starts `tenbin blob` with two agents.
fn start(scratch: &Scratch, agents: &Agents, targets: &[&str], options: &str) -> Running {
    let words = ["blob", "--json", "--seed", "7", "--gap", "0s"];
    let words = words.into_iter().chain(options.split_whitespace());
    let targets = targets.iter().flat_map(|target| ["--target", *target]);
    let agents = agents.options(2);
    let words: Vec<&str> = words
        .chain(targets)
        .chain(agents.iter().map(String::as_str))
        .collect();
    let has_keys = options.contains("--store");
    let keys = [("TENBIN_ACCESS_KEY", ACCESS), ("TENBIN_SECRET_KEY", SECRET)];
    let keys = keys.into_iter().filter(|_| has_keys);
    let command = Tenbin::new(scratch, words).within(LIMIT);
    keys.fold(command, |command, (name, value)| command.env(name, value))
        .start()
}

fn run(scratch: &Scratch, agents: &Agents, targets: &[&str], options: &str) -> Outcome {
    let options = format!("--warmup 0s --connections 5 --threads 2 {options}");
    start(scratch, agents, targets, &options).wait(LIMIT)
}

fn run_directory(scratch: &Scratch) -> PathBuf {
    let runs = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    let runs = runs.map(|run| run.expect("an entry").path());
    runs.max().expect("a run")
}

fn slices(scratch: &Scratch) -> Vec<Value> {
    let text = std::fs::read(run_directory(scratch).join("result.json")).expect("result.json");
    let result: Value = serde_json::from_slice(&text).expect("JSON");
    result["slices"].as_array().expect("slices").clone()
}

#[test]
fn phases_of_one_plan_share_the_blobs_of_all_agents() {
    let scratch = Scratch::new("agents-blob");
    let agents = Agents::start(&scratch, 2, &[]);
    let servers = [
        Blobs::start(&scratch, &["--delete-lag", "0s"]),
        Blobs::start(&scratch, &["--delete-lag", "0s"]),
    ];
    let urls = servers.each_ref().map(Blobs::url);
    let targets = [format!("a={}", urls[0]), format!("b={}", urls[1])];
    let targets = targets.each_ref().map(String::as_str);
    // The blobs of a slice do not fit into one part of a message.
    let options = "--phases pggd --objects 4000 --size 100:50,300:50 --rounds 2 --slice 100s";
    let run = run(&scratch, &agents, &targets, options);
    run.expect_measured();
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    let results = document["results"].as_array().expect("results");
    assert_eq!(results.len(), 4 * 2, "{run}");
    for result in results {
        assert_eq!(
            (&result["ok"], &result["failed"]),
            (&8000.into(), &0.into()),
            "{result}"
        );
    }
    assert_eq!(servers.each_ref().map(Blobs::settled), [0, 0], "{run}");
    expect_same_reads(&slices(&scratch), 8);
}

/// Fails unless there are `count` slices that read, and both targets of each got the same reads.
fn expect_same_reads(slices: &[Value], count: usize) {
    let reads = slices.iter().filter(|slice| slice["segment"].is_object());
    let reads: Vec<&Value> = reads.collect();
    assert_eq!(reads.len(), count, "{slices:?}");
    for one in &reads {
        let is_pair = |other: &&&Value| {
            let same = |key: &str| one[key] == other[key];
            same("workload") && same("round") && !same("target")
        };
        let mut others = reads.iter().filter(is_pair);
        let other = others.next().expect("the other target");
        assert!(others.next().is_none());
        assert!(one["segment"]["digest"].is_string(), "{one}");
        for key in ["from", "to", "digest"] {
            assert_eq!(one["segment"][key], other["segment"][key], "{one} {other}");
        }
    }
}

#[test]
fn targets_get_the_same_reads_again_and_again() {
    let scratch = Scratch::new("agents-blob-same");
    let agents = Agents::start(&scratch, 2, &[]);
    let servers = [Blobs::start(&scratch, &[]), Blobs::start(&scratch, &[])];
    let urls = servers.each_ref().map(Blobs::url);
    let targets = [format!("a={}", urls[0]), format!("b={}", urls[1])];
    let targets = targets.each_ref().map(String::as_str);
    let options = "--warmup 200ms --connections 5 --phases pg --size 1KiB --rounds 4 --slice 20s \
                   --requests 700 --choose sequential";
    let run = start(&scratch, &agents, &targets, options).wait(LIMIT);
    run.expect_measured();
    assert_eq!((failed(&run, "get"), failed(&run, "put")), (0, 0), "{run}");
    expect_same_reads(&slices(&scratch), 8);
    for server in &servers {
        assert_eq!(server.settled(), 0, "{run}");
    }
}

#[test]
fn blobs_on_minio_are_read_deleted_and_cleaned_up() {
    let scratch = Scratch::new("agents-blob-minio");
    let access = [("TENBIN_ACCESS_KEY", ACCESS), ("TENBIN_SECRET_KEY", SECRET)];
    let allowed = ["--env", "TENBIN_ACCESS_KEY,TENBIN_SECRET_KEY"];
    let agents = Agents::start_with(&scratch, 2, &allowed, &access);
    let minio = Store::minio(&scratch, &["--quiet"], &[]);
    let target = minio.target("minio");
    for (phases, deleted) in [("pgd", Some(60)), ("pg", None)] {
        let options = format!(
            "--store minio=s3 --phases {phases} --objects 60 --size 1KiB..20KiB --rounds 1 --slice \
             100s"
        );
        let run = run(&scratch, &agents, &[&target], &options);
        run.expect_measured();
        for workload in ["put", "get"] {
            assert_eq!(
                (ok(&run, workload), failed(&run, workload)),
                (60, 0),
                "{run}"
            );
        }
        if let Some(deleted) = deleted {
            assert_eq!(
                (ok(&run, "delete"), failed(&run, "delete")),
                (deleted, 0),
                "{run}"
            );
        }
        assert_eq!(blobs_in(&minio), 0, "{run}");
    }
}

/// Number of stored blobs.
fn blobs_in(store: &Store) -> usize {
    let files = store.files().into_iter();
    let is_blob = |file: &String| file.contains("/tenbin-bench/") && !file.contains(".minio.sys");
    files.filter(is_blob).count()
}

#[test]
fn failures_of_all_agents_are_counted_and_nothing_is_left() {
    let scratch = Scratch::new("agents-blob-faults");
    let agents = Agents::start(&scratch, 2, &[]);
    // Failed deletions leave blobs, which the coordinator deletes after the run.
    let server = Blobs::start(&scratch, &["--delete-lag", "0s", "--fault", "226:10%"]);
    let options = "--phases pd --objects 200 --size 1KiB --rounds 1 --slice 100s";
    let run = run(&scratch, &agents, &[&server.url()], options);
    assert_eq!((ok(&run, "put"), ok(&run, "delete")), (200, 180), "{run}");
    assert!(
        failures(&run, "status").1.contains("not deleted (226)"),
        "{run}"
    );
    // One deletion in ten of the clean-up fails, too.
    run.expect_stderr("2 blobs could not be deleted");
    assert_eq!(server.settled(), 2, "{run}");

    let server = Blobs::start(&scratch, &["--delete-lag", "0s", "--fault", "429:50%"]);
    let options = "--phases pg --objects 1000 --size 1KiB --slice 20s --rounds 2 --errors 5";
    let run = self::run(&scratch, &agents, &[&server.url()], options);
    run.expect_code(4).expect_stderr("and the run may have 5");
    let few = "--phases p --objects 8 --size 1KiB --slice 20s --rounds 2 --errors 50";
    let few = self::run(&scratch, &agents, &[&server.url()], few);
    few.expect_measured();
}

#[test]
fn every_agent_follows_its_own_deletions() {
    let scratch = Scratch::new("agents-blob-gone");
    let agents = Agents::start(&scratch, 2, &[]);
    let server = Blobs::start(&scratch, &["--delete-lag", "200ms", "--gone", "404"]);
    let options = "--phases pd --objects 40 --size 1KiB --slice 60s --rounds 1 --until-gone \
                   --poll-connections 60";
    let run = self::run(&scratch, &agents, &[&server.url()], options);
    run.expect_measured();
    let gone = ["DEL", "gone"].map(|operation| steps(&run, "delete", operation));
    assert_eq!(gone, [40, 40], "{run}");
    assert_eq!(server.settled(), 0, "{run}");

    let faults = ["--fault", "never-gone:50%", "--delete-lag", "0s"];
    let server = Blobs::start(&scratch, &faults);
    let options = "--phases pd --objects 8 --size 1KiB --slice 60s --rounds 1 --until-gone \
                   --gone-within 300ms --poll-interval 20ms";
    let run = self::run(&scratch, &agents, &[&server.url()], options);
    let outcome = (ok(&run, "delete"), steps(&run, "delete", "gone"));
    assert_eq!(outcome, (8, 4), "{run}");
    assert_eq!(failures(&run, "timeout").0, 4, "{run}");
    assert!(
        errors_found(&run).contains("4 of 8 acknowledged operations"),
        "{run}"
    );
    run.expect_stderr("4 blobs were still there at the last poll");
}

#[test]
fn locations_stay_with_the_coordinator() {
    let scratch = Scratch::new("agents-blob-disk");
    let agents = Agents::start(&scratch, 2, &[]);
    let server = Blobs::start(&scratch, &["--delete-lag", "0s"]);
    let on_disk = |options: &str| {
        let options = format!("{options} --size 1KiB --locations db --rounds 1 --slice 60s");
        self::run(&scratch, &agents, &[&server.url()], &options)
    };
    on_disk("--phases p --objects 50").expect_stderr("50 blobs of set \"blobs\" are kept");
    let read = on_disk("--phases g");
    assert_eq!((ok(&read, "get"), failed(&read, "get")), (50, 0), "{read}");
    let some = on_disk("--phases d --objects 20");
    assert_eq!(ok(&some, "delete"), 20, "{some}");
    some.expect_stderr("30 blobs of set \"blobs\" are kept");
    let rest = on_disk("--phases gd");
    assert_eq!((ok(&rest, "get"), ok(&rest, "delete")), (30, 30), "{rest}");
    assert_eq!(server.settled(), 0, "{rest}");
}

#[test]
fn what_a_lost_agent_stored_is_removed_or_told() {
    let scratch = Scratch::new("agents-blob-lost");
    let access = [("TENBIN_ACCESS_KEY", ACCESS), ("TENBIN_SECRET_KEY", SECRET)];
    let allowed = ["--env", "TENBIN_ACCESS_KEY,TENBIN_SECRET_KEY"];
    let options = "--warmup 0s --connections 4 --phases p --size 1KiB --rounds 1 --slice 60s";

    let minio = Store::minio(&scratch, &["--quiet"], &[]);
    let agents = Agents::start_with(&scratch, 2, &allowed, &access);
    let on_s3 = format!("{options} --store minio=s3");
    let mut run = start(&scratch, &agents, &[&minio.target("minio")], &on_s3);
    run.wait_until(LIMIT, || blobs_in(&minio) > 20);
    agents.agents[1].signal(Signal::SIGKILL);
    let run = run.wait(LIMIT);
    run.expect_code(4).expect_stderr("sent no heartbeat");
    assert_eq!(blobs_in(&minio), 0, "{run}");
    drop(agents);

    let agents = Agents::start(&scratch, 2, &[]);
    let server = Blobs::start(&scratch, &["--delete-lag", "0s"]);
    let mut run = start(&scratch, &agents, &[&server.url()], options);
    run.wait_until(LIMIT, || server.held() > 20);
    agents.agents[1].signal(Signal::SIGKILL);
    let run = run.wait(LIMIT);
    run.expect_code(4)
        .expect_stderr("blobs of this run may be left that cannot be found");
}

#[test]
fn what_a_killed_coordinator_has_left_is_cleaned() {
    let scratch = Scratch::new("agents-blob-killed");
    let agents = Agents::start(&scratch, 2, &[]);
    let server = Blobs::start(&scratch, &["--delete-lag", "0s"]);
    let options = "--warmup 0s --connections 4 --phases p --size 1KiB --objects 500 --rounds 100 \
                   --slice 60s";
    let mut run = start(&scratch, &agents, &[&server.url()], options);
    run.wait_until(LIMIT, || server.held() > 1_200);
    run.signal(Signal::SIGKILL);
    run.wait(LIMIT);
    let ended = wait_until(LIMIT, || {
        let held = server.held();
        std::thread::sleep(Duration::from_millis(200));
        held == server.held()
    });
    assert!(ended);
    let held = server.held();
    let directory = run_directory(&scratch);
    let words = ["clean".as_ref(), directory.as_os_str()];
    let cleaned = Tenbin::new(&scratch, words).run();
    cleaned
        .expect_code(0)
        .expect_stderr("500 blobs of this run cannot be found");
    // Only the blobs of the unfinished slice are unknown.
    assert!(server.settled() <= 500 && held > 1_000, "{held}: {cleaned}");
    assert!(!directory.join("blobs").exists(), "{cleaned}");
}

/// A NATS server with its usual limits, which needs no credentials. Killed on drop.
struct PlainNats {
    child: Child,
    url: String,
}

impl PlainNats {
    fn start() -> Self {
        let port = free_port();
        let mut command = tied(path_of(Server::Nats));
        command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("nats-server starts");
        let up = wait_until(LIMIT, || TcpStream::connect(("127.0.0.1", port)).is_ok());
        assert!(up, "nats-server does not come up");
        let url = format!("nats://127.0.0.1:{port}");
        Self { child, url }
    }
}

impl Drop for PlainNats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn more_blobs_than_fit_into_one_message_are_read() {
    let scratch = Scratch::new("agents-blob-large");
    let nats = PlainNats::start();
    let agents = ["agent-0", "agent-1"].map(|name| {
        let words = ["agent", "--nats", &nats.url, "--name", name];
        let mut agent = Tenbin::new(&scratch, words).start();
        let waits = |agent: &mut Running| agent.so_far().contains("waits for a coordinator");
        assert!(
            wait_until(LIMIT, || waits(&mut agent)),
            "{}",
            agent.so_far()
        );
        agent
    });
    let server = Blobs::start(&scratch, &["--delete-lag", "0s"]);
    let options = "blob --json --phases pg --objects 20000 --size 16 --rounds 1 --slice 100s \
                   --warmup 0s --connections 4 --agents 2";
    let url = server.url();
    let words = options.split_whitespace();
    let words = words.chain(["--target", &url, "--nats", &nats.url]);
    let run = Tenbin::new(&scratch, words).within(LIMIT).run();
    run.expect_measured();
    for workload in ["put", "get"] {
        let outcome = (ok(&run, workload), failed(&run, workload));
        assert_eq!(outcome, (20_000, 0), "{workload}: {run}");
    }
    assert_eq!(server.settled(), 0, "{run}");
    drop(agents);
}
