//! The process of a server and its directory; both are removed on drop.

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Longest time for a server to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// The directory and the port for a new server.
pub(crate) struct Site {
    pub(crate) home: PathBuf,
    pub(crate) port: u16,
}

impl Site {
    /// Creates a new directory and selects a free port.
    pub(super) fn new(name: &str) -> Result<Self> {
        let home = super::data_root().join(format!("tenbin-cost-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&home)?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?
            .local_addr()?
            .port();
        Ok(Self { home, port })
    }
}

/// A running server; killed on drop.
pub(crate) struct Process {
    child: Child,
    pub(crate) port: u16,
    home: PathBuf,
}

impl Process {
    /// Starts a server on the last core and waits until `ready` returns true.
    pub(super) fn start(
        site: Site,
        command: impl FnOnce(&mut Command),
        ready: impl Fn(u16) -> bool,
    ) -> Result<Self> {
        let last = std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
        let mut pinned = Command::new("taskset");
        pinned.args(["--cpu-list", &last.to_string()]);
        command(&mut pinned);
        let child = pinned
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut process = Self {
            child,
            port: site.port,
            home: site.home,
        };
        let start = Instant::now();
        while !ready(process.port) {
            if let Some(status) = process.child.try_wait()? {
                bail!("a server ended instead of coming up ({status})");
            }
            if start.elapsed() > PATIENCE {
                bail!("a server does not come up");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(process)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

/// Whether a process listens on this port.
pub(super) fn listens(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}
