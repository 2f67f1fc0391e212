//! Checks that each file of messages declares each id once: the last of two texts would silently win,
//! and they come to be two when changes of one file are merged.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// Fails with each id that a file declares twice.
pub(super) fn check() -> Result<()> {
    if !std::path::Path::new(".git").exists() {
        println!("not a git checkout: there is no list of files to look at");
        return Ok(());
    }
    let names = shell::output_of(Command::new("git").args(["ls-files", "*.ftl"]))?;
    let mut count = 0;
    let mut twice = Vec::new();
    for name in names.lines() {
        let text = fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
        let ids = lines_of_ids(&text);
        count += ids.len();
        let several = ids.into_iter().filter(|(_, lines)| lines.len() > 1);
        twice.extend(several.map(|(id, lines)| format!("{name}: {id} in lines {lines:?}")));
    }
    if !twice.is_empty() {
        bail!(
            "messages are declared twice:\n{}\ndelete the older text",
            twice.join("\n")
        );
    }
    println!("{count} messages, each declared once in its file");
    Ok(())
}

/// The lines, from 1, in which each id is declared.
fn lines_of_ids(text: &str) -> BTreeMap<&str, Vec<usize>> {
    let mut ids: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let Some((id, _)) = line.split_once('=') else {
            continue;
        };
        let id = id.trim_end();
        if !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            ids.entry(id).or_default().push(at + 1);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_declared_twice_is_found() {
        let text = "# a = comment\nfirst = a\nlong =\n    first = in a text\nfirst = b\n";
        let ids = lines_of_ids(text);
        assert_eq!(ids["first"], [2, 5]);
        assert_eq!(ids["long"], [3]);
        assert_eq!(ids.len(), 2);
    }
}
