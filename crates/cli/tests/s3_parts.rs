//! Multipart uploads and kept data sets, on MinIO and Versity S3 Gateway.

mod common;

use std::time::Duration;

use common::{Outcome, Owned, Scratch, Tenbin};
use nix::sys::signal::Signal;

/// A plan with one workload on this server.
fn plan(scratch: &Scratch, server: &Owned, name: &str, slice: &str, workload: &str) -> String {
    scratch.write(
        &format!("{}-{name}.toml", server.name),
        format!(
            "[rounds]\ncount = 2\nslice = \"{slice}\"\nlead = \"0s\"\nwarmup = \"0s\"\n\
             gap = \"0s\"\n[load]\nconnections = 4\ntimeout = \"30s\"\n{}\n\
             [[workload]]\nkind = \"s3\"\nbucket = \"box\"\n{workload}\n",
            server.table()
        ),
    )
}

fn run(scratch: &Scratch, plan: &str) -> Outcome {
    let run = Tenbin::new(scratch, ["run", plan, "--json"])
        .within(Duration::from_secs(120))
        .run();
    run.expect_measured();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    assert!(!document.to_string().contains("\"wrong\":"), "{run}");
    run
}

/// Number of successful operations of this name.
fn ok(run: &Outcome, operation: &str) -> u64 {
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    list(&document["results"])
        .iter()
        .flat_map(|result| list(&result["operations"]))
        .find(|figures| figures["operation"] == operation)
        .and_then(|figures| figures["ok"].as_u64())
        .unwrap_or_else(|| panic!("no ok for {operation}: {run}"))
}

/// Plan keys of every workload on the kept data set: objects of two full parts and a partial part.
const KEPT: &str = "name = \"kept\"\ndata = \"keep\"\nsize = \"11MiB\"\nobjects = 5\n";

/// Tests multipart uploads, reads by part with verification, and runs on kept and existing objects.
/// A run interrupted during an upload must leave nothing else behind.
fn parts_on(scratch: &Scratch, server: &Owned) {
    let upload = format!("operation = \"multipart\"\n{KEPT}");
    let uploaded = run(scratch, &plan(scratch, server, "upload", "3s", &upload));
    for operation in ["CREATE", "PART", "COMPLETE", "MULTIPART"] {
        assert!(ok(&uploaded, operation) > 0, "{operation}: {uploaded}");
    }
    uploaded.expect_stderr("under tenbin-0000000000000001/kept/ are kept in bucket");
    assert!(!uploaded.stderr.contains("could not be"), "{uploaded}");

    let read = format!("operation = \"get-part\"\n{KEPT}");
    let read = plan(scratch, server, "read", "300ms", &read);
    let first = run(scratch, &read);
    assert!(ok(&first, "GET part") > 0, "{first}");
    first.expect_stderr("5 objects under tenbin-0000000000000001/kept/ are kept in bucket box");
    let kept = server.stored();
    assert!(kept.len() >= 5, "{kept:?}");
    let second = run(scratch, &read);
    assert!(ok(&second, "GET part") > 0, "{second}");
    assert_eq!(server.stored(), kept, "something was put again");

    let endless = "operation = \"multipart\"\nname = \"endless\"\nsize = \"200MiB\"\n\
                   objects = 16\n";
    let endless = plan(scratch, server, "endless", "60s", endless);
    let mut run = Tenbin::new(scratch, ["run", &endless]).start();
    run.wait_until(Duration::from_secs(60), || {
        server.stored().len() > kept.len()
    });
    run.signal(Signal::SIGINT);
    let run = run.wait(Duration::from_secs(90));
    run.expect_code(130);
    assert!(!run.stderr.contains("could not be"), "{run}");
    assert_eq!(server.stored(), kept, "an upload is left: {run}");

    let found = "operation = \"get:50,stat:50\"\ndata = \"existing\"\nname = \"found\"\n\
                 prefix = \"tenbin-\"\n";
    let found = plan(scratch, server, "found", "300ms", found);
    let found = self::run(scratch, &found);
    assert!(ok(&found, "GET") > 0 && ok(&found, "STAT") > 0, "{found}");
    assert_eq!(server.stored(), kept, "what was there has been touched");
}

#[test]
fn parts_on_minio() {
    let scratch = Scratch::new("parts-minio");
    parts_on(&scratch, &Owned::minio(&scratch));
}

#[test]
fn parts_on_versity() {
    let scratch = Scratch::new("parts-versity");
    parts_on(&scratch, &Owned::versity(&scratch));
}

#[test]
fn a_bucket_of_others_that_is_missing_is_refused_and_reading_once_ends() {
    let scratch = Scratch::new("once");
    let server = Owned::versity(&scratch);
    let before = server.stored();
    let missing = "operation = \"get\"\ndata = \"existing\"\n";
    let missing = plan(&scratch, &server, "missing", "300ms", missing);
    let refused = Tenbin::new(&scratch, ["run", &missing]).run();
    refused
        .expect_code(3)
        .expect_stderr("the bucket does not exist, and data = \"existing\" creates none");
    assert_eq!(server.stored(), before);

    // The first slice reads all objects.
    let once = "operation = \"get\"\nname = \"once\"\nsize = \"1KiB\"\nobjects = 40\n\
                choose = \"once\"\n";
    let once = plan(&scratch, &server, "once", "2s", once);
    let run = Tenbin::new(&scratch, ["run", &once, "--json"]).run();
    run.expect_code(4).expect_stderr(
        "all 40 objects have been read once; configure more objects or fewer rounds; \
         the results so far are kept",
    );
    assert_eq!(ok(&run, "GET"), 40, "{run}");
    assert_eq!(server.stored(), before);
}
