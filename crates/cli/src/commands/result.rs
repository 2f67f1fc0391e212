//! From a run to its document and the files made of it.

use std::path::Path;
use std::time::SystemTime;

use tenbin_plan::Plan;
use tenbin_record::{Ended, Environment, Integrity, RecordError, Slice, write_atomically};
use tenbin_report::document::Trust;
use tenbin_report::{Document, EXPORTERS, Source};

use crate::exit::Exit;

/// What a document is made of, whether the run has just ended or is read again.
pub(crate) struct Run<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) started: SystemTime,
    pub(crate) plan: &'a Plan,
    pub(crate) environment: &'a Environment,
    pub(crate) slices: &'a [Slice],
    pub(crate) complete: bool,
    pub(crate) ended: Ended,
    pub(crate) integrity: &'a Integrity,
}

impl Run<'_> {
    /// Judges the run and writes down what is to be said of it.
    pub(crate) fn document(&self) -> Document {
        let assessment = tenbin_verdict::assess(
            self.plan,
            self.slices,
            self.complete,
            self.environment,
            self.integrity,
        );
        Document::new(&Source {
            directory: self.directory,
            started: self.started,
            plan: self.plan,
            environment: self.environment,
            slices: self.slices,
            complete: self.complete,
            ended: self.ended,
            assessment: &assessment,
        })
    }
}

/// How a run ends that has this result: well only if its numbers can be believed and
/// all that was expected of them is true.
pub(crate) fn exit_of_result(document: &Document) -> Exit {
    if document.trust == Trust::Invalid {
        Exit::Invalid
    } else if document.expectations.iter().any(|each| each.is_violated()) {
        Exit::Unmet
    } else if document.expectations.iter().any(|each| each.is_undecided()) {
        Exit::Undecided
    } else {
        Exit::Done
    }
}

/// Writes every report file into the run directory.
pub(crate) fn keep(document: &Document, directory: &Path) -> Result<(), RecordError> {
    let mut wanted = EXPORTERS
        .iter()
        .filter(|exporter| exporter.is_wanted(document));
    wanted.try_for_each(|exporter| {
        write_atomically(
            &directory.join(exporter.file_name()),
            &exporter.export(document),
        )
    })
}
