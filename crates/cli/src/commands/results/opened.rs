//! Opens the run that a command line names: a run directory, a packed run, or a word for one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tenbin_plan::sentence;
use tenbin_record::{is_packed, unpack};

use crate::commands::results::kept;
use crate::exit::Exit;
use crate::output;

/// Files in a packed run beside the raw data: those that are computed from it, its label and its note.
pub(crate) const PACKED_RESULTS: &[&str] = &[
    "result.json",
    "SUMMARY.md",
    "report.html",
    kept::LABEL,
    kept::NOTE,
];

/// A run whose files are readable in a directory.
pub(crate) struct OpenedRun {
    /// Directory with the files of the run.
    pub(crate) directory: PathBuf,
    /// Temporary directory with the files of a packed run; deleted on drop.
    unpacked: Option<TempDir>,
}

impl OpenedRun {
    /// Opens the run that `named` refers to, and unpacks a packed run. Prints an error if the run
    /// does not exist.
    pub(crate) fn open(named: &Path) -> Result<Self, Exit> {
        if !named.exists()
            && let Some(run) = kept::named(named).map_err(|error| output::refuse_error(&error))?
        {
            return Ok(Self::directory(run));
        }
        if !named.exists() && is_word(named) {
            let run = kept::directory(named).map_err(|why| output::refuse(&why))?;
            return Ok(Self::directory(run));
        }
        if named.is_dir()
            && !kept::is_run(named)
            && let Ok(Some(run)) = kept::named(named)
        {
            return Ok(Self::directory(run));
        }
        if is_packed_file(named) {
            Self::unpacked(named)
        } else {
            Ok(Self::directory(named.to_owned()))
        }
    }

    /// Whether the run was opened from a packed file.
    pub(crate) fn is_packed(&self) -> bool {
        self.unpacked.is_some()
    }

    fn directory(directory: PathBuf) -> Self {
        Self {
            directory,
            unpacked: None,
        }
    }

    fn unpacked(file: &Path) -> Result<Self, Exit> {
        let to = tempfile::Builder::new().prefix("tenbin-run-").tempdir();
        let to = to.map_err(|error| {
            output::say_error(&sentence!(
                "no-temporary-directory",
                "cannot create a temporary directory: {error}",
                error
            ));
            Exit::Record
        })?;
        let name = unpack(file, PACKED_RESULTS, to.path());
        let name = name.map_err(|error| output::refuse_error(&error))?;
        Ok(Self {
            directory: named_as_before(to.path(), &name),
            unpacked: Some(to),
        })
    }
}

/// Whether this can only be a word for a run, such as a label: a path to a file has a slash or a dot, and
/// `-` is standard input.
fn is_word(named: &Path) -> bool {
    named
        .to_str()
        .is_some_and(|word| word != "-" && !word.contains(['/', '.']))
}

/// Moves the unpacked files to a directory with the name of the run, because results contain that
/// name.
fn named_as_before(unpacked: &Path, name: &str) -> PathBuf {
    let directory = unpacked.join(name);
    let moved = fs::create_dir(&directory).and_then(|()| {
        for entry in fs::read_dir(unpacked)?.flatten() {
            if entry.path().is_file() {
                fs::rename(entry.path(), directory.join(entry.file_name()))?;
            }
        }
        Ok(())
    });
    match moved {
        Ok(()) => directory,
        Err(_) => unpacked.to_owned(),
    }
}

/// Whether a file is a packed run.
pub(crate) fn is_packed_file(file: &Path) -> bool {
    // Opening a named pipe would block until a writer opens the pipe.
    if !file.is_file() {
        return false;
    }
    File::open(file).is_ok_and(is_packed)
}
