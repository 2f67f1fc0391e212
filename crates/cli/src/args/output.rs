//! Output options.

use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{At, Draft, List, OutputDraft, Scalar, Section as _};

use super::{ExportArgs, Flags};

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
    /// The keys of `[output]`.
    #[command(flatten)]
    pub output: Flags<OutputDraft>,
    /// Files in other formats.
    #[command(flatten)]
    pub export: ExportArgs,
}

impl OutputArgs {
    /// Overrides `draft` with the options that were given.
    pub(crate) fn apply(&self, draft: &mut Draft) {
        draft.output.override_with(&self.output.0);
    }

    /// As [`OutputArgs::apply`], and adds the files of `--export`, except standard output: a plan
    /// has no other place for them.
    pub(super) fn write_down(&self, draft: &mut Draft) {
        self.apply(draft);
        let added: Vec<At<Scalar>> = self
            .export
            .in_files()
            .map(|text| At::flag("--export", Scalar::Text(text)))
            .collect();
        if added.is_empty() {
            return;
        }
        let mut all = match draft.output.export.take() {
            None => Vec::new(),
            Some(At {
                value: List::One(only),
                place,
            }) => vec![At { value: only, place }],
            Some(At {
                value: List::Many(several),
                ..
            }) => several,
        };
        all.extend(added);
        draft.output.export = Some(At::flag("--export", List::Many(all)));
    }
}
