//! Licences, sources and duplicates of all dependencies, as cargo-deny sees them.

use std::process::Command;

use anyhow::Result;

use crate::setup::find_built;
use crate::shell;

/// What installs it: a build of some minutes, so that only who asks for it gets it.
const INSTALL: &str = "cargo xtask setup --deny";

/// An error when `deny.toml` does not allow something. Without cargo-deny only says so: the
/// licences have a check that needs no program.
pub(super) fn check() -> Result<()> {
    let Some(program) = find_built("cargo-deny").or_else(|| shell::find_program("cargo-deny"))
    else {
        println!(
            "cargo-deny is not installed: bans and sources are not checked; `{INSTALL}` \
             installs it"
        );
        return Ok(());
    };
    // Advisories need a database from the network: see CONTRIBUTING.md.
    let arguments = "check bans licenses sources";
    shell::succeed(Command::new(program).args(arguments.split(' ')))
}
