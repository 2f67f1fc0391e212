//! The container image: read by skopeo, unpacked, and its entry point run as its user.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::measure;
use super::root::Root;
use crate::dist::layout::Layout;
use crate::shell;

/// Checks the image of every architecture.
///
/// # Errors
///
/// If the image cannot be read or its program does not run.
pub(crate) fn check(image: &Path, layouts: &[Layout]) -> Result<()> {
    for layout in layouts {
        let unpacked = layout.parent.join("unpacked");
        if unpacked.exists() {
            fs::remove_dir_all(&unpacked)?;
        }
        let mut copy = Command::new("skopeo");
        copy.args([
            "copy", "--quiet", "--insecure-policy", "--override-os=linux",
        ])
        .arg(format!("--override-arch={}", layout.architecture.debian))
        .arg(format!("oci-archive:{}", image.display()))
        .arg(format!("dir:{}", unpacked.display()));
        shell::output_of(&mut copy)?;
        check_one(layout, &unpacked)?;
        fs::remove_dir_all(&unpacked)?;
        println!(
            "{}: image for {}",
            image.display(),
            layout.architecture.debian
        );
    }
    Ok(())
}

/// Checks an image whose parts skopeo has written into a directory.
fn check_one(layout: &Layout, parts: &Path) -> Result<()> {
    let json =
        |name: &str| -> Result<Value> { Ok(serde_json::from_slice(&fs::read(parts.join(name))?)?) };
    let part = |descriptor: &Value| -> Result<String> {
        let digest = descriptor["digest"]
            .as_str()
            .context("a part has no digest")?;
        Ok(digest.trim_start_matches("sha256:").to_owned())
    };
    let manifest = json("manifest.json")?;
    let config = json(&part(&manifest["config"])?)?;
    let architecture = config["architecture"].as_str().unwrap_or_default();
    ensure!(
        architecture == layout.architecture.debian,
        "the image is for {architecture}"
    );
    let root = Root::empty(&layout.parent)?;
    let layer = parts.join(part(&manifest["layers"][0])?);
    shell::output_of(
        Command::new("tar")
            .args(["--extract", "--same-permissions", "--file"])
            .arg(layer)
            .arg("--directory")
            .arg(root.path()),
    )?;
    root.expect(&["etc/ssl/certs/ca-certificates.crt"])?;
    let program = config["config"]["Entrypoint"][0].as_str();
    let program = program.context("the image has no entry point")?;
    let user = config["config"]["User"].as_str();
    let user = user.context("the image has no user")?;
    let directory = config["config"]["WorkingDir"].as_str();
    let directory = directory.context("the image has no working directory")?;
    if layout.architecture.is_native() {
        fs::create_dir(root.path().join("proc"))?;
        return measure::briefly(&|| root.command_as(user, directory, program));
    }
    let inside = root.path().join(program.trim_start_matches('/'));
    shell::output_of(layout.architecture.command(&inside).arg("--version")).map(drop)
}
