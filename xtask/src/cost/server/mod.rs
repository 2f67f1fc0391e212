//! The servers of the cost measurements; every server runs on the last core.

mod long_run;
mod memory;
mod minio;
pub(crate) mod nginx;
pub(crate) mod paths;
pub(crate) mod presign;
mod process;

use std::path::{Path, PathBuf};

use anyhow::Result;

use self::long_run::LongRun;
pub(crate) use self::process::Process;
use super::agents::Agents;

/// Access key of every S3 server here. Not a secret: the servers run only during a measurement, on
/// the loopback interface.
pub(crate) const ACCESS_KEY: &str = "tenbin-cost";
pub(crate) const SECRET_KEY: &str = "tenbin-cost-secret";

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No server.
    None,
    /// nginx with a response of 12 bytes from memory, and a file of 1 MiB.
    Nginx,
    /// nginx as in `Nginx`, over TLS 1.3.
    NginxTls,
    /// MinIO, with its data in memory if the system has `/dev/shm`.
    Minio,
    /// The built-in S3 server with objects in memory.
    Memory,
    /// nginx as in `Nginx`, a hub, and 64 agents.
    Agents,
    /// No server, but the run directory of a run of ten hours: 18,000 slices of 2 s on two targets.
    LongRun,
}

/// A running server, or a generated run directory.
#[derive(Default)]
pub(crate) struct Server {
    /// URL of the server; for [`Kind::LongRun`] the run directory; empty for [`Kind::None`].
    pub(crate) url: String,
    /// Options for the agents; empty without agents.
    pub(crate) agents: String,
    _agents: Option<Agents>,
    _process: Option<Process>,
    _run: Option<LongRun>,
}

impl Kind {
    /// Name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "no server",
            Self::Nginx => "nginx",
            Self::NginxTls => "nginx, TLS 1.3",
            Self::Minio => "MinIO",
            Self::Memory => "built-in S3 server",
            Self::Agents => "nginx",
            Self::LongRun => "18,000 slices of 2 s of two targets",
        }
    }

    /// Starts the server and waits until it responds. `built` is the directory of Tenbin's
    /// programs.
    pub(crate) fn start(self, built: &Path) -> Result<Server> {
        let process = match self {
            Self::None => {
                return Ok(Server::default());
            }
            Self::LongRun => {
                let run = long_run::make(built)?;
                return Ok(Server {
                    url: run.directory.display().to_string(),
                    _run: Some(run),
                    ..Server::default()
                });
            }
            Self::Nginx | Self::Agents => nginx::start(false)?,
            Self::NginxTls => nginx::start(true)?,
            Self::Minio => minio::start()?,
            Self::Memory => memory::start(built)?,
        };
        let scheme = match self {
            Self::NginxTls => "https",
            _ => "http",
        };
        let url = format!("{scheme}://127.0.0.1:{}/", process.port);
        if matches!(self, Self::Minio | Self::Memory) {
            presign::prepare(&url)?;
        }
        let agents = match self {
            Self::Agents => Some(Agents::start(&built.join("tenbin"), 64)?),
            _ => None,
        };
        Ok(Server {
            url,
            agents: agents
                .as_ref()
                .map_or(String::new(), |it| it.options().join(" ")),
            _agents: agents,
            _process: Some(process),
            _run: None,
        })
    }
}

/// Directory for data: in memory if possible, so that no disk is the limit.
pub(crate) fn data_root() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    if shared.is_dir() {
        return shared;
    }
    std::env::temp_dir()
}
