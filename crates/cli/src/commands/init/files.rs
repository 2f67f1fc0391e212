//! Files that are written whole or not at all.

use std::fs::{self, Permissions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::errors::InitError;

/// Permissions of a new file, less those that the umask takes away.
const PERMISSIONS: u32 = 0o666;

/// A file to write.
#[derive(Debug)]
pub(super) struct NewFile {
    pub(super) path: PathBuf,
    /// The option that names another file.
    option: &'static str,
    may_replace: bool,
    makes_directory: bool,
}

impl NewFile {
    /// # Errors
    /// If the file exists and must not be replaced.
    pub(super) fn at(
        path: &Path,
        option: &'static str,
        may_replace: bool,
    ) -> Result<Self, InitError> {
        let file = Self {
            path: path.to_owned(),
            option,
            may_replace,
            makes_directory: false,
        };
        if !may_replace && path.symlink_metadata().is_ok() {
            return Err(file.exists());
        }
        Ok(file)
    }

    /// The directory of the file is created with the file, if it is missing.
    pub(super) fn with_directory(self) -> Self {
        Self {
            makes_directory: true,
            ..self
        }
    }

    /// Writes a file beside the path, and then gives the file its name.
    ///
    /// # Errors
    /// If the file cannot be written, or exists in the meantime.
    pub(super) fn write(&self, text: &str) -> Result<(), InitError> {
        let cannot = |source| InitError::Write {
            path: self.path.clone(),
            source,
        };
        if self.makes_directory {
            fs::create_dir_all(self.directory()).map_err(cannot)?;
        }
        let mut file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(PERMISSIONS))
            .tempfile_in(self.directory())
            .map_err(cannot)?;
        file.write_all(text.as_bytes()).map_err(cannot)?;
        let named = if self.may_replace {
            file.persist(&self.path)
        } else {
            file.persist_noclobber(&self.path)
        };
        match named {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(self.exists()),
            Err(error) => Err(cannot(error.error)),
        }
    }

    fn directory(&self) -> &Path {
        let parent = self.path.parent();
        let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
        parent.unwrap_or(Path::new("."))
    }

    fn exists(&self) -> InitError {
        InitError::Exists {
            path: self.path.clone(),
            option: self.option,
        }
    }
}
