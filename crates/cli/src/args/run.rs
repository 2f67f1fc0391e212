//! `tenbin run`.

use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{Draft, Refusal};

use super::{OutputArgs, RoundsArgs};

/// `tenbin run`.
#[derive(Args)]
#[command(mut_args(crate::args::options::rounds::without_defaults))]
#[command(after_help = "\
Options override the plan file. `tenbin plan` prints a plan to start from. Every run directory
contains a plan.toml that repeats the run.

Examples:
  tenbin run plan.toml
  tenbin run runs/2026-01-31T120000-s3-put/plan.toml --duration 2m")]
pub struct RunArgs {
    /// Plan file, in TOML
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// Duration and rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// Output options.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl RunArgs {
    /// The plan in the file, with the options applied.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is not TOML.
    pub fn draft(&self) -> Result<Draft, Refusal> {
        let mut draft = Draft::read(&self.plan)?;
        self.rounds.apply(&mut draft);
        Ok(draft)
    }
}
