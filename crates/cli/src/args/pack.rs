//! `tenbin pack`, `tenbin verify` and `tenbin rerun`.

use std::path::{Path, PathBuf};

use clap::Args;
use tenbin_plan::{Draft, OutputDraft, Refusal};

use super::{OutputArgs, RoundsArgs};

/// `tenbin pack`.
#[derive(Args)]
#[command(after_help = "\
The file has the plan, the environment, the raw intervals and histograms and the result. It has no
output of servers. Secrets are in no file of a run; the host name of this machine is in
environment.json. Everybody can read it with `tenbin verify` and `tenbin show`, or unpack it with
`tar --zstd -xf`.

Examples:
  tenbin pack last
  tenbin pack runs/2026-01-31T120000-s3-put --out result.tar.zst")]
pub struct PackArgs {
    /// The run directory; last for the newest in runs
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
Computes every figure of the result again, from the histograms and counts of each second, and
compares it with result.json. Exit code 0 if all agree, 6 if a figure or a file was changed.

Examples:
  tenbin verify 2026-01-31T120000-s3-put.tar.zst
  tenbin verify last")]
pub struct VerifyArgs {
    /// The packed run or the run directory; last for the newest in runs
    #[arg(value_name = "FILE|RUN")]
    pub run: PathBuf,
}

/// `tenbin rerun`.
#[derive(Args)]
#[command(after_help = "\
Runs the plan of the run again, on this machine, and compares the two. The targets of the plan must
exist; secrets come from the environment variables that the plan names.

Examples:
  tenbin rerun last
  tenbin rerun 2026-01-31T120000-s3-put.tar.zst --duration 2m")]
pub struct RerunArgs {
    /// The run directory or the packed run; last for the newest in runs
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
    /// The plan of the run in this directory, with the options applied.
    ///
    /// # Errors
    ///
    /// When its plan cannot be read.
    pub fn draft(&self, run: &Path) -> Result<Draft, Refusal> {
        let mut draft = Draft::read(&run.join("plan.toml"))?;
        // The plan may come from another machine: where files are written is decided here.
        draft.output = OutputDraft::default();
        self.rounds.apply(&mut draft);
        Ok(draft)
    }
}
