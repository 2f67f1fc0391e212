//! From a run to its document and the files made of it.

use std::path::Path;
use std::time::SystemTime;

use tenbin_plan::Plan;
use tenbin_record::{Environment, RecordError, Slice, write_atomically};
use tenbin_report::document::Trust;
use tenbin_report::{Document, EXPORTERS, Source};

/// What a document is made of, whether the run has just ended or is read again.
pub(crate) struct Run<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) started: SystemTime,
    pub(crate) plan: &'a Plan,
    pub(crate) environment: &'a Environment,
    pub(crate) slices: &'a [Slice],
    pub(crate) complete: bool,
}

impl Run<'_> {
    /// Judges the run and writes down what is to be said of it.
    pub(crate) fn document(&self) -> Document {
        let assessment =
            tenbin_verdict::assess(self.plan, self.slices, self.complete, self.environment);
        Document::new(&Source {
            directory: self.directory,
            started: self.started,
            plan: self.plan,
            environment: self.environment,
            slices: self.slices,
            complete: self.complete,
            assessment: &assessment,
        })
    }
}

/// Whether the numbers cannot be believed.
pub(crate) fn is_invalid(document: &Document) -> bool {
    matches!(document.trust, Trust::Invalid)
}

/// Writes every report file into the run directory.
pub(crate) fn keep(document: &Document, directory: &Path) -> Result<(), RecordError> {
    EXPORTERS.iter().try_for_each(|exporter| {
        write_atomically(
            &directory.join(exporter.file_name()),
            &exporter.export(document),
        )
    })
}
