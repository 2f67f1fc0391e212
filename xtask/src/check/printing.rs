//! Checks that no source file of a crate is exempt from the lints against printing: `println!` and
//! `eprintln!` panic if the terminal is closed or the disk is full, which ends a run without its
//! result.
//!
//! Clippy forbids the macros (`print_stdout`, `print_stderr`, `dbg_macro`). Build scripts, examples
//! and tests can be exempt.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::circles::{rust_files, sources};

/// The lints.
const LINTS: [&str; 3] = ["print_stdout", "print_stderr", "dbg_macro"];

/// Fails with a list of all exemptions.
pub(super) fn check() -> Result<()> {
    let mut exempt = Vec::new();
    let mut files = 0;
    for source in sources()? {
        if source.starts_with("xtask") {
            continue;
        }
        for path in rust_files(&source).with_context(|| format!("cannot list {source:?}"))? {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {path:?}"))?;
            files += 1;
            exempt.extend(exemptions(&path, &text));
        }
    }
    if !exempt.is_empty() {
        bail!(
            "{}\nreturn the text, or print it with crates/cli/src/output.rs",
            exempt.join("\n")
        );
    }
    println!("{files} files, none may use println! or eprintln!");
    Ok(())
}

/// The lines of a file that name one of the lints.
fn exemptions(path: &Path, text: &str) -> Vec<String> {
    let lines = text.lines().zip(1..);
    let named = lines.filter(|(line, _)| LINTS.iter().any(|lint| line.contains(lint)));
    named
        .map(|(_, number)| {
            let path = path.display();
            format!("{path}:{number}: exempt from a lint against printing")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exemption_is_found() {
        let text = "#[expect(clippy::print_stderr, reason = \"x\")]\nfn f() {}\n";
        let found = exemptions(Path::new("a.rs"), text);
        assert_eq!(found, ["a.rs:1: exempt from a lint against printing"]);
        assert!(exemptions(Path::new("a.rs"), "fn f() {}").is_empty());
    }
}
