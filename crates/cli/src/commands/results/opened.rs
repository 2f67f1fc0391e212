//! Opens the run that a command line names: a run directory, a packed run, or `last`.

use std::error::Error;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tenbin_record::{is_packed, unpack};

use crate::errors::CommandError;
use crate::exit::Exit;
use crate::output;

/// Files in a packed run that are computed from the raw data.
pub(crate) const PACKED_RESULTS: &[&str] = &["result.json", "SUMMARY.md", "report.html"];

/// The argument for the newest run.
const LAST: &str = "last";
/// The file of the measurements; created before the first slice.
const LINES: &str = "intervals.jsonl";
/// Default directory of runs.
const RUNS: &str = "runs";

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
        if named == Path::new(LAST) && !named.exists() {
            let newest = newest_run(Path::new(RUNS));
            let newest = newest.map(Self::directory);
            return newest.ok_or_else(|| refuse(&CommandError::NoRun));
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
            output::error(&format!("cannot create a temporary directory: {error}"));
            Exit::Record
        })?;
        let name = unpack(file, PACKED_RESULTS, to.path());
        let name = name.map_err(|error| refuse(&error))?;
        Ok(Self {
            directory: named_as_before(to.path(), &name),
            unpacked: Some(to),
        })
    }
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

/// Whether a file begins with the signature of a packed run.
pub(crate) fn is_packed_file(file: &Path) -> bool {
    // Opening a named pipe would block until a writer opens the pipe.
    if !file.is_file() {
        return false;
    }
    let mut first = [0; 4];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && is_packed(&first)
}

fn refuse(error: &(dyn Error + 'static)) -> Exit {
    output::failure(error);
    Exit::Refused
}

/// The newest run directory in `root` with measurements, or else the newest of all. Directory names
/// begin with the time of the run; runs of the same second are ordered by the modification time of
/// the plan file.
fn newest_run(root: &Path) -> Option<PathBuf> {
    const TIME: usize = "2026-01-31T120000".len();
    let runs = std::fs::read_dir(root).ok()?.flatten();
    let dated = runs.filter_map(|run| {
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
    let mut dated: Vec<_> = dated.collect();
    dated.sort();
    let (_, newest) = dated.last()?;
    let mut measured = dated.iter().rev().map(|(_, path)| path);
    match measured.find(|path| path.join(LINES).exists()) {
        Some(measured) if measured != newest => {
            output::note(&format!(
                "last is {}: the newer {} measured nothing",
                measured.display(),
                newest.display()
            ));
            Some(measured.clone())
        }
        _ => Some(newest.clone()),
    }
}
