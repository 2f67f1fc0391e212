//! The built-in S3 server with objects in memory: the fastest S3 server of these measurements.

use std::path::Path;

use anyhow::Result;

use super::process::{Process, Site, listens};
use super::{ACCESS_KEY, SECRET_KEY};

pub(super) fn start(built: &Path) -> Result<Process> {
    let site = Site::new("memory")?;
    let listen = format!("127.0.0.1:{}", site.port);
    let program = built.join("tenbin");
    Process::start(
        site,
        |command| {
            command
                .arg(program)
                .args(["serve", "s3", "--workers", "1", "--listen", &listen])
                .env("TENBIN_ACCESS_KEY", ACCESS_KEY)
                .env("TENBIN_SECRET_KEY", SECRET_KEY);
        },
        listens,
    )
}
