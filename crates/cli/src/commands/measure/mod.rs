//! Runs an experiment; shared by all commands that measure.

pub(crate) mod context;
pub(crate) mod one;
pub(crate) mod plan;
pub(crate) mod rerun;
pub(crate) mod result;
pub(crate) mod steering;

use std::path::Path;

use tenbin_plan::{Draft, Plan, Refusal, Sentence, sentence};
use tenbin_record::{Ended, Integrity, RecordError};
use tenbin_report::NotComparable;
use tenbin_result::Document;
use tenbin_runner::{Ending, Progress, Redirected, RunContext, RunError, RunOutcome, Stop, places};
use tenbin_verdict::{AfterRounds, Interim};

use crate::args::{EarlierArgs, ExportArgs, OutputArgs, extent};
use crate::caution::{Caution, cautions};
use crate::commands::measure::context::context_in;
use crate::commands::measure::plan::resolve;
use crate::commands::measure::result::{Run, exit_of_result, keep};
use crate::commands::measure::steering::Steered;
use crate::commands::results::compare::Before;
use crate::commands::results::export::{check as check_exports, export};
use crate::commands::results::source_file::source_file;
use crate::exit::Exit;
use crate::output;
use crate::progress::Display;
use crate::sentences::said;
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
            if !(options.json || options.quiet) && page.is_file() {
                output::say_note(&result_page(&page));
            }
        },
    )
}

/// Says where the result is as a page.
pub(super) fn result_page(page: &Path) -> Sentence {
    sentence!(
        "result-page",
        "the result as a page: {page}",
        page = page.display()
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
            Caution::Note(text) => display.note(&text),
        }
    }
    display.tell_what_may_stay(!places(&plan).is_empty());
    let ready = match Ready::new(&plan, options, may_lengthen, &display) {
        Ok(ready) => ready,
        Err(exit) => return exit,
    };
    let Ready {
        stop,
        context,
        plan,
        mut telemetry,
    } = ready;
    let mut steering = Steered::new(&plan);
    let mut interim = Interim::new(&plan);
    let mut concluded = None;
    let outcome = tenbin_runner::run(&plan, &context, &stop, &mut steering, &mut |event| {
        display.show(&event);
        if let Some(warning) = telemetry.observe(&event) {
            display.warn_always(&warning);
        }
        if let Progress::Measured { slice } = &event
            && interim.add(slice)
        {
            let ratios = interim.ratios();
            display.ratios(&ratios);
            telemetry.ratios(&ratios);
        }
        if let Some(text) = live(&event) {
            display.aside(|| output::print_text(&text));
        }
        if let Progress::Concluded { outcome } = event {
            concluded = Some(Concluded::new(&plan, outcome, before.as_ref()));
        }
    });
    display.clear();
    match (outcome, concluded) {
        (Ok(mut outcome), Some(concluded)) => {
            let concluded = concluded.with_leftovers(&plan, &mut outcome, before.as_ref());
            let trust = concluded.document.trust;
            let exit = concluded.show(&outcome, &exports, show, &display);
            let exit = exit.strictly(options.strict, trust);
            if let Some(warning) = telemetry.finish(&outcome.directory) {
                display.warn_always(&warning);
            }
            exit
        }
        (Ok(_), None) => {
            output::say_error(&sentence!(
                "no-result-bug",
                "the run ended without a result; this is a bug in tenbin"
            ));
            Exit::Internal
        }
        (Err(error), _) => {
            let exit = failed(&error, &plan);
            // After Ctrl-C, whatever fails next is a consequence of it.
            if stop.is_asked() {
                Exit::Interrupted
            } else {
                exit
            }
        }
    }
}

/// Prints why a run measured nothing.
fn failed(error: &RunError, plan: &Plan) -> Exit {
    output::failure(error);
    Exit::of_run(error).of_target(is_baseline(plan, error.target()))
}

/// Whether the baseline failed, or no target, as with an agent: the candidate is then not the cause.
fn is_baseline(plan: &Plan, failed: Option<&str>) -> bool {
    let baseline = plan.baseline().map(|target| target.name.as_str());
    failed.is_none_or(|name| baseline == Some(name))
}

/// What must be ready before a run starts.
struct Ready {
    stop: Stop,
    context: RunContext,
    /// The plan, with redirects followed if it says so.
    plan: Plan,
    telemetry: Telemetry,
}

impl Ready {
    fn new(
        plan: &Plan,
        options: &OutputArgs,
        may_lengthen: bool,
        display: &Display,
    ) -> Result<Self, Exit> {
        let (stop, mut context) =
            context_in(Path::new(&options.out), display).map_err(|error| {
                output::failed(&error);
                Exit::Internal
            })?;
        context.lengthen_slices = may_lengthen;
        let plan =
            followed(plan, &context, &stop, display).map_err(|error| failed(&error, plan))?;
        let telemetry = Telemetry::start(&plan).map_err(|sentence| output::refuse(&sentence))?;
        for sentence in telemetry.announcements() {
            display.always(&said(&sentence));
        }
        Ok(Self {
            stop,
            context,
            plan,
            telemetry,
        })
    }
}

/// The files to export.
struct Exports {
    files: ExportArgs,
    /// Path of a file of the repository, for formats that name a file.
    source_file: Option<String>,
    /// Whether a SUSPECT result counts as a failure.
    is_strict: bool,
}

/// The plan of a draft, the earlier run to compare with, and the files to export, after all checks
/// that need no target.
fn checked(
    draft: Result<Draft, Refusal>,
    options: &OutputArgs,
    earlier: Option<&EarlierArgs>,
) -> Result<(Plan, Option<Before>, Exports), Exit> {
    let file = draft.as_ref().ok().and_then(Draft::plan_file);
    let file = file.map(Path::to_owned);
    let plan = resolve(draft)?;
    let before = Before::from_args(earlier)?;
    let exports = options.export.and(&plan.output);
    let exports = exports.map_err(|sentence| output::refuse(&sentence))?;
    if let Some(sentence) = exports.conflict(options.json) {
        return Err(output::refuse(&sentence));
    }
    check_exports(&exports, &plan)?;
    let unknown = before.as_ref().and_then(|it| it.unknown(&plan.workloads));
    match unknown {
        Some(sentence) => Err(output::refuse(&sentence)),
        None => {
            let exports = Exports {
                files: exports,
                source_file: source_file(file.as_deref(), &plan),
                is_strict: options.strict,
            };
            Ok((plan, before, exports))
        }
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
        display.note(&sentence!(
            "redirect-followed",
            "{workload:?}: {from} redirects to {to}, which is measured",
            workload,
            from,
            to
        ));
    }
    Ok(plan)
}

/// The result of a run, which was written before the clean-up.
struct Concluded {
    /// The plan as run.
    plan: Plan,
    document: Document,
    /// Why the earlier run cannot be compared, if so.
    incomparable: Option<NotComparable>,
    /// Whether the files of the result could be written.
    kept: Result<(), RecordError>,
}

impl Concluded {
    /// Takes what stays on the targets into the result: it is part of the environment, and is known
    /// only after the clean-up.
    fn with_leftovers(
        self,
        plan: &Plan,
        outcome: &mut RunOutcome,
        before: Option<&Before>,
    ) -> Self {
        if outcome.left_behind.is_empty() {
            return self;
        }
        let Ok(recorded) = tenbin_record::read(&outcome.directory) else {
            return self.with_left_behind(outcome);
        };
        outcome.slices = recorded.slices;
        // The record also has a slice that did not end, which the run leaves out.
        let slices = &self.document.slices;
        outcome.slices.retain(|one| {
            slices
                .binary_search_by_key(&one.index, |it| it.index)
                .is_ok()
        });
        Self::new(plan, outcome, before)
    }

    /// Adds what stays on the targets to a result whose record cannot be read again.
    fn with_left_behind(mut self, outcome: &RunOutcome) -> Self {
        let found = tenbin_verdict::left_behind(&self.plan, &outcome.environment);
        self.document.environment = outcome.environment.clone();
        self.document.add_findings(found);
        self.kept = keep(&self.document, &outcome.directory);
        self
    }

    /// Assesses a run, whose slices it takes, and writes the files of the result.
    fn new(plan: &Plan, outcome: &mut RunOutcome, before: Option<&Before>) -> Self {
        let mut plan = plan.clone();
        for (at, found) in &outcome.found {
            plan.settle(*at, *found);
        }
        plan.rounds = outcome.rounds.clone();
        let slices = std::mem::take(&mut outcome.slices);
        let run = Run {
            directory: &outcome.directory,
            started: outcome.started,
            plan: &plan,
            environment: &outcome.environment,
            slices: &slices,
            after: AfterRounds {
                sustained: &outcome.sustained,
                limit_probes: &outcome.limit_probes,
            },
            complete: matches!(outcome.ending, Ending::Complete(_)),
            ended: match outcome.ending {
                Ending::Complete(ended) => ended,
                _ => Ended::Planned,
            },
            integrity: &Integrity::default(),
        };
        let (assessment, mut document) = run.document_without_slices();
        tenbin_verdict::take_slices(&mut document, &plan, slices, &assessment);
        let incomparable = match before.map(|before| before.against_document(&document)) {
            None => None,
            Some(Ok(earlier)) => {
                document.earlier = Some(earlier);
                None
            }
            Some(Err(error)) => Some(error),
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
        exports: &Exports,
        show: ShowResult<'_>,
        display: &Display,
    ) -> Exit {
        let Self {
            plan,
            mut document,
            incomparable,
            kept,
        } = self;
        if let Some(error) = incomparable {
            display.always(&output::warning_of(&error));
        }
        for left in &outcome.left_behind {
            display.warn_always(&left.sentence());
        }
        for sentence in &outcome.kept {
            display.tell(sentence);
        }
        document.run.source_file.clone_from(&exports.source_file);
        document.run.is_strict = exports.is_strict;
        show(&plan, &document, &outcome.directory);
        let exported = export(&exports.files, &outcome.directory, &document, &plan);
        let ended = match &outcome.ending {
            Ending::Complete(_) if outcome.clean_up_interrupted => {
                display.warn(&sentence!(
                    "clean-up-interrupted",
                    "the clean-up was interrupted; the result is complete and kept"
                ));
                Some(Exit::Interrupted)
            }
            Ending::Complete(_) => None,
            Ending::Interrupted => {
                display.warn(&sentence!(
                    "interrupted",
                    "interrupted; the results so far are kept"
                ));
                Some(Exit::Interrupted)
            }
            Ending::TargetFailed { target, why } => {
                output::say_error(&sentence!(
                    "target-failed",
                    "{why}; the results so far are kept",
                    why
                ));
                Some(Exit::TargetFailed.of_target(is_baseline(&plan, target.as_deref())))
            }
            Ending::RecordFailed(error) => {
                output::say_error(&sentence!(
                    "record-failed",
                    "{why}; the results written so far are kept",
                    why = error
                ));
                Some(Exit::Record)
            }
        };
        if let Some(exit) = ended {
            return exit;
        }
        if let Err(error) = kept {
            output::failure(&error);
            return Exit::Record;
        }
        match exported {
            Ok(()) => exit_of_result(&document),
            Err(exit) => exit,
        }
    }
}
