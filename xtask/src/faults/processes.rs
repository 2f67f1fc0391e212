//! The processes that a trial has started.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Longest time until all processes have ended.
const SOON: Duration = Duration::from_secs(20);

/// Processes with this directory as working directory or on their command line.
pub(super) fn alive(directory: &Path) -> Vec<(i32, String)> {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let name = directory.display().to_string();
    let found = processes.flatten().filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let command = std::fs::read(entry.path().join("cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        let place: PathBuf = std::fs::read_link(entry.path().join("cwd")).ok()?;
        let is_here = place.starts_with(directory) || command.contains(&format!("{name}/"));
        is_here.then_some((pid, command))
    });
    found.collect()
}

pub(super) fn check_nobody_left(directory: &Path) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < SOON {
        if alive(directory).is_empty() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    bail!("processes are left: {:?}", alive(directory))
}
