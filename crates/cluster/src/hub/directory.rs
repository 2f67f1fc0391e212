//! The directory of a hub: private files.

use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use tenbin_plan::sentence;

use crate::error::ClusterError;

/// Permission bits of the group and of other users.
const OTHERS: u32 = 0o077;

/// A directory that only its owner can use.
pub(super) struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Opens the directory, or creates it with mode 0700. Fails if others can use the directory.
    pub(super) fn open(path: &Path) -> Result<Self, ClusterError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|error| failed("create", path, &error))?;
        let metadata = fs::metadata(path).map_err(|error| failed("read", path, &error))?;
        let path = path.to_owned();
        if metadata.mode() & OTHERS != 0 {
            return Err(ClusterError::Hub(sentence!(
                "hub-directory-open",
                "directory {shown} of the hub is open to other users (mode {mode}); chmod 700 \
                 {shown}, or give another --dir",
                shown = path.display(),
                mode = format!("{:o}", metadata.mode() & 0o777)
            )));
        }
        Ok(Self { path })
    }

    /// Path of a file in the directory.
    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Path of the directory.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces a file. The file has mode 0600 and is never incomplete.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), ClusterError> {
        let path = self.join(name);
        let write = || -> io::Result<()> {
            // Temporary files have mode 0600.
            let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|error| failed("write", &path, &error))
    }

    /// Fails if other users can read a file of secrets.
    pub(super) fn refuse_exposed(&self, name: &str) -> Result<(), ClusterError> {
        let path = self.join(name);
        let metadata = fs::metadata(&path).map_err(|error| failed("read", &path, &error))?;
        if metadata.mode() & OTHERS == 0 {
            return Ok(());
        }
        Err(ClusterError::Hub(sentence!(
            "hub-file-open",
            "{shown} is open to other users (mode {mode}); remove {directory} for new keys, or \
             chmod 600 {shown} if nobody has read it",
            shown = path.display(),
            mode = format!("{:o}", metadata.mode() & 0o777),
            directory = self.path.display()
        )))
    }

    /// The text of a file.
    pub(super) fn read(&self, name: &str) -> Result<String, ClusterError> {
        let path = self.join(name);
        fs::read_to_string(&path).map_err(|error| failed("read", &path, &error))
    }
}

fn failed(action: &str, path: &Path, error: &io::Error) -> ClusterError {
    ClusterError::Hub(sentence!(
        "hub-file-failed",
        "cannot {action} {path}: {error}",
        action,
        path = path.display(),
        error
    ))
}
