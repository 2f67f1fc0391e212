//! The Debian package: installed into an empty root directory, used, and removed without a rest.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::files;
use super::root::{PATH, Root, isolated};
use crate::dist::layout::Layout;
use crate::dist::packages;
use crate::dist::release::Release;
use crate::shell;

/// Directory of dpkg's own files.
const DATABASE: &str = "var/lib/dpkg";

/// Checks the package. That of another architecture is only listed and unpacked.
///
/// # Errors
///
/// If the package does not install, its program does not run, or a file is left after its removal.
pub(super) fn check(layout: &Layout, release: &Release, into: &Path) -> Result<()> {
    let package = packages::debian(layout, release, into);
    if !layout.architecture.is_native() {
        let list = shell::output_of(Command::new("dpkg-deb").arg("--contents").arg(&package))?;
        ensure!(
            list.contains(" ./usr/bin/tenbin\n"),
            "{} has no program",
            package.display()
        );
        return Ok(());
    }
    let root = Root::new(&layout.parent, &layout.binary())?;
    for directory in ["info", "updates", "triggers"] {
        std::fs::create_dir_all(root.path().join(DATABASE).join(directory))?;
    }
    std::fs::write(root.path().join(DATABASE).join("status"), "")?;
    let before = root.content(&[DATABASE])?;
    dpkg(&root, &["--install"], &package)?;
    files::check(&root, &release.version)?;
    root.expect(&[
        "usr/share/zsh/vendor-completions/_tenbin",
        "usr/share/doc/tenbin/copyright",
    ])?;
    dpkg(&root, &["--purge"], Path::new("tenbin"))?;
    let after = root.content(&[DATABASE])?;
    let left: Vec<_> = after.difference(&before).collect();
    ensure!(left.is_empty(), "left by the Debian package: {left:?}");
    println!("{}: installed, used, removed", package.display());
    Ok(())
}

/// Runs dpkg on the root directory. Its scripts run in the directory.
fn dpkg(root: &Root, action: &[&str], operand: &Path) -> Result<()> {
    let mut command = isolated();
    command
        .arg("dpkg")
        .arg(format!("--root={}", root.path().display()))
        .arg("--log=/dev/null")
        .args(action)
        .arg(operand)
        .env("PATH", PATH);
    shell::output_of(&mut command).map(drop)
}
