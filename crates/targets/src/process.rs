//! A launched process with its guard, its output and its data directory.

use std::path::PathBuf;
use std::time::Duration;

use crate::data;
use crate::error::TargetError;
use crate::guarded::Guarded;
use crate::output::Output;

/// A launched process. Dropping the value stops the command.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) guarded: Guarded,
    pub(crate) output: Output,
}

impl Process {
    pub(crate) fn stop(&mut self, target: &str) -> Result<(), TargetError> {
        let stopped = self.guarded.stop();
        // Wait, because the last lines of output can still be in the pipe.
        self.output.wait_closed(Duration::from_millis(500));
        stopped.map_err(|reason| TargetError::Unstopped {
            target: target.to_owned(),
            reason,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.guarded.stop();
    }
}

/// Data directory of a target. Dropping the value removes the directory and everything in it.
#[derive(Debug)]
pub(crate) struct DataDirectory {
    path: PathBuf,
}

impl DataDirectory {
    /// Creates an empty directory; fails if the directory exists.
    pub(crate) fn create(path: PathBuf) -> std::io::Result<Self> {
        std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
        std::fs::create_dir(&path)?;
        Ok(Self { path })
    }

    pub(crate) fn remove(self, target: &str) -> Result<(), TargetError> {
        self.delete().map_err(|source| TargetError::File {
            target: target.to_owned(),
            action: "remove",
            path: self.path.clone(),
            source,
        })
    }

    fn delete(&self) -> std::io::Result<()> {
        data::remove(&self.path)
    }
}

impl Drop for DataDirectory {
    fn drop(&mut self) {
        let _ = self.delete();
    }
}

/// Stops all processes in parallel: sends every stop request before waiting for the first process.
pub(crate) fn stop_all(processes: &mut [Process], target: &str) -> Result<(), TargetError> {
    for process in processes.iter() {
        process.guarded.request_stop();
    }
    let stopped: Vec<_> = processes.iter_mut().map(|each| each.stop(target)).collect();
    stopped.into_iter().collect()
}
