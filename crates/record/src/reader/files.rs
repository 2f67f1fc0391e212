//! Opens the files of a run directory.

use std::fs::File;
use std::path::Path;

use tenbin_plan::open_own;

use crate::error::RecordError;

/// Opens a file if it exists: a run that was killed early may not have created it.
pub(super) fn open_if_there(path: &Path) -> Result<Option<File>, RecordError> {
    match open_own(path) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(RecordError::io("read", path, e)),
    }
}

/// As [`open_if_there`], with the length of the file in bytes, 0 if it does not exist.
pub(super) fn open_with_length(path: &Path) -> Result<(Option<File>, u64), RecordError> {
    let Some(file) = open_if_there(path)? else {
        return Ok((None, 0));
    };
    let metadata = file.metadata();
    let length = metadata
        .map_err(|e| RecordError::io("read", path, e))?
        .len();
    Ok((Some(file), length))
}
