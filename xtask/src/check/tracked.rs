//! Checks the files of the repository for absolute paths of a developer's machine, and warns of
//! long source files.

use std::process::Command;

use anyhow::{Result, bail};

use crate::shell;

/// Directories whose absolute paths exist on only one machine.
const PRIVATE_DIRECTORIES: &[&str] = &["home", "root", "Users", "work"];

/// Largest number of lines of a source file without a warning.
const LONG: usize = 500;

/// Fails with a list of all lines with a private path. Warns of long source files in one line.
pub(super) fn check() -> Result<()> {
    if !std::path::Path::new(".git").exists() {
        println!("not a git checkout: there is no list of files to look at");
        return Ok(());
    }
    let names = shell::output_of(
        Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]),
    )?;
    let mut offences = Vec::new();
    let mut long = Vec::new();
    let mut looked_at = 0;
    for name in names.lines() {
        // The file is deleted without a commit, or is not text.
        let Ok(text) = std::fs::read_to_string(name) else {
            continue;
        };
        looked_at += 1;
        let lines = text.lines().count();
        if name.ends_with(".rs") && lines > LONG {
            long.push((lines, name));
        }
        offences.extend(private_paths(&text).map(|(line, path)| format!("{name}:{line}: {path}")));
    }
    if !offences.is_empty() {
        bail!(
            "paths of one machine in the repository:\n{}",
            offences.join("\n")
        );
    }
    warn_of_long_files(long);
    println!("{looked_at} files, no path of one machine");
    Ok(())
}

/// Prints how many files are long, and the longest three, so that a split can start there.
fn warn_of_long_files(mut long: Vec<(usize, &str)>) {
    if long.is_empty() {
        return;
    }
    long.sort_unstable_by(|a, b| b.cmp(a));
    let longest: Vec<String> = long
        .iter()
        .take(3)
        .map(|(lines, name)| format!("{name} ({lines})"))
        .collect();
    println!(
        "warning: {} source files have more than {LONG} lines; the longest: {}",
        long.len(),
        longest.join(", ")
    );
}

/// Private paths with their line numbers, from 1.
fn private_paths(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        line.match_indices('/')
            .filter(|&(at, _)| starts_private_path(line, at))
            .map(move |(at, _)| (index + 1, path_at(line, at)))
    })
}

/// Whether the slash at `at` begins an absolute path into a private directory,
/// rather than continuing a longer path or a URL.
fn starts_private_path(line: &str, at: usize) -> bool {
    let continues = line[..at]
        .chars()
        .next_back()
        .is_some_and(|before| before.is_alphanumeric() || "._-~/}>*)".contains(before));
    let mut parts = line[at + 1..].split('/');
    let directory = parts.next().unwrap_or_default();
    let below = parts.next().unwrap_or_default();
    !continues
        && PRIVATE_DIRECTORIES.contains(&directory)
        && below.starts_with(|first: char| first.is_alphanumeric() || first == '.')
}

fn path_at(line: &str, at: usize) -> &str {
    let rest = &line[at..];
    let end = rest
        .find(|c: char| c.is_whitespace() || "\"'`,;:)<>".contains(c))
        .unwrap_or(rest.len());
    &rest[..end]
}

#[cfg(test)]
mod tests {
    use super::private_paths;

    #[test]
    fn absolute_paths_into_private_directories_are_found() {
        // Assembled at run time; otherwise the check would report this file.
        let slash = "/";
        let text = format!(
            "first line\nsee `{slash}home/ann/notes.txt`, or {slash}root/.cache\nrun {slash}work/bench now"
        );
        let found: Vec<(usize, &str)> = private_paths(&text).collect();
        let expected = [
            (2, format!("{slash}home/ann/notes.txt")),
            (2, format!("{slash}root/.cache")),
            (3, format!("{slash}work/bench")),
        ];
        assert_eq!(found.len(), expected.len());
        for ((line, path), (expected_line, expected_path)) in found.iter().zip(&expected) {
            assert_eq!((line, path), (expected_line, &expected_path.as_str()));
        }
    }

    #[test]
    fn relative_paths_and_urls_are_not() {
        for text in [
            "crates/work/src",
            "https://example.org/home/page",
            "~/work/x",
            "{root}/home/x",
            "the words /home/ and /work/ alone",
            "/tmp/home/x",
        ] {
            assert_eq!(private_paths(text).count(), 0, "{text}");
        }
    }
}
