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
    let over_http = |result: &&Value| result["target"] == "blob" || result["target"] == "memory";
    for result in results.iter().filter(over_http) {
        expect_slow_requests(result);
    }
    let listed = Tenbin::line(&scratch, "show last --section slow").run();
    listed
        .expect_stdout("The slowest requests with a correct response")
        .expect_stdout("memory");
}

/// Fails unless the 20 slowest requests of this result are listed with their times.
#[track_caller]
fn expect_slow_requests(result: &Value) {
    let slow = result["slow_requests"].as_array().expect("slow requests");
    assert_eq!(slow.len(), 20, "{result:#}");
    let times = slow.iter().map(|request| request["time"].as_f64());
    let times: Vec<f64> = times.collect::<Option<_>>().expect("times");
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
    for request in slow {
        let text = |key: &str| request[key].as_str().unwrap_or_default();
        assert!(text("request").contains(" /"), "{request}");
        assert!(!text("host").is_empty(), "{request}");
        assert!(request["first_byte"].as_f64() > Some(0.0), "{request}");
        assert!(request["error"].is_null(), "{request}");
    }
}

#[test]
fn a_mix_is_swept_and_what_is_read_wrong_is_found() {
    let scratch = Scratch::new("blob-mixed-sweep");
    let server = Blobs::start(&scratch, &["--delete-lag", "0s", "--fault", "corrupt:10%"]);
    let loaded = |load: &str, phases: &str| {
        let url = server.url();
        let words = format!(
            "blob --json --warmup 0s --gap 0s --threads 1 --slice 300ms {load} --size 10KiB \
             --phases {phases} --target {url}"
        );
        Tenbin::line(&scratch, words)
            .within(Duration::from_secs(120))
            .run()
    };
    let swept = |phases: &str| loaded("--rounds 1 --ramp 1,2,4", phases);
    let run = swept("put:20,get:80 --objects 40");
    assert!(failed(&run, "put20-get80-10KiB") > 0, "{run}");
    assert_eq!(server.settled(), 0, "{run}");
    let alone = swept("p");
    alone.expect_measured();
    assert_eq!(server.settled(), 0, "{alone}");
    // A tenth of the GETs reads wrong content: 8 % of all operations.
    for (limit, meets) in [("errors<1%", false), ("errors<50%", true)] {
        let load = format!("--slo p50<2s,{limit} --rate 400/s --connections 16");
        let run = loaded(&load, "put:20,get:80 --objects 40");
        let document: Value = serde_json::from_str(&run.stdout).expect("a document");
        let search = &document["searches"][0];
        assert_eq!(search["workload"], "put20-get80-10KiB", "{run}");
        let first = &search["probes"][0];
        assert_eq!(first["rate"], 400.0, "{search:#}");
        let mut limits = first["limits"].as_array().expect("limits").iter();
        let errors = limits.find(|one| one["limit"] == limit).expect(limit);
        assert_eq!(errors["kept"], meets, "{search:#}");
        assert_eq!(server.settled(), 0, "{run}");
    }
    let phases = loaded("--slo p50<2s", "pg --objects 40");
    phases
        .expect_code(2)
        .expect_stderr("phases on blobs run once in every round");
}
