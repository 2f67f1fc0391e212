//! The archive for people without a package manager, and for cargo-binstall.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::layout::Layout;
use super::release::Release;
use crate::shell;

/// Writes `tenbin-<version>-<target>.tar.gz`.
///
/// # Errors
///
/// If tar or gzip fails.
pub(super) fn write(layout: &Layout, release: &Release, into: &Path) -> Result<PathBuf> {
    let tar = into.join(format!("{}.tar", layout.name));
    pack(&layout.parent, &[&layout.name], release, &tar)?;
    compress(&tar)
}

/// Packs directories and files of `parent`. The archive depends on nothing but their content, names
/// and who may run them: not on their order, times and owners.
pub(super) fn pack(parent: &Path, names: &[&str], release: &Release, tar: &Path) -> Result<()> {
    create(Some("--mode=u=rwX,go=rX"), parent, names, release, tar)
}

/// The same, with the modes as they are.
pub(super) fn pack_with_modes(
    parent: &Path,
    names: &[&str],
    release: &Release,
    tar: &Path,
) -> Result<()> {
    create(None, parent, names, release, tar)
}

fn create(
    mode: Option<&str>,
    parent: &Path,
    names: &[&str],
    release: &Release,
    tar: &Path,
) -> Result<()> {
    let mut command = Command::new("tar");
    command
        .args(["--create", "--format=ustar", "--sort=name"])
        .args(["--owner=0", "--group=0", "--numeric-owner"])
        .args(mode)
        .arg(format!("--mtime=@{}", release.epoch))
        .arg("--file")
        .arg(tar)
        .arg("--directory")
        .arg(parent)
        .args(names);
    shell::output_of(&mut command).map(drop)
}

/// Replaces a file by its compressed form.
pub(super) fn compress(file: &Path) -> Result<PathBuf> {
    shell::output_of(
        Command::new("gzip")
            .args(["--no-name", "--force"])
            .arg(file),
    )?;
    let mut name = file.as_os_str().to_owned();
    name.push(".gz");
    Ok(name.into())
}

#[cfg(test)]
mod tests {
    use crate::shell;

    /// What cargo-binstall makes of the metadata of the package.
    #[test]
    fn cargo_binstall_finds_the_archive_and_the_program_in_it() {
        let manifest = shell::workspace_root().join("crates/cli/Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).expect("the manifest");
        let manifest: toml::Table = manifest.parse().expect("TOML");
        let metadata = &manifest["package"]["metadata"]["binstall"];
        let filled = |key: &str| {
            let mut text = metadata[key].as_str().expect("a text").to_owned();
            for (name, value) in [
                ("repo", "https://example.org/tenbin"),
                ("version", "1.2.3"),
                ("name", "tenbin"),
                ("bin", "tenbin"),
                ("target", "x86_64-unknown-linux-musl"),
                ("binary-ext", ""),
            ] {
                text = text.replace(&format!("{{ {name} }}"), value);
            }
            text
        };
        assert_eq!(
            filled("pkg-url"),
            "https://example.org/tenbin/releases/download/v1.2.3/tenbin-1.2.3-x86_64-unknown-linux-musl.tar.gz"
        );
        assert_eq!(
            filled("bin-dir"),
            "tenbin-1.2.3-x86_64-unknown-linux-musl/tenbin"
        );
        assert_eq!(filled("pkg-fmt"), "tgz");
    }
}
