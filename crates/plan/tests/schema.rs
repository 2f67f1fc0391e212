//! `docs/plan.schema.json` is the schema of the code, and refuses what the parser refuses.

mod support;

use std::fs;
use std::path::Path;

use support::{against_schema, resolve};

use tenbin_plan::{SCHEMA_DIRECTIVE, schema_json};

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn the_published_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plan.schema.json");
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        fs::write(&path, schema_json()).expect("the schema");
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        published.ends_with('\n') && json(&published) == json(&schema_json()),
        "docs/plan.schema.json is out of date: TENBIN_UPDATE=1 cargo test -p tenbin-plan --test schema"
    );
    let address = json(&published)["$id"].as_str().map(str::to_owned);
    assert_eq!(
        SCHEMA_DIRECTIVE,
        format!("#:schema {}\n", address.expect("an id"))
    );
}

/// A plan with a line in each table, which a case replaces.
const PLAN: &str = r#"
seed = 1
margin = "3%"
[compare]
[rounds]
count = 16
slice = "1s"
relaunch = false
[load]
connections = 4
rate = "100/s"
[output]
live = 8090
[[target]]
name = "old"
command = ["server", "{port}", "{workers}"]
http = 1.1
env = { A = "b" }
ready = { port = true }
sweep = { workers = [1, 2] }
[[target]]
name = "new"
url = "https://127.0.0.1:8081/"
tls = { insecure = true }
observe = [{ pid = 1 }]
[[workload]]
kind = "http"
expect = [200, "3xx"]
load = { connections = "1,8" }
"#;

#[test]
fn a_plan_that_conforms_conforms() {
    against_schema(PLAN).expect("a plan");
    resolve(PLAN).expect("a plan");
}

/// Cases: what is replaced in [`PLAN`], and by what.
const MISTAKES: &[(&str, &str)] = &[
    // Misspelt keys, in every kind of table.
    ("seed = 1", "sead = 1"),
    ("[compare]", "[compair]"),
    ("slice =", "slise ="),
    ("connections = 4", "conections = 4"),
    ("live =", "life ="),
    ("http = 1.1", "htp = 1.1"),
    ("{ port = true }", "{ prot = true }"),
    ("{ insecure", "{ unsecure"),
    ("{ pid = 1 }", "{ pit = 1 }"),
    ("expect = [200", "expects = [200"),
    ("{ connections = \"1,8\" }", "{ conections = 1 }"),
    // A key of another protocol.
    ("expect = [200, \"3xx\"]", "part_size = \"5MiB\""),
    // Wrong types.
    ("seed = 1", "seed = \"1\""),
    ("slice = \"1s\"", "slice = 1"),
    ("slice = \"1s\"", "slice = \"1 second\""),
    ("margin = \"3%\"", "margin = 3"),
    ("env = { A = \"b\" }", "env = { A = 1 }"),
    ("{ insecure = true }", "{ insecure = \"yes\" }"),
    ("[rounds]\ncount = 16", "[rounds]\ncount = 16.5"),
    (
        "command = [\"server\", \"{port}\", \"{workers}\"]",
        "command = 1.5",
    ),
    ("[load]\nconnections", "[[load]]\nconnections"),
    // Numbers out of their range, and names that are none.
    ("count = 16", "count = 0"),
    ("count = 16", "count = 100001"),
    ("connections = 4", "connections = 0"),
    ("rate = \"100/s\"", "rate = 0"),
    ("rate = \"100/s\"", "rate = 2000000000"),
    ("live = 8090", "live = 70000"),
    ("http = 1.1", "http = 3"),
    ("relaunch = false", "relaunch = \"sometimes\""),
    ("name = \"old\"", "name = \"the old one\""),
    ("kind = \"http\"", "kind = \"htpp\""),
    ("kind = \"http\"\n", ""),
    ("expect = [200", "expect = [99"),
];

#[test]
fn what_the_schema_refuses_the_parser_refuses() {
    for (right, wrong) in MISTAKES {
        assert!(PLAN.contains(right), "{right:?} is not in the plan");
        let plan = PLAN.replace(right, wrong);
        assert!(against_schema(&plan).is_err(), "the schema takes {wrong:?}");
        assert!(resolve(&plan).is_err(), "the parser takes {wrong:?}");
    }
}

#[test]
fn other_spellings_of_values_conform() {
    for (right, other) in [
        ("http = 1.1", "http = \"2\""),
        ("http = 1.1", "http = 2"),
        ("slice = \"1s\"", "gap = 0\nslice = \"1m 30s\""),
        ("rate = \"100/s\"", "rate = 99.5"),
        ("rate = \"100/s\"", "rate = \"60 / m\""),
        ("live = 8090", "live = true\nprometheus = 9464"),
        ("relaunch = false", "relaunch = \"block\"\nsustain = 0"),
        ("[200, \"3xx\"]", "201"),
        ("observe = [{ pid = 1 }]", "observe = { port = true }"),
        (
            "command = [\"server\", \"{port}\", \"{workers}\"]",
            "command = \"server {port} {workers}\"\nnodes = 3",
        ),
        (
            "expect = [200, \"3xx\"]",
            "patterns = { terms = \"terms.txt\", by_target = { old = { search = \"groonga\" } } }",
        ),
        (
            "kind = \"http\"\nexpect = [200, \"3xx\"]",
            "kind = \"s3\"\noperation = \"get:70,put:30\"\nsize = 1000",
        ),
        (
            "kind = \"http\"\nexpect = [200, \"3xx\"]",
            "kind = \"blob\"\noperation = \"pgd\"\nhashes = \"md5\"",
        ),
    ] {
        assert!(PLAN.contains(right), "{right:?} is not in the plan");
        let plan = PLAN.replace(right, other);
        if let Err(why) = against_schema(&plan) {
            panic!("{other}: {why}");
        }
    }
}

/// The plans of the examples, and those on the page about plans.
#[test]
fn the_examples_conform() {
    let mut checked = 0;
    let mut directories = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|end| end == "toml") {
                let text = fs::read_to_string(&path).expect("a plan");
                if let Err(why) = against_schema(&text) {
                    panic!("{}: {why}", path.display());
                }
                checked += 1;
            }
        }
    }
    assert!(checked >= 15, "{checked} plans");
}
