//! `tenbin list`, `tenbin label`, `tenbin note`, `tenbin rm` and `tenbin prune`.

use std::path::PathBuf;

use clap::Args;

/// `tenbin list`.
#[derive(Args)]
#[command(after_help = "\
The words for a run work in every command that takes a RUN: its directory, last, previous, last~2,
its label, or the beginning of its name.

Examples:
  tenbin list
  tenbin list --match nginx --trust valid
  tenbin list --json | jq -r '.[].run'")]
pub struct ListArgs {
    /// Directory with the runs
    #[arg(value_name = "DIR", default_value = "runs")]
    pub directory: PathBuf,
    /// List only runs with this text in name, label, note or verdict, in upper or lower case
    #[arg(long = "match", value_name = "TEXT")]
    pub text: Option<String>,
    /// List only runs with this trust: valid, suspect or invalid
    #[arg(long, value_name = "TRUST", value_parser = ["valid", "suspect", "invalid"])]
    pub trust: Option<String>,
    /// List all runs [default: the newest 20]
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `tenbin label`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tenbin label last before-upgrade
  tenbin compare before-upgrade last
  tenbin label before-upgrade ''")]
pub struct LabelArgs {
    /// The run: its directory, last, previous, last~2, its label, or the beginning of its name
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The label: letters, digits, - _ and ., up to 60; empty to remove it
    #[arg(value_name = "LABEL")]
    pub label: String,
}

/// `tenbin note`.
#[derive(Args)]
#[command(after_help = "\
The note is kept in note.txt in the run directory. tenbin show, report, list, pack and ui show it in
place of the note of the plan (--note), which stays in the result.

Examples:
  tenbin note last 'after the kernel update'
  tenbin note last ''")]
pub struct NoteArgs {
    /// The run: its directory, last, previous, last~2, its label, or the beginning of its name
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The note: one line of up to 500 characters; empty to remove it
    #[arg(value_name = "TEXT")]
    pub note: String,
}

/// `tenbin rm`.
#[derive(Args)]
#[command(after_help = "\
Moves the runs to .trash in their directory. Delete that directory to free the space.

Examples:
  tenbin rm last
  tenbin rm runs/2026-01-31T120000-s3-put")]
pub struct RmArgs {
    /// The runs: directories, last, previous, last~2, labels, or beginnings of names
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
}

/// `tenbin prune`.
#[derive(Args)]
#[command(after_help = "\
Keeps the newest runs and all runs with a label. Moves the others to .trash in their directory.

Examples:
  tenbin prune --keep 50")]
pub struct PruneArgs {
    /// Directory with the runs
    #[arg(value_name = "DIR", default_value = "runs")]
    pub directory: PathBuf,
    /// Number of newest runs to keep
    #[arg(long, value_name = "N")]
    pub keep: usize,
}
