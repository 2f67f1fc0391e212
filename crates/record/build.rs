//! Passes the compiler's version to the crate, which writes it to `environment.json`.
#![allow(
    clippy::print_stdout,
    reason = "cargo reads what a build script prints"
)]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=RUSTC");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok());
    if let Some(version) = version {
        println!("cargo::rustc-env=TENBIN_RUSTC={}", version.trim());
    }
}
