//! Opens the files of a run directory.

use std::fs::{self, File};
use std::path::Path;

use crate::error::RecordError;

/// Returns an error for pipes, which would block, and for devices, which can be endless.
pub(super) fn regular(path: &Path) -> std::io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
    }
}

/// Opens a file if it exists: a run that was killed early may not have created it.
pub(super) fn open_if_there(path: &Path) -> Result<Option<File>, RecordError> {
    match regular(path).and_then(|()| File::open(path)) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(RecordError::io("read", path, e)),
    }
}
