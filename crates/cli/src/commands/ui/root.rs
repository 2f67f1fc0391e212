//! The directory of the runs: nothing outside of it is read or written.

use std::fs;
use std::path::{Path, PathBuf};

use super::below;
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
        let run = below::run(&self.path, name)?;
        (is_directory(&run) && run.join("plan.toml").exists()).then_some(run)
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

    #[test]
    fn a_path_names_only_what_is_below() {
        let expected = |all: &[&str]| Some(all.iter().map(|part| (*part).to_owned()).collect());
        assert_eq!(below::parts(""), expected(&[]));
        assert_eq!(below::parts("run/a%20b"), expected(&["run", "a b"]));
        assert_eq!(below::parts("run/%C3%A9%1b"), expected(&["run", "é\u{1b}"]));
        for path in [
            "/", "run/", "run//a", ".", "..", "run/..", "run/%2e%2e", "run/a%2fb", "run/%00",
            "run/.trash", "run/%2Etrash", "run/%ff", "run/a%2F..%2Fb",
        ] {
            assert_eq!(below::parts(path), None, "{path}");
        }
    }

    /// Paths that try to leave the directory, in every combination of their parts.
    fn hostile() -> Vec<String> {
        let starts = ["", "/", "run/", "run/a/", "C:"];
        let ups = [
            "..", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "..%00", "..;", "...", "%c0%ae%c0%ae",
            "\u{2025}", "\u{ff0e}\u{ff0e}", "a/..", "",
        ];
        let slashes = [
            "/", "%2f", "%2F", "\\", "%5c", "//", "/./", "%252f", "%c0%af", "\u{ff0f}", "%00/",
        ];
        let ends = [
            "outside", "outside/plan.toml", "etc/passwd", "link", ".trash/c", "%00", "",
        ];
        let mut all = Vec::new();
        for (start, up) in starts.iter().flat_map(|start| ups.map(|up| (start, up))) {
            for slash in slashes {
                all.extend(ends.map(|end| format!("{start}{up}{slash}{end}")));
                let climb = format!("{up}{slash}").repeat(3);
                all.push(format!("{start}{climb}outside"));
            }
        }
        all.push("a".repeat(100_000));
        all.push("a%20".repeat(100_000));
        all.push("../".repeat(20_000) + "outside");
        all.push("run/".to_owned() + &"%2e%2e%2f".repeat(20_000) + "outside");
        all
    }

    #[test]
    fn no_hostile_path_leaves_the_directory() {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = Root::new(&scratch.path().join("runs"));
        for run in ["runs/a", "runs/.trash/c", "outside"] {
            let run = scratch.path().join(run);
            fs::create_dir_all(&run).expect("a directory");
            fs::write(run.join("plan.toml"), "").expect("a file");
        }
        symlink(scratch.path().join("outside"), root.path().join("link")).expect("a link");
        let real = root.path().canonicalize().expect("a directory");
        let paths = hostile();
        assert!(paths.len() > 300, "{}", paths.len());
        let mut found = 0;
        for path in &paths {
            let parts = below::parts(path).unwrap_or_default();
            for name in parts.iter().chain([path]) {
                let Some(run) = root.run(name) else { continue };
                let run = run.canonicalize().expect("a directory");
                assert_eq!(run, real.join("a"), "{name:?} of {path:?}");
                found += 1;
            }
        }
        assert!(found > 0, "no path has the name of the run");
    }
}
