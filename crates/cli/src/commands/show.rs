//! `tenbin show`: a finished or a killed run again.

use std::path::Path;

use tenbin_plan::{Context, Draft, Plan};
use tenbin_record::RecordedRun;
use tenbin_report::Document;

use super::clean::leftovers;
use super::plan::resolve_with;
use super::result::{Run, exit_of_result};
use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::output;

/// Prints a run again.
pub(crate) fn show(args: &ShowArgs) -> Exit {
    let left = left_behind(&args.run);
    let document = document_of(&args.run);
    let document = match document {
        Ok(document) => document,
        Err(exit) => {
            left.iter().for_each(|sentence| output::warning(sentence));
            return exit;
        }
    };
    output::report(&document, args.json);
    left.iter().for_each(|sentence| output::warning(sentence));
    exit_of_result(&document)
}

/// What may be left of it on its targets.
fn left_behind(directory: &Path) -> Vec<String> {
    let plan = std::fs::read_to_string(directory.join("plan.toml")).ok();
    let plan = plan.and_then(|text| executed(&text, directory).ok());
    plan.map_or_else(Vec::new, |plan| leftovers(&plan, directory))
}

/// The document of a run, made anew from what was recorded. Says what is wrong if
/// there is none.
pub(super) fn document_of(directory: &Path) -> Result<Document, Exit> {
    let recorded = tenbin_record::read(directory).map_err(|error| {
        output::error(&error.to_string());
        Exit::Refused
    })?;
    let plan = plan_of(&recorded, directory)?;
    let run = Run {
        directory,
        started: recorded.started,
        plan: &plan,
        environment: &recorded.environment,
        slices: &recorded.slices,
        complete: recorded.complete,
        ended: recorded.ended,
    };
    Ok(run.document())
}

/// The plan as executed. Its secrets are not needed to look at it, nor are
/// the files that it names: neither may be there any more.
pub(super) fn plan_of(recorded: &RecordedRun, directory: &Path) -> Result<Plan, Exit> {
    executed(&recorded.plan_toml, directory)
}

fn executed(text: &str, directory: &Path) -> Result<Plan, Exit> {
    let draft = Draft::from_toml(text, &directory.join("plan.toml"));
    resolve_with(draft, |context: &mut Context| {
        context.environment = Box::new(|_| Some("not-needed".to_owned()));
        context.read = Box::new(|_| Ok(b"not-needed".to_vec()));
        context.without_files = true;
    })
}
