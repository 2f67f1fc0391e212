//! `tenbin pack`, `tenbin verify` and `tenbin rerun`.

use std::path::{Path, PathBuf};

use clap::Args;
use tenbin_plan::{AgentsDraft, Draft, OutputDraft, Refusal};

use crate::args::{OutputArgs, RoundsArgs};

/// `tenbin pack`.
#[derive(Args)]
#[command(after_help = "\
The file contains the plan, the environment, the raw intervals and histograms, and the result, but
no output of servers and no secrets. environment.json in the file contains the host name of this
machine. `tenbin verify` and `tenbin show` read the file, and `tar --zstd -xf` unpacks it.

Examples:
  tenbin pack last
  tenbin pack runs/2026-01-31T120000-s3-put --out result.tar.zst")]
pub struct PackArgs {
    /// Directory of the run, or last for the newest run in ./runs
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The file to write [default: the name of the run directory with .tar.zst, in the current
    /// directory]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `tenbin verify`.
#[derive(Args)]
#[command(after_help = "\
Recomputes every figure of the result from the histograms and counts of each second, and compares
the figures with result.json. Exit code 0 if all agree, 6 if a figure or a file was changed.

Examples:
  tenbin verify 2026-01-31T120000-s3-put.tar.zst
  tenbin verify last")]
pub struct VerifyArgs {
    /// Packed run or run directory, or last for the newest run in ./runs
    #[arg(value_name = "FILE|RUN")]
    pub run: PathBuf,
}

/// `tenbin rerun`.
#[derive(Args)]
#[command(mut_args(crate::args::options::rounds::without_defaults))]
#[command(after_help = "\
Runs the plan of an earlier run again on this machine, and compares the two runs. Tenbin can start
only the targets that the plan launches; all other targets must be running. Secrets come from the
environment variables that the plan names.

Examples:
  tenbin rerun last
  tenbin rerun 2026-01-31T120000-s3-put.tar.zst --duration 2m")]
pub struct RerunArgs {
    /// Run directory or packed run, or last for the newest run in ./runs
    #[arg(value_name = "RUN|FILE")]
    pub run: PathBuf,
    /// Duration and rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// Output options.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl RerunArgs {
    /// The plan of the run in the directory `run`, with the options applied.
    ///
    /// # Errors
    ///
    /// If the plan cannot be read.
    pub fn draft(&self, run: &Path) -> Result<Draft, Refusal> {
        let mut draft = Draft::read_run(run)?;
        // The plan can come from another machine, so its output paths and its NATS server do not
        // apply here.
        draft.output = OutputDraft::default();
        draft.agents = AgentsDraft::default();
        self.rounds.apply(&mut draft);
        Ok(draft)
    }
}
