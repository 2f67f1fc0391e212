//! Reading a run again: finished, interrupted or killed.

mod buffers;
mod chunk;
mod entry;
mod files;
mod folding;
mod journal;
mod latency;
mod line;
mod run_files;
mod totals;

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::thread;
use std::time::SystemTime;

use serde::Deserialize;
use tenbin_plan::{LARGEST_RESULT, read_regular};

use self::files::regular;
use self::journal::Journal;
use self::run_files::RunFiles;
use crate::check::{Integrity, is_unchanged};
use crate::directory::{ENVIRONMENT_FILE, EnvironmentFile, PLAN_FILE, RESULT_FILE};
use crate::environment::Environment;
use crate::error::RecordError;
use crate::lines::Ended;
use crate::second_counts::SecondCounts;
use crate::slice::Slice;

/// What a run directory tells.
#[derive(Debug, Clone)]
pub struct RecordedRun {
    /// `plan.toml`, as written.
    pub plan_toml: String,
    /// The machine and the versions.
    pub environment: Environment,
    /// What happened, slice by slice. The last one is cut short if the run was.
    pub slices: Vec<Slice>,
    /// Every slice of the plan was measured, and all of it is here.
    pub complete: bool,
    /// Why it ended when it did, if it is complete.
    pub ended: Ended,
    /// When the run began.
    pub started: SystemTime,
    /// What came in each second of the slices' windows, in their order.
    pub seconds: Vec<SecondCounts>,
    /// Whether the files are as the run wrote them.
    pub integrity: Integrity,
}

/// What the latency histograms of slices are read from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Source {
    /// From `slices.bin` as far as it is as it was written and agrees with the seconds, otherwise
    /// from the seconds.
    #[default]
    Slices,
    /// From the seconds in `latency.hlog`, all of which are decoded. Whether `slices.bin` holds their
    /// sums is checked.
    Seconds,
}

/// Reads a run directory, [from whole slices](Source::Slices).
///
/// # Errors
/// Those of [`read_from`].
pub fn read(directory: &Path) -> Result<RecordedRun, RecordError> {
    read_from(directory, Source::Slices)
}

/// Reads a run directory.
///
/// A torn end of the files, as a killed run or a full disk leaves it, is no
/// error: a second of which anything is missing is left out as a whole, and its
/// slice ends before it, marked as cut short.
///
/// # Errors
/// When it is no run directory, a file cannot be read, or a file is damaged
/// elsewhere than at its end.
pub fn read_from(directory: &Path, source: Source) -> Result<RecordedRun, RecordError> {
    let plan_toml = read_required(directory, PLAN_FILE)?;
    let (environment, environment_fits) = read_environment(directory)?;
    let files = RunFiles::open(directory, source)?;
    thread::scope(|scope| {
        let mut journal = Journal::new(&files, scope);
        let read = journal.read();
        let mut integrity = Integrity {
            is_unchecked: environment_fits.is_none() && journal.lines.have_no_values(),
            changed: Vec::new(),
            cut_off: journal.cut_off(),
        };
        if !integrity.is_unchecked {
            let is_same_run = journal.began(environment.started_unix_ns);
            let whole = [
                (PLAN_FILE, journal.fits_plan(&plan_toml)),
                (
                    ENVIRONMENT_FILE,
                    environment_fits == Some(true) && is_same_run,
                ),
            ];
            let changed = whole.into_iter().filter(|(_, fits)| !fits);
            let sentence = |(name, _)| format!("{name} was changed after the run wrote it");
            integrity.changed = changed.map(sentence).chain(journal.changed()).collect();
        }
        if let Err(source) = read {
            return Err(match integrity.changed.is_empty() {
                true => source,
                false => RecordError::Changed {
                    path: directory.to_path_buf(),
                    changed: integrity.changed.join("; "),
                    source: Box::new(source),
                },
            });
        }
        let complete = journal.complete && !journal.is_cut;
        if !complete && has_result_of_complete_run(directory) {
            let missing =
                "the end of what the run wrote was removed: result.json is that of a complete run";
            integrity.changed.push(missing.to_owned());
        }
        Ok(RecordedRun {
            plan_toml,
            started: environment.started(),
            environment: environment.environment,
            slices: journal.slices,
            complete,
            ended: journal.ended,
            seconds: journal.seconds,
            integrity,
        })
    })
}

fn read_required(directory: &Path, name: &'static str) -> Result<String, RecordError> {
    let path = directory.join(name);
    let read = read_regular(&path, LARGEST_RESULT).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| {
            std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8 text")
        })
    });
    read.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound if directory.is_dir() => RecordError::NotARun {
            path: directory.to_path_buf(),
            missing: name,
        },
        _ => RecordError::io("read", &path, e),
    })
}

/// The environment, and whether it fits its check value, if it has one.
fn read_environment(directory: &Path) -> Result<(EnvironmentFile, Option<bool>), RecordError> {
    let text = read_required(directory, ENVIRONMENT_FILE).map_err(|error| match error {
        // The plan is there: it is written first.
        RecordError::NotARun { path, .. } => RecordError::NothingMeasured { path },
        other => other,
    })?;
    let environment = serde_json::from_str(&text).map_err(|e| RecordError::Damaged {
        path: directory.join(ENVIRONMENT_FILE),
        line: e.line() as u64,
        what: e.to_string(),
    })?;
    Ok((environment, is_unchanged(text.as_bytes())))
}

/// The result is written when the record is complete: a kill leaves no such result beside a record
/// that is not. Any other file there says nothing.
fn has_result_of_complete_run(directory: &Path) -> bool {
    #[derive(Deserialize)]
    struct Result {
        run: Run,
    }
    #[derive(Deserialize)]
    struct Run {
        complete: bool,
    }
    let path = directory.join(RESULT_FILE);
    let file = regular(&path).and_then(|()| File::open(&path));
    let result = file.ok().and_then(|file| {
        let file = BufReader::new(file.take(LARGEST_OWN_RESULT));
        serde_json::from_reader::<_, Result>(file).ok()
    });
    result.is_some_and(|result| result.run.complete)
}

/// Bytes of a result that are read.
const LARGEST_OWN_RESULT: u64 = 1 << 30;
