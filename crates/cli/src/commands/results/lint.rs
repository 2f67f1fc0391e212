//! `tenbin lint`: checks result files of other tools for measurement errors.

use tenbin_plan::{Sentence, sentence};
use tenbin_report::formats::read_reported_by;
use tenbin_report::{lint_json, lint_text};
use tenbin_result::Severity;
use tenbin_verdict::lint::{Files, LintFinding, Reported, is_named, lint};

use crate::args::LintArgs;
use crate::commands::results::given_twice;
use crate::exit::Exit;
use crate::output;
use crate::sentences::said;

/// Checks result files and prints the findings.
pub(crate) fn lint_files(args: &LintArgs) -> Exit {
    let mut all: Vec<Reported> = Vec::new();
    let mut files = args.files.iter().enumerate();
    if let Some((_, twice)) = files.find(|(at, file)| args.files[..*at].contains(file)) {
        return output::refuse(&given_twice(twice));
    }
    for file in &args.files {
        match read_reported_by(file, args.columns.columns.as_ref()) {
            Ok(reported) => all.push(reported),
            Err(error) => return output::refuse_error(&error),
        }
    }
    if let Some(sentence) = unknown(&args.changed, &all) {
        return output::refuse(&sentence);
    }
    let findings = lint(&Files {
        all: &all,
        changed: &args.changed,
    });
    if args.json {
        output::print(lint_json(&all, &findings).as_bytes())
    } else {
        output::print_text(lint_text(&all, &findings, &said))
    }
    let is_note = |finding: &LintFinding| finding.severity == Severity::Note;
    if findings.iter().all(is_note) {
        Exit::Done
    } else {
        Exit::Invalid
    }
}

/// One sentence if a name in `--changed` is not an operation of the files, otherwise `None`.
fn unknown(changed: &[String], all: &[Reported]) -> Option<Sentence> {
    let operations = all.iter().flat_map(|file| &file.measurements);
    let mut names: Vec<&str> = operations.map(|of| of.operation.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let name = changed
        .iter()
        .find(|name| !names.iter().any(|operation| is_named(operation, name)))?;
    Some(sentence!(
        "changed-operation-unknown",
        "--changed names {name:?}, and no file has such an operation; there are {known}",
        name,
        known = names.join(", ")
    ))
}
