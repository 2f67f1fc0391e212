//! Counts the places of a plain key: the row is the only code that resolves the key, prints it or
//! sets it by a flag.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Keys that have a row and code in addition: section and key.
const DEPENDENT: &[(&str, &str, &str)] = &[
    (
        "BlobDraft",
        "gone_within",
        "has an effect only with until_gone",
    ),
    (
        "BlobDraft",
        "poll_connections",
        "has an effect only with until_gone",
    ),
    (
        "BlobDraft",
        "poll_interval",
        "has an effect only with until_gone",
    ),
    (
        "BlobDraft",
        "range",
        "has an effect only with a phase that reads",
    ),
    (
        "BlobDraft",
        "until_gone",
        "has an effect only with a phase that deletes",
    ),
    ("Draft", "margin", "a bisect has its own default"),
    ("GateDraft", "figures", "each figure may stand once"),
    (
        "HttpDraft",
        "cache_counters",
        "one flag sets the key of a workload or of a target",
    ),
    (
        "HttpDraft",
        "cache_hit",
        "needs enough patterns in the file",
    ),
    ("HttpDraft", "method", "some checks are impossible for HEAD"),
    (
        "HttpDraft",
        "patterns_format",
        "generated requests have no format",
    ),
    ("LoadDraft", "depth", "needs connections that stay open"),
    ("LoadDraft", "keep_alive", "excludes the depth"),
    ("LoadDraft", "reopen", "needs connections that stay open"),
    ("LoadDraft", "requests", "excludes a rate"),
    ("RoundsDraft", "lead", "the default depends on the slice"),
    ("RoundsDraft", "relaunch", "the comment of a printed plan"),
    (
        "RoundsDraft",
        "slice",
        "the default depends on duration and count",
    ),
    ("RoundsDraft", "warmup", "the comment of a printed plan"),
    ("S3Draft", "parts_at_once", "the suite has one connection"),
    (
        "TargetDraft",
        "cache_counters",
        "one flag sets the key of a workload or of a target",
    ),
    (
        "TargetDraft",
        "corpus",
        "no pages can be loaded into Droonga",
    ),
    ("TargetDraft", "dead_hosts", "needs several hosts"),
    ("TargetDraft", "http", "built-in servers speak HTTP/1.1"),
    ("TargetDraft", "ip_version", "excludes a Unix socket"),
    (
        "TargetDraft",
        "source",
        "must have the IP version of the target",
    ),
    ("TlsDraft", "ca", "the file is read before the run"),
];

/// Where hand-written code for a key would stand.
const CODE: &[&str] = &["src", "../cli/src/args"];

/// The table of S3 keys that only some operations have.
const KEYS_OF_OPERATIONS: &str = "s3/fits.rs";

#[test]
fn a_plain_key_stands_in_its_row_only() {
    let files: Vec<(PathBuf, String)> = CODE.iter().flat_map(|folder| sources(folder)).collect();
    let rows: Vec<Row> = files
        .iter()
        .flat_map(|(file, text)| rows(file, text))
        .collect();
    assert!(rows.len() > 80, "{} rows", rows.len());
    let mut found = BTreeSet::new();
    for row in &rows {
        let others = files.iter().filter(|(file, _)| *file != row.file);
        if others.clone().any(|(_, text)| row.is_in(text)) {
            found.insert((row.section.as_str(), row.key.as_str()));
        }
    }
    let listed = DEPENDENT.iter().map(|(section, key, _)| (*section, *key));
    assert_eq!(found, listed.collect(), "keys with code beside their rows");
}

/// The row of a key whose value the model stores.
struct Row {
    file: PathBuf,
    section: String,
    key: String,
}

impl Row {
    /// Whether code reads the key of the draft, or prints the key.
    fn is_in(&self, text: &str) -> bool {
        let Self { section, key, .. } = self;
        let reads = ["draft", "own", "shared"].map(|draft| format!("{draft}.{key}"));
        let names = |text: &str| has_word(text, section);
        has_word(text, &format!("{section}::{key}"))
            || (names(text) && reads.iter().any(|read| has_word(text, read)))
    }
}

/// Whether the text has these characters, not followed by more of a name.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let next = text[at + word.len()..].chars().next();
        next.is_none_or(|next| !next.is_alphanumeric() && next != '_')
    })
}

fn rows(file: &Path, text: &str) -> Vec<Row> {
    let mut section = String::new();
    let mut rows = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("    pub struct ") {
            section = rest.split('(').next().unwrap_or_default().to_owned();
        }
        let row = line
            .strip_prefix("        ")
            .and_then(|line| line.split_once(": "));
        if let Some((key, value)) = row
            && (value.starts_with("Scalar =>") || value.starts_with("List =>"))
        {
            rows.push(Row {
                file: file.to_owned(),
                section: section.clone(),
                key: key.to_owned(),
            });
        }
    }
    rows
}

/// The source files in a folder, without their unit tests.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs")
                && !path.ends_with(KEYS_OF_OPERATIONS)
            {
                let text = fs::read_to_string(&path).expect("a source file");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                found.push((path, code.to_owned()));
            }
        }
    }
    found
}
