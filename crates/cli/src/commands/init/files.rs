//! Files that are written whole or not at all.

use std::fs::{self, Metadata, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{self, Path, PathBuf};

use tempfile::NamedTempFile;
use tenbin_plan::sentence;

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
    fn new(path: &Path, option: &'static str, may_replace: bool, makes_directory: bool) -> Self {
        Self {
            path: path.to_owned(),
            option,
            may_replace,
            makes_directory,
        }
    }

    /// # Errors
    /// If the file exists and must not be replaced, or if its directory does not exist.
    pub(super) fn at(
        path: &Path,
        option: &'static str,
        may_replace: bool,
    ) -> Result<Self, InitError> {
        let file = Self::new(path, option, may_replace, false);
        let directory = fs::metadata(file.directory()).map_err(|error| file.cannot(error))?;
        file.check(Some(&directory))?;
        Ok(file)
    }

    /// A file whose directory is created with the file, if it is missing.
    ///
    /// # Errors
    /// If the file exists and must not be replaced, or if its directory cannot be made.
    pub(super) fn with_directory(
        path: &Path,
        option: &'static str,
        may_replace: bool,
    ) -> Result<Self, InitError> {
        let file = Self::new(path, option, may_replace, true);
        let mut above = file.directory().ancestors();
        let nearest = above.find_map(|directory| fs::metadata(directory).ok());
        file.check(nearest.as_ref())?;
        Ok(file)
    }

    /// Checks what is in the way, in the place of the file or of its directory.
    fn check(&self, directory: Option<&Metadata>) -> Result<(), InitError> {
        if directory.is_some_and(|directory| !directory.is_dir()) {
            return Err(self.cannot(ErrorKind::NotADirectory.into()));
        }
        match self.path.symlink_metadata() {
            Ok(_) if !self.may_replace => Err(self.exists()),
            Ok(there) if there.is_dir() => Err(self.cannot(ErrorKind::IsADirectory.into())),
            // The file that is written takes its place: a device would be gone for the whole machine.
            Ok(there) if !there.is_file() && !there.is_symlink() => Err(self.cannot(
                io::Error::other(sentence!("not-regular", "it is not a regular file")),
            )),
            _ => Ok(()),
        }
    }

    /// Whether both are the same file.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.place() == other.place()
    }

    /// Writes a file beside the path, which gets its name later.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn write(self, text: &str) -> Result<WrittenFile, InitError> {
        if self.makes_directory {
            fs::create_dir_all(self.directory()).map_err(|error| self.cannot(error))?;
        }
        let file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(PERMISSIONS))
            .tempfile_in(self.directory());
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file));
        let written = written.map_err(|error| self.cannot(error))?;
        Ok(WrittenFile {
            file: self,
            written,
        })
    }

    /// The directory, with all links resolved, and the name in it.
    fn place(&self) -> PathBuf {
        let directory = self.directory();
        let resolved = fs::canonicalize(directory).or_else(|_| path::absolute(directory));
        let resolved = resolved.unwrap_or_else(|_| directory.to_owned());
        resolved.join(self.path.file_name().unwrap_or_default())
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

    fn cannot(&self, source: io::Error) -> InitError {
        InitError::Write {
            path: self.path.clone(),
            source,
        }
    }
}

/// A file that is written and has no name yet. Without a name, it is removed.
pub(super) struct WrittenFile {
    file: NewFile,
    written: NamedTempFile,
}

impl WrittenFile {
    /// Gives the file its name, and returns its path.
    ///
    /// # Errors
    /// If the file exists in the meantime.
    pub(super) fn name(self) -> Result<PathBuf, InitError> {
        let Self { file, written } = self;
        let named = if file.may_replace {
            written.persist(&file.path)
        } else {
            written.persist_noclobber(&file.path)
        };
        match named {
            Ok(_) => Ok(file.path),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(file.exists()),
            Err(error) => Err(file.cannot(error.error)),
        }
    }
}
