//! MinIO, with its data in memory if the system has `/dev/shm`.

use anyhow::{Context, Result};

use super::presign::ask;
use super::process::{Process, Site};
use super::{ACCESS_KEY, SECRET_KEY};
use crate::setup;

pub(super) fn start() -> Result<Process> {
    let program =
        setup::find_built("minio").context("minio is missing; run `cargo xtask setup`")?;
    let site = Site::new("minio")?;
    let home = site.home.clone();
    let address = format!("127.0.0.1:{}", site.port);
    Process::start(
        site,
        |command| {
            command
                .arg(program)
                .args(["server", "--quiet", "--address", &address, "--certs-dir"])
                .arg(home.join("certs"))
                .arg(home.join("disk"))
                .env("MINIO_ROOT_USER", ACCESS_KEY)
                .env("MINIO_ROOT_PASSWORD", SECRET_KEY)
                .env("MINIO_BROWSER", "off")
                .env("MINIO_UPDATE", "off")
                // MinIO creates a directory .minio in HOME.
                .env("HOME", &home);
        },
        // MinIO opens its port before its drive is ready.
        |port| {
            let address = format!("127.0.0.1:{port}");
            ask(&address, "GET", "/minio/health/cluster", &[]).is_ok_and(|status| status == 200)
        },
    )
}
