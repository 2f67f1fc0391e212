//! Workloads on existing data have names that describe the data found.

mod common;

use std::path::PathBuf;
use std::time::Duration;

use common::{ACCESS, Outcome, OwnServer, SECRET, Scratch, Tenbin, words};

/// Runs `tenbin` with the credentials of the server, `--out` and `--json`.
fn run(scratch: &Scratch, out: &str, line: &str) -> Outcome {
    let run = Tenbin::line(scratch, format!("{line} --out {out} --json"))
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(Duration::from_secs(60))
        .run();
    assert!(matches!(run.code, Some(0 | 6 | 7)), "{run}");
    run
}

const SHORT: &str = "--slice 200ms --rounds 1 --warmup 0s -c 2";

/// Name, object size in bytes and number of objects of each workload, from the document of a run.
fn worked(run: &Outcome) -> Vec<(String, u64, u64)> {
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let results = document["results"].as_array().cloned().unwrap_or_default();
    let workloads = document["workloads"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let each = workloads.iter().map(|workload| {
        let name = workload["name"].as_str().expect("a name").to_owned();
        assert!(
            results
                .iter()
                .any(|result| result["workload"] == name.as_str()),
            "{name}: {run}"
        );
        let subject = &workload["subject"];
        let number = |key: &str| subject[key].as_u64().unwrap_or(0);
        (name, number("object_bytes"), number("objects"))
    });
    each.collect()
}

fn directory(scratch: &Scratch, out: &str) -> PathBuf {
    let mut entries = std::fs::read_dir(scratch.path().join(out)).expect("runs");
    entries.next().expect("a run").expect("an entry").path()
}

#[test]
fn existing_objects_are_measured_under_the_size_that_they_have() {
    let scratch = Scratch::new("existing-names");
    let server = OwnServer::start(
        &scratch,
        words(format!(
            "serve s3 --listen 127.0.0.1:0 --access-key {ACCESS} --secret-key {SECRET}"
        )),
    );
    let target = format!("--target own={}", server.url());
    for (size, prefix) in [("1KiB", "small/"), ("4KiB", "mixed/"), ("9000", "mixed/")] {
        let keep = format!("--keep --size {size} --objects 5 --prefix {prefix}");
        let line = format!("s3 get {target} {keep} {SHORT}");
        run(&scratch, &format!("keep-{size}"), &line);
    }

    let line = format!("s3 get {target} --existing --prefix small/ {SHORT}");
    let found = run(&scratch, "found", &line);
    assert_eq!(
        worked(&found),
        [("get-1KiB".to_owned(), 1024, 5)],
        "{found}"
    );
    let plan = directory(&scratch, "found").join("plan.toml");
    let text = std::fs::read_to_string(&plan).expect("the plan");
    assert!(text.contains("name = \"get-1KiB\""), "{text}");
    // The recorded plan repeats the run with the same workloads.
    let plan = plan.to_str().expect("a path in UTF-8");
    let again = run(&scratch, "again", &format!("run {plan}"));
    assert_eq!(worked(&again), worked(&found), "{again}");
    let runs = ["found", "again"].map(|out| directory(&scratch, out));
    let [before, after] = runs.each_ref().map(|run| run.to_str().expect("UTF-8"));
    let compared = Tenbin::line(&scratch, format!("compare {before} {after}")).run();
    // 8: one slice per run decides nothing. 6: a busy machine can make a run INVALID.
    assert!(matches!(compared.code, Some(6 | 8)), "{compared}");
    compared.expect_stdout("get-1KiB");

    let line = format!("s3 get {target} --existing --prefix mixed/ {SHORT}");
    let mixed = run(&scratch, "mixed", &line);
    let [(name, _, objects)] = &worked(&mixed)[..] else {
        panic!("{mixed}")
    };
    assert_eq!(
        (name.as_str(), *objects),
        ("get-4KiB-to-9KB", 10),
        "{mixed}"
    );
}

#[test]
fn a_phase_alone_on_blobs_of_an_earlier_run_has_their_size_in_its_name() {
    let scratch = Scratch::new("blob-names");
    let server = OwnServer::start(&scratch, ["serve", "blob", "--listen", "127.0.0.1:0"]);
    let target = format!("--target own={}", server.url());
    let options = format!("{target} --locations locations {SHORT}");
    let line = format!("blob --phases p {options} --size 10KiB --objects 50");
    let put = run(&scratch, "put", &line);
    assert_eq!(worked(&put)[0].0, "put-10KiB", "{put}");
    for (phase, name) in [("g", "get-10KiB"), ("d", "delete-10KiB")] {
        let alone = run(&scratch, phase, &format!("blob --phases {phase} {options}"));
        assert_eq!(worked(&alone)[0].0, name, "{alone}");
    }
}
