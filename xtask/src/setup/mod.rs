//! `cargo xtask setup`: installs the servers, the reference clients and the browser for the tests.

mod background;
pub(crate) mod debian;
mod go;
pub(crate) mod logged;
mod maven;
mod python;

use std::path::PathBuf;

use anyhow::{Result, bail};

use self::background::Background;
use self::go::Source;
use crate::shell;

/// Programs from Debian packages: program, package.
const FROM_DEBIAN: &[(&str, &str)] = &[
    ("nginx", "nginx-light"),
    ("wrk", "wrk"),
    ("openssl", "openssl"),
    ("chromium", "chromium"),
    ("prometheus", "prometheus"),
    ("groonga", "groonga-bin"),
    ("systemd-analyze", "systemd"),
    ("javac", "openjdk-17-jdk-headless"),
    ("mvn", "maven"),
];

/// Servers, benchstat and actionlint, built from Go modules.
const FROM_GO: &[go::Server] = &[
    go::Server {
        name: "minio",
        module: "github.com/minio/minio",
        version: "v0.0.0-20260212201848-7aac2a2c5b7c",
        source: Source::Package("github.com/minio/minio"),
    },
    go::Server {
        name: "versitygw",
        module: "github.com/versity/versitygw",
        version: "v1.8.0",
        source: Source::Package("github.com/versity/versitygw/cmd/versitygw"),
    },
    go::Server {
        name: "nats-server",
        module: "github.com/nats-io/nats-server/v2",
        version: "v2.15.2",
        source: Source::Package("github.com/nats-io/nats-server/v2"),
    },
    go::Server {
        name: "benchstat",
        module: "golang.org/x/perf",
        version: "v0.0.0-20260908200009-22c9c6c9d4da",
        source: Source::Package("golang.org/x/perf/cmd/benchstat"),
    },
    go::Server {
        name: "actionlint",
        module: "github.com/rhysd/actionlint",
        version: "v1.7.12",
        source: Source::Package("github.com/rhysd/actionlint/cmd/actionlint"),
    },
    go::Server {
        name: "rclone",
        module: "github.com/rclone/rclone",
        version: "v1.75.1",
        source: Source::Main(RCLONE),
    },
];

/// rclone as an S3 server of local files. All storage services that rclone knows would take
/// minutes to compile.
const RCLONE: &str = r#"package main

import (
	_ "github.com/rclone/rclone/backend/local"
	"github.com/rclone/rclone/cmd"
	_ "github.com/rclone/rclone/cmd/serve"
	_ "github.com/rclone/rclone/cmd/serve/s3"
)

func main() { cmd.Main() }
"#;

/// The version of cargo-deny that `deny.toml` requires.
const CARGO_DENY: &str = "0.20.2";

/// Installs all missing programs.
pub(crate) fn install() -> Result<()> {
    install_packages()?;
    install_rest()
}

/// Installs the missing Debian packages, and starts to install the rest in the background. The
/// packages come first because an interrupted package manager needs repair.
pub(crate) fn start() -> Result<Background> {
    install_packages()?;
    Ok(Background::start(install_rest))
}

fn install_packages() -> Result<()> {
    debian::install(FROM_DEBIAN)
}

fn install_rest() -> Result<()> {
    go::install(FROM_GO)?;
    maven::install()?;
    python::install()
}

/// Builds cargo-deny, which `cargo xtask check` uses if it is installed.
pub(crate) fn install_deny() -> Result<()> {
    let into = go::cache_dir()?;
    let root = into.parent().unwrap_or(&into);
    let purpose = format!("building cargo-deny {CARGO_DENY}, which takes some minutes");
    let arguments = [
        "install", "--locked", "--version", CARGO_DENY, "cargo-deny", "--root",
    ];
    logged::run(&purpose, shell::cargo().args(arguments).arg(root))
}

/// Prints the state of all programs. Fails if a program is missing.
pub(crate) fn check() -> Result<()> {
    let mut missing: Vec<&str> = Vec::new();
    missing.extend(
        debian::missing(FROM_DEBIAN)
            .iter()
            .map(|(program, _)| program),
    );
    missing.extend(go::missing(FROM_GO)?);
    missing.extend(maven::missing()?);
    missing.extend(python::missing()?);
    if !missing.is_empty() {
        bail!("missing: {}; run `cargo xtask setup`", missing.join(", "));
    }
    Ok(())
}

/// Prints the state of one program.
fn say(name: &str, state: &str) {
    println!("{name:<10} {state}");
}

/// Directory of the programs that are built or installed here, shared by all clones.
pub(crate) fn cache_dir() -> Result<PathBuf> {
    go::cache_dir()
}

/// `PATH` with the cache directory of the servers at the front.
pub(crate) fn path_with_servers() -> Result<std::ffi::OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = [go::cache_dir()?];
    let all = places.into_iter().chain(std::env::split_paths(&path));
    Ok(std::env::join_paths(all)?)
}

/// Finds a program built by Go or cargo, in the cache or in the default installation directories.
pub(crate) fn find_built(name: &str) -> Option<PathBuf> {
    let home = std::env::var_os("HOME")
        .map(PathBuf::from)
        .unwrap_or_default();
    let places = [
        go::cache_dir().unwrap_or_default(),
        home.join("go/bin"),
        home.join(".cargo/bin"),
    ];
    places
        .iter()
        .filter(|place| place.is_absolute())
        .map(|place| place.join(name))
        .find(|file| file.is_file())
}
