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
    /// Directory of the search slow logs.
    slow_logs: PathBuf,
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

    /// The search slow log of all nodes: `log` or `json`.
    pub(crate) fn slow_log(&self, format: &str) -> PathBuf {
        let name = format!("tenbin_index_search_slowlog.{format}");
        self.slow_logs.join(name)
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
        let directory = home.join(format!("opensearch-{}-{port}", std::process::id()));
        let slow_logs = directory.join("slow-logs");
        let logging = home.join(format!("opensearch-{port}.properties"));
        std::fs::write(&logging, logging_to(&slow_logs)).expect("a file for its loggers");
        // JVM options for a fast start rather than high peak performance.
        let options = format!(
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dopensearch.logs.cluster_name=tenbin \
             \"-Dlog4j2.configurationFile={}\"",
            logging.display()
        );
        let mut process = Command::new("sh")
            .arg(launcher())
            .args(["--temporary", &port.to_string()])
            .arg(&directory)
            .arg(NODES.join(","))
            .env("PATH", search_path())
            .env("JDK_JAVA_OPTIONS", options)
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
        let _ = std::fs::remove_file(&logging);
        if is_up && !ended {
            return Ok(Self {
                _process: process,
                port,
                slow_logs,
            });
        }
        kill_group(process.id());
        let _ = process.wait();
        Err(said())
    }
}

/// The loggers of OpenSearch's distribution for search slow logs, with their layouts, as files in a
/// directory.
fn logging_to(directory: &Path) -> String {
    let file = directory.join("tenbin_index_search_slowlog");
    let file = file.display();
    format!(
        "status = error\n\
         packages = org.opensearch.common.logging\n\
         appender.console.type = Console\n\
         appender.console.name = console\n\
         appender.console.layout.type = PatternLayout\n\
         appender.console.layout.pattern = [%d{{ISO8601}}][%-5p][%-25c{{1.}}] %m%n\n\
         rootLogger.level = error\n\
         rootLogger.appenderRef.console.ref = console\n\
         appender.json.type = File\n\
         appender.json.name = json\n\
         appender.json.fileName = {file}.json\n\
         appender.json.layout.type = OpenSearchJsonLayout\n\
         appender.json.layout.type_name = index_search_slowlog\n\
         appender.json.layout.opensearchmessagefields = message,took,took_millis,total_hits,types,\
         stats,search_type,total_shards,source,id\n\
         appender.request.type = File\n\
         appender.request.name = request\n\
         appender.request.fileName = {file}.json\n\
         appender.request.layout.type = OpenSearchJsonLayout\n\
         appender.request.layout.type_name = search_request_slowlog\n\
         appender.request.layout.opensearchmessagefields = message,took,took_millis,phase_took,\
         total_hits,search_type,shards,source,id\n\
         appender.text.type = File\n\
         appender.text.name = text\n\
         appender.text.fileName = {file}.log\n\
         appender.text.layout.type = PatternLayout\n\
         appender.text.layout.pattern = [%d{{ISO8601}}][%-5p][%c{{1.}}] [%node_name]%marker %m%n\n\
         logger.shards.name = index.search.slowlog\n\
         logger.shards.level = trace\n\
         logger.shards.additivity = false\n\
         logger.shards.appenderRef.json.ref = json\n\
         logger.shards.appenderRef.text.ref = text\n\
         logger.requests.name = cluster.search.request.slowlog\n\
         logger.requests.level = trace\n\
         logger.requests.additivity = false\n\
         logger.requests.appenderRef.request.ref = request\n\
         logger.requests.appenderRef.text.ref = text\n"
    )
}

/// Path of the launcher script in the examples.
fn launcher() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/search/opensearch/opensearch.sh")
}
