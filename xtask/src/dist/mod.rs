//! `cargo xtask dist`: what people install. Static binaries in archives, Debian and RPM packages, a
//! container image, a list of the parts (SBOM) and checksums, all in `target/dist`, and checks of
//! each of them.

mod architecture;
mod archive;
mod build;
mod checksums;
mod image;
mod layout;
mod notices;
mod packages;
#[cfg(test)]
mod profile;
mod release;
mod sbom;
mod toolchain;
mod tools;
mod verify;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use self::architecture::Architecture;
use self::layout::Layout;
use self::release::Release;
use crate::shell;
use crate::steps::Steps;

/// Installs the tools that only this task needs.
///
/// # Errors
///
/// If a tool cannot be installed.
pub(crate) fn install_tools() -> Result<()> {
    tools::install_all()
}

/// Builds everything for the named architectures, or for all, and checks the result.
///
/// # Errors
///
/// If a step or a check fails.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    let chosen = architecture::chosen(names)?;
    let mut steps = Steps::default();
    let result = all_steps(&mut steps, &chosen);
    steps.print_times();
    result
}

fn all_steps(steps: &mut Steps, chosen: &[&'static Architecture]) -> Result<()> {
    let release = Release::read()?;
    let into = directory();
    steps.run("tools", tools::install_all)?;
    let mut binaries = Vec::new();
    for architecture in chosen {
        binaries.push(steps.run(architecture.step, || build::binary(architecture, &release))?);
    }
    emptied(&into)?;
    let mut layouts = Vec::new();
    for (architecture, binary) in chosen.iter().zip(&binaries) {
        layouts.push(steps.run("archives and packages", || {
            package(architecture, binary, &release, &into)
        })?);
    }
    let image = steps.run("container image", || {
        image::write(&layouts, &release, &into)
    })?;
    let sboms = steps.run("SBOM", || {
        let lists = chosen.iter();
        let lists = lists.map(|architecture| sbom::write(architecture, &release, &into));
        lists.collect::<Result<Vec<_>>>()
    })?;
    steps.run("checksums", || checksums::write(&into))?;
    steps.run("checks", || {
        for layout in &layouts {
            verify::binary(layout)?;
            verify::packages(layout, &release, &into)?;
        }
        verify::image(&image, &layouts)?;
        for sbom in &sboms {
            verify::sbom(sbom)?;
        }
        checksums::verify(&into)
    })?;
    std::fs::remove_dir_all(layout::scratch(&into))?;
    list(&into)
}

/// Packages a binary that was built otherwise, for this machine's architecture, and checks the
/// packages.
///
/// # Errors
///
/// If the binary needs libraries and `may_need_libraries` is false, a package cannot be made, or a
/// check fails.
pub(crate) fn package_binary(binary: &Path, into: &Path, may_need_libraries: bool) -> Result<()> {
    ensure!(
        may_need_libraries || verify::is_static(binary)?,
        "{} needs libraries, which the packages do not name; build it for a musl target, or add \
         --dynamic for packages that are only tested on this machine",
        binary.display()
    );
    let release = Release::read()?;
    let architecture = architecture::of_this_machine()?;
    std::fs::create_dir_all(into)
        .with_context(|| format!("cannot make the directory {}", into.display()))?;
    let checked = package(architecture, binary, &release, into)
        .and_then(|layout| verify::packages(&layout, &release, into));
    let scratch = layout::scratch(into);
    if scratch.exists() {
        std::fs::remove_dir_all(scratch)?;
    }
    checked
}

/// Makes the archive and the packages of one binary.
fn package(
    architecture: &'static Architecture,
    binary: &Path,
    release: &Release,
    into: &Path,
) -> Result<Layout> {
    let layout = Layout::write(architecture, binary, release, into)?;
    archive::write(&layout, release, into)?;
    packages::write(&layout, release, into)?;
    Ok(layout)
}

/// Where everything is written.
fn directory() -> PathBuf {
    shell::target_directory().join("dist")
}

/// Removes what an earlier call has written.
fn emptied(directory: &Path) -> Result<()> {
    if directory.exists() {
        std::fs::remove_dir_all(directory)
            .with_context(|| format!("cannot remove {}", directory.display()))?;
    }
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory {}", directory.display()))
}

/// Prints the files with their sizes.
fn list(directory: &Path) -> Result<()> {
    println!("\n{}:", directory.display());
    for file in checksums::files(directory)? {
        let bytes = directory.join(&file).metadata()?.len();
        println!("{:>8.2} MB  {file}", megabytes(bytes));
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files for people")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
