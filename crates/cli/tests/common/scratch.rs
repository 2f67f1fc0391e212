//! A directory for one test, and the processes of the test.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::processes::{self, Process};

/// Variable that every process of a test inherits; its value is the scratch directory.
const MARK: &str = "TENBIN_TEST_MARK";

/// A new directory; removed if the test passes, kept if the test fails.
///
/// The path also identifies the processes of the test: processes with the path in
/// `TENBIN_TEST_MARK`, with an open file in the directory, with the directory as working directory,
/// or with the path in the command line. The variable alone is not enough, because nginx overwrites
/// its environment.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Creates a directory; `name` identifies the directory after a failure.
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("{name}-{}-{count:04}", std::process::id()));
        // An earlier process with the same ID can have left the directory.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a scratch directory");
        let path = path.canonicalize().expect("its real path");
        Self { path }
    }

    /// Path of the directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A path in the directory, as text.
    pub(crate) fn join(&self, name: &str) -> String {
        let path = self.path.join(name);
        path.to_str().expect("a path in UTF-8").to_owned()
    }

    /// Writes a file to the directory and returns the path of the file.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.join(name);
        std::fs::write(&path, content).expect("a file in the scratch directory");
        path
    }

    /// The directory of the newest run, if any.
    pub(crate) fn run(&self) -> Option<PathBuf> {
        let runs = std::fs::read_dir(self.path.join("runs")).ok()?;
        runs.map(|run| run.expect("an entry").path()).max()
    }

    /// The result of the newest run.
    pub(crate) fn result(&self) -> Value {
        let file = self.run().expect("a run").join("result.json");
        let text = std::fs::read(file).expect("result.json");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// The environment variable that marks a process of this test: name and value.
    pub(crate) fn mark(&self) -> (&'static str, &Path) {
        (MARK, &self.path)
    }

    /// The running processes of this test.
    pub(crate) fn alive(&self) -> Vec<Process> {
        processes::of_scratch(MARK, &self.path)
    }

    /// Fails if a process of this test is still running after `grace`.
    pub(crate) fn expect_nobody_left(&self, grace: Duration) {
        let gone = processes::wait_until(grace, || self.alive().is_empty());
        assert!(gone, "processes left over: {:#?}", self.alive());
    }

    /// Names of the entries of the directory.
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
