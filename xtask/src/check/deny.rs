//! Checks licences, sources and duplicates of all dependencies with cargo-deny.

use std::process::Command;

use anyhow::Result;

use crate::setup::find_built;
use crate::shell;

/// The command that installs cargo-deny; optional because the build takes minutes.
const INSTALL: &str = "cargo xtask setup --deny";

/// Fails if `deny.toml` forbids a dependency. Without cargo-deny, prints a note and succeeds;
/// another check covers the licences.
pub(super) fn check() -> Result<()> {
    let Some(program) = find_built("cargo-deny").or_else(|| shell::find_program("cargo-deny"))
    else {
        println!(
            "cargo-deny is not installed: bans and sources are not checked; `{INSTALL}` \
             installs it"
        );
        return Ok(());
    };
    // Checking advisories requires a download; see CONTRIBUTING.md.
    let arguments = "check bans licenses sources";
    shell::succeed(Command::new(program).args(arguments.split(' ')))
}
