//! Ten thousand connections.

use std::path::Path;

use anyhow::{Context as _, Result};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::open_loop::{at_rate, open};
use super::{Contender, Stable};

/// Open files of a process with ten thousand connections, with some to spare.
const OPEN_FILES: u64 = 10_500;

impl Stable<'_> {
    /// GETs by tenbin at a constant rate, requests per second, on up to ten thousand connections,
    /// which are all open before the first request.
    pub(crate) fn on_connections(
        &self,
        name: &'static str,
        connections: usize,
        rate: u64,
    ) -> Contender {
        let tenbin = self.tenbin(move |scene| Ok(at_rate(scene, connections, rate)));
        Contender {
            make: Some(|_: &Path| allow_open_files()),
            ..open(name, tenbin)
        }
    }
}

/// Raises the limit of open files of this process, which servers and load generators inherit. Only
/// root can raise the hard limit.
fn allow_open_files() -> Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if soft >= OPEN_FILES {
        return Ok(());
    }
    setrlimit(Resource::RLIMIT_NOFILE, OPEN_FILES, hard.max(OPEN_FILES)).with_context(|| {
        format!(
            "a process needs {OPEN_FILES} open files and may have {hard} (ulimit -Hn); \
             run this task as root or raise the limit"
        )
    })
}
