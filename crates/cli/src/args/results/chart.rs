//! `tenbin chart`.

use std::path::PathBuf;

use clap::Args;

/// `tenbin chart`.
#[derive(Args)]
#[command(after_help = "\
Writes a chart (.svg) and a table (.csv). The chart shows throughput and the mean, median and 99th
percentile of the service time against the number of clients, with one line for each target of a
run and for each drnbench file. The table has the columns of ramp.csv in a run directory. drnbench
files contain no percentiles.

Examples:
  tenbin chart groonga-result.csv droonga-result-1node.csv droonga-result-3nodes.csv
  tenbin chart --out nodes runs/20260101-120000-search-ramp groonga-result.csv")]
pub struct ChartArgs {
    /// Runs with a concurrency sweep (a directory, a packed run, or last for the newest run in ./runs),
    /// or result files of drnbench
    #[arg(value_name = "RUN|FILE", required = true)]
    pub sources: Vec<PathBuf>,
    /// Path of the two files to write, without the extensions .svg and .csv
    #[arg(long, short, value_name = "NAME", default_value = "chart")]
    pub out: PathBuf,
}
