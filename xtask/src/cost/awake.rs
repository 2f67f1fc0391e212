//! Keeping the generator's core awake.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// A process that works for nothing on the first core, until this goes out of scope.
/// What it uses counts only when it is gone, which is after the last turn.
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
        // Of a process that is already gone there is nothing left to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
