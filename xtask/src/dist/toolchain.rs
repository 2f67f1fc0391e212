//! The compiler that builds for a target.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::architecture::Architecture;
use crate::setup::{debian, logged};
use crate::shell;

/// A compiler with the standard library for a target.
pub(super) enum Toolchain {
    /// The pinned one.
    Pinned,
    /// Debian's, which builds the standard library from its sources.
    Debian,
}

/// Debian's compiler for programs that need a recent one, and the sources of the standard library:
/// file, package.
const FROM_DEBIAN: &[(&str, &str)] = &[
    ("/usr/bin/rustc", "rustc-web"),
    ("/usr/bin/cargo", "cargo-web"),
    (
        "/usr/lib/rustlib/src/rust/library/Cargo.lock",
        "rust-web-src",
    ),
];

/// Script of the linker that leaves out the tables for unwinding, which the standard library has.
const NO_UNWIND_TABLES: &str = "packaging/no-unwind-tables.ld";

/// Crates of the standard library. They belong to the path of a request.
const STANDARD_LIBRARY: [&str; 3] = ["core", "alloc", "std"];

impl Toolchain {
    /// The pinned compiler, if it has the target or rustup can add the target; otherwise Debian's.
    ///
    /// # Errors
    ///
    /// If neither is possible.
    pub(super) fn choose(architecture: &Architecture) -> Result<Self> {
        let triple = architecture.triple;
        if has_target(triple)? {
            return Ok(Self::Pinned);
        }
        let added = logged::run(
            &format!("adding the target {triple} with rustup"),
            Command::new("rustup").args(["target", "add", triple]),
        );
        match added {
            Ok(()) if has_target(triple)? => return Ok(Self::Pinned),
            Ok(()) => println!("rustup has added {triple} to another toolchain"),
            Err(error) => println!("rustup cannot add {triple}: {}", first_line(&error)),
        }
        println!("the standard library is built from Debian's sources");
        debian::install(FROM_DEBIAN)?;
        check_version()?;
        Ok(Self::Debian)
    }

    /// Arguments of cargo.
    pub(super) fn arguments(&self) -> Vec<String> {
        match self {
            Self::Pinned => Vec::new(),
            Self::Debian => {
                let levels = STANDARD_LIBRARY.iter().flat_map(|name| {
                    let level = format!("profile.dist.package.{name}.opt-level=3");
                    ["--config".to_owned(), level]
                });
                std::iter::once("-Zbuild-std=std,panic_abort".to_owned())
                    .chain(levels)
                    .collect()
            }
        }
    }

    /// Flags of the compiler.
    pub(super) fn flags(&self) -> String {
        match self {
            // LLVM's linker is part of the toolchain; zig's cannot fold identical functions.
            Self::Pinned => format!(
                "-Clinker=rust-lld -Clinker-flavor=ld.lld -Clink-arg=--strip-all -Clink-arg=--icf=all \
                 -Clink-arg=--pack-dyn-relocs=relr -Clink-arg=--no-eh-frame-hdr -Clink-arg=-T{}",
                shell::workspace_root().join(NO_UNWIND_TABLES).display()
            ),
            // Debian has no C library for the targets: that of the linker is used.
            Self::Debian => "-Clink-self-contained=no".to_owned(),
        }
    }

    /// Environment of cargo.
    pub(super) fn environment(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Pinned => &[],
            Self::Debian => &[
                ("CARGO", "/usr/bin/cargo"),
                ("RUSTC", "/usr/bin/rustc"),
                // `-Z` is for nightly compilers otherwise.
                ("RUSTC_BOOTSTRAP", "1"),
            ],
        }
    }
}

fn has_target(triple: &str) -> Result<bool> {
    let sysroot = shell::output_of(Command::new("rustc").args(["--print", "sysroot"]))?;
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib").join(triple);
    Ok(libraries.join("lib").is_dir())
}

/// Fails if Debian's compiler is older than the manifest requires.
fn check_version() -> Result<()> {
    let manifest: toml::Table = std::fs::read_to_string("Cargo.toml")?.parse()?;
    let wanted = manifest["workspace"]["package"]["rust-version"].as_str();
    let wanted = numbers(wanted.context("Cargo.toml has no rust-version")?);
    let text = shell::output_of(Command::new("/usr/bin/rustc").arg("--version"))?;
    let found = numbers(text.split_whitespace().nth(1).unwrap_or_default());
    ensure!(
        found >= wanted,
        "Debian's {} is older than the manifest requires; run `rustup target add` with a network, \
         or remove that package and install rustc-web",
        text.trim()
    );
    Ok(())
}

fn numbers(version: &str) -> Vec<u32> {
    let parts = version.split('.');
    parts.map_while(|part| part.parse().ok()).collect()
}

fn first_line(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    text.lines().next().unwrap_or_default().to_owned()
}
