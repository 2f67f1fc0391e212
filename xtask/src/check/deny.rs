//! Checks licences, sources and duplicates of all dependencies with cargo-deny.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::setup::find_built;
use crate::shell;

/// What to say without cargo-deny, which is optional because its build takes minutes; another check
/// covers the licences.
pub(super) const MISSING: &str = "cargo-deny is not installed: bans and sources are not checked; \
                                  `cargo xtask setup --deny` installs it";

/// The program, if it is installed.
pub(super) fn program() -> Option<PathBuf> {
    find_built("cargo-deny").or_else(|| shell::find_program("cargo-deny"))
}

/// Fails if `deny.toml` forbids a dependency.
pub(super) fn check(program: &Path) -> Result<()> {
    // Checking advisories requires a download; see CONTRIBUTING.md.
    let arguments = "check bans licenses sources";
    shell::succeed(Command::new(program).args(arguments.split(' ')))
}
