//! A run that a command line names: a directory, `last`, or a packed run.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tenbin_record::{is_packed, unpack};

use crate::exit::Exit;
use crate::output;

/// What is packed beside the raw data of a run: the results that are computed from it.
pub(super) const PACKED_RESULTS: &[&str] = &["result.json", "SUMMARY.md", "report.html"];

/// The argument for the newest run.
const LAST: &str = "last";
/// Default directory of runs.
const RUNS: &str = "runs";

/// A run that can be read.
pub(super) struct OpenedRun {
    /// The files of the run.
    pub(super) directory: PathBuf,
    /// Holds the files of a packed run, and deletes them.
    unpacked: Option<TempDir>,
}

impl OpenedRun {
    /// Finds the run that `named` means, and unpacks it if it is packed. Prints an error if there is
    /// none.
    pub(super) fn open(named: &Path) -> Result<Self, Exit> {
        if named == Path::new(LAST) && !named.exists() {
            let newest = newest_run(Path::new(RUNS));
            return newest.map(Self::directory).ok_or_else(|| {
                refuse(&format!(
                    "there is no run in {RUNS}/ of this directory; name a run directory"
                ))
            });
        }
        match is_packed_file(named) {
            true => Self::unpacked(named),
            false => Ok(Self::directory(named.to_owned())),
        }
    }

    /// Whether the run is a file.
    pub(super) fn is_packed(&self) -> bool {
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
        let name = name.map_err(|error| refuse(&error.to_string()))?;
        Ok(Self {
            directory: named_as_before(to.path(), &name),
            unpacked: Some(to),
        })
    }
}

/// Moves the unpacked files into a directory with the run's name, by which results name the run.
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

/// Whether a file starts like a packed run.
pub(super) fn is_packed_file(file: &Path) -> bool {
    // Opening a pipe would wait for its other end.
    if !file.is_file() {
        return false;
    }
    let mut first = [0; 4];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && is_packed(&first)
}

fn refuse(sentence: &str) -> Exit {
    output::error(sentence);
    Exit::Refused
}

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
