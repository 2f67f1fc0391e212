//! Builds a static binary.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::architecture::Architecture;
use super::release::Release;
use super::toolchain::Toolchain;
use super::tools;
use crate::{setup, shell};

/// Builds the program with the profile `dist`; the path of the binary.
///
/// # Errors
///
/// If the build fails.
pub(super) fn binary(architecture: &Architecture, release: &Release) -> Result<PathBuf> {
    let toolchain = Toolchain::choose(architecture)?;
    let tools = tools::cross()?;
    let mut path = vec![tools.clone()];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let caches = setup::cache_dir()?.with_file_name("packaging");
    let target = shell::target_directory();
    let mut build = Command::new(tools.join("cargo-zigbuild"));
    build
        .args(["zigbuild", "--locked", "--profile", "dist"])
        .args(["--package", "tenbin", "--bin", "tenbin"])
        .args(["--target", architecture.triple])
        .args(toolchain.arguments())
        .env("PATH", std::env::join_paths(path)?)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_ZIGBUILD_PYTHON_PATH", tools.join("python3"))
        .env("CARGO_ZIGBUILD_CACHE_DIR", caches.join("zigbuild"))
        .env("ZIG_GLOBAL_CACHE_DIR", caches.join("zig"))
        .env("RUSTFLAGS", flags(&toolchain)?)
        .env("SOURCE_DATE_EPOCH", release.epoch.to_string())
        .envs(toolchain.environment().iter().copied());
    shell::succeed(&mut build)?;
    let binary = target.join(architecture.triple).join("dist/tenbin");
    ensure!(binary.is_file(), "there is no {}", binary.display());
    Ok(binary)
}

/// Flags of the compiler. They keep directories of this machine out of the binary, so that other
/// machines build the same one.
fn flags(toolchain: &Toolchain) -> Result<String> {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    let cargo = cargo.or_else(home);
    let cargo = cargo.context("neither CARGO_HOME nor HOME is set")?;
    let given = std::env::var("RUSTFLAGS").unwrap_or_default();
    let flags = format!(
        "{given} {} --remap-path-prefix={}=crates --remap-path-prefix={}=.",
        toolchain.flags(),
        cargo.join("registry/src").display(),
        shell::workspace_root().display()
    );
    Ok(flags.trim().to_owned())
}
