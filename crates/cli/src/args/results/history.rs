//! `tenbin history`.

use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{Figure, Sentence, sentence};

/// `tenbin history`.
#[derive(Args)]
#[command(after_help = "\
Shows the figure that decides comparisons, of every workload on every target, over the runs of a
directory with the same settings. With an anchor, a target that stays the same in every run, values
are ratios to it: another machine or kernel then cancels as far as it affects both alike. Changes of
the level are dated, with what else changed at that time (docs/history.md). DIR can also contain
results as files: those of tenbin import --out, marked as imported, and copies of result.json.

Examples:
  tenbin http --target ref=http://127.0.0.1:8080/ --target app=http://127.0.0.1:8081/ --anchor ref
  tenbin history
  tenbin history --target app --figure p99 --html history.html")]
pub struct HistoryArgs {
    /// Directory with the runs
    #[arg(value_name = "DIR", default_value = "runs")]
    pub directory: PathBuf,
    /// Show only this target
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// Show only this workload
    #[arg(long, value_name = "NAME")]
    pub workload: Option<String>,
    /// Figure to show: throughput, p50, p99 or cpu, and every other figure that decided comparisons
    /// (--decide) [default: the figure that decides comparisons]
    #[arg(long, value_name = "FIGURE", value_parser = figure)]
    pub figure: Option<Figure>,
    /// Divide by the figures of this target [default: the anchor of the newest plan]
    #[arg(long, value_name = "NAME")]
    pub anchor: Option<String>,
    /// Print all runs and series [default: the newest 20 runs of each series; with more than 6
    /// series, only those of the newest run]
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Write an HTML page with charts instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all", "json"])]
    pub html: Option<PathBuf>,
}

/// A figure that has a ratio.
pub(crate) fn figure(name: &str) -> Result<Figure, Sentence> {
    let figure = Figure::named(name).map_err(|error| error.sentence())?;
    if figure.has_ratio() {
        Ok(figure)
    } else {
        Err(sentence!(
            "no-ratio-of-figure",
            "{name} has no ratio with an interval; choose for example throughput or p99",
            name
        ))
    }
}
