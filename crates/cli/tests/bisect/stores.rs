//! Bisects of stores, which hold the objects of a run and therefore start once for each run.

use std::time::Duration;

use serde_json::Value;

use super::common::{Scratch, not_run};
use super::{commit, is_too_busy, name_of, repository_of, start_of};

/// Slices with enough responses of a store that takes 12 ms for each.
const SHORT: &str = "--good good --budget 1m --slice 150ms --gap 0s --warmup 0s \
                     --connections 4 --threads 1 --size 1KiB --objects 50";

/// Bisects four commits of a built-in store, of which the third is slower, with the words of a
/// subcommand.
fn finds_the_third_of_four(kind: &str, what: &str) {
    let scratch = Scratch::new(&format!("bisect-{kind}"));
    repository_of(&scratch, kind, &["4ms", "4ms", "12ms", "12ms"].map(commit));
    let run = start_of(&scratch, &format!("{what} {SHORT}")).wait(Duration::from_secs(180));
    if is_too_busy(&run) {
        return not_run("the ends are not told apart, because the machine is busy");
    }
    let culprit = name_of(&scratch, 3);
    run.expect_code(0)
        .expect_stdout(&format!("FOUND  {}", &culprit[..12]))
        .expect_stdout("throughput ")
        .expect_stdout("4 commits after good");
    let plan = scratch.result()["run"]["plan"].clone();
    assert!(
        !plan.as_str().unwrap_or_default().contains("relaunch = "),
        "a store that starts again has lost its objects: {plan}"
    );
    scratch.expect_nobody_left(Duration::from_secs(2));
}

#[test]
fn the_commit_that_made_an_object_store_slower_is_found() {
    finds_the_third_of_four(
        "s3",
        "s3 get --launch 'store=./server {port}' --launch-env 'store=TENBIN_ACCESS_KEY={access_key}' \
         --launch-env 'store=TENBIN_SECRET_KEY={secret_key}'",
    );
}

#[test]
fn the_commit_that_made_a_blob_store_slower_is_found() {
    finds_the_third_of_four(
        "blob",
        "blob --launch './server {port}' --phases put:1,get:2,delete:1",
    );
}

#[test]
fn a_plan_with_a_store_can_be_bisected() {
    let scratch = Scratch::new("bisect-plan");
    repository_of(&scratch, "blob", &[commit("12ms")]);
    let plan = scratch.write(
        "plan.toml",
        "[load]\nconnections = 4\n[rounds]\nslice = \"150ms\"\ngap = \"0s\"\nwarmup = \"0s\"\n\
         [[target]]\nname = \"store\"\ncommand = [\"./server\", \"{port}\"]\n\
         [[workload]]\nkind = \"blob\"\noperation = \"put:1,get:2,delete:1\"\nsize = \"1KiB\"\n\
         objects = 50\n",
    );
    let words = format!("run {plan} --good good --budget 1m --json");
    let run = start_of(&scratch, &words).wait(Duration::from_secs(180));
    if is_too_busy(&run) {
        return not_run("the ends are not told apart, because the machine is busy");
    }
    run.expect_code(0);
    let result: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(result["outcome"], "found", "{result}");
    assert_eq!(
        result["commits"].as_array().map(Vec::len),
        Some(1),
        "{result}"
    );
}

#[test]
fn a_store_has_one_workload_too() {
    let scratch = Scratch::new("bisect-phases");
    repository_of(&scratch, "blob", &[commit("12ms")]);
    for what in [
        "blob --launch './server {port}' --good good",
        "s3 get --launch 'a=./server {port}' --launch-env 'a=KEY={secret_key}' --size 1KiB,2KiB \
         --good good",
        "search --launch './server {port}' --clients 1,2,4 --good good --path /",
    ] {
        let run = start_of(&scratch, what).wait(Duration::from_secs(60));
        run.expect_code(2)
            .expect_stderr("a bisect follows one workload");
    }
    assert!(scratch.run().is_none(), "nothing was started");
}
