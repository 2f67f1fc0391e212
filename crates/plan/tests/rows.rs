//! Checks that the row of a plain key (a number, time, size, switch or choice) is all that the key
//! needs: a value that differs from the default is resolved, stored and printed.

mod support;

use support::resolve;

use tenbin_plan::{
    AgentsDraft, BlobDraft, Draft, GateDraft, Key, KeyDefault, LoadDraft, OutputDraft, RoundsDraft,
    S3Draft, Section as _, TargetDraft, TlsDraft, Value, WorkloadDraft,
};

/// Sections, each with its keys and the plan in which `{key}` stands for a key with its value.
const SECTIONS: &[(&str, &[Key], &str)] = &[
    ("load", LoadDraft::KEYS, "[load]\n{key}\n"),
    ("output", OutputDraft::KEYS, "[output]\n{key}\n"),
    ("rounds", RoundsDraft::KEYS, "[rounds]\n{key}\n"),
    (
        "agents",
        AgentsDraft::KEYS,
        "[agents]\nnats = \"nats://127.0.0.1:4222\"\n{key}\n",
    ),
    (
        "gate",
        GateDraft::KEYS,
        "[gate]\n{key}\n[[target]]\nurl = \"http://h/\"\n[[target]]\nurl = \"http://i/\"\n",
    ),
    ("top", Draft::KEYS, "{key}\n"),
    (
        "target",
        TargetDraft::KEYS,
        "[[target]]\ncommand = \"server {port}\"\n{key}\n",
    ),
    (
        "tls",
        TlsDraft::KEYS,
        "[[target]]\nurl = \"https://h/\"\ntls = { {key} }\n",
    ),
    (
        "workload",
        WorkloadDraft::KEYS,
        "[[workload]]\nkind = \"http\"\n{key}\n",
    ),
    (
        "s3",
        S3Draft::KEYS,
        "[[workload]]\nkind = \"s3\"\noperation = \"put\"\n{key}\n",
    ),
    (
        "blob",
        BlobDraft::KEYS,
        "[[workload]]\nkind = \"blob\"\noperation = \"pgd\"\n{key}\n",
    ),
];

/// What a key needs beside itself, instead of the plan of its section.
const WITH: &[(&str, &str, &str)] = &[
    ("load", "arrivals", "rate = 5"),
    ("load", "rate_to", "rate = 5"),
    ("rounds", "max_count", "until = \"1%\"\ncount = 2"),
    ("agents", "on_loss", "count = 2"),
    ("agents", "wait", "count = 2"),
    ("blob", "gone_within", "until_gone = true"),
    ("blob", "poll_interval", "until_gone = true"),
    ("blob", "poll_connections", "until_gone = true"),
];

/// Values of keys with text values.
const TEXTS: &[(&str, &str, &str)] = &[
    ("top", "margin", "7%"),
    ("top", "start_noise", "7%"),
    ("target", "version", "1.2"),
    ("target", "region", "eu-1"),
    ("target", "cluster", "pages"),
    ("target", "source", "127.0.0.2"),
    ("target", "cache_counters", "groonga"),
    ("tls", "server_name", "db.example"),
];

/// Keys whose value is printed by other keys, or that only some operations have, with the reason.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("target", "builtin", "instead of a command"),
    ("target", "memory", "only for built-in servers"),
    ("target", "dead_hosts", "only for several hosts"),
    ("target", "role_duration", "only for S3 workloads"),
    ("target", "express_session", "only for S3 workloads"),
    ("rounds", "duration", "printed as count and slice"),
    ("rounds", "relaunch", "the first choice needs a command"),
    ("s3", "verify", "only where content is read"),
    ("s3", "part_size", "only where objects have parts"),
    ("s3", "parts_at_once", "only where objects have parts"),
    ("s3", "page", "only for listings"),
    ("s3", "batch", "only for batches of deletions"),
    ("s3", "list", "only for listings"),
    ("s3", "entries", "only for archives"),
    ("s3", "rewrite", "only in a mix"),
    ("s3", "data", "needs objects that exist"),
    ("s3", "versions", "only where versions are read"),
    ("s3", "checksum", "the first choice needs another payload"),
    ("s3", "payload", "the first choice needs another signature"),
    ("s3", "encryption", "the first choice needs TLS"),
];

/// A value of a plain key that differs from its default, in plan-file syntax.
fn changed(key: &Key) -> Option<String> {
    let default = match key.default {
        KeyDefault::Value(value) | KeyDefault::Explained { value, .. } => value,
        KeyDefault::Rule(_) => "",
    };
    Some(match key.value {
        Value::Whole { least, most } => {
            let fits = |value: &u64| (least..=most).contains(value) && value.to_string() != default;
            [4, least, most].into_iter().find(fits)?.to_string()
        }
        Value::Time { .. } => "\"7s\"".to_owned(),
        Value::Rate => "\"70/s\"".to_owned(),
        Value::Size => "\"7MiB\"".to_owned(),
        Value::Switch => (default != "true").to_string(),
        Value::Choice(names) => {
            let name = names().into_iter().rev().find(|name| *name != default)?;
            format!("{name:?}")
        }
        Value::Text(_) => return None,
    })
}

#[test]
fn every_plain_key_is_stored_and_printed_by_its_row() {
    let listed = |list: &[(&'static str, &str, &'static str)], section: &str, key: &Key| {
        let mut found = list.iter().filter(|(of, ..)| *of == section);
        found.find(|(_, name, _)| *name == key.name).map(|it| it.2)
    };
    let mut checked = 0;
    for &(section, keys, plan) in SECTIONS {
        for key in keys {
            let text = TEXTS
                .iter()
                .find(|(of, name, _)| (*of, *name) == (section, key.name));
            let text = text.map(|(.., value)| format!("{value:?}"));
            let Some(value) = text.or_else(|| changed(key)) else {
                continue;
            };
            if listed(ELSEWHERE, section, key).is_some() {
                continue;
            }
            let pair = format!("{} = {value}", key.name);
            let with = listed(WITH, section, key).unwrap_or_default();
            let pairs = [with, &pair].join(if section == "tls" { " " } else { "\n" });
            let own = plan.replace("{key}", &pairs);
            let target = match section {
                "s3" => "builtin = \"s3-memory\"",
                "blob" => "builtin = \"blob\"",
                _ => "url = \"http://h/\"",
            };
            let work = if own.contains("[[workload]]") {
                ""
            } else {
                "[[workload]]\nkind = \"http\"\n"
            };
            let target = if own.contains("[[target]]") {
                String::new()
            } else {
                format!("[[target]]\n{target}\n")
            };
            let text = format!("{own}{work}{target}");
            let resolved = resolve(&text).unwrap_or_else(|why| panic!("{section} {pair}: {why}"));
            let printed = resolved.to_toml();
            let is_printed = |line: &str| {
                line == pair
                    || line.starts_with(&format!("{pair} # "))
                    || line.starts_with(&format!("tls = {{ {pair} }}"))
            };
            assert!(printed.lines().any(is_printed), "{pair} in\n{printed}");
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} keys");
}
