//! Server stages.

use clap::Args;
use tenbin_plan::WorkloadDraft;

use super::set;

/// Server stages.
#[derive(Args)]
#[command(next_help_heading = "Server stages (docs/stages.md)")]
pub struct StageArgs {
    /// Read the times of server stages from the response headers Server-Timing and Trace-Log, and
    /// show their means by percentile band
    #[arg(long)]
    stages: bool,
}

impl StageArgs {
    pub(super) fn apply(&self, draft: &mut WorkloadDraft) {
        set(&mut draft.stages, "--stages", self.stages.then_some(true));
    }
}
