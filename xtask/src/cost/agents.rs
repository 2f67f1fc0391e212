//! Agents on this machine: beside a coordinator that is measured, or measured together with it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::load_machines::LoadMachines;

/// Agents and their hub; their files are removed on drop.
pub(super) struct Agents {
    machines: Option<LoadMachines>,
    options: Vec<String>,
    directory: PathBuf,
}

impl Agents {
    pub(super) fn start(tenbin: &Path, count: usize) -> Result<Self> {
        let directory = std::env::temp_dir().join(format!("tenbin-agents-{}", std::process::id()));
        let machines = LoadMachines::start_with(tenbin, &directory, count)?;
        Ok(Self {
            options: machines.options(),
            machines: Some(machines),
            directory,
        })
    }

    /// The options with which a run uses all agents.
    pub(super) fn options(&self) -> &[String] {
        &self.options
    }

    /// Ends all processes and waits for them, so that their CPU time is known.
    fn end(mut self) -> Result<()> {
        self.machines.take().map_or(Ok(()), LoadMachines::end)
    }
}

impl Drop for Agents {
    fn drop(&mut self) {
        // Leftovers stay in the system's directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Runs a command line of the `tenbin` beside this program with agents that it starts and ends, so
/// that this process pays for all of them. Returns the exit status of the command line.
pub(crate) fn with_agents(count: &str, arguments: &[&str]) -> Result<ExitCode> {
    let tenbin = std::env::current_exe()?.with_file_name("tenbin");
    let agents = Agents::start(&tenbin, count.parse().context("a count")?)?;
    let status = Command::new(&tenbin)
        .args(arguments)
        .args(agents.options())
        .current_dir(std::env::temp_dir())
        .status()
        .with_context(|| format!("{} cannot be run", tenbin.display()))?;
    agents.end()?;
    Ok(ExitCode::from(status.code().unwrap_or(1) as u8))
}
