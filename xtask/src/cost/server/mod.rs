//! The servers that the generators are measured on, all on the last core.

mod long_run;
mod memory;
mod minio;
mod nginx;
pub(crate) mod presign;
mod process;

use std::path::{Path, PathBuf};

use anyhow::Result;

use self::long_run::LongRun;
pub(crate) use self::process::Process;

/// Keys of every S3 server here. They open nothing but a server that lives for
/// one measurement on the loopback interface.
pub(crate) const ACCESS_KEY: &str = "tenbin-cost";
pub(crate) const SECRET_KEY: &str = "tenbin-cost-secret";

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None: the generator answers itself.
    None,
    /// nginx, 12 bytes from memory.
    Nginx,
    /// The same over TLS 1.3.
    NginxTls,
    /// MinIO, its data in memory where the system has a place for that.
    Minio,
    /// The built-in S3 server, objects in memory.
    Memory,
    /// None, but the run directory of ten hours: 18,000 slices of 2 s, two targets.
    LongRun,
}

/// A server that runs, or what is there instead of one.
pub(crate) struct Server {
    /// Where it listens; the run directory of [`Kind::LongRun`], and empty with nothing.
    pub(crate) url: String,
    _process: Option<Process>,
    _run: Option<LongRun>,
}

impl Kind {
    /// What the table says of it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "no server",
            Self::Nginx => "nginx",
            Self::NginxTls => "nginx, TLS 1.3",
            Self::Minio => "MinIO",
            Self::Memory => "built-in S3 server",
            Self::LongRun => "18,000 slices of 2 s of two targets",
        }
    }

    /// Starts it and waits until it answers. `built` is where our programs are.
    pub(crate) fn start(self, built: &Path) -> Result<Server> {
        let process = match self {
            Self::None => {
                return Ok(Server {
                    url: String::new(),
                    _process: None,
                    _run: None,
                });
            }
            Self::LongRun => {
                let run = long_run::make(built)?;
                return Ok(Server {
                    url: run.directory.display().to_string(),
                    _process: None,
                    _run: Some(run),
                });
            }
            Self::Nginx => nginx::start(false)?,
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
        Ok(Server {
            url,
            _process: Some(process),
            _run: None,
        })
    }
}

/// Where data goes: memory, so that no disk sets the limit.
pub(crate) fn data_root() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    if shared.is_dir() {
        return shared;
    }
    std::env::temp_dir()
}
