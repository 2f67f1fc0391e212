//! One of Tenbin's own servers in a process of its own.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::time::Duration;

use super::{Running, Scratch, Tenbin, wait_until};

/// How long one may take to come up, on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// A `tenbin` that serves something, and where it says that it listens.
pub(crate) struct OwnServer {
    /// Its process, killed when dropped.
    pub(crate) running: Running,
    /// Where it listens.
    pub(crate) address: SocketAddr,
}

impl OwnServer {
    /// Starts it with these arguments, which let it choose its port: `--listen 127.0.0.1:0`.
    /// Fails the test when it does not come up.
    pub(crate) fn start<A: AsRef<OsStr>>(
        scratch: &Scratch,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let mut running = Tenbin::new(scratch, arguments).start();
        let mut address = None;
        wait_until(LIMIT, || {
            address = listening_on(&running.so_far());
            address.is_some() || !running.is_running()
        });
        let address =
            address.unwrap_or_else(|| panic!("it does not come up: {}", running.so_far()));
        Self { running, address }
    }

    /// Where it listens, in clear text.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

fn listening_on(said: &str) -> Option<SocketAddr> {
    let mut lines = said.lines();
    let place = lines.find_map(|line| line.strip_prefix("listening on http"))?;
    let (_, rest) = place.split_once("://")?;
    rest.strip_suffix('/')?.parse().ok()
}
