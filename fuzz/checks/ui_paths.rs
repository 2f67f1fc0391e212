//! What must hold for the paths of requests to the pages of `tenbin ui`, whatever they are.
//!
//! An input is the path below the address of the pages, as in the request.

use std::ffi::OsStr;
use std::path::{Component, Path};

#[path = "../../crates/cli/src/commands/ui/below.rs"]
mod below;

/// Panics when a path leads out of the directory of the runs, or to a hidden entry in it.
pub(crate) fn check(input: &[u8]) {
    let Ok(path) = std::str::from_utf8(input) else {
        return;
    };
    check_run(path);
    let Some(parts) = below::parts(path) else {
        return;
    };
    let mut inside = Path::new("runs").to_owned();
    for part in &parts {
        check_run(part);
        inside.push(part);
        let name = inside.file_name();
        assert_eq!(name, Some(OsStr::new(part)), "{part:?} is no name");
        assert!(!part.starts_with('.'), "{part:?} is hidden");
        assert!(!part.contains('\0'), "{part:?} has a zero byte");
    }
    assert_eq!(inside.components().count(), 1 + parts.len(), "{inside:?}");
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    assert!(inside.components().all(is_name), "{inside:?} leads out");
}

/// A run is directly in the directory.
fn check_run(name: &str) {
    let root = Path::new("/srv/runs");
    if let Some(run) = below::run(root, name) {
        assert_eq!(run.parent(), Some(root), "{name:?} leads out");
        assert_eq!(run.file_name(), Some(OsStr::new(name)));
        assert!(!name.starts_with('.'), "{name:?} is hidden");
    }
}
