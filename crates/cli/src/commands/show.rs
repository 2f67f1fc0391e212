//! `tenbin show`: a finished or a killed run again.

use std::path::Path;

use tenbin_plan::{Context, Draft, Plan};
use tenbin_record::{RecordError, RecordedRun};
use tenbin_report::Document;
use tenbin_report::import::drnbench::Steps;

use super::clean::leftovers;
use super::foreign::can_keep;
use super::plan::resolve_with;
use super::ramp::{keep_ramps, ramps_of};
use super::result::{Run, exit_of_result};
use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::output;

/// Prints a run again.
pub(crate) fn show(args: &ShowArgs) -> Exit {
    if let Some(exit) = drnbench_file(args) {
        return exit;
    }
    if let Err(exit) = can_keep(&[args.drnbench.as_deref().and_then(Path::to_str)]) {
        return exit;
    }
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
    if let Some(path) = &args.drnbench
        && let Err(exit) = write_drnbench(&args.run, path)
    {
        return exit;
    }
    left.iter().for_each(|sentence| output::warning(sentence));
    exit_of_result(&document)
}

/// A result file of drnbench in the place of a run: what Little's law says of it.
fn drnbench_file(args: &ShowArgs) -> Option<Exit> {
    let content = std::fs::read(&args.run).ok()?;
    if !Steps::recognises(&content) {
        return None;
    }
    let name = args.run.display().to_string();
    let asked = [
        (args.json, "--json"),
        (args.drnbench.is_some(), "--drnbench"),
    ];
    if let Some((_, flag)) = asked.iter().find(|(given, _)| *given) {
        output::error(&format!(
            "{flag} is for runs, and {name} is a result of drnbench"
        ));
        return Some(Exit::Refused);
    }
    Some(match Steps::read(&content) {
        Ok(steps) => {
            output::print(steps.text(&name).as_bytes());
            match steps.can_be_believed() {
                true => Exit::Done,
                false => Exit::Invalid,
            }
        }
        Err(why) => {
            output::error(&format!(
                "{name} cannot be read as a result of drnbench: {why}"
            ));
            Exit::Refused
        }
    })
}

fn write_drnbench(directory: &Path, path: &Path) -> Result<(), Exit> {
    let recorded = tenbin_record::read(directory).map_err(|error| {
        output::error(&error.to_string());
        Exit::Refused
    })?;
    let plan = plan_of(&recorded, directory)?;
    keep_ramps(&ramps_of(&plan, &recorded), path);
    Ok(())
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
    let under_way = tenbin_record::is_under_way(directory);
    let recorded = tenbin_record::read(directory).map_err(|error| {
        match (under_way, error) {
            (true, RecordError::NothingMeasured { path }) => output::error(&format!(
                "the run in {} is under way and has measured nothing yet",
                path.display()
            )),
            (_, error) => output::error(&error.to_string()),
        }
        Exit::Refused
    })?;
    let plan = plan_of(&recorded, directory)?;
    if under_way {
        output::warning(&format!(
            "the run in {} is under way: this is what it has measured so far",
            directory.display()
        ));
    }
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
