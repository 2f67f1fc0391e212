//! Output options.

use std::path::PathBuf;

use clap::Args;

/// Output options.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Directory for run directories, created if missing
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub out: PathBuf,
    /// Show no progress, only the result
    #[arg(long, short)]
    pub quiet: bool,
    /// Print every section of the result: comparisons by every figure, all findings, operations,
    /// connections, server cost and more
    #[arg(long, short, env = "TENBIN_VERBOSE", hide_env_values = true,
          value_parser = clap::builder::FalseyValueParser::new())]
    pub verbose: bool,
    /// Print only the result document, as JSON, on standard output
    #[arg(long)]
    pub json: bool,
}
