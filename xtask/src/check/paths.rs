//! Checks that the files and folders exist that the pages for contributors name.
//!
//! A page names a path in backticks, from the root of the repository (`crates/plan/src/draft.rs`) or
//! by its last parts (`keys/row.rs`). A part such as `<name>` or `*.ftl` stands for any name.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

const PAGES: &[&str] = &["CONTRIBUTING.md", "docs/architecture.md"];
/// A name without a folder is a file of the repository if it ends so; `result.json` is none.
const SOURCES: &[&str] = &[".rs", ".ftl", ".txt", ".toml", ".md"];
/// Where paths begin that are made, and so in no repository.
const MADE: &[&str] = &["target/", "~/"];

/// Fails with each path that does not exist.
pub(super) fn check() -> Result<()> {
    if !std::path::Path::new(".git").exists() {
        println!("not a git checkout: there is no list of files to look at");
        return Ok(());
    }
    let names = shell::output_of(
        Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]),
    )?;
    let tree = Tree::new(
        names
            .lines()
            .filter(|name| fs::exists(name).unwrap_or(false)),
    );
    let mut named = 0;
    let mut missing = Vec::new();
    for page in PAGES {
        let text = fs::read_to_string(page).with_context(|| format!("cannot read {page}"))?;
        let paths = paths_in(&text);
        named += paths.len();
        let lost = paths.into_iter().filter(|path| !tree.has(path));
        missing.extend(lost.map(|path| format!("{page}: {path}")));
    }
    if !missing.is_empty() {
        bail!(
            "pages name what does not exist:\n{}\nname the path from the root, or its last parts",
            missing.join("\n")
        );
    }
    println!("{named} paths in {}, all exist", PAGES.join(" and "));
    Ok(())
}

/// The files and folders of the repository, and the names at its root.
struct Tree<'a> {
    paths: BTreeSet<&'a str>,
    roots: BTreeSet<&'a str>,
}

impl<'a> Tree<'a> {
    fn new(files: impl Iterator<Item = &'a str>) -> Self {
        let mut paths = BTreeSet::new();
        for file in files {
            let folders = file.match_indices('/').map(|(at, _)| &file[..at]);
            paths.extend(folders.chain([file]));
        }
        let of_a_folder = paths.iter().filter_map(|path| path.split_once('/'));
        let roots = of_a_folder.map(|(root, _)| root).collect();
        Self { paths, roots }
    }

    /// Whether a path ends with these parts, or is this path if it begins at the root.
    fn has(&self, named: &str) -> bool {
        let named: Vec<&str> = named.trim_end_matches('/').split('/').collect();
        let from_root = named.len() > 1 && self.roots.contains(named[0]);
        self.paths.iter().any(|path| {
            let parts: Vec<&str> = path.split('/').collect();
            let begins_earlier = parts.len() > named.len();
            let mut last = parts.iter().rev().zip(named.iter().rev());
            parts.len() >= named.len()
                && !(from_root && begins_earlier)
                && last.all(|(part, pattern)| fits(part, pattern))
        })
    }
}

/// Whether a name is what `<name>.rs`, `*.ftl` or a literal name stands for.
fn fits(name: &str, pattern: &str) -> bool {
    let any = match (pattern.find('<'), pattern.find('>'), pattern.find('*')) {
        (Some(begin), Some(end), _) => Some((begin, end)),
        (_, _, Some(at)) => Some((at, at)),
        _ => None,
    };
    let Some((begin, end)) = any else {
        return name == pattern;
    };
    let (before, after) = (&pattern[..begin], &pattern[end + 1..]);
    name.len() > before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
}

/// The paths in backticks, without those in blocks of code.
fn paths_in(page: &str) -> Vec<&str> {
    let outside_blocks = page.split("```").step_by(2);
    let quoted = outside_blocks.flat_map(|text| text.split('`').skip(1).step_by(2));
    quoted.filter(|text| is_path(text)).collect()
}

fn is_path(text: &str) -> bool {
    let is_of_a_path = |c: char| c.is_ascii_alphanumeric() || "/._-<>*~".contains(c);
    let names_a_source = SOURCES.iter().any(|ending| text.ends_with(ending));
    text.chars().all(is_of_a_path)
        && !text.starts_with(['/', '-', '.'])
        && !MADE.iter().any(|place| text.starts_with(place))
        && (text.contains('/') || names_a_source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_does_not_exist_is_found() {
        let tree = Tree::new(["crates/report/src/language/ja.txt", "docs/a.md"].into_iter());
        for named in [
            "crates/report/src/language/ja.txt",
            "crates/<crate>/src/",
            "language/ja.txt",
            "language/*.txt",
            "a.md",
        ] {
            assert!(tree.has(named), "{named}");
        }
        for lost in [
            "crates/report/src/language/ja/errors.txt",
            "crates/language/ja.txt",
            "docs/b.md",
            "docs/<name>.txt",
            "errors.txt",
        ] {
            assert!(!tree.has(lost), "{lost}");
        }
    }

    #[test]
    fn paths_are_what_backticks_enclose() {
        let page = "see `a/b.rs`, `c/`, `--flag`, `/proc/stat`, `a b/c`, `result.json` and `d.ftl`\n\
                    ```console\n$ cat `e/f.rs`\n```\nnot g/h.rs, but `i/<name>.rs` and `target/dist`";
        assert_eq!(paths_in(page), ["a/b.rs", "c/", "d.ftl", "i/<name>.rs"]);
    }
}
