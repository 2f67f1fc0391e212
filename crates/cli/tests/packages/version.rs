//! `tenbin --version` names the commit and its date, if the program was built in a checkout.

use std::path::Path;
use std::process::Command;

use crate::common::{Scratch, Tenbin};

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn the_long_version_has_the_commit_and_the_short_one_has_not() {
    let scratch = Scratch::new("version");
    let said = |flag: &str| {
        let run = Tenbin::new(&scratch, [flag]).run();
        run.expect_code(0).stdout.clone()
    };
    let short = format!("tenbin {VERSION}");
    assert_eq!(said("-V").trim_end(), short);
    let long = said("--version");
    let long = long.trim_end().strip_prefix(&short).expect("the version");
    let Some(inner) = long
        .strip_prefix(" (")
        .and_then(|rest| rest.strip_suffix(')'))
    else {
        assert_eq!(long, "");
        assert!(commit_of(Path::new(env!("CARGO_MANIFEST_DIR"))).is_none());
        return;
    };
    let (commit, date) = inner.split_once(' ').expect("commit and date");
    let commit = commit.strip_suffix("-dirty").unwrap_or(commit);
    let is_hexadecimal = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(commit.len() >= 7 && is_hexadecimal, "{inner}");
    let digits = date.bytes().filter(u8::is_ascii_digit).count();
    assert!(date.len() == 10 && digits == 8, "{inner}");
}

/// Commit and date of a checkout.
fn commit_of(directory: &Path) -> Option<String> {
    let mut git = Command::new("git");
    git.args(["log", "-1", "--abbrev=9", "--format=%h %cs"]);
    let output = git.current_dir(directory).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Runs the build script in `directory`; its version with what follows.
fn built(script: &Path, directory: &Path, given: &str) -> String {
    let output = Command::new(script)
        .current_dir(directory)
        .env("CARGO_PKG_VERSION", "1.2.3")
        .env("TENBIN_COMMIT", given)
        .output()
        .expect("the script runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let key = "cargo::rustc-env=TENBIN_LONG_VERSION=";
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    line.expect("a version").to_owned()
}

#[test]
fn the_build_script_reads_git_and_works_without() {
    let scratch = Scratch::new("version-script");
    let script = scratch.path().join("script");
    let compiled = Command::new("rustc")
        .args(["--edition=2024", "-o"])
        .arg(&script)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs"))
        .status();
    assert!(compiled.expect("rustc runs").success());

    let package = scratch.path().join("crates/cli");
    std::fs::create_dir_all(package.join("src")).expect("a directory");
    std::fs::write(package.join("build.rs"), "").expect("a file");
    std::fs::write(package.join("src/lib.rs"), "").expect("a file");
    assert_eq!(built(&script, &package, ""), "1.2.3");
    let given = "abcdef123 2026-11-24";
    assert_eq!(built(&script, &package, given), format!("1.2.3 ({given})"));

    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
        let output = git.args(arguments).current_dir(scratch.path()).output();
        let output = output.expect("git runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
    };
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "--message=other"]);
    assert_eq!(
        built(&script, &package, ""),
        "1.2.3",
        "sources of no commit"
    );
    git(&["add", "crates"]);
    git(&["commit", "--quiet", "--message=sources"]);
    let commit = commit_of(&package).expect("a commit");
    assert_eq!(built(&script, &package, ""), format!("1.2.3 ({commit})"));
    std::fs::write(package.join("src/lib.rs"), "//! Changed.").expect("a file");
    let dirty = commit.replace(' ', "-dirty ");
    assert_eq!(built(&script, &package, ""), format!("1.2.3 ({dirty})"));
}
