//! Python with the packages that example servers need, in a place of its own: what the
//! system's Python has is left alone.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{go, say};
use crate::shell;

/// The packages, with the versions that the examples are written for.
const PACKAGES: &[&str] = &["sqlalchemy==2.1.9"];

/// The interpreter that sees them.
fn interpreter() -> Result<PathBuf> {
    Ok(go::cache_dir()?.join("python3"))
}

/// Whether the interpreter has every package in its version.
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

/// Names of what is not there; says how it stands.
pub(super) fn missing() -> Result<Vec<&'static str>> {
    if is_ready()? {
        say_ready()?;
        return Ok(Vec::new());
    }
    say("python3", &format!("to be given {}", PACKAGES.join(", ")));
    Ok(vec!["python3"])
}

/// Makes an environment with the packages, and an interpreter that uses it.
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
        // A link would not do: Python finds its environment by the name it is called by.
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
