//! Debian and RPM packages, made by nfpm from `packaging/nfpm.yaml`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::layout::Layout;
use super::release::Release;
use super::{archive, tools};
use crate::shell;

/// Files beside those of the archive: of the repository, and where nfpm expects them.
const SCRIPTS: [&str; 3] = ["after-install.sh", "before-remove.sh", "after-remove.sh"];

/// Path of the Debian package.
pub(super) fn debian(layout: &Layout, release: &Release, into: &Path) -> PathBuf {
    into.join(format!(
        "tenbin_{}-1_{}.deb",
        release.version, layout.architecture.debian
    ))
}

/// Path of the RPM package.
pub(super) fn rpm(layout: &Layout, release: &Release, into: &Path) -> PathBuf {
    into.join(format!(
        "tenbin-{}-1.{}.rpm",
        release.version, layout.architecture.machine
    ))
}

/// Writes both packages.
///
/// # Errors
///
/// If nfpm cannot be installed or fails.
pub(super) fn write(layout: &Layout, release: &Release, into: &Path) -> Result<()> {
    let files = layout.parent.join(format!("{}-packages", layout.name));
    if files.exists() {
        std::fs::remove_dir_all(&files)?;
    }
    shell::output_of(
        Command::new("cp")
            .arg("--archive")
            .arg(layout.directory())
            .arg(&files),
    )?;
    compress_pages(&files)?;
    std::fs::copy("packaging/copyright", files.join("copyright"))?;
    std::fs::create_dir(files.join("scripts"))?;
    for script in SCRIPTS {
        let from = Path::new("packaging/scripts").join(script);
        std::fs::copy(&from, files.join("scripts").join(script))
            .with_context(|| format!("cannot copy {}", from.display()))?;
    }
    let nfpm = tools::nfpm()?;
    let configuration = Path::new("packaging/nfpm.yaml").canonicalize()?;
    for package in [debian(layout, release, into), rpm(layout, release, into)] {
        let package = std::path::absolute(package)?;
        let format = package.extension().unwrap_or_default();
        let mut command = Command::new(&nfpm);
        command
            .args(["package", "--config"])
            .arg(&configuration)
            .arg("--packager")
            .arg(format)
            .arg("--target")
            .arg(&package)
            .current_dir(&files)
            .env("TENBIN_VERSION", &release.version)
            .env("TENBIN_ARCHITECTURE", layout.architecture.debian)
            .env("SOURCE_DATE_EPOCH", release.epoch.to_string());
        shell::output_of(&mut command)?;
    }
    std::fs::remove_dir_all(&files)?;
    Ok(())
}

/// Compresses the manual pages, which packages have in a directory of that section.
fn compress_pages(files: &Path) -> Result<()> {
    let pages = files.join("man1");
    std::fs::rename(files.join("man"), &pages)?;
    for page in std::fs::read_dir(&pages)? {
        archive::compress(&page?.path())?;
    }
    Ok(())
}
