//! Installs the Python packages of the example servers in a separate environment; the system's
//! Python is not changed.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{go, say};
use crate::shell;

/// The packages in the versions that the examples require.
const PACKAGES: &[&str] = &["sqlalchemy==2.1.9"];

/// Path of the interpreter with access to the packages.
fn interpreter() -> Result<PathBuf> {
    Ok(go::cache_dir()?.join("python3"))
}

/// Whether the interpreter has every package in the required version.
fn is_ready() -> Result<bool> {
    let checks = PACKAGES.iter().map(|package| {
        let (name, version) = package.split_once("==").unwrap_or((package, ""));
        format!("assert importlib.metadata.version({name:?}) == {version:?}")
    });
    let script = format!(
        "import importlib.metadata\n{}",
        checks.collect::<Vec<_>>().join("\n")
    );
    let checked = Command::new(interpreter()?).args(["-c", &script]).output();
    Ok(checked.is_ok_and(|output| output.status.success()))
}

/// Name of the environment if it is missing, otherwise nothing. Prints the state.
pub(super) fn missing() -> Result<Vec<&'static str>> {
    if is_ready()? {
        say_ready()?;
        return Ok(Vec::new());
    }
    say("python3", &format!("to be given {}", PACKAGES.join(", ")));
    Ok(vec!["python3"])
}

/// Creates an environment with the packages, and an interpreter script that uses the environment.
pub(super) fn install() -> Result<()> {
    if !is_ready()? {
        let place = interpreter()?;
        let environment = place.with_file_name("../python");
        std::fs::create_dir_all(go::cache_dir()?)?;
        shell::succeed(
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&environment),
        )
        .context("Python 3 with its module venv is needed (Debian: python3-venv)")?;
        let own = environment.canonicalize()?.join("bin/python3");
        shell::succeed(
            Command::new(&own)
                .args([
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                ])
                .args(PACKAGES),
        )?;
        // A symbolic link would not work: Python locates its environment by the path of its
        // command.
        let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", own.display());
        std::fs::write(&place, script)?;
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755))?;
        if !is_ready()? {
            bail!(
                "{} was made, yet lacks {}",
                place.display(),
                PACKAGES.join(", ")
            );
        }
    }
    say_ready()
}

fn say_ready() -> Result<()> {
    let place = interpreter()?;
    say(
        "python3",
        &format!("{} ({})", place.display(), PACKAGES.join(", ")),
    );
    Ok(())
}
