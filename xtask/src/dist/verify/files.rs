//! Checks of installed files, alike in all packages.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::measure;
use super::root::Root;
use crate::shell;

/// Files that every package installs.
const INSTALLED: &[&str] = &[
    "usr/bin/tenbin",
    "usr/share/man/man1/tenbin.1.gz",
    "usr/share/man/man1/tenbin-observe.1.gz",
    "usr/share/bash-completion/completions/tenbin",
    "usr/share/fish/vendor_completions.d/tenbin.fish",
    "usr/share/doc/tenbin/README.md",
    "etc/tenbin/agent.env",
    "etc/tenbin/observe.env",
];

const UNITS: [&str; 2] = ["tenbin-agent.service", "tenbin-observe.service"];

/// Checks and uses an installed package.
pub(super) fn check(root: &Root, version: &str) -> Result<()> {
    root.expect(INSTALLED)?;
    let said = shell::output_of(root.command("/usr/bin/tenbin").arg("--version"))?;
    ensure!(
        said.starts_with(&format!("tenbin {version}")),
        "the installed program prints {said:?} as its version"
    );
    measure::briefly(&|| root.command("/usr/bin/tenbin"))?;
    std::fs::remove_dir_all(root.path().join("tmp/runs"))?;
    let page = root.path().join("usr/share/man/man1/tenbin.1.gz");
    let page = shell::output_of(
        Command::new("gzip")
            .args(["--decompress", "--stdout"])
            .arg(page),
    )?;
    ensure!(
        page.contains(".TH tenbin 1") && page.contains("tenbin\\-observe(1)"),
        "tenbin.1.gz is no manual page"
    );
    let completion = root
        .path()
        .join("usr/share/bash-completion/completions/tenbin");
    let script = format!("set -e; . '{}'; complete -p tenbin", completion.display());
    shell::output_of(Command::new("bash").args(["-c", &script]))?;
    for unit in UNITS {
        check_unit(root, unit)?;
    }
    Ok(())
}

/// Lets systemd read a unit. Its program is that in the root directory.
fn check_unit(root: &Root, unit: &str) -> Result<()> {
    let text = std::fs::read_to_string(root.path().join("usr/lib/systemd/system").join(unit))?;
    let program = root.path().join("usr/bin/tenbin");
    let started = format!("ExecStart={}", program.display());
    ensure!(
        text.contains("ExecStart=tenbin "),
        "{unit} starts no tenbin"
    );
    let copy = root.path().join("tmp").join(unit);
    std::fs::write(&copy, text.replace("ExecStart=tenbin", &started))?;
    let said = verified(&copy);
    std::fs::remove_file(&copy)?;
    let said = said?;
    ensure!(said.is_empty(), "systemd finds faults in {unit}: {said}");
    Ok(())
}

/// What systemd says about a unit. It only warns about unknown settings.
fn verified(unit: &Path) -> Result<String> {
    let mut command = Command::new("systemd-analyze");
    let output = command.args(["verify", "--man=no"]).arg(unit).output();
    let output = output.context("systemd-analyze cannot be run (Debian package systemd)")?;
    Ok(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}
