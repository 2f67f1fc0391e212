//! Installs programs from Debian packages.

use std::os::unix::fs::MetadataExt;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{logged, say};
use crate::shell;

/// Script that installs packages without starting their services: a packaged nginx would listen on
/// all addresses, but servers started by the tests listen only on 127.0.0.1.
const INSTALL: &str = include_str!("apt-install.sh");

/// The entries whose program is missing on this machine. Prints the state of every entry.
pub(super) fn missing<'a>(wanted: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut missing = Vec::new();
    for &(program, package) in wanted {
        match shell::find_program(program) {
            Some(file) => say(program, &file.display().to_string()),
            None => {
                say(program, &format!("missing (Debian package {package})"));
                missing.push((program, package));
            }
        }
    }
    missing
}

/// Installs the packages of missing programs.
pub(crate) fn install(wanted: &[(&str, &str)]) -> Result<()> {
    let packages: Vec<&str> = missing(wanted)
        .into_iter()
        .map(|(_, package)| package)
        .collect();
    if packages.is_empty() {
        return Ok(());
    }
    let list = packages.join(" ");
    if shell::find_program("apt-get").is_none() {
        bail!("there is no apt-get here: install what Debian calls {list} in your system's way");
    }
    logged::run(
        &format!("installing {list} with apt-get"),
        as_administrator()
            .args(["sh", "-c", INSTALL, "apt-install"])
            .args(&packages),
    )
    .with_context(|| format!("cannot install {list}"))?;
    if let Some((program, package)) = missing(wanted).first() {
        bail!("{package} is installed, yet there is no {program}");
    }
    Ok(())
}

/// A command that runs its arguments as root: directly if this process is root, otherwise with
/// sudo.
fn as_administrator() -> Command {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    Command::new(if is_root { "env" } else { "sudo" })
}
