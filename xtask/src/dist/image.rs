//! The container image: the binary, certificate authorities and nothing else, for all architectures
//! in one file in the layout of the Open Container Initiative (image-spec 1.1).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::archive;
use super::layout::{self, Layout};
use super::release::Release;
use crate::shell;

/// Certificate authorities of Mozilla as Debian's package `ca-certificates` contains them. The list
/// in `/etc/ssl/certs` can have authorities of this machine only.
const AUTHORITIES: &str = "/usr/share/ca-certificates/mozilla";

/// Source and licence (MPL-2.0) of the list.
const AUTHORITIES_NOTICE: &str = "/usr/share/doc/ca-certificates/copyright";

/// User and group of the program.
const USER: &str = "65532:65532";

const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// A directory in the layout of an image.
struct Blobs(PathBuf);

/// Writes `tenbin-<version>.oci.tar`.
///
/// # Errors
///
/// If a file cannot be read or written.
pub(super) fn write(layouts: &[Layout], release: &Release, into: &Path) -> Result<PathBuf> {
    let directory = layout::scratch(into).join("image");
    let blobs = Blobs(directory.join("blobs/sha256"));
    fs::create_dir_all(&blobs.0)?;
    let mut manifests = Vec::new();
    for layout in layouts {
        manifests.push(manifest(layout, release, &blobs)?);
    }
    let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests});
    let mut index = blobs.add_json(INDEX, &index)?;
    // podman and containerd give the loaded image this name.
    let name = format!("localhost/tenbin:{}", release.version);
    index["annotations"] = json!({
        "org.opencontainers.image.ref.name": name,
        "io.containerd.image.name": name,
    });
    let top = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [index]});
    fs::write(directory.join("index.json"), serde_json::to_vec(&top)?)?;
    let version = json!({"imageLayoutVersion": "1.0.0"});
    fs::write(directory.join("oci-layout"), serde_json::to_vec(&version)?)?;
    let file = into.join(format!("tenbin-{}.oci.tar", release.version));
    let names = ["blobs", "index.json", "oci-layout"];
    archive::pack(&directory, &names, release, &file)?;
    fs::remove_dir_all(&directory)?;
    Ok(file)
}

/// Adds the image of one architecture; its descriptor.
fn manifest(layout: &Layout, release: &Release, blobs: &Blobs) -> Result<Value> {
    let tar = layer(layout, release)?;
    let unpacked = format!("sha256:{}", digest(&tar)?);
    let layer = blobs.add(LAYER, &archive::compress(&tar)?)?;
    let platform = json!({"architecture": layout.architecture.debian, "os": "linux"});
    let mut config = platform.clone();
    config["created"] = time(release)?.into();
    config["config"] = json!({
        "User": USER,
        "Entrypoint": ["/usr/bin/tenbin"],
        "WorkingDir": "/data",
        "Env": ["PATH=/usr/bin"],
        "Labels": {
            "org.opencontainers.image.title": "tenbin",
            "org.opencontainers.image.version": release.version,
            "org.opencontainers.image.licenses": "(Apache-2.0 OR MIT) AND MPL-2.0",
            "org.opencontainers.image.source": "https://github.com/tenbin-bench/tenbin",
        },
    });
    config["rootfs"] = json!({"type": "layers", "diff_ids": [unpacked]});
    let config = blobs.add_json(CONFIG, &config)?;
    let manifest = json!({
        "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer],
    });
    let mut descriptor = blobs.add_json(MANIFEST, &manifest)?;
    descriptor["platform"] = platform;
    Ok(descriptor)
}

/// The file system of an image, as tar.
fn layer(layout: &Layout, release: &Release) -> Result<PathBuf> {
    let root = layout.parent.join("layer");
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    for directory in ["usr/bin", "usr/share/doc/tenbin", "etc/ssl/certs"] {
        fs::create_dir_all(root.join(directory))?;
    }
    let notice = root.join("usr/share/doc/tenbin/CA-CERTIFICATES.txt");
    fs::copy(AUTHORITIES_NOTICE, notice)
        .with_context(|| format!("{AUTHORITIES_NOTICE} is missing: install ca-certificates"))?;
    fs::copy(layout.binary(), root.join("usr/bin/tenbin"))?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"] {
        let to = root.join("usr/share/doc/tenbin").join(licence);
        fs::copy(layout.directory().join(licence), to)?;
    }
    fs::write(
        root.join("etc/ssl/certs/ca-certificates.crt"),
        authorities()?,
    )?;
    fs::write(
        root.join("etc/passwd"),
        "tenbin:x:65532:65532::/data:/sbin/nologin\n",
    )?;
    fs::write(root.join("etc/group"), "tenbin:x:65532:\n")?;
    make_readable(&root)?;
    // The working directory, and temporary files: for every user that the container is run as.
    for directory in ["data", "tmp"] {
        let directory = root.join(directory);
        fs::create_dir(&directory)?;
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o1777))?;
    }
    let tar = layout.parent.join("layer.tar");
    archive::pack_with_modes(&root, &["data", "etc", "tmp", "usr"], release, &tar)?;
    fs::remove_dir_all(&root)?;
    Ok(tar)
}

/// Lets every user read all files, and run those that their owner may run, whatever the umask.
fn make_readable(root: &Path) -> Result<()> {
    let mut chmod = Command::new("chmod");
    chmod.args(["--recursive", "u=rwX,go=rX"]).arg(root);
    shell::output_of(&mut chmod).map(drop)
}

/// All certificate authorities in one text.
fn authorities() -> Result<Vec<u8>> {
    let list = fs::read_dir(AUTHORITIES);
    let list =
        list.with_context(|| format!("{AUTHORITIES} is missing: install ca-certificates"))?;
    let mut files = list
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.sort();
    let mut text = Vec::new();
    for file in files {
        text.extend(fs::read(file)?);
    }
    ensure!(!text.is_empty(), "{AUTHORITIES} has no certificate");
    Ok(text)
}

impl Blobs {
    /// Moves a file into the directory; its descriptor.
    fn add(&self, kind: &str, file: &Path) -> Result<Value> {
        let digest = digest(file)?;
        let size = file.metadata()?.len();
        fs::rename(file, self.0.join(&digest))
            .with_context(|| format!("cannot move {}", file.display()))?;
        Ok(json!({"mediaType": kind, "digest": format!("sha256:{digest}"), "size": size}))
    }

    fn add_json(&self, kind: &str, value: &Value) -> Result<Value> {
        let file = self.0.join("new");
        fs::write(&file, serde_json::to_vec(value)?)?;
        self.add(kind, &file)
    }
}

fn digest(file: &Path) -> Result<String> {
    let line = shell::output_of(Command::new("sha256sum").arg(file))?;
    let digest = line.split_whitespace().next();
    digest
        .map(str::to_owned)
        .context("sha256sum printed nothing")
}

/// The time of the release as images have it.
fn time(release: &Release) -> Result<String> {
    let mut date = Command::new("date");
    date.args(["--utc", "+%Y-%m-%dT%H:%M:%SZ", "--date"]);
    let text = shell::output_of(date.arg(format!("@{}", release.epoch)))?;
    Ok(text.trim().to_owned())
}
