//! A built-in server of Tenbin in a separate process.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::time::Duration;

use super::{Running, Scratch, Tenbin, wait_until};

/// Longest time to start on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// A running `tenbin serve` and its printed address.
pub(crate) struct OwnServer {
    /// The process; killed on drop.
    pub(crate) running: Running,
    /// Address of the server.
    pub(crate) address: SocketAddr,
}

impl OwnServer {
    /// Starts the server with these arguments, which must contain `--listen 127.0.0.1:0` or
    /// similar. Fails the test if the server does not start.
    pub(crate) fn start<A: AsRef<OsStr>>(
        scratch: &Scratch,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self::of(Tenbin::new(scratch, arguments))
    }

    /// As [`Self::start`], with a link of this name in the scratch directory as the program, so that
    /// `ps -o comm` shows the name.
    pub(crate) fn called<A: AsRef<OsStr>>(
        name: &str,
        scratch: &Scratch,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let line = format!("ln -s \"$1\" {name} && shift && exec ./{name} \"$@\"");
        let shell = ["sh", "-c", line.as_str(), "sh"];
        Self::of(Tenbin::new(scratch, arguments).inside(&shell))
    }

    fn of(server: Tenbin<'_>) -> Self {
        let mut running = server.start();
        let mut address = None;
        wait_until(LIMIT, || {
            address = listening_on(&running.so_far());
            address.is_some() || !running.is_running()
        });
        let address =
            address.unwrap_or_else(|| panic!("it does not come up: {}", running.so_far()));
        Self { running, address }
    }

    /// `http://` URL of the server.
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
