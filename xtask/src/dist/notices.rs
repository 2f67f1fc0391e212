//! `THIRD-PARTY.txt`: the licences of the crates in the program, which have to accompany it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::architecture::Architecture;
use crate::shell;

/// How files with licences are named, in upper case.
const FILES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// What is in the program and comes from no crate.
const HEAD: &str = "\
Tenbin contains the following software. Where several licences are offered, each can be chosen.

The standard library of Rust: Apache-2.0 OR MIT, copyright The Rust Project Developers
musl, the C library: MIT, copyright 2005-2020 Rich Felker and others
libunwind of LLVM: Apache-2.0 WITH LLVM-exception OR MIT, copyright the LLVM contributors

A list of the crates follows, then the texts of their licences. A crate that contains no text of its
licence is listed with its copyright holders. The text is the same as that of another crate with this
licence, and so are the texts of the licences above.
";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
    source: Option<String>,
    authors: Vec<String>,
}

/// The text for one architecture.
///
/// # Errors
///
/// If cargo fails or a file cannot be read.
pub(super) fn text(architecture: &Architecture) -> Result<String> {
    let names = names(architecture)?;
    let metadata = shell::output_of(shell::cargo().args([
        "metadata", "--locked", "--format-version=1", "--filter-platform", architecture.triple,
    ]))?;
    let metadata: Metadata = serde_json::from_str(&metadata)?;
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::new();
    for package in &metadata.packages {
        let name = format!("{} {}", package.name, package.version);
        if package.source.is_none() || !names.contains(&name) {
            continue;
        }
        let licence = package.license.as_deref().unwrap_or("see below");
        let texts = licences(package)?;
        list.push_str(&format!("{name}: {licence}"));
        if texts.is_empty() {
            list.push_str(&format!(", copyright {}", copyright_holders(package)));
        }
        list.push('\n');
        for text in texts {
            by_text.entry(text).or_default().push(name.clone());
        }
    }
    ensure!(!list.is_empty(), "the program has no crates");
    let mut all = format!("{HEAD}\n{list}");
    for (text, names) in by_text {
        let names = names.join(", ");
        all.push_str(&format!("\n{}\n{names}:\n\n{text}\n", "-".repeat(72)));
    }
    Ok(all)
}

/// Name and version of every crate in the program.
fn names(architecture: &Architecture) -> Result<BTreeSet<String>> {
    let tree = shell::output_of(shell::cargo().args([
        "tree", "--locked", "--package=tenbin", "--edges=normal,no-proc-macro", "--prefix=none",
        "--format={p}", "--target", architecture.triple,
    ]))?;
    let lines = tree.lines().filter_map(|line| {
        let (name, rest) = line.split_once(" v")?;
        Some(format!("{name} {}", rest.split_whitespace().next()?))
    });
    Ok(lines.collect())
}

/// The copyright holders of a crate that contains no text of its licence.
fn copyright_holders(package: &Package) -> String {
    if package.authors.is_empty() {
        format!("the authors of {}", package.name)
    } else {
        package.authors.join(", ")
    }
}

/// The texts of all licences in a crate, also of the C sources that it contains. Some crates have
/// only the name of the licence.
fn licences(package: &Package) -> Result<BTreeSet<String>> {
    let directory = package.manifest_path.parent().unwrap_or(Path::new("."));
    let mut open = vec![directory.to_path_buf()];
    let mut texts = BTreeSet::new();
    while let Some(directory) = open.pop() {
        let entries = fs::read_dir(&directory);
        let entries = entries.with_context(|| format!("cannot read {}", directory.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = name.to_uppercase();
            if path.is_dir() {
                open.push(path);
            } else if FILES.iter().any(|file| name.starts_with(file)) && !name.ends_with(".RS") {
                let text = fs::read(&path)?;
                texts.insert(String::from_utf8_lossy(&text).trim().to_owned());
            }
        }
    }
    Ok(texts)
}
