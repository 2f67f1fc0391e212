//! Passes the version with commit and date to the crate, for `tenbin --version`.
//!
//! Commit and date come from `TENBIN_COMMIT` (such as `abcdef123 2026-11-24`, for packagers), otherwise from git if this file
//! belongs to a checkout. Without both, the version has no commit.
#![allow(
    clippy::print_stdout,
    reason = "cargo reads what a build script prints"
)]

use std::env;
use std::path::Path;
use std::process::Command;

/// The sources of the program. If one of them differs from the commit, the commit is marked `dirty`.
/// Cargo runs this script again if one of them changes, which rebuilds this crate in any case.
const SOURCES: [&str; 3] = [
    ":(top,glob)crates/*/src/**", ":(top)Cargo.toml", ":(top)Cargo.lock",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TENBIN_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let given = env::var("TENBIN_COMMIT").ok();
    let given = given.filter(|text| !text.trim().is_empty());
    let long = match given.or_else(commit) {
        Some(commit) => format!("{version} ({})", commit.trim()),
        None => version,
    };
    println!("cargo::rustc-env=TENBIN_LONG_VERSION={long}");
}

/// Commit and date of the checkout that this file belongs to.
fn commit() -> Option<String> {
    watch();
    // A copy of the sources can lie in a checkout of something different.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    let commit = git(&["log", "-1", "--abbrev=9", "--format=%h %cs"])?;
    let is_dirty = git(&[
        &["status", "--porcelain", "--untracked-files=no", "--"][..],
        &SOURCES,
    ]
    .concat())
    .is_some_and(|changes| !changes.is_empty());
    Some(if is_dirty {
        commit.replacen(' ', "-dirty ", 1)
    } else {
        commit
    })
}

/// Asks cargo to run this script again after a commit, a checkout of another commit or a change of
/// the sources.
fn watch() {
    let branch = git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
    let of_git = ["HEAD", "logs/HEAD", branch.as_deref().unwrap_or("HEAD")];
    for name in of_git {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            watch_if_there(Path::new(&path));
        }
    }
    let crates = std::fs::read_dir("..").into_iter().flatten().flatten();
    for each in crates {
        watch_if_there(&each.path().join("src"));
    }
    watch_if_there(Path::new("../../Cargo.toml"));
    watch_if_there(Path::new("../../Cargo.lock"));
}

/// Cargo would run this script every time for a path that does not exist.
fn watch_if_there(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// Output of git, or nothing if git is missing or fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
