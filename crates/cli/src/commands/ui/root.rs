//! The directory of the runs: nothing outside of it is read or written.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::commands::results::kept;

/// The directory of the runs.
pub(super) struct Root {
    path: PathBuf,
}

impl Root {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The runs, oldest first. Symbolic links are left out: they can lead out of the directory.
    pub(super) fn runs(&self) -> Vec<PathBuf> {
        let mut runs = kept::runs_in(&self.path);
        runs.retain(|run| is_directory(run));
        runs
    }

    /// The directory of the run with this name; `None` without such a run.
    pub(super) fn run(&self, name: &str) -> Option<PathBuf> {
        let mut parts = Path::new(name).components();
        let is_name = matches!(parts.next(), Some(Component::Normal(part)) if part == name)
            && parts.next().is_none()
            && !name.starts_with('.')
            && !name.contains('\0');
        let run = self.path.join(name);
        (is_name && is_directory(&run) && run.join("plan.toml").exists()).then_some(run)
    }
}

/// Whether the path is a directory, and no link to one.
fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|kind| kind.is_dir())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_the_name_of_a_directory_in_the_root_is_a_run() {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = Root::new(&scratch.path().join("runs"));
        for run in ["runs/a", "runs/a b", "runs/.trash/c", "outside"] {
            let run = scratch.path().join(run);
            fs::create_dir_all(&run).expect("a directory");
            fs::write(run.join("plan.toml"), "").expect("a file");
        }
        fs::create_dir(root.path().join("no-run")).expect("a directory");
        symlink(scratch.path().join("outside"), root.path().join("link")).expect("a link");
        assert!(root.run("a").is_some() && root.run("a b").is_some());
        for name in [
            "", ".", "..", "a/", "a/.", "./a", "../outside", "link", "no-run", ".trash",
            ".trash/c", "a\0", "/etc",
        ] {
            assert_eq!(root.run(name), None, "{name:?}");
        }
        let names: Vec<String> = root.runs().iter().map(|run| kept::name_of(run)).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}
