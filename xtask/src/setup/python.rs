//! Installs the Python packages of the example servers and tests in a separate environment; the
//! system's Python is not changed.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{go, logged, say};

/// The packages in the versions that the examples and their tests require.
const PACKAGES: &[&str] = &[
    "sqlalchemy==2.1.9", "kubernetes-validate==1.37.0", "taplo==0.9.3", "check-jsonschema==0.39.0",
];

/// Programs of the packages that tests start by name.
const PROGRAMS: &[&str] = &["taplo", "check-jsonschema"];

/// Packages of which only files are read, so that their dependencies are not installed: axe-core 4.12.1
/// as one script, which tests run in Chromium (`crates/report/tests/installed`).
const ONLY_FILES: &[&str] = &["axe-playwright-python==0.1.8"];

/// Path of the interpreter with access to the packages.
fn interpreter() -> Result<PathBuf> {
    Ok(go::cache_dir()?.join("python3"))
}

/// Whether the interpreter has every package in the required version, and every program is there.
fn is_ready() -> Result<bool> {
    let place = interpreter()?;
    let mut programs = PROGRAMS.iter().map(|name| place.with_file_name(name));
    if !programs.all(|program| program.is_file()) {
        return Ok(false);
    }
    let checks = PACKAGES.iter().chain(ONLY_FILES).map(|package| {
        let (name, version) = package.split_once("==").unwrap_or((package, ""));
        format!("assert importlib.metadata.version({name:?}) == {version:?}")
    });
    let script = format!(
        "import importlib.metadata\n{}",
        checks.collect::<Vec<_>>().join("\n")
    );
    let checked = Command::new(place).args(["-c", &script]).output();
    Ok(checked.is_ok_and(|output| output.status.success()))
}

/// Name of the environment if it is missing, otherwise nothing. Prints the state.
pub(super) fn missing() -> Result<Vec<&'static str>> {
    if is_ready()? {
        say_ready()?;
        return Ok(Vec::new());
    }
    say("python3", &format!("to be given {}", names()));
    Ok(vec!["python3"])
}

/// Creates an environment with the packages, and an interpreter script that uses the environment.
pub(super) fn install() -> Result<()> {
    if !is_ready()? {
        let place = interpreter()?;
        let environment = place.with_file_name("../python");
        std::fs::create_dir_all(go::cache_dir()?)?;
        // An environment that works may be in use by tests of another clone.
        if !works(&environment.join("bin/python3")) {
            logged::run(
                "making a Python environment",
                Command::new("python3")
                    .args(["-m", "venv", "--clear"])
                    .arg(&environment),
            )
            .context("Python 3 with its module venv is needed (Debian: python3-venv)")?;
        }
        let programs = environment.canonicalize()?.join("bin");
        let own = programs.join("python3");
        let purpose = format!("installing {} with pip", names());
        logged::run(&purpose, pip_install(&own).args(PACKAGES))?;
        logged::run(
            &purpose,
            pip_install(&own).arg("--no-deps").args(ONLY_FILES),
        )?;
        write_script(&place, &own)?;
        for name in PROGRAMS {
            write_script(&place.with_file_name(name), &programs.join(name))?;
        }
        if !is_ready()? {
            bail!("{} was made, yet lacks {}", place.display(), names());
        }
    }
    say_ready()
}

/// Writes a script that runs a program of the environment. A symbolic link would not work: Python
/// locates its environment by the path of its command.
fn write_script(place: &Path, program: &Path) -> Result<()> {
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.display());
    std::fs::write(place, script)?;
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// Whether the interpreter runs and has pip.
fn works(interpreter: &Path) -> bool {
    let checked = Command::new(interpreter)
        .args(["-m", "pip", "--version"])
        .output();
    checked.is_ok_and(|output| output.status.success())
}

fn pip_install(interpreter: &Path) -> Command {
    let mut command = Command::new(interpreter);
    command.args(["-m", "pip", "install"]);
    command.args(["--quiet", "--disable-pip-version-check"]);
    command
}

fn say_ready() -> Result<()> {
    let place = interpreter()?;
    say("python3", &format!("{} ({})", place.display(), names()));
    Ok(())
}

fn names() -> String {
    [PACKAGES, ONLY_FILES].concat().join(", ")
}
