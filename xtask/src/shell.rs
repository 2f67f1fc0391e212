//! Functions that run other programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The root directory of the workspace.
pub(crate) fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
        .to_path_buf()
}

/// Directory of what cargo builds.
pub(crate) fn target_directory() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace_root().join("target"), PathBuf::from)
}

/// A command for the same cargo that runs this task.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // `cargo run` sets these for this task. Build scripts such as ring's ask cargo to run them again
    // when one changes, so that ring and all above it would be compiled again after a plain
    // `cargo build`.
    let of_this_task = std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    });
    for name in of_this_task {
        command.env_remove(name);
    }
    command
}

/// As [`cargo`], but clippy compiles the crates of the workspace, and its warnings are errors. This
/// takes less time than `cargo clippy` followed by a build: both would go through all dependencies.
///
/// Cargo keeps the artifacts of this compiler apart, so a build and the calls that use it must all be
/// made with this command.
pub(crate) fn cargo_with_clippy() -> Command {
    let mut command = cargo();
    // As `cargo clippy -- --deny warnings` sets them for `cargo check`.
    command
        .env("RUSTC_WORKSPACE_WRAPPER", clippy_driver())
        .env("CLIPPY_ARGS", "--deny__CLIPPY_HACKERY__warnings")
        // An eighth of the build's CPU time. Panics name their line without it.
        .env("CARGO_PROFILE_DEV_DEBUG", "false");
    command
}

/// The compiler with clippy's lints, beside the compiler that cargo uses.
fn clippy_driver() -> PathBuf {
    let sysroot = output_of(Command::new("rustc").args(["--print", "sysroot"]));
    let beside = sysroot.map(|root| Path::new(root.trim()).join("bin/clippy-driver"));
    beside
        .ok()
        .filter(|file| file.is_file())
        .unwrap_or_else(|| "clippy-driver".into())
}

/// Runs a command whose output goes to the terminal. Fails if the command fails.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let shown = show(command);
    println!("$ {shown}");
    let status = command
        .status()
        .with_context(|| format!("`{shown}` cannot be run"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a command and returns its standard output. If the command fails, the error contains its
/// standard error.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .output()
        .with_context(|| format!("`{shown}` cannot be run"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{shown}` failed ({}): {}", output.status, said.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed no UTF-8"))
}

/// A port of this machine that no server listens on.
///
/// # Errors
/// If no port is free.
pub(crate) fn free_port() -> Result<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.port())
}

/// Finds a program in `PATH` or in Debian's directories for administrator programs.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/usr/bin".into()])
        .map(|directory| directory.join(name))
        .find(|file| file.is_file())
}

/// The command line for messages, without directories and environment.
pub(crate) fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    std::iter::once(program.file_name().unwrap_or(program.as_os_str()))
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
