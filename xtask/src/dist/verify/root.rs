//! A root directory for packages, empty but for a shell and the libraries of a binary: an installed
//! program that runs in it needs nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::binary::is_static;
use crate::shell;

/// Where programs and the scripts of packages look for others.
pub(super) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The root directory; removed with this value.
pub(super) struct Root {
    path: PathBuf,
}

impl Drop for Root {
    fn drop(&mut self) {
        let _removed = fs::remove_dir_all(&self.path);
    }
}

impl Root {
    /// Makes an empty directory below `parent`.
    pub(super) fn empty(parent: &Path) -> Result<Self> {
        let path = std::path::absolute(parent)?.join("root");
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir_all(&path)?;
        Ok(Self { path })
    }

    /// Makes the directory below `parent`, with what a program needs that is not static, and with the
    /// shell that runs the scripts of packages.
    pub(super) fn new(parent: &Path, binary: &Path) -> Result<Self> {
        let root = Self::empty(parent)?;
        for directory in ["proc", "tmp", "bin"] {
            fs::create_dir_all(root.path.join(directory))?;
        }
        let shell = Path::new("/bin/sh");
        root.copy(shell)?;
        root.copy_libraries(shell)?;
        if !is_static(binary)? {
            root.copy_libraries(binary)?;
        }
        Ok(root)
    }

    /// Path of the directory.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A command that runs a program of the directory, which sees no file and process outside.
    pub(super) fn command(&self, program: &str) -> Command {
        self.command_as("0:0", "/tmp", program)
    }

    /// The same for a user and a group, by number, and a working directory.
    pub(super) fn command_as(&self, user: &str, directory: &str, program: &str) -> Command {
        let (user, group) = user.split_once(':').unwrap_or((user, user));
        let mut command = isolated_as(user, group);
        command
            .args(["--pid", "--fork", "--kill-child", "--mount-proc=/proc"])
            .arg(format!("--root={}", self.path.display()))
            .arg(format!("--wd={directory}"))
            .arg(program)
            .env_clear()
            .env("PATH", PATH);
        command
    }

    /// Paths of all files and directories, but those of `except` and below.
    pub(super) fn content(&self, except: &[&str]) -> Result<BTreeSet<PathBuf>> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.path.clone()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory)? {
                let entry = entry?;
                let path = entry.path();
                let name = path.strip_prefix(&self.path)?.to_path_buf();
                if except.iter().any(|each| name.starts_with(each)) {
                    continue;
                }
                if entry.file_type()?.is_dir() {
                    open.push(path);
                }
                found.insert(name);
            }
        }
        Ok(found)
    }

    /// Fails if a file is missing.
    pub(super) fn expect(&self, files: &[&str]) -> Result<()> {
        for file in files {
            ensure!(
                self.path.join(file).is_file(),
                "the package has not installed /{file}"
            );
        }
        Ok(())
    }

    fn copy(&self, file: &Path) -> Result<()> {
        let to = self.path.join(file.strip_prefix("/")?);
        let directory = to.parent().context("a file has a directory")?;
        fs::create_dir_all(directory)?;
        fs::copy(file, &to).with_context(|| format!("cannot copy {}", file.display()))?;
        Ok(())
    }

    /// Copies the libraries that the loader of this machine finds for a program.
    fn copy_libraries(&self, program: &Path) -> Result<()> {
        let list = shell::output_of(Command::new("ldd").arg(program))?;
        for word in list.split_whitespace().filter(|word| word.starts_with('/')) {
            self.copy(Path::new(word))?;
        }
        Ok(())
    }
}

/// A command that runs its arguments as root in a separate mount namespace.
pub(super) fn isolated() -> Command {
    isolated_as("0", "0")
}

/// The same as this user and this group, by number. If this process is not root, they exist only in
/// a user namespace, which cannot change the groups of a process.
fn isolated_as(user: &str, group: &str) -> Command {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let [set_user, set_group] = if is_root {
        ["setuid", "setgid"]
    } else {
        ["map-user", "map-group"]
    };
    let mut command = Command::new("unshare");
    command
        .arg("--mount")
        .arg(format!("--{set_group}={group}"))
        .arg(format!("--{set_user}={user}"));
    command
}
