//! `tenbin show`: prints a finished or killed run again.

use std::path::{Path, PathBuf};

use tenbin_plan::{Context, Draft, LARGEST_RESULT, Plan, read_regular};
use tenbin_record::{RecordError, RecordedRun};
use tenbin_report::import::drnbench::Steps;
use tenbin_result::Document;

use super::clean::leftovers;
use super::foreign::can_keep;
use super::plan::resolve_with;
use super::ramp::{keep_ramps, ramps_of};
use super::result::{Run, exit_of_result};
use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::output;

/// Prints a run.
pub(crate) fn show(args: &ShowArgs) -> Exit {
    if let Some(exit) = drnbench_file(args) {
        return exit;
    }
    let run = match run_directory(&args.run) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    if let Err(exit) = can_keep(&[args.drnbench.as_deref().and_then(Path::to_str)]) {
        return exit;
    }
    let left = left_behind(&run);
    let document = document_of(&run);
    let document = match document {
        Ok(document) => document,
        Err(exit) => {
            left.iter().for_each(|sentence| output::warning(sentence));
            return exit;
        }
    };
    match args.json {
        true => output::json(&document),
        false => output::report(&document, args.extent()),
    }
    if let Some(path) = &args.drnbench
        && let Err(exit) = write_drnbench(&run, path)
    {
        return exit;
    }
    left.iter().for_each(|sentence| output::warning(sentence));
    exit_of_result(&document)
}

/// Resolves the argument to a run directory: `last` is the newest in `runs`. Prints an error for
/// an invalid file.
fn run_directory(named: &Path) -> Result<PathBuf, Exit> {
    let refuse = |sentence: String| {
        output::error(&sentence);
        Err(Exit::Refused)
    };
    if named == Path::new(LAST) && !named.exists() {
        return match newest_run(Path::new(RUNS)) {
            Some(run) => Ok(run),
            None => refuse(format!(
                "there is no run in {RUNS}/ of this directory; name a run directory"
            )),
        };
    }
    if named.exists() && !named.is_dir() {
        return refuse(format!(
            "{} is neither a run directory nor a result file of drnbench; name the directory of a \
             run, such as {RUNS}/2026-01-31T120000-s3-put",
            named.display()
        ));
    }
    Ok(named.to_owned())
}

/// The argument for the newest run.
const LAST: &str = "last";
/// Default directory of runs.
const RUNS: &str = "runs";

/// The newest directory with a plan. Names start with the time of the run; runs within one second
/// are ordered by the time of their plan file.
fn newest_run(root: &Path) -> Option<PathBuf> {
    const TIME: usize = "2026-01-31T120000".len();
    let runs = std::fs::read_dir(root).ok()?.flatten();
    let newest = runs.filter_map(|run| {
        let written = run
            .path()
            .join("plan.toml")
            .metadata()
            .ok()?
            .modified()
            .ok()?;
        let name = run.file_name().to_string_lossy().into_owned();
        let time: String = name.chars().take(TIME).collect();
        Some(((time, written), run.path()))
    });
    newest.max().map(|(_, path)| path)
}

/// Reads a drnbench result file in place of a run, and checks it with Little's law.
fn drnbench_file(args: &ShowArgs) -> Option<Exit> {
    let content = read_regular(&args.run, LARGEST_RESULT).ok()?;
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

/// What the run may have left on its targets.
fn left_behind(directory: &Path) -> Vec<String> {
    let plan = read_regular(&directory.join("plan.toml"), LARGEST_RESULT).ok();
    let plan = plan.and_then(|text| String::from_utf8(text).ok());
    let plan = plan.and_then(|text| executed(&text, directory).ok());
    plan.map_or_else(Vec::new, |plan| leftovers(&plan, directory))
}

/// The document of a run, computed from the record. Prints an error if that is not possible.
pub(super) fn document_of(directory: &Path) -> Result<Document, Exit> {
    let under_way = tenbin_record::is_under_way(directory);
    let mut recorded = tenbin_record::read(directory).map_err(|error| {
        match (under_way, error) {
            (true, RecordError::NothingMeasured { path }) => output::error(&format!(
                "the run in {} is still running and has measured nothing yet",
                path.display()
            )),
            (_, error) => output::error(&error.to_string()),
        }
        Exit::Refused
    })?;
    // A long run has many seconds, and the document does not need them.
    recorded.seconds = Vec::new();
    let plan = plan_of(&recorded, directory)?;
    if under_way {
        output::warning(&format!(
            "the run in {} is still running: these are the results so far",
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
        integrity: &recorded.integrity,
    };
    let (assessment, mut document) = run.document_without_slices();
    tenbin_verdict::take_slices(&mut document, &plan, recorded.slices, &assessment);
    Ok(document)
}

/// The plan as executed. Its secrets and the files that it names are not needed here and may no
/// longer exist.
pub(super) fn plan_of(recorded: &RecordedRun, directory: &Path) -> Result<Plan, Exit> {
    executed(&recorded.plan_toml, directory)
}

fn executed(text: &str, directory: &Path) -> Result<Plan, Exit> {
    let draft = Draft::from_toml(text, &directory.join("plan.toml"));
    resolve_with(draft, |context: &mut Context| {
        context.environment = Box::new(|_| Some("not-needed".to_owned()));
        context.open = Box::new(|_| Ok(Box::new(&b"not-needed"[..])));
        context.without_files = true;
    })
}
