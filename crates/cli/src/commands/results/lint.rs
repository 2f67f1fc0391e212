//! `tenbin lint`: checks result files of other tools for measurement errors.

use tenbin_report::formats::read_reported;
use tenbin_report::{lint_json, lint_text};
use tenbin_verdict::lint::{Files, Reported, lint};

use crate::args::LintArgs;
use crate::exit::Exit;
use crate::output;

/// Checks result files and prints the findings.
pub(crate) fn lint_files(args: &LintArgs) -> Exit {
    let mut all: Vec<Reported> = Vec::new();
    for file in &args.files {
        match read_reported(&file.display().to_string()) {
            Ok(reported) => all.push(reported),
            Err(error) => {
                output::failure(&error);
                return Exit::Refused;
            }
        }
    }
    if let Some(sentence) = unknown(&args.changed, &all) {
        output::error(&sentence);
        return Exit::Refused;
    }
    let findings = lint(&Files {
        all: &all,
        changed: &args.changed,
    });
    if args.json {
        output::print(lint_json(&all, &findings).as_bytes())
    } else {
        output::print(lint_text(&all, &findings).as_bytes())
    }
    if findings.is_empty() {
        Exit::Done
    } else {
        Exit::Invalid
    }
}

/// One sentence if a name in `--changed` is not an operation of the files, otherwise `None`.
fn unknown(changed: &[String], all: &[Reported]) -> Option<String> {
    let operations = all.iter().flat_map(|file| &file.measurements);
    let mut names: Vec<&str> = operations.map(|of| of.operation.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let name = changed
        .iter()
        .find(|name| !names.contains(&name.as_str()))?;
    Some(format!(
        "--changed names {name:?}, and no file has such an operation; there are {}",
        names.join(", ")
    ))
}
