//! Workloads on existing data have names that describe the data found.

mod common;

use std::path::PathBuf;
use std::time::Duration;

use common::{ACCESS, Outcome, OwnServer, SECRET, Scratch, Tenbin};

/// Runs `tenbin` with the credentials of the server, `--out` and `--json`.
fn run(scratch: &Scratch, out: &str, arguments: &[&str]) -> Outcome {
    let short = ["--out", out, "--json"];
    let run = Tenbin::new(scratch, [arguments, &short].concat())
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(Duration::from_secs(60))
        .run();
    assert!(matches!(run.code, Some(0 | 6 | 7)), "{run}");
    run
}

const SHORT: [&str; 8] = [
    "--slice", "200ms", "--rounds", "1", "--warmup", "0s", "-c", "2",
];

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
        [
            "serve",
            "s3",
            "--listen",
            "127.0.0.1:0",
            "--access-key",
            ACCESS,
            "--secret-key",
            SECRET,
        ],
    );
    let target = format!("own={}", server.url());
    let target = ["--target", &target];
    for (size, prefix) in [("1KiB", "small/"), ("4KiB", "mixed/"), ("9000", "mixed/")] {
        let keep = [
            "--keep",
            "--size",
            size,
            "--objects",
            "5",
            "--prefix",
            prefix,
        ];
        let arguments = [&["s3", "get"][..], &target, &keep, &SHORT].concat();
        run(&scratch, &format!("keep-{size}"), &arguments);
    }

    let existing = ["--existing", "--prefix", "small/"];
    let arguments = [&["s3", "get"][..], &target, &existing, &SHORT].concat();
    let found = run(&scratch, "found", &arguments);
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
    let again = run(&scratch, "again", &["run", plan]);
    assert_eq!(worked(&again), worked(&found), "{again}");
    let runs = ["found", "again"].map(|out| directory(&scratch, out));
    let [before, after] = runs.each_ref().map(|run| run.to_str().expect("UTF-8"));
    let compared = Tenbin::new(&scratch, ["compare", before, after]).run();
    // 8: one slice per run decides nothing. 6: a busy machine can make a run INVALID.
    assert!(matches!(compared.code, Some(6 | 8)), "{compared}");
    compared.expect_stdout("get-1KiB");

    let existing = ["--existing", "--prefix", "mixed/"];
    let arguments = [&["s3", "get"][..], &target, &existing, &SHORT].concat();
    let mixed = run(&scratch, "mixed", &arguments);
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
    let target = format!("own={}", server.url());
    let target = ["--target", &target];
    let locations = ["--locations", "locations"];
    let arguments = [
        &["blob", "--phases", "p"][..],
        &target,
        &locations,
        &["--size", "10KiB", "--objects", "50"],
        &SHORT,
    ]
    .concat();
    let put = run(&scratch, "put", &arguments);
    assert_eq!(worked(&put)[0].0, "put-10KiB", "{put}");
    for (phase, name) in [("g", "get-10KiB"), ("d", "delete-10KiB")] {
        let arguments = [
            &["blob", "--phases", phase][..],
            &target,
            &locations,
            &SHORT,
        ]
        .concat();
        let alone = run(&scratch, phase, &arguments);
        assert_eq!(worked(&alone)[0].0, name, "{alone}");
    }
}
