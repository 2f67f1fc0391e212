//! The slow part of the set-up, beside other work: downloads leave the cores idle, and so does the
//! Rust compiler at times.

use std::thread::JoinHandle;

use anyhow::{Result, anyhow};

use super::logged;

/// A running set-up. Dropped before its end, it stops the program that it runs at that time.
pub(crate) struct Background(Option<JoinHandle<Result<()>>>);

impl Background {
    /// Starts `work`, which runs its programs with [`logged::run`].
    pub(super) fn start(work: impl FnOnce() -> Result<()> + Send + 'static) -> Self {
        Self(Some(std::thread::spawn(work)))
    }

    /// Waits for the end.
    ///
    /// # Errors
    ///
    /// The error of the work.
    pub(crate) fn wait(mut self) -> Result<()> {
        self.0.take().map_or(Ok(()), |thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(anyhow!("the set-up panicked")))
        })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            logged::stop();
            let _ended = thread.join();
        }
    }
}
