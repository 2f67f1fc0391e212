//! `tenbin chart`.

use std::path::PathBuf;

use clap::Args;

/// `tenbin chart`.
#[derive(Args)]
#[command(after_help = "\
The chart has a panel each for throughput, mean service time, its median and its 99th percentile,
against clients, with a line for each file and for each target of a run. The table has the same
figures, in the columns of a run's ramp.csv. Files of drnbench have no percentiles.

Examples:
  tenbin chart groonga-result.csv droonga-result-1node.csv droonga-result-3nodes.csv
  tenbin chart --out nodes runs/20260101-120000-search-ramp groonga-result.csv")]
pub struct ChartArgs {
    /// Run directories with a ramp, and result files of drnbench
    #[arg(value_name = "RUN|FILE", required = true)]
    pub sources: Vec<PathBuf>,
    /// Name of the files, without the endings .svg and .csv
    #[arg(long, short, value_name = "NAME", default_value = "chart")]
    pub out: PathBuf,
}
