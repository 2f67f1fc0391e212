//! A real OpenSearch cluster: three nodes in one process. The tests of a file share the cluster,
//! one test at a time, because starting takes long.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::ports::free_port;
use super::processes::{kill_group, wait_until};
use super::servers::{opensearch, search_path};

/// Addresses of the nodes.
pub(crate) const NODES: [&str; 3] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
/// Longest time to start on a busy machine.
const UP_WITHIN: Duration = Duration::from_secs(240);

/// A running cluster. Its process removes its data and ends when its standard input is closed,
/// which happens at the latest when the test process ends.
#[derive(Debug)]
pub(crate) struct OpenSearch {
    _process: Child,
    port: u16,
}

impl OpenSearch {
    /// The cluster of this test file, locked for one test, because the cache counters would include
    /// the requests of other tests.
    pub(crate) fn in_turn() -> MutexGuard<'static, Self> {
        static SHARED: OnceLock<Mutex<OpenSearch>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| Mutex::new(Self::start()));
        shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Port of all nodes; every node has a different address.
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
        // Another test can take the free port before OpenSearch binds it.
        let mut complaint = String::new();
        for _ in 0..3 {
            match Self::try_start() {
                Ok(cluster) => return cluster,
                Err(log) => complaint = log,
            }
        }
        panic!("OpenSearch does not start:\n{complaint}");
    }

    /// Starts the cluster once. The error is the output of OpenSearch.
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
            // JVM options for a fast start rather than high peak performance.
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

/// Path of the launcher script in the examples.
fn launcher() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/search/opensearch/opensearch.sh")
}
