//! `tenbin s3 suite` on the built-in servers, and `tenbin compare` of its runs.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::{Outcome, Scratch, Server, Tenbin, path_of};

const TWO: &str = "--builtin memory=s3-memory --builtin durable=s3-durable";

fn suite(scratch: &Scratch, options: &str) -> Outcome {
    suite_in(scratch, options, "150ms")
}

/// Runs `tenbin s3 suite` with slices of this length.
fn suite_in(scratch: &Scratch, options: &str, slice: &str) -> Outcome {
    let short = format!("--slice {slice} --lead 20ms --gap 10ms --warmup 20ms");
    let run = Tenbin::line(scratch, format!("s3 suite --quiet {options} {short}"))
        .within(Duration::from_secs(150))
        .run();
    run.expect_measured();
    run
}

/// The only run directory whose name ends with `end`.
fn directory(scratch: &Scratch, end: &str) -> PathBuf {
    let mut found: Vec<PathBuf> = std::fs::read_dir(scratch.path().join("runs"))
        .expect("runs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(end))
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn read(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

fn result(directory: &Path) -> serde_json::Value {
    serde_json::from_str(&read(directory, "result.json")).expect("a document")
}

fn array(value: &serde_json::Value) -> Vec<serde_json::Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// Options for MinIO and Versity S3 Gateway, because the built-in servers lack multipart uploads.
const REAL: &str = "--launch 'minio=minio server --quiet --certs-dir {data}/certs \
    --address 127.0.0.1:{port} {data}/disk' \
    --launch-env minio=MINIO_ROOT_USER={access_key} \
    --launch-env minio=MINIO_ROOT_PASSWORD={secret_key} \
    --ready minio=url:http://127.0.0.1:{port}/minio/health/cluster \
    --launch 'versity=versitygw --quiet --keep-alive --health /health \
    --port 127.0.0.1:{port} posix {data}' \
    --launch-env versity=ROOT_ACCESS_KEY={access_key} \
    --launch-env versity=ROOT_SECRET_KEY={secret_key} \
    --ready versity=url:http://127.0.0.1:{port}/health --rounds 2";

#[test]
fn six_operations_are_measured_and_reported() {
    // A missing server fails here with advice, not during the run.
    path_of(Server::Minio);
    path_of(Server::Versitygw);
    let scratch = Scratch::new("suite-six");
    suite_in(&scratch, REAL, "1s");
    let run = directory(&scratch, "-s3-suite-six");
    let report = read(&run, "SUMMARY.md");
    for part in [
        "### Median latency (µs/op)",
        "| PutObject (1KB) |",
        "| ListObjectsV2 (1,000 keys) |",
        "| MultipartUpload (10MiB in parts of 5MiB) |",
        "### Which target for which use",
        "\nBenchmarkGetObject/size=1MB/target=versity/conc=16 ",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    let results = array(&result(&run)["results"]);
    assert_eq!(results.len(), 12, "six workloads on two targets");
    for result in &results {
        assert!(result["ok"].as_u64() > Some(0), "{result}");
    }
    scratch.expect_nobody_left(Duration::from_secs(10));
}

#[test]
fn a_mix_is_read_by_benchstat_and_compared_with_an_earlier_run() {
    let scratch = Scratch::new("suite-mixed");
    let mixed = |more: &str| {
        // One connection: of 32, a busy machine gets too few responses in a short slice for a rate.
        let options = format!("{TWO} --scenario mixed --sequential --rounds 4 {more}");
        suite_in(&scratch, &options, "300ms")
    };
    mixed("--name before");
    let before = directory(&scratch, "-before");
    benchstat_reads(&before.join("benchmark.txt"));
    for result in array(&result(&before)["results"]) {
        let allocated = &result["client_allocations"]["value"];
        assert!(allocated.as_f64() > Some(0.0), "{result}");
    }

    let earlier = before.to_string_lossy();
    let said = mixed(&format!(
        "--name after --before {earlier} --changed mixed-70-30-c1"
    ));
    let after = directory(&scratch, "-after");
    assert!(said.stdout.contains("Before and after"), "{said}");
    assert!(read(&after, "SUMMARY.md").contains("## Before and after"));
    let earlier = &result(&after)["earlier"];
    assert_eq!(earlier["controls"]["count"], 4, "two mixes on two targets");
    assert_eq!(array(&earlier["changes"]).len(), 6);

    let compared = Tenbin::line(
        &scratch,
        format!("compare {} {}", before.display(), after.display()),
    )
    .run();
    // Both targets are unchanged between the runs; the baseline serves as the control.
    assert!(matches!(compared.code, Some(0 | 6 | 8)), "{compared}");
    assert!(compared.stdout.contains("mixed-30-70-c1"), "{compared}");
    assert!(
        compared
            .stdout
            .contains("the others are divided by it round by round"),
        "{compared}"
    );
    scratch.expect_nobody_left(Duration::from_secs(10));
}

/// Checks that benchstat reads both targets and all samples without warnings.
fn benchstat_reads(file: &Path) {
    let output = Command::new(path_of(Server::Benchstat))
        .args(["-col", "/target"])
        .arg(file)
        .output()
        .expect("benchstat runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    assert!(complaints.is_empty(), "{complaints}");
    for part in [
        "memory",
        "durable",
        "Mixed/get=70/put=30/size=1MB/conc=1",
        "n=4",
        "ops/s",
        "B/op",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_optimum_concurrency_is_named() {
    let scratch = Scratch::new("suite-concurrency");
    let options = "--scenario concurrency --builtin memory=s3-memory";
    // On a busy machine, 64 PUTs at the same time take longer than 250 ms.
    suite_in(&scratch, options, "500ms");
    let run = directory(&scratch, "-s3-suite-concurrency");
    let document = result(&run);
    assert_eq!(array(&document["workloads"]).len(), 12);
    let findings = array(&document["findings"]);
    let optimum: Vec<_> = findings
        .iter()
        .filter(|finding| finding["rule"] == "optimum_concurrency")
        .collect();
    assert_eq!(optimum.len(), 2, "PUT and GET: {findings:?}");
    assert!(read(&run, "SUMMARY.md").contains("### Optimum concurrency"));
    scratch.expect_nobody_left(Duration::from_secs(10));
}

#[test]
fn one_operation_at_a_time_has_its_time_per_operation() {
    let scratch = Scratch::new("suite-sequential");
    let options = format!("--scenario mixed --sequential --rounds 2 {TWO}");
    suite(&scratch, &options);
    let run = directory(&scratch, "-s3-suite-mixed-sequential");
    let document = result(&run);
    for workload in array(&document["workloads"]) {
        assert_eq!(workload["connections"], 1, "{workload}");
    }
    let summary = read(&run, "SUMMARY.md");
    assert!(
        summary.contains("### One operation at a time (µs/op)"),
        "{summary}"
    );
    // With one connection, µs/op is the inverse of ops/s.
    let lines = read(&run, "benchmark.txt");
    let mut seen = 0;
    for line in lines.lines().filter(|line| line.starts_with("Benchmark")) {
        let words: Vec<&str> = line.split(' ').collect();
        let value = |unit: &str| {
            let at = words.iter().position(|word| *word == unit).expect("a unit");
            words[at - 1].parse::<f64>().expect("a number")
        };
        let product = value("µs/op") * value("ops/s");
        assert!((product / 1e6 - 1.0).abs() < 1e-4, "{line}");
        seen += 1;
    }
    assert_eq!(seen, 3 * 2 * 2, "{lines}");
}

#[test]
fn sizes_by_connections_are_a_grid() {
    let scratch = Scratch::new("grid");
    let run = Tenbin::line(
        &scratch,
        "s3 get --builtin memory=s3-memory --size 1KiB,64KiB --objects 16 \
         --connections 1,8 --slice 200ms --rounds 1 --warmup 0s",
    )
    .within(Duration::from_secs(60))
    .run();
    assert!(matches!(run.code, Some(0 | 6 | 7)), "{run}");
    let directory = directory(&scratch, "-s3-get");
    let document = result(&directory);
    let names: Vec<String> = array(&document["workloads"])
        .iter()
        .map(|workload| workload["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(
        names,
        ["get-1KiB-c1", "get-1KiB-c8", "get-64KiB-c1", "get-64KiB-c8"]
    );
    let summary = read(&directory, "SUMMARY.md");
    assert!(summary.contains("### GetObject on memory"), "{summary}");
    let head = "| size | 1: ops/s | 1: p50 | 8: ops/s | 8: p50 |";
    assert!(summary.contains(head), "{summary}");
    let (_, rows) = summary.split_once(head).expect("the grid");
    let rows: Vec<&str> = rows.lines().skip(2).take(2).collect();
    assert!(
        rows[0].starts_with("| 1KiB | ") && rows[1].starts_with("| 64KiB | "),
        "{rows:?}"
    );
    // The recorded plan contains the same grid.
    let plan = read(&directory, "plan.toml");
    assert!(plan.contains("get-64KiB-c8"), "{plan}");
}

#[test]
fn what_cannot_be_compared_is_refused_before_anything_starts() {
    let scratch = Scratch::new("suite-refused");
    let file = scratch.write("notes.txt", "no benchmark");
    let published = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../report/tests/published/jog-after.gobench.txt"
    );
    let suite = ["s3", "suite", "--builtin", "memory=s3-memory", "--before"];
    for (arguments, part) in [
        (
            [&suite[..], &[file.as_str()]].concat(),
            "is none of the results that can be read",
        ),
        (
            [&suite[..], &[published, "--changed", "lost"]].concat(),
            "there is no such workload; there are put-1KB, put-1MB",
        ),
        (
            vec!["compare", published, "missing.txt"],
            "missing.txt cannot be read",
        ),
        (
            vec!["compare", published, published, "--changed", "List"],
            "is not a workload of both runs",
        ),
    ] {
        let refused = Tenbin::new(&scratch, arguments).run();
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(refused.stderr.contains(part), "{refused}");
    }
    let tutorial = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../report/tests/published/droonga-tutorial.csv"
    );
    let compared = Tenbin::line(&scratch, format!("compare {tutorial} {tutorial}")).run();
    assert_eq!(compared.code, Some(6), "{compared}");
    assert!(compared.stdout.starts_with("INVALID"), "{compared}");
    assert!(!scratch.path().join("runs").exists());
}
