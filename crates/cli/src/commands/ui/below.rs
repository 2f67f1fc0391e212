//! From the path of a request to a place in the directory of the runs, without looking at the disk.
//! Only the standard library and the decoder are used here: `fuzz/checks/ui_paths.rs` contains this file.

use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;

/// The decoded parts of a path; none for an empty path. `None` for a path with a part that could mean
/// another place: empty, hidden, `.` or `..`, with a slash or a zero byte, or not in UTF-8.
pub(super) fn parts(path: &str) -> Option<Vec<String>> {
    if path.is_empty() {
        return Some(Vec::new());
    }
    let part = |part: &str| {
        let decoded = percent_decode_str(part).decode_utf8().ok()?;
        let is_plain = !decoded.is_empty() && !decoded.starts_with('.');
        let is_plain = is_plain && !decoded.contains(['/', '\0']);
        is_plain.then(|| decoded.into_owned())
    };
    path.split('/').map(part).collect()
}

/// The path of the run with this name directly in `root`; `None` for a name that could mean another
/// place: empty, hidden, of several parts, or with a zero byte.
pub(super) fn run(root: &Path, name: &str) -> Option<PathBuf> {
    let mut parts = Path::new(name).components();
    let is_name = matches!(parts.next(), Some(Component::Normal(part)) if part == name)
        && parts.next().is_none()
        && !name.starts_with('.')
        && !name.contains('\0');
    is_name.then(|| root.join(name))
}
