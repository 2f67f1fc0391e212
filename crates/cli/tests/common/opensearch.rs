//! A real cluster of OpenSearch: three nodes in one process, which the tests of a file
//! share in turns, since it takes long to start.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::ports::free_port;
use super::processes::{kill_group, wait_until};
use super::servers::{opensearch, search_path};

/// Where its nodes are.
pub(crate) const NODES: [&str; 3] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
/// How long it may take to come up on a busy machine.
const UP_WITHIN: Duration = Duration::from_secs(240);

/// A running cluster. Its process ends with ours, whatever happens to ours, since the
/// other end of its standard input is here; it removes its data then.
#[derive(Debug)]
pub(crate) struct OpenSearch {
    _process: Child,
    port: u16,
}

impl OpenSearch {
    /// The cluster of this file of tests, for one test at a time: others would be seen in
    /// the counters of its caches.
    pub(crate) fn in_turn() -> MutexGuard<'static, Self> {
        static SHARED: OnceLock<Mutex<OpenSearch>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| Mutex::new(Self::start()));
        shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Port of every node, on an address of its own.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The URL of every node.
    pub(crate) fn urls(&self) -> [String; 3] {
        NODES.map(|node| format!("http://{node}:{}", self.port))
    }

    /// `--server URL` of every node.
    pub(crate) fn servers(&self) -> String {
        self.urls().map(|url| format!("--server {url}")).join(" ")
    }

    fn start() -> Self {
        opensearch();
        // Another test may take a port between our looking and its binding.
        let mut complaint = String::new();
        for _ in 0..3 {
            match Self::try_start() {
                Ok(cluster) => return cluster,
                Err(log) => complaint = log,
            }
        }
        panic!("OpenSearch does not start:\n{complaint}");
    }

    /// The error is what it said.
    fn try_start() -> Result<Self, String> {
        let port = free_port();
        let home = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let log = home.join("opensearch.log");
        let output = File::create(&log).expect("a file for what it says");
        let mut process = Command::new("sh")
            .arg(launcher())
            .args(["--temporary", &port.to_string()])
            .arg(home.join(format!("opensearch-{}-{port}", std::process::id())))
            .arg(NODES.join(","))
            .env("PATH", search_path())
            // It is to be up soon, not to be fast in the long run.
            .env(
                "JDK_JAVA_OPTIONS",
                "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            )
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(output.try_clone().expect("the same file"))
            .stderr(output)
            .spawn()
            .expect("a shell");
        let said = || std::fs::read_to_string(&log).unwrap_or_default();
        let mut ended = false;
        let is_up = wait_until(UP_WITHIN, || {
            ended = matches!(process.try_wait(), Ok(Some(_)));
            ended || said().contains("ready: 3 nodes")
        });
        if is_up && !ended {
            return Ok(Self {
                _process: process,
                port,
            });
        }
        kill_group(process.id());
        let _ = process.wait();
        Err(said())
    }
}

/// The program that starts it: that of the examples.
fn launcher() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/search/opensearch/opensearch.sh")
}
