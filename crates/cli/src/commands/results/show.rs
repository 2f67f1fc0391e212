//! `tenbin show`: prints the result of a finished or killed run.

use std::path::Path;

use tenbin_plan::{LARGEST_RESULT, Plan, Sentence, read_own, sentence};
use tenbin_record::{RecordError, RecordedRun, Source};
use tenbin_report::for_terminal;
use tenbin_report::formats::fronts::warp;
use tenbin_report::formats::{Content, Run as Finished, Selection, read, shown};
use tenbin_result::{Document, Trust};
use tenbin_verdict::AfterRounds;
use tenbin_verdict::lint::Reported;

use crate::args::ShowArgs;
use crate::commands::clean::leftovers;
use crate::commands::measure::plan::{NoPlan, executed};
use crate::commands::measure::result::{Run, exit_of_result};
use crate::commands::other_tools::shared::can_keep;
use crate::commands::results::export::{export, keep_sweeps};
use crate::commands::results::kept;
use crate::commands::results::opened::{OpenedRun, is_packed_file};
use crate::commands::results::source_file::source_file;
use crate::errors::CommandError;
use crate::exit::Exit;
use crate::output;
use crate::sentences::said;

/// Prints the result of a run or of a result file.
pub(crate) fn show(args: &ShowArgs) -> Exit {
    if let Some(exit) = result_file(args) {
        return exit;
    }
    let opened = match opened_run(&args.run) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    if let Some(sentence) = args.export.conflict(args.json) {
        output::say_error(&sentence);
        return Exit::Refused;
    }
    let run = &opened.directory;
    if let Err(exit) = can_keep(&[args.drnbench.as_deref().and_then(Path::to_str)]) {
        return exit;
    }
    let left = if opened.is_packed() {
        Vec::new()
    } else {
        left_behind(run)
    };
    let document = document_of(run);
    let mut document = match document {
        Ok(mut document) => {
            if opened.is_packed() {
                document.run.directory = args.run.display().to_string();
            }
            document
        }
        Err(exit) => {
            left.iter().for_each(output::say_warning);
            return exit;
        }
    };
    print(args, &document);
    let written = match &args.drnbench {
        Some(path) => write_drnbench(run, &document, path),
        None => Ok(()),
    };
    let written = written.and_then(|()| exported(args, run, &mut document));
    left.iter().for_each(output::say_warning);
    match written {
        Ok(()) => exit_of_result(&document).strictly(args.strict, document.trust),
        Err(exit) => exit,
    }
}

/// Prints the document in the requested format.
fn print(args: &ShowArgs, document: &Document) {
    match args.json {
        true => output::json(document),
        false if args.export.takes_stdout() => {}
        false => output::report(document, args.extent()),
    }
}

fn exported(args: &ShowArgs, run: &Path, document: &mut Document) -> Result<(), Exit> {
    if args.export.export.is_empty() {
        return Ok(());
    }
    let plan = read_own(&run.join("plan.toml"), LARGEST_RESULT).map_err(|error| {
        output::refuse(&sentence!(
            "plan-unreadable",
            "the plan of {run} cannot be read: {reason}",
            run = run.display(),
            reason = error
        ))
    })?;
    let plan = executed(&String::from_utf8_lossy(&plan), run).map_err(|why| why.print())?;
    document.run.source_file = source_file(None, &plan);
    document.run.is_strict = args.strict;
    export(&args.export, run, document, &plan)
}

/// Opens the run that the argument names. Prints an error for a file that is not a run.
fn opened_run(named: &Path) -> Result<OpenedRun, Exit> {
    let run = OpenedRun::open(named)?;
    if run.directory.exists() && !run.directory.is_dir() {
        return Err(output::refuse(&sentence!(
            "neither-run-nor-file",
            "{name} is neither a run directory, nor a packed run, nor a result file; name the \
             directory of a run, such as runs/2026-01-31T120000-s3-put",
            name = named.display()
        )));
    }
    Ok(run)
}

/// Prints a result file instead of a run; `None` if the argument is a directory or a packed run. `-`
/// is standard input.
fn result_file(args: &ShowArgs) -> Option<Exit> {
    if args.run != Path::new("-") {
        let metadata = std::fs::metadata(&args.run).ok()?;
        if metadata.is_dir() || is_packed_file(&args.run) {
            return None;
        }
    }
    let name = for_terminal(&args.run.display().to_string());
    let content = match read(&args.run, &Selection::default()) {
        Ok(content) => content,
        Err(error) => return Some(output::refuse_error(&error)),
    };
    let is_document = matches!(content, Content::Document(_));
    let asked = [
        (args.json && !is_document, "--json"),
        (args.drnbench.is_some(), "--drnbench"),
        (!args.export.export.is_empty(), "--export"),
    ];
    if let Some((_, flag)) = asked.iter().find(|(given, _)| *given) {
        return Some(output::refuse(&sentence!(
            "flag-for-runs",
            "{flag} is for runs, and {name} is a result file",
            flag,
            name
        )));
    }
    Some(match content {
        Content::Document(document) => {
            print(args, &document);
            exit_of_result(&document).strictly(args.strict, document.trust)
        }
        content => print_content(shown(&name), content).unwrap_or_else(|exit| exit),
    })
}

/// Prints a result file of another tool, and returns the exit code of `tenbin show`.
pub(crate) fn print_content(name: &str, content: Content) -> Result<Exit, Exit> {
    match content {
        Content::Steps(steps) => {
            output::print_text(steps.text(name));
            Ok(if steps.is_trusted() {
                Exit::Done
            } else {
                Exit::Invalid
            })
        }
        Content::Requests(reported) => {
            let named = Reported {
                files: vec![name.to_owned()],
                ..reported
            };
            output::print_text(warp::analyze(&named, 1));
            let judged = named.judged.as_ref();
            Ok(
                if judged.is_some_and(|judged| judged.trust == Trust::Invalid) {
                    Exit::Invalid
                } else {
                    Exit::Done
                },
            )
        }
        Content::Repetitions(_) => Err(output::refuse(&sentence!(
            "repeated-measurements",
            "{name} contains repeated measurements; print them with tenbin import, or compare \
                 the file with another result with tenbin compare",
            name
        ))),
        Content::Document(_) => Err(output::refuse(&sentence!(
            "result-of-tenbin",
            "{name} is a result of Tenbin; print it with tenbin show",
            name
        ))),
    }
}

fn write_drnbench(directory: &Path, document: &Document, path: &Path) -> Result<(), Exit> {
    let record = tenbin_record::read(directory).map_err(|error| output::refuse_error(&error))?;
    let run = Finished {
        directory,
        document,
        plan: &plan_of(&record, directory).map_err(|why| why.print())?,
        record: &record,
    };
    keep_sweeps(&run, path);
    Ok(())
}

/// Possible leftovers of the run on its targets, one sentence each.
fn left_behind(directory: &Path) -> Vec<Sentence> {
    let plan = read_own(&directory.join("plan.toml"), LARGEST_RESULT).ok();
    let plan = plan.and_then(|text| String::from_utf8(text).ok());
    let plan = plan.and_then(|text| executed(&text, directory).ok());
    plan.map_or_else(Vec::new, |plan| leftovers(&plan, directory))
}

/// The result document of a run, computed from its raw data, with its label and its note. Prints an
/// error if the data cannot be read.
pub(crate) fn document_of(directory: &Path) -> Result<Document, Exit> {
    document_from(directory, Source::Slices).map(|document| with_label(document, directory))
}

/// The document with the label of the run, and with the note that was written after the run.
pub(crate) fn with_label(mut document: Document, directory: &Path) -> Document {
    document.run.label = kept::label(directory);
    document.run.note = kept::note(directory).or(document.run.note);
    document
}

/// Like [`document_of`], without label and later note. `source` selects the histograms: of complete
/// slices, or of each second.
pub(crate) fn document_from(directory: &Path, source: Source) -> Result<Document, Exit> {
    let under_way = tenbin_record::is_running(directory);
    let document = read_document(directory, source).map_err(|why| why.print())?;
    if under_way {
        output::say_warning(&sentence!(
            "results-so-far",
            "the run in {run} is still running: these are the results so far",
            run = directory.display()
        ));
    }
    Ok(document)
}

/// Why a run has no result document.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoDocument {
    /// The run has not measured anything yet.
    #[error(transparent)]
    StillRunning(CommandError),
    /// The raw data cannot be read.
    #[error(transparent)]
    Unreadable(RecordError),
    /// The plan cannot be read.
    #[error(transparent)]
    NoPlan(#[from] NoPlan),
}

impl NoDocument {
    /// Prints the error, and returns the exit code.
    fn print(&self) -> Exit {
        match self {
            Self::StillRunning(error) => output::failure(error),
            Self::Unreadable(error) => output::failure(error),
            Self::NoPlan(why) => return why.print(),
        }
        Exit::Refused
    }

    /// The error in the language of the reader.
    pub(crate) fn said(&self) -> String {
        match self {
            Self::StillRunning(error) => output::said(error),
            Self::Unreadable(error) => output::said(error),
            Self::NoPlan(why) => said(&why.sentence()),
        }
    }
}

/// The result document of a run, computed from its raw data.
pub(crate) fn read_document(directory: &Path, source: Source) -> Result<Document, NoDocument> {
    let under_way = tenbin_record::is_running(directory);
    let recorded = tenbin_record::read_from(directory, source);
    let mut recorded = recorded.map_err(|error| match (under_way, error) {
        (true, RecordError::NothingMeasured { path }) => {
            NoDocument::StillRunning(CommandError::StillRunning { path })
        }
        (_, error) => NoDocument::Unreadable(error),
    })?;
    // The document does not need the data of each second, which is large for a long run.
    recorded.seconds = Vec::new();
    let plan = plan_of(&recorded, directory)?;
    let run = Run {
        directory,
        started: recorded.started,
        plan: &plan,
        environment: &recorded.environment,
        slices: &recorded.slices,
        after: AfterRounds {
            sustained: &recorded.sustained,
            limit_probes: &recorded.limit_probes,
        },
        complete: recorded.complete,
        ended: recorded.ended,
        integrity: &recorded.integrity,
    };
    let (assessment, mut document) = run.document_without_slices();
    tenbin_verdict::take_slices(&mut document, &plan, recorded.slices, &assessment);
    // `plan` lacks the contents of files that it names, so use the text of the plan file.
    document.run.plan = Some(recorded.plan_toml);
    Ok(document)
}

/// The plan as executed, without the secrets and files that the plan names, which can be missing
/// now.
pub(crate) fn plan_of(recorded: &RecordedRun, directory: &Path) -> Result<Plan, NoPlan> {
    executed(&recorded.plan_toml, directory)
}
