//! `cargo xtask liars`: servers that save work under load and say that all is well, and honest
//! servers whose responses vary. Prints a table of each.

use anyhow::{Context, Result};

use crate::shell;

/// Runs the servers and prints the tables.
pub(crate) fn run() -> Result<()> {
    let file = shell::target_directory().join("liars.md");
    let mut test = shell::cargo_with_clippy();
    test.args(["test", "--workspace", "--test", "liars"])
        .env("TENBIN_LIARS", &file);
    let outcome = shell::succeed(&mut test);
    for table in ["lies", "honest"] {
        let file = file.with_extension(table);
        let text = std::fs::read_to_string(&file);
        println!(
            "{}",
            text.with_context(|| format!("no table in {}", file.display()))?
        );
    }
    outcome
}
