//! The RPM package: installed into an empty root directory, used, and removed without a rest.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::files;
use super::root::{Root, isolated};
use crate::dist::layout::Layout;
use crate::dist::packages;
use crate::dist::release::Release;
use crate::shell;

/// Directory of rpm's own files.
const DATABASE: &str = "var/lib/rpm";

/// Checks the package, if rpm is installed. That of another architecture is only listed.
///
/// # Errors
///
/// If a file is missing, the program does not run, or a file is left after the removal.
pub(super) fn check(layout: &Layout, release: &Release, into: &Path) -> Result<()> {
    let package = packages::rpm(layout, release, into);
    if shell::find_program("rpm").is_none() {
        println!("{}: not checked, rpm is not installed", package.display());
        return Ok(());
    }
    let list = shell::output_of(
        Command::new("rpm")
            .args(["--query", "--list", "--package"])
            .arg(&package),
    )?;
    for file in [
        "/usr/bin/tenbin",
        "/usr/share/man/man1/tenbin.1.gz",
        "/usr/lib/systemd/system/tenbin-agent.service",
    ] {
        ensure!(
            list.lines().any(|line| line == file),
            "{} has no {file}",
            package.display()
        );
    }
    if !layout.architecture.is_native() {
        return Ok(());
    }
    let root = Root::new(&layout.parent, &layout.binary())?;
    let before = root.content(&[DATABASE])?;
    rpm(&root, "--install", &package)?;
    files::check(&root, &release.version)?;
    root.expect(&[
        "usr/share/zsh/site-functions/_tenbin",
        "usr/share/licenses/tenbin/LICENSE-MIT",
    ])?;
    rpm(&root, "--erase", Path::new("tenbin"))?;
    let after = root.content(&[DATABASE])?;
    // rpm leaves directories that no package owns.
    let left: Vec<_> = after
        .difference(&before)
        .filter(|name| !root.path().join(name).is_dir())
        .collect();
    ensure!(left.is_empty(), "left by the RPM package: {left:?}");
    println!("{}: installed, used, removed", package.display());
    Ok(())
}

/// Runs rpm on the root directory, whose shell no package provides.
fn rpm(root: &Root, action: &str, operand: &Path) -> Result<()> {
    let mut command = isolated();
    command
        .arg("rpm")
        .arg(format!("--root={}", root.path().display()))
        .arg(format!("--dbpath=/{DATABASE}"))
        .args(["--nodeps", action])
        .arg(operand);
    shell::output_of(&mut command).map(drop)
}
