//! Runs an experiment; shared by all commands that measure.

use std::path::Path;

use tenbin_plan::{Draft, Plan, Refusal};
use tenbin_record::{Ended, Integrity, RecordError};
use tenbin_result::Document;
use tenbin_runner::{Ending, Progress, Redirected, RunContext, RunError, RunOutcome, Stop, places};

use super::compare::Before;
use super::context::context_in;
use super::export::{check as check_exports, export};
use super::plan::resolve;
use super::result::{Run, exit_of_result, keep};
use super::steering::Steered;
use crate::args::{EarlierArgs, ExportArgs, OutputArgs, extent};
use crate::caution::{Caution, cautions};
use crate::exit::Exit;
use crate::output;
use crate::progress::Display;
use crate::telemetry::Telemetry;

/// A function that prints the result of the run in a directory.
pub(super) type ShowResult<'a> = &'a dyn Fn(&Plan, &Document, &Path);

/// A function that returns the line to print for a progress event, if any.
pub(super) type TellNews<'a> = &'a dyn Fn(&Progress<'_>) -> Option<String>;

/// Runs an experiment, prints its result and records it.
pub(crate) fn measure(draft: Result<Draft, Refusal>, options: &OutputArgs) -> Exit {
    measure_after(draft, options, None)
}

/// Like [`measure`], and compares the run with the earlier run in the options.
pub(crate) fn measure_after(
    draft: Result<Draft, Refusal>,
    options: &OutputArgs,
    earlier: Option<&EarlierArgs>,
) -> Exit {
    run(
        draft,
        options,
        earlier,
        &|_| None,
        &|_, document, directory| {
            print_result(options, document);
            let page = directory.join("report.html");
            if !options.json && page.is_file() {
                output::note(&format!("the result as a page: {}", page.display()));
            }
        },
    )
}

/// Prints a result in the requested format.
pub(super) fn print_result(options: &OutputArgs, document: &Document) {
    match options.json {
        true => output::json(document),
        false if options.export.takes_stdout() => {}
        false => output::report(document, extent(options.verbose)),
    }
}

/// Like [`measure`], but `show` prints the result.
pub(super) fn measure_and_show(
    draft: Result<Draft, Refusal>,
    options: &OutputArgs,
    show: ShowResult<'_>,
) -> Exit {
    run(draft, options, None, &|_| None, show)
}

/// Like [`measure_and_show`], but also prints the lines of `live` on standard output during the
/// run.
pub(super) fn measure_live(
    draft: Result<Draft, Refusal>,
    options: &OutputArgs,
    live: TellNews<'_>,
    show: ShowResult<'_>,
) -> Exit {
    run(draft, options, None, live, show)
}

fn run(
    draft: Result<Draft, Refusal>,
    options: &OutputArgs,
    earlier: Option<&EarlierArgs>,
    live: TellNews<'_>,
    show: ShowResult<'_>,
) -> Exit {
    let rounds = draft.as_ref().map(|draft| &draft.rounds);
    let may_lengthen = rounds.is_ok_and(|it| it.slice.is_none() && it.duration.is_none());
    let draft = draft.map(|mut draft| {
        options.apply(&mut draft);
        draft
    });
    let (plan, before, exports) = match checked(draft, options, earlier) {
        Ok(checked) => checked,
        Err(exit) => return exit,
    };
    let mut display = Display::new(options.quiet);
    for caution in cautions(&plan) {
        match caution {
            Caution::Warning(text) => display.warn(&text),
            Caution::Note(text) => display.note(&format!("note: {text}")),
        }
    }
    display.tell_what_may_stay(!places(&plan).is_empty());
    let (stop, mut context) = match stage(options, &display) {
        Ok(stage) => stage,
        Err(error) => {
            output::error(&format!("{error:#}"));
            return Exit::Internal;
        }
    };
    context.lengthen_slices = may_lengthen;
    let plan = match followed(&plan, &context, &stop, &display) {
        Ok(plan) => plan,
        Err(error) => {
            output::error(&error.to_string());
            return Exit::of_run(&error);
        }
    };
    let mut telemetry = match Telemetry::start(&plan) {
        Ok(telemetry) => telemetry,
        Err(sentence) => {
            output::error(&sentence);
            return Exit::Refused;
        }
    };
    for sentence in telemetry.announcements() {
        display.always(&sentence);
    }
    let mut steering = Steered::new(&plan);
    let mut concluded = None;
    let outcome = tenbin_runner::run(&plan, &context, &stop, &mut steering, &mut |event| {
        display.show(&event);
        if let Some(warning) = telemetry.observe(&event) {
            display.warn(&warning);
        }
        if let Some(text) = live(&event) {
            display.aside(|| output::print(text.as_bytes()));
        }
        if let Progress::Concluded { outcome } = event {
            concluded = Some(Concluded::of(&plan, outcome, before.as_ref()));
        }
    });
    display.clear();
    match (outcome, concluded) {
        (Ok(outcome), Some(concluded)) => {
            // What stays on the targets is part of the environment, and is known only now.
            let concluded = if outcome.left_behind.is_empty() {
                concluded
            } else {
                Concluded::of(&plan, &outcome, before.as_ref())
            };
            let exit = concluded.show(&outcome, &exports, show, &display);
            if let Some(warning) = telemetry.finish(&outcome.directory) {
                display.warn(&warning);
            }
            exit
        }
        (Ok(_), None) => {
            output::error("the run ended without a result; this is a bug in tenbin");
            Exit::Internal
        }
        (Err(error), _) => {
            output::error(&error.to_string());
            // After Ctrl-C, whatever fails next is a consequence of it.
            if stop.is_asked() {
                Exit::Interrupted
            } else {
                Exit::of_run(&error)
            }
        }
    }
}

/// The plan of a draft, the earlier run to compare with, and the files to export, after all checks
/// that need no target.
fn checked(
    draft: Result<Draft, Refusal>,
    options: &OutputArgs,
    earlier: Option<&EarlierArgs>,
) -> Result<(Plan, Option<Before>, ExportArgs), Exit> {
    let refused = |sentence: &str| {
        output::error(sentence);
        Exit::Refused
    };
    let plan = resolve(draft)?;
    let before = Before::of(earlier)?;
    let exports = options.export.and(&plan.output);
    let exports = exports.map_err(|sentence| refused(&sentence))?;
    if let Some(sentence) = exports.conflict(options.json) {
        return Err(refused(sentence));
    }
    check_exports(&exports, &plan)?;
    let unknown = before.as_ref().and_then(|it| it.unknown(&plan.workloads));
    match unknown {
        Some(sentence) => Err(refused(&sentence)),
        None => Ok((plan, before, exports)),
    }
}

/// The plan, with redirects followed if it says so.
fn followed(
    plan: &Plan,
    context: &RunContext,
    stop: &Stop,
    display: &Display,
) -> Result<Plan, RunError> {
    let (plan, redirects) = tenbin_runner::follow(plan, context, stop)?;
    for Redirected { workload, from, to } in redirects {
        display.note(&format!(
            "note: {workload:?}: {from} redirects to {to}, which is measured"
        ));
    }
    Ok(plan)
}

fn stage(options: &OutputArgs, display: &Display) -> anyhow::Result<(Stop, RunContext)> {
    context_in(Path::new(&options.out), display)
}

/// The result of a run, which was written before the clean-up.
struct Concluded {
    /// The plan as run.
    plan: Plan,
    document: Document,
    /// Why the earlier run cannot be compared, if so.
    incomparable: Option<String>,
    /// Whether the files of the result could be written.
    kept: Result<(), RecordError>,
}

impl Concluded {
    /// Assesses a run and writes the files of the result.
    fn of(plan: &Plan, outcome: &RunOutcome, before: Option<&Before>) -> Self {
        let mut plan = plan.clone();
        for (at, found) in &outcome.found {
            plan.settle(*at, *found);
        }
        plan.rounds = outcome.rounds.clone();
        let mut document = Run {
            directory: &outcome.directory,
            started: outcome.started,
            plan: &plan,
            environment: &outcome.environment,
            slices: &outcome.slices,
            sustained: &outcome.sustained,
            complete: matches!(outcome.ending, Ending::Complete(_)),
            ended: match outcome.ending {
                Ending::Complete(ended) => ended,
                _ => Ended::Planned,
            },
            integrity: &Integrity::default(),
        }
        .document();
        let incomparable = match before.map(|before| before.against_document(&document)) {
            None => None,
            Some(Ok(earlier)) => {
                document.earlier = Some(earlier);
                None
            }
            Some(Err(sentence)) => Some(sentence),
        };
        Self {
            incomparable,
            kept: keep(&document, &outcome.directory),
            plan,
            document,
        }
    }

    /// Prints and exports the result, then reports what is left and whether the run ended early.
    fn show(
        self,
        outcome: &RunOutcome,
        exports: &ExportArgs,
        show: ShowResult<'_>,
        display: &Display,
    ) -> Exit {
        let Self {
            plan,
            document,
            incomparable,
            kept,
        } = self;
        if let Some(sentence) = incomparable {
            display.warn(&sentence);
        }
        for left in &outcome.left_behind {
            display.warn(&left.to_string());
        }
        for sentence in &outcome.kept {
            display.note(sentence);
        }
        show(&plan, &document, &outcome.directory);
        let exported = export(exports, &outcome.directory, &document, &plan);
        let ended = match &outcome.ending {
            Ending::Complete(_) if outcome.clean_up_interrupted => {
                display.warn("the clean-up was interrupted; the result is complete and kept");
                Some(Exit::Interrupted)
            }
            Ending::Complete(_) => None,
            Ending::Interrupted => {
                display.warn("interrupted; the results so far are kept");
                Some(Exit::Interrupted)
            }
            Ending::TargetFailed(sentence) => {
                output::error(&format!("{sentence}; the results so far are kept"));
                Some(Exit::TargetFailed)
            }
            Ending::RecordFailed(error) => {
                output::error(&format!("{error}; the results written so far are kept"));
                Some(Exit::Record)
            }
        };
        if let Some(exit) = ended {
            return exit;
        }
        if let Err(error) = kept {
            output::error(&error.to_string());
            return Exit::Record;
        }
        match exported {
            Ok(()) => exit_of_result(&document),
            Err(exit) => exit,
        }
    }
}
