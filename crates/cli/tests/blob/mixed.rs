//! Blobs that are put, read and deleted at the same time.

use std::time::Duration;

use serde_json::Value;

use crate::common::{Scratch, Tenbin};
use crate::stand::{Blobs, failed};

/// The numbers of PUTs, GETs and DELETEs of a result, and their sum.
fn counts(result: &Value) -> ([u64; 3], u64) {
    let operations = result["operations"].as_array().expect("operations");
    let count = |name: &str| {
        let own = operations.iter().find(|one| one["operation"] == name);
        own.and_then(|one| one["ok"].as_u64()).unwrap_or(0)
    };
    let counts = ["PUT", "GET", "DELETE"].map(count);
    (counts, counts.iter().sum())
}

#[test]
fn a_mix_has_its_shares_on_every_kind_of_store_and_leaves_nothing() {
    let scratch = Scratch::new("blob-mixed");
    let files = scratch.path().join("files");
    let words = format!(
        "blob --json --warmup 0s --gap 0s --rounds 4 --slice 250ms --objects 50 --size 10KiB \
         --connections 4 --threads 2 --phases put:20,get:75,delete:5 --builtin blob=blob --builtin \
         dummy=dummy --target files=file://{} --builtin memory=s3-memory",
        files.display()
    );
    let run = Tenbin::line(&scratch, words)
        .within(Duration::from_secs(120))
        .run();
    run.expect_measured();
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    let results = document["results"].as_array().expect("results");
    assert_eq!(results.len(), 4, "{run}");
    for result in results {
        let (counts, all) = counts(result);
        let target = &result["target"];
        assert_eq!(result["failed"], 0, "{target}: {run}");
        for (count, share) in counts.into_iter().zip([0.2, 0.75, 0.05]) {
            let expected = share * all as f64;
            let deviation = (expected * (1.0 - share)).sqrt();
            let off = (count as f64 - expected).abs();
            assert!(off < 5.0 * deviation + 5.0, "{target}: {count} of {all}");
        }
    }
    let left: Vec<_> = std::fs::read_dir(&files).expect("the directory").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_mix_is_swept_and_what_is_read_wrong_is_found() {
    let scratch = Scratch::new("blob-mixed-sweep");
    let server = Blobs::start(&scratch, &["--delete-lag", "0s", "--fault", "corrupt:10%"]);
    let swept = |phases: &str| {
        let url = server.url();
        let words = format!(
            "blob --json --warmup 0s --gap 0s --threads 1 --rounds 1 --slice 300ms --ramp 1,2,4 \
             --size 10KiB --phases {phases} --target {url}"
        );
        Tenbin::line(&scratch, words)
            .within(Duration::from_secs(120))
            .run()
    };
    let run = swept("put:20,get:80 --objects 40");
    assert!(failed(&run, "put20-get80-10KiB") > 0, "{run}");
    assert_eq!(server.settled(), 0, "{run}");
    let alone = swept("p");
    alone.expect_measured();
    assert_eq!(server.settled(), 0, "{alone}");
}
