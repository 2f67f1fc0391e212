//! A program that keeps one core busy.

use std::process::{Child, Stdio};

use super::{Scratch, tied};

/// A process that keeps one core busy; killed on drop.
pub(crate) struct Spinner(Child);

impl Spinner {
    pub(crate) fn start(scratch: &Scratch) -> Self {
        let (mark, directory) = scratch.mark();
        let child = tied("sh")
            .args(["-c", "while :; do :; done"])
            .env(mark, directory)
            .stdin(Stdio::null())
            .spawn()
            .expect("sh can be started");
        Self(child)
    }

    /// Process ID.
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Starts one process per core.
    pub(crate) fn on_all_cores(scratch: &Scratch) -> Vec<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (0..cores).map(|_| Self::start(scratch)).collect()
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
