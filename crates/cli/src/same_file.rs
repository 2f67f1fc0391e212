//! Whether an output replaces another one.

use std::path::Path;

/// Whether writing a file replaces its content: not for a device or a pipe.
pub(crate) fn replaces(file: &Path) -> bool {
    !file.exists() || file.is_file()
}

/// Whether two paths name the same file. Links are not followed.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    std::path::absolute(one).ok() == std::path::absolute(other).ok()
}
