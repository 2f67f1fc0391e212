//! Keeps the CPU core of the load generator awake.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// A process that keeps the first core busy until this value is dropped.
pub(super) struct Awake(Child);

impl Awake {
    pub(super) fn keep() -> Result<Self> {
        let child = Command::new("taskset")
            .args(["--cpu-list", "0", "sh", "-c", "while :; do :; done"])
            .stdin(Stdio::null())
            .spawn()
            .context("cannot keep the first core awake")?;
        Ok(Self(child))
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        // Killing fails only if the process has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
