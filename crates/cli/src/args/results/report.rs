//! `tenbin report`.

use std::path::PathBuf;

use clap::Args;

/// `tenbin report`.
#[derive(Args)]
#[command(after_help = "\
The page is a single HTML file of at most 500 KB per run, with charts, without scripts and without
external resources. Every run writes its own page, report.html, to its run directory at its end.

Examples:
  tenbin report last
  tenbin report --out page.html runs/2026-01-31T120000-s3-put
  tenbin report --out both.html runs/2026-01-31T120000-s3-put runs/2026-02-01T090000-s3-put")]
pub struct ReportArgs {
    /// Run directories, finished or interrupted; last for the newest run in ./runs
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// File to write [default: report.html in the run directory; for several runs, ./report.html]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
