//! `tenbin compare`, and the options that it shares with commands that measure.

use std::path::PathBuf;

use clap::Args;

use super::columns::ColumnsArgs;

/// `tenbin compare`.
#[derive(Args)]
#[command(after_help = "\
Reads run directories, packed runs, result.json files and result files of other tools, in any mixture
(docs/formats.md lists them), and says what can be concluded. The slices of the two runs were not
interleaved: name the workloads that changed (--changed), and the other workloads show how much the
machine changed in between. Single runs and files of different tools get no verdict.

Examples:
  tenbin compare previous last
  tenbin compare runs/2026-01-30T090000-s3-suite runs/2026-01-31T090000-s3-suite --changed list
  tenbin compare before.gobench.txt after.gobench.txt
  tenbin compare wrk.txt oha.json")]
pub struct CompareArgs {
    /// The earlier run: last, previous, last~2, its label, its name (--name), the beginning of the
    /// name of its directory, its directory, its result.json, or a result file of another tool
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The later run, named in one of the same ways
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// Workloads that the change affects, repeatable or separated by commas; all other workloads
    /// are controls, which show how much the machine changed
    #[arg(long, value_name = "WORKLOAD", value_delimiter = ',')]
    pub changed: Vec<String>,
    /// Print all notes: what the controls and the intervals say, what the files do not say, and which
    /// figures only one of the two has
    #[arg(long, short, env = "TENBIN_VERBOSE", hide_env_values = true,
          value_parser = clap::builder::FalseyValueParser::new())]
    pub verbose: bool,
    /// Print the comparison as JSON
    #[arg(long)]
    pub json: bool,
    /// How lists of requests are read.
    #[command(flatten)]
    pub columns: ColumnsArgs,
}

/// An earlier run to compare with.
#[derive(Args, Default)]
#[command(next_help_heading = "Before and after")]
pub struct EarlierArgs {
    /// Compare with this earlier run: last, a label, a name (--name), a run directory or a
    /// result.json
    #[arg(long, value_name = "RUN")]
    pub before: Option<PathBuf>,
    /// Workloads that the change since the earlier run affects, repeatable or separated by commas;
    /// all other workloads are controls, which show how much the machine changed
    #[arg(
        long,
        value_name = "WORKLOAD",
        value_delimiter = ',',
        requires = "before"
    )]
    pub changed: Vec<String>,
}
