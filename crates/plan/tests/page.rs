//! Checks that the tables of keys in docs/plan-file.md match the code.
//!
//! Each table follows a comment that names a section and, if the section has several tables, the
//! keys of the table: `<!-- keys: target name version -->`. `TENBIN_UPDATE=1` writes the tables.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use support::resolve;

use tenbin_plan::work::key_tables;
use tenbin_plan::{
    AgentsDraft, CompareDraft, CorpusDraft, Draft, GateDraft, Key, KeyDefault, LoadDraft,
    ObserveDraft, OutputDraft, RoundsDraft, S3Operation, Section, TargetDraft, TlsDraft, Value,
    WorkloadDraft,
};

/// Every section with a table of keys, except the protocols.
const SECTIONS: &[(&str, &[Key])] = &[
    ("top", Draft::KEYS),
    ("compare", CompareDraft::KEYS),
    ("rounds", RoundsDraft::KEYS),
    ("load", LoadDraft::KEYS),
    ("output", OutputDraft::KEYS),
    ("agents", AgentsDraft::KEYS),
    ("corpus", CorpusDraft::KEYS),
    ("gate", GateDraft::KEYS),
    ("target", TargetDraft::KEYS),
    ("tls", TlsDraft::KEYS),
    ("observe", ObserveDraft::KEYS),
    ("workload", WorkloadDraft::KEYS),
];

/// Keys that are documented in a table with other columns.
const ELSEWHERE: &[&str] = &["command", "builtin"];

const HEADER: &str = "| key and flag | value | meaning | default |\n|---|---|---|---|\n";

fn row(key: &Key) -> String {
    let flags = key.flags.iter().flatten();
    let flags: Vec<String> = flags.map(|flag| format!("`{}`", flag.name)).collect();
    let flags = if flags.is_empty() {
        String::new()
    } else {
        format!("<br>{}", flags.join(", "))
    };
    let default = match (key.default, key.value) {
        (KeyDefault::Rule(rule) | KeyDefault::Explained { rule, .. }, _) => rule.to_owned(),
        (KeyDefault::Value(value), Value::Whole { .. } | Value::Switch) => format!("`{value}`"),
        (KeyDefault::Value(value), _) => format!("`{value:?}`"),
    };
    let (name, value, meaning) = (key.name, key.value.describe(), key.meaning.trim());
    format!("| `{name}`{flags} | {value} | {meaning} | {default} |\n")
}

/// The page with the tables generated from the code.
fn generated(page: &str) -> String {
    let mut missing: BTreeMap<(&str, &str), &Key> = BTreeMap::new();
    let sections: Vec<_> = SECTIONS.iter().copied().chain(key_tables()).collect();
    for &(section, keys) in &sections {
        missing.extend(keys.iter().map(|key| ((section, key.name), key)));
    }
    let mut text = String::new();
    let mut in_table = false;
    for line in page.lines() {
        in_table &= line.starts_with('|');
        if in_table {
            continue;
        }
        text += line;
        text += "\n";
        let marker = line.strip_prefix("<!-- keys: ");
        let Some(marker) = marker.and_then(|marker| marker.strip_suffix(" -->")) else {
            continue;
        };
        in_table = true;
        let (section, names) = marker.split_once(' ').unwrap_or((marker, ""));
        let (_, keys) = sections
            .iter()
            .find(|(name, _)| *name == section)
            .unwrap_or_else(|| panic!("no section {section:?}"));
        let names: Vec<&str> = match names {
            "" => keys.iter().map(|key| key.name).collect(),
            names => names.split(' ').collect(),
        };
        text += HEADER;
        for name in names {
            let key = missing.remove(&(section, name));
            text += &row(key.unwrap_or_else(|| panic!("{section} {name}: unknown, or twice")));
        }
    }
    let is_missing = |key: &&(&str, &str)| {
        let (_, name) = **key;
        !(ELSEWHERE.contains(&name) && page.contains(&format!("| `{name}` |")))
    };
    let missing: Vec<_> = missing.keys().filter(is_missing).collect();
    assert!(missing.is_empty(), "keys without a row: {missing:?}");
    text
}

/// Compares a page of the documentation with the page that the code generates from it, or writes
/// the generated page.
fn expect_page(name: &str, generated: fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name);
    let page = std::fs::read_to_string(&path).expect(name);
    let generated = generated(&page);
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, &generated).expect(name);
        return;
    }
    assert!(
        page == generated,
        "docs/{name} differs from the tables of the code; TENBIN_UPDATE=1 cargo test -p \
         tenbin-plan --test page writes them"
    );
}

#[test]
fn the_tables_of_the_page_are_those_of_the_code() {
    expect_page("plan-file.md", generated);
}

/// The page with the table of the S3 operations, which follows the comment `<!-- operations -->`.
fn with_operations(page: &str) -> String {
    let mark = "<!-- operations -->\n";
    let (before, after) = page.split_once(mark).expect(mark);
    let after = after.lines().skip_while(|line| line.starts_with('|'));
    let after: String = after.flat_map(|line| [line, "\n"]).collect();
    let rows = S3Operation::all().map(S3Operation::facts).map(|facts| {
        let (name, about) = (facts.name, facts.about.trim());
        format!("| `{name}` | {about} | {} |\n", facts.data)
    });
    let header = "| operation | one operation | data loaded before |\n|---|---|---|\n";
    format!("{before}{mark}{header}{}{after}", rows.collect::<String>())
}

#[test]
fn the_table_of_s3_operations_is_that_of_their_rows() {
    expect_page("s3.md", with_operations);
}

/// A plan with many keys of the sections whose printed order is checked.
const MANY_KEYS: &str = r#"
name = "many"
seed = 1
threads = 2
baseline = "b"
aa = true
margin = "1%"
start_noise = "2%"
decide = "p50"
expect = "p99<1s"
fail_if = "p99>1s"
[rounds]
until = "2%"
count = 16
relaunch = "never"
[load]
rate = 5
rate_to = 9
arrivals = "poisson"
connections = 2
depth = 2
requests = 7
[output]
export = ["csv", "junit=result.xml"]
live = true
prometheus = 9464
otlp = "http://127.0.0.1:4318"
ops_log = "ops.csv.zst"
[[target]]
name = "a"
command = "app {host} {port} {workers}"
nodes = 2
url = "https://{host}:{port}/"
env = { A = "b" }
ready = { log = "up" }
sweep.workers = [1, 2]
http = "2"
tls = { insecure = true }

[[target]]
name = "b"
url = "http://h/"
version = "1"
source = "127.0.0.1"
resolve = "h:80:127.0.0.1"
ip_version = 4
region = "x"
[[workload]]
kind = "http"
"#;

#[test]
fn a_printed_plan_has_the_keys_in_the_order_of_their_tables() {
    let printed = resolve(MANY_KEYS).expect("a plan").to_toml();
    let mut keys = Draft::KEYS;
    let mut last = None;
    let mut checked = 0;
    for line in printed.lines() {
        if line.starts_with('[') {
            let section = line.trim_matches(['[', ']']);
            let found = SECTIONS.iter().find(|(name, _)| *name == section);
            // A workload has the keys of its protocol, too.
            keys = found
                .filter(|_| section != "workload")
                .map_or(&[], |(_, keys)| keys);
            last = None;
        }
        let name = line.split(" = ").next().unwrap_or_default();
        let Some(position) = keys.iter().position(|key| key.name == name) else {
            continue;
        };
        assert!(last < Some(position), "{name} in\n{printed}");
        last = Some(position);
        checked += 1;
    }
    assert!(checked > 35, "{checked} keys in\n{printed}");
}
