//! Gates of each kind of server, each with two servers of one program.

use std::time::Duration;

use super::common::{ACCESS, Groonga, OwnServer, SECRET, Scratch, Store, Tenbin};

/// A gate that ends within a few seconds.
const FEW: &str = "--max-rounds 12 --margin 30% --gap 0s";

/// Runs a gate of equal servers, and returns its required figures as `workload figure`. A busy machine
/// can make the gate INVALID or undecided, but not a regression.
fn figures_of_equal(scratch: &Scratch, line: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let mut gate = Tenbin::line(scratch, format!("gate {line} {FEW}"));
    for (name, value) in variables {
        gate = gate.env(name, value);
    }
    let run = gate.within(Duration::from_secs(180)).run();
    assert!(matches!(run.code, Some(0 | 6 | 8)), "{run}");
    let gate = scratch.result()["gate"].clone();
    assert_ne!(gate["outcome"], "regression", "{run}");
    let figures = gate["figures"].as_array().expect("figures").iter();
    let required = figures.filter(|figure| figure["role"] == "required");
    let names = required.map(|figure| {
        assert!(figure["blocks"].as_u64() > Some(0), "{figure}: {run}");
        let text = |key: &str| figure[key].as_str().expect("a name").to_owned();
        format!("{} {}", text("workload"), text("metric"))
    });
    names.collect()
}

/// Creates a file of paths whose searches find one page each.
fn patterns(scratch: &Scratch) -> String {
    let path = "/d/select?table=Pages&match_columns=title,text&output_columns=_key&query=page";
    let paths: String = (1..=40).map(|page| format!("{path}{page}x\n")).collect();
    scratch.write("patterns.txt", paths)
}

#[test]
fn a_full_text_search_server_is_not_worse_than_itself() {
    let scratch = Scratch::new("gate-search");
    let (base, candidate) = (
        Groonga::with_pages(&scratch, 40),
        Groonga::with_pages(&scratch, 40),
    );
    let line = format!(
        "search --target {} --target {} --patterns {} --hits groonga --slice 200ms --lead 20ms \
         --warmup 50ms --wait 1ms",
        base.target("base"),
        candidate.target("candidate"),
        patterns(&scratch)
    );
    let one = figures_of_equal(&scratch, &format!("{line} --clients 2"), &[]);
    assert_eq!(one, ["search throughput"]);
    Tenbin::line(&scratch, format!("gate {line}"))
        .run()
        .expect_code(2)
        .expect_stderr("how many clients, or which rate? Give --clients 8");
    Tenbin::line(
        &scratch,
        format!("gate {line} --clients 2 --output-path x.csv"),
    )
    .run()
    .expect_code(2)
    .expect_stderr("--output-path");
}

#[test]
fn an_object_store_is_not_worse_than_itself() {
    let scratch = Scratch::new("gate-s3");
    let stores = [(); 2].map(|()| Store::minio(&scratch, &["--quiet"], &[]));
    let line = format!(
        "s3 get --target {} --target {} --size 1KiB --objects 50 --connections 2 --slice 200ms \
         --lead 20ms --warmup 50ms",
        stores[0].target("base"),
        stores[1].target("candidate")
    );
    let keys = [("TENBIN_ACCESS_KEY", ACCESS), ("TENBIN_SECRET_KEY", SECRET)];
    let figures = figures_of_equal(&scratch, &line, &keys);
    assert_eq!(figures, ["get-1KiB throughput"]);
    for store in &stores {
        let mut left = store.files();
        left.retain(|file| !file.contains("/.minio.sys/"));
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_blob_store_is_not_worse_than_itself() {
    let scratch = Scratch::new("gate-blob");
    let words = ["serve", "blob", "--listen", "127.0.0.1:0"];
    let [base, candidate] = [(); 2].map(|()| OwnServer::start(&scratch, words));
    let line = format!(
        "blob --target base={} --target candidate={} --phases pgd --size 10KiB --objects 200 \
         --connections 2 --slice 60s --warmup 0s",
        base.url(),
        candidate.url()
    );
    // A workload for each phase.
    let figures = figures_of_equal(&scratch, &line, &[]);
    assert_eq!(figures.len(), 3, "{figures:?}");
    let of_throughput = |name: &String| name.ends_with(" throughput");
    assert!(figures.iter().all(of_throughput), "{figures:?}");
}
