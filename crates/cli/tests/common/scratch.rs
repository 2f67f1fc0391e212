//! A directory for one test, and the processes that belong to it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::processes::{self, Process};

/// Variable that every process of a test inherits; its value is the scratch directory.
const MARK: &str = "TENBIN_TEST_MARK";

/// A fresh directory, removed when the test passes and kept when it fails.
///
/// Its path also marks processes: whoever carries it in `TENBIN_TEST_MARK`, has
/// a file of it open, stands in it or names it on its command line, is of this
/// test. (The environment alone would not do: nginx overwrites its own.)
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes a directory; `name` is for those who look at it after a failure.
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("{name}-{}-{count:04}", std::process::id()));
        // A process with our number may have died here before.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a scratch directory");
        let path = path.canonicalize().expect("its real path");
        Self { path }
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A path inside it, as text.
    pub(crate) fn join(&self, name: &str) -> String {
        let path = self.path.join(name);
        path.to_str().expect("a path in UTF-8").to_owned()
    }

    /// Writes a file into it and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.join(name);
        std::fs::write(&path, content).expect("a file in the scratch directory");
        path
    }

    /// The variable that marks a process as one of this test.
    pub(crate) fn mark(&self) -> (&'static str, &Path) {
        (MARK, &self.path)
    }

    /// Processes of this test that are alive.
    pub(crate) fn alive(&self) -> Vec<Process> {
        processes::of_scratch(MARK, &self.path)
    }

    /// Fails if any process of this test is alive after `grace`.
    pub(crate) fn expect_nobody_left(&self, grace: Duration) {
        let gone = processes::wait_until(grace, || self.alive().is_empty());
        assert!(gone, "processes left over: {:#?}", self.alive());
    }

    /// Directories and files directly in it.
    pub(crate) fn entries(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.path)
            .expect("the scratch directory")
            .map(|entry| entry.expect("an entry").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for process in self.alive() {
            process.kill();
        }
        if std::thread::panicking() {
            eprintln!("the scratch directory is kept: {}", self.path.display());
        } else {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
