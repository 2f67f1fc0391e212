//! `tenbin run`.

use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{Draft, Refusal};

use super::{OutputArgs, RoundsArgs};

/// `tenbin run`.
#[derive(Args)]
#[command(after_help = "\
Options override the plan file. `tenbin plan` prints a plan to start from; the plan.toml in a run
directory repeats that run.

Examples:
  tenbin run plan.toml
  tenbin run runs/2026-01-31T120000-s3-put/plan.toml --duration 2m")]
pub struct RunArgs {
    /// The plan file
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// How long.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl RunArgs {
    /// The plan as written in the file, with the options over it.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is not TOML.
    pub fn draft(&self) -> Result<Draft, Refusal> {
        let mut draft = Draft::read(&self.plan)?;
        self.rounds.apply(&mut draft);
        Ok(draft)
    }
}
