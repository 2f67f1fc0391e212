//! The packages install a program that works, with manual pages, completions and units, and leave
//! nothing when they are removed.

use std::process::Command;

use crate::common::{Scratch, tied};

#[test]
fn packages_of_this_build_are_installed_used_and_removed() {
    let scratch = Scratch::new("packages");
    let into = scratch.join("packages");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = tied(cargo)
        .args(["run", "--quiet", "--package", "xtask", "--", "dist"])
        // The program of the tests needs the C library.
        .arg("--dynamic")
        .args(["--binary", env!("CARGO_BIN_EXE_tenbin"), "--into", &into])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&built.stdout);
    let complained = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}{complained}");
    let deb = format!("tenbin_{}-1_", env!("CARGO_PKG_VERSION"));
    let line = said.lines().find(|line| line.contains(&deb));
    let line = line.expect("the Debian package is checked");
    assert!(line.ends_with(": installed, used, removed"), "{said}");

    let package = line.split(": ").next().expect("a path");
    let fields = Command::new("dpkg-deb")
        .args(["--field", package, "Package", "Depends", "Maintainer"])
        .output()
        .expect("dpkg-deb runs");
    let fields = String::from_utf8_lossy(&fields.stdout);
    assert!(fields.contains("Package: tenbin\n"), "{fields}");
    assert!(!fields.contains("Depends"), "{fields}");
}
