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
