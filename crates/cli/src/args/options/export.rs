//! `--export`.

use clap::Args;
use tenbin_plan::{Output, Sentence, sentence};
use tenbin_report::formats::{Export, Place, help, written};

use crate::same_file::{is_same_file, replaces};

/// Files in other formats.
#[derive(Args, Default, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct ExportArgs {
    /// Also write the result in another format.
    #[arg(long, value_name = "FORMAT[=FILE]", help = about())]
    pub export: Vec<Export>,
}

fn about() -> String {
    let names: Vec<&str> = written().map(|format| format.name).collect();
    format!(
        "Also write the result in this format, repeatable: into the run directory, to FILE, or, \
         with =-, to standard output instead of the report. `tenbin show --help` describes the \
         formats: {}",
        names.join(", ")
    )
}

/// The list of formats at the end of the help of `tenbin show`.
pub(crate) fn formats() -> String {
    format!("Formats of --export:\n{}", help())
}

/// One sentence if an export has the file of one before in another format, otherwise `None`. Exports to
/// the summary of a step of GitHub Actions are appended to the file.
fn two_in_one_file(before: &[Export], later: &Export) -> Option<Sentence> {
    let Place::File(file) = &later.to else {
        return None;
    };
    let summary = std::env::var_os("GITHUB_STEP_SUMMARY");
    if summary.is_some_and(|summary| file.as_os_str() == summary) {
        return None;
    }
    if !replaces(file) {
        return None;
    }
    let is_same = |to: &Place| matches!(to, Place::File(other) if is_same_file(other, file));
    let is_other = |one: &&Export| is_same(&one.to) && one.format.name != later.format.name;
    let first = before.iter().find(is_other)?;
    Some(sentence!(
        "two-in-one-file",
        "--export {first} and --export {second} name the same file, {file}; name another file for \
         one of them",
        first = first.format.name,
        second = later.format.name,
        file = file.display()
    ))
}

impl ExportArgs {
    /// The exports of the plan and of the command line, without duplicates.
    ///
    /// # Errors
    /// One sentence, if the plan names a format that cannot be written.
    pub(crate) fn and(&self, plan: &Output) -> Result<Self, Sentence> {
        let mut all = Self::default();
        let planned = plan.export.iter().map(|text| {
            let export: Result<Export, Sentence> = text.parse();
            export.map_err(|why| {
                sentence!(
                    "export-in-output",
                    "in [output]: export {text:?}: {why}",
                    text,
                    why
                )
            })
        });
        for export in planned.chain(self.export.iter().cloned().map(Ok)) {
            let export = export?;
            let is_same =
                |one: &Export| one.format.name == export.format.name && one.to == export.to;
            if !all.export.iter().any(is_same) {
                all.export.push(export);
            }
        }
        Ok(all)
    }

    /// Whether an export goes to standard output, in place of the report.
    pub(crate) fn takes_stdout(&self) -> bool {
        self.on_stdout() > 0
    }

    /// One sentence if several outputs go to standard output or to one file, otherwise `None`. `json` is
    /// whether `--json` is given.
    pub(crate) fn conflict(&self, json: bool) -> Option<Sentence> {
        let asked = self.on_stdout() + usize::from(json);
        if asked > 1 {
            return Some(sentence!(
                "one-on-stdout",
                "only one of --json and the exports with =- can be on standard output; name files \
                 for the others"
            ));
        }
        let mut all = self.export.iter().enumerate();
        all.find_map(|(at, later)| two_in_one_file(&self.export[..at], later))
    }

    /// `FORMAT` or `FORMAT=FILE` of each export to a file, with FILE as an absolute path.
    pub(crate) fn in_files(&self) -> impl Iterator<Item = String> {
        self.export.iter().filter_map(|export| {
            let name = export.format.name;
            match &export.to {
                Place::RunDirectory => Some(name.to_owned()),
                Place::Stdout => None,
                Place::File(file) => {
                    let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
                    Some(format!("{name}={}", file.display()))
                }
            }
        })
    }

    fn on_stdout(&self) -> usize {
        let exports = self.export.iter();
        exports.filter(|export| export.to == Place::Stdout).count()
    }
}
