//! `tenbin report`.

use std::path::PathBuf;

use clap::Args;

/// `tenbin report`.
#[derive(Args)]
#[command(after_help = "\
The page is one file of at most 500 KB for each run, with charts and without scripts. It needs no network
and can be sent as it is. Every run writes its own page, report.html, into its directory when it ends.

Examples:
  tenbin report last
  tenbin report --out page.html runs/2026-01-31T120000-s3-put
  tenbin report --out both.html runs/2026-01-31T120000-s3-put runs/2026-02-01T090000-s3-put")]
pub struct ReportArgs {
    /// Run directories, finished or not; last for the newest in runs
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// The file to write [default: report.html in the run directory, of several runs report.html]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
