//! Output options.

use std::path::{Path, PathBuf};

use clap::Args;
use tenbin_plan::{
    AgentsDraft, At, Draft, List, OutputDraft, Scalar, Section as _, Sentence, sentence,
};

use crate::args::{ExportArgs, Flags};

/// Output options.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Directory in which every run creates its own directory; created if missing
    #[arg(long, value_name = "DIR", default_value = "runs", value_parser = directory)]
    pub out: PathBuf,
    /// Print only the report and errors, without progress, notes and warnings
    #[arg(long, short)]
    pub quiet: bool,
    /// Print every section of the result: comparisons of every metric, all findings, operations,
    /// connections, server cost and more
    #[arg(long, short, env = "TENBIN_VERBOSE", hide_env_values = true,
          value_parser = clap::builder::FalseyValueParser::new())]
    pub verbose: bool,
    /// Print the result as JSON on standard output, instead of the report
    #[arg(long)]
    pub json: bool,
    /// End with exit code 9 if the result is SUSPECT
    #[arg(long)]
    pub strict: bool,
    /// Flags of the plan keys in `[output]`.
    #[command(flatten)]
    pub output: Flags<OutputDraft>,
    /// Flags of the plan keys in `[agents]`.
    #[command(flatten)]
    pub agents: Flags<AgentsDraft>,
    /// Files in other formats.
    #[command(flatten)]
    pub export: ExportArgs,
}

/// Endings of names of files, and the format of `--export` that writes such a file.
const FILES: &[(&str, &str)] = &[
    ("json", "json"),
    ("html", "html"),
    ("md", "markdown"),
    ("csv", "csv"),
    ("tsv", "tsv"),
    ("xml", "junit"),
    ("hlog", "hlog"),
];

/// The directory of the runs, whose name does not end like that of a file.
fn directory(text: &str) -> Result<PathBuf, Sentence> {
    let path = Path::new(text);
    let ending = path.extension().and_then(|ending| ending.to_str());
    let known = ending.and_then(|ending| FILES.iter().find(|(known, _)| *known == ending));
    match known {
        Some((_, format)) if !path.is_dir() => Err(sentence!(
            "out-is-no-file",
            "{text:?} ends like the name of a file, and --out names the directory of the runs; write \
             a file with --export {format}={text}",
            text,
            format
        )),
        _ => Ok(path.to_owned()),
    }
}

impl OutputArgs {
    /// Overrides `draft` with the options that were given.
    pub(crate) fn apply(&self, draft: &mut Draft) {
        draft.output.override_with(&self.output.0);
        draft.agents.override_with(&self.agents.0);
    }

    /// Does what [`OutputArgs::apply`] does, and adds the `--export` files to the plan. Exports to
    /// standard output are left out, because a plan cannot contain them.
    pub fn write_down(&self, draft: &mut Draft) {
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
