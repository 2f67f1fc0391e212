//! Commands that read finished runs and result files, and write them in other forms.

use std::path::Path;

use tenbin_plan::{Sentence, sentence};

pub(crate) mod chart;
pub(crate) mod compare;
pub(crate) mod disk;
pub(crate) mod earlier_runs;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod kept;
pub(crate) mod lint;
pub(crate) mod list;
pub(crate) mod list_table;
pub(crate) mod opened;
pub(crate) mod pack;
pub(crate) mod question;
pub(crate) mod report;
pub(crate) mod rows;
pub(crate) mod show;
pub(crate) mod source_file;
pub(crate) mod tidy;
pub(crate) mod verify;

/// Says that a file was written.
fn file_written(file: &Path) -> Sentence {
    sentence!("file-written", "written: {file}", file = file.display())
}

/// Says that a directory contains no run.
fn no_run_in(directory: &Path) -> Sentence {
    sentence!(
        "no-run-in",
        "there is no run in {directory}",
        directory = directory.display()
    )
}

/// Says that a file was named twice.
pub(crate) fn given_twice(file: &Path) -> Sentence {
    sentence!(
        "given-twice",
        "{file} is given twice",
        file = file.display()
    )
}
