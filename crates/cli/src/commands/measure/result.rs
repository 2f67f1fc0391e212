//! Creates the result document and the report files of a run.

use std::path::Path;
use std::time::SystemTime;

use tenbin_plan::Plan;
use tenbin_record::{Ended, Environment, Integrity, RecordError, Slice, write_atomically_with};
use tenbin_report::formats;
use tenbin_result::{Document, Gate, GateOutcome, Trust};
use tenbin_verdict::{AfterRounds, Assessment, Source, is_decided_all_the_same};

use crate::exit::Exit;
use crate::language::language;

/// The inputs of a result document, for a run that has just ended or was read from its directory.
pub(crate) struct Run<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) started: SystemTime,
    pub(crate) plan: &'a Plan,
    pub(crate) environment: &'a Environment,
    pub(crate) slices: &'a [Slice],
    pub(crate) after: AfterRounds<'a>,
    pub(crate) complete: bool,
    pub(crate) ended: Ended,
    pub(crate) integrity: &'a Integrity,
}

impl Run<'_> {
    /// The assessment of the run, and its result document without slices.
    pub(crate) fn document_without_slices(&self) -> (Assessment, Document) {
        let assessment = self.assess();
        let mut document = tenbin_verdict::document_without_slices(&self.source(&assessment));
        document.language = language();
        (assessment, document)
    }

    fn assess(&self) -> Assessment {
        tenbin_verdict::assess(
            self.plan, self.slices, self.after, self.complete, self.environment, self.integrity,
        )
    }

    fn source<'s>(&'s self, assessment: &'s Assessment) -> Source<'s> {
        Source {
            directory: self.directory,
            started: self.started,
            plan: self.plan,
            environment: self.environment,
            slices: self.slices,
            complete: self.complete,
            ended: self.ended,
            assessment,
        }
    }
}

/// The exit code for a result: success only if all conditions (`--expect`, `--fail-if`) are met and
/// the result is not INVALID, or decided in spite of what makes it INVALID.
pub(crate) fn exit_of_result(document: &Document) -> Exit {
    if document.trust == Trust::Invalid && !is_decided_all_the_same(document) {
        Exit::Invalid
    } else if let Some(exit) = document.gate.as_ref().and_then(failure_of_gate) {
        exit
    } else if document.expectations.iter().any(|each| each.is_violated()) {
        Exit::Unmet
    } else if document.expectations.iter().any(|each| each.is_undecided())
        || document.searches.iter().any(|each| !each.has_result())
    {
        Exit::Undecided
    } else {
        Exit::Done
    }
}

/// The exit code of a gate; `None` if it passes.
fn failure_of_gate(gate: &Gate) -> Option<Exit> {
    match gate.outcome {
        GateOutcome::Invalid => Some(Exit::Invalid),
        GateOutcome::Regression => Some(Exit::Unmet),
        GateOutcome::CannotTell if !gate.passes_untold => Some(Exit::Undecided),
        GateOutcome::Pass | GateOutcome::CannotTell => {
            gate.fails_as_suspect().then_some(Exit::Suspect)
        }
    }
}

/// Writes every report file into the run directory.
pub(crate) fn keep(document: &Document, directory: &Path) -> Result<(), RecordError> {
    formats::kept(document).try_for_each(|format| {
        let file = directory.join(format.file);
        write_atomically_with(&file, |to| format.write_document(document, to))
    })
}
