//! Every S3 operation that needs no special bucket, on real servers; and the leftovers of an
//! interrupted run.

mod common;

use std::path::Path;
use std::time::Duration;

use common::{ACCESS, SECRET, Store};
use common::{Outcome, Scratch, Server, Tenbin, path_of};
use nix::sys::signal::Signal;

/// Name and plan keys of each workload.
const WORK: &[(&str, &str)] = &[
    ("list", "operation = \"list\"\npage = 20"),
    ("list-v1", "operation = \"list\"\nlist = \"v1\"\npage = 20"),
    (
        "list-levels",
        "operation = \"list\"\ndelimiter = \"/\"\nprefixes = \"4\"",
    ),
    ("stat", "operation = \"stat\""),
    ("attributes", "operation = \"get-attributes\""),
    ("copy", "operation = \"copy\""),
    ("batch", "operation = \"delete-batch\"\nobjects = 500"),
    ("range", "operation = \"get\"\nrange = \"random:100\""),
    (
        "mixed",
        "operation = \"get:45,stat:30,put:15,delete:10\"\nsize = \"1KiB:3,20KiB:1\"",
    ),
    (
        "scattered",
        "operation = \"get\"\nchoose = \"zipf:1.1\"\nkeys = \"random\"\nprefixes = \"3/3\"\nbuckets = 3",
    ),
    (
        "summed",
        "operation = \"put\"\nsize = \"1KiB..64KiB\"\nchecksum = \"crc32c\"\n\
         metadata = [\"owner: tenbin\"]\ncontent_type = \"text/plain\"",
    ),
];

fn results(run: &Outcome) -> Vec<serde_json::Value> {
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    document["results"].as_array().cloned().unwrap_or_default()
}

#[test]
fn every_operation_on_two_real_servers() {
    let scratch = Scratch::new("s3-operations");
    path_of(Server::Minio);
    path_of(Server::Versitygw);
    let example = include_str!("../../../examples/minio-versity.toml");
    let targets = &example[example.find("[[target]]").expect("targets")
        ..example.find("[[workload]]").expect("workloads")];
    let workloads = WORK.iter().map(|(name, keys)| {
        let size = if keys.contains("size") {
            ""
        } else {
            "size = \"1KiB\"\n"
        };
        let objects = if keys.contains("objects") {
            ""
        } else {
            "objects = 60\n"
        };
        format!("[[workload]]\nname = \"{name}\"\nkind = \"s3\"\n{size}{objects}{keys}\n")
    });
    let plan = format!(
        "seed = 7\n[rounds]\ncount = 2\nslice = \"300ms\"\nwarmup = \"0s\"\ngap = \"10ms\"\n\
         [load]\nconnections = 3\ntimeout = \"20s\"\n{targets}\n{}",
        workloads.collect::<String>()
    );
    let plan = scratch.write("plan.toml", plan);
    let run = Tenbin::new(&scratch, ["run", &plan, "--json"])
        .within(Duration::from_secs(180))
        .run();
    run.expect_measured();
    for result in results(&run) {
        let (target, workload) = (&result["target"], &result["workload"]);
        assert!(
            result["ok"].as_u64() > Some(0),
            "{target} {workload}: {run}"
        );
        assert_eq!(result["failed"], 0, "{target} {workload}: {run}");
    }
    assert_eq!(results(&run).len(), 2 * WORK.len());
    scratch.expect_nobody_left(Duration::from_secs(10));
}

/// Files in a store, without MinIO's internal files.
fn what_is_left(store: &Store) -> Vec<String> {
    let own = |file: &String| !file.contains("/.minio.sys/");
    store.files().into_iter().filter(own).collect()
}

#[test]
fn a_run_that_is_interrupted_anywhere_leaves_nothing_it_does_not_name() {
    let scratch = Scratch::new("s3-interrupted");
    let store = Store::minio(&scratch, &["--quiet"], &[]);
    let target = store.target("minio");
    let arguments = format!(
        "s3 put --target {target} --size 1KiB,1MiB --slice 500ms --rounds 4 \
         --warmup 200ms --connections 4 --objects 2000"
    );
    let start = || {
        Tenbin::line(&scratch, &arguments)
            .env("TENBIN_ACCESS_KEY", ACCESS)
            .env("TENBIN_SECRET_KEY", SECRET)
            .start()
    };
    // Milliseconds from the start: from before the first request until the last slices.
    for wait in [20, 120, 300, 700, 1200, 2000] {
        let run = start();
        std::thread::sleep(Duration::from_millis(wait));
        run.signal(Signal::SIGINT);
        let run = run.wait(Duration::from_secs(60));
        // `None`: SIGINT arrived before Tenbin handled signals, when nothing had started.
        let ended = matches!(run.code, None | Some(0 | 6 | 130));
        assert!(ended, "after {wait} ms: {run}");
        let left = what_is_left(&store);
        assert!(left.is_empty(), "after {wait} ms: {left:?}\n{run}");
        // The message tells the consequences of a second Ctrl-C.
        if let Some((before, stopping)) = run.stderr.split_once("stopping; ")
            && before.contains("kept in ")
        {
            let advice = "objects may stay on the targets: then delete them with tenbin clean ";
            assert!(stopping.contains(advice), "after {wait} ms: {run}");
        }
    }
    // A killed run deletes nothing, but has recorded the prefix of its objects before.
    let mut run = start();
    let runs = scratch.path().join("runs");
    let newest = || newest(&runs);
    let before = newest();
    run.wait_until(Duration::from_secs(20), || {
        newest() != before && !what_is_left(&store).is_empty()
    });
    run.signal(Signal::SIGKILL);
    run.wait(Duration::from_secs(10));
    let directory = newest().expect("a run directory");
    let show = Tenbin::new(&scratch, ["show", &directory]).run();
    let prefix = what_is_left(&store)[0].clone();
    let prefix = prefix
        .split('/')
        .find(|part| part.starts_with("tenbin-00") || is_prefix(part));
    let prefix = prefix.expect("keys have the run's prefix");
    let said = format!("{}{}", show.stdout, show.stderr);
    assert!(
        said.contains(prefix) && said.contains("tenbin clean"),
        "{said}"
    );

    let clean = Tenbin::new(&scratch, ["clean", &directory])
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .run();
    clean.expect_code(0);
    assert_eq!(what_is_left(&store), [""; 0], "{clean}");
    // A wrong secret key is reported with the error code of the server.
    Tenbin::new(&scratch, ["clean", &directory])
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", "wrong-secret")
        .run()
        .expect_code(3)
        .expect_stderr("may be left")
        .expect_stderr("403 SignatureDoesNotMatch");
}

fn is_prefix(part: &str) -> bool {
    let seed = part.strip_prefix("tenbin-").unwrap_or_default();
    seed.len() == 16 && seed.bytes().all(|b| b.is_ascii_hexdigit())
}

fn newest(runs: &Path) -> Option<String> {
    let entries = std::fs::read_dir(runs).ok()?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.path().display().to_string()));
    names.max()
}
