//! Reads a run that is complete, interrupted or killed.

mod buffers;
mod chunk;
mod entry;
mod files;
mod folding;
mod journal;
mod latency;
mod line;
mod run_files;
mod tail;
mod totals;

use std::io::{BufReader, Read as _};
use std::path::Path;
use std::thread;
use std::time::SystemTime;

use serde::Deserialize;
use tenbin_plan::{LARGEST_RESULT, Sentence, open_own, read_own, sentence};

use self::journal::Journal;
use self::run_files::RunFiles;
pub use self::tail::{NewestSecond, newest_seconds};
use crate::environment::Environment;
use crate::error::RecordError;
use crate::files::check_values::is_unchanged;
use crate::files::directory::EnvironmentFile;
use crate::files::integrity::{Change, Integrity};
use crate::files::lines::Ended;
use crate::files::names::{ENVIRONMENT_FILE, PLAN_FILE, RESULT_FILE};
use crate::seconds::counts::SecondCounts;
use crate::slice::Slice;

/// The content of a run directory.
#[derive(Debug, Clone)]
pub struct RecordedRun {
    /// `plan.toml`, as written.
    pub plan_toml: String,
    /// The machine and the software versions.
    pub environment: Environment,
    /// The slices in order. If the run was cut short, the last slice can be cut short too.
    pub slices: Vec<Slice>,
    /// The continuous stretches after the rounds, in order.
    pub sustained: Vec<Slice>,
    /// The probes of other loads after the rounds, in order.
    pub limit_probes: Vec<Slice>,
    /// Whether the run is complete: every planned slice was measured and is present.
    pub complete: bool,
    /// Why the run ended; meaningless unless `complete` is true.
    pub ended: Ended,
    /// Start of the run.
    pub started: SystemTime,
    /// Counts of each second of the slices' windows, in order.
    pub seconds: Vec<SecondCounts>,
    /// Whether the files are unchanged since the run wrote them.
    pub integrity: Integrity,
}

/// Source of the latency histograms of slices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Source {
    /// Read `slices.bin`. Decode the seconds of a slice only if its part of `slices.bin` is
    /// missing, was changed or contradicts the seconds.
    #[default]
    Slices,
    /// Decode all seconds in `latency.hlog`, and compare their sums with `slices.bin`.
    Seconds,
}

/// Reads a run directory, with the histograms of complete slices in `slices.bin`:
/// [`Source::Slices`].
///
/// # Errors
/// The errors of [`read_from`].
pub fn read(directory: &Path) -> Result<RecordedRun, RecordError> {
    read_from(directory, Source::Slices)
}

/// Reads a run directory.
///
/// An incomplete end of the files, after a kill or on a full disk, is not an error: an incomplete
/// second is omitted, and the slice ends before this second and is marked as cut short.
///
/// # Errors
/// When `directory` is not a run directory, a file cannot be read, or a file is damaged other than
/// by an incomplete end.
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
            let changed = changed.map(|(name, _)| Change::File(name));
            integrity.changed = changed.chain(journal.changed()).collect();
        }
        if let Err(source) = read {
            return Err(if integrity.changed.is_empty() {
                source
            } else {
                RecordError::Changed {
                    path: directory.to_path_buf(),
                    changed: integrity.sentence(),
                    source: Box::new(source),
                }
            });
        }
        let complete = journal.complete && !journal.is_cut;
        if !complete && has_result_of_complete_run(directory) {
            integrity.changed.push(Change::EndRemoved);
        }
        // Not `partition`, which would copy the slices: of a long run they take most of the memory.
        let sustained = journal.slices.extract_if(.., |slice| slice.sustained);
        let sustained = sustained.collect();
        let limit_probes = journal.slices.extract_if(.., |slice| slice.limit_probe);
        let limit_probes = limit_probes.collect();
        Ok(RecordedRun {
            plan_toml,
            started: environment.started(),
            environment: environment.environment,
            slices: journal.slices,
            sustained,
            limit_probes,
            complete,
            ended: journal.ended,
            seconds: journal.seconds,
            integrity,
        })
    })
}

fn read_required(directory: &Path, name: &'static str) -> Result<String, RecordError> {
    let path = directory.join(name);
    let read = read_own(&path, LARGEST_RESULT).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| {
            let why = sentence!("not-utf8", "it is not UTF-8 text");
            std::io::Error::new(std::io::ErrorKind::InvalidData, why)
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

/// The environment, and whether `environment.json` matches its check value; `None` without a check
/// value.
fn read_environment(directory: &Path) -> Result<(EnvironmentFile, Option<bool>), RecordError> {
    let text = read_required(directory, ENVIRONMENT_FILE).map_err(|error| match error {
        // The plan is written first and exists, so the run ended before its first slice.
        RecordError::NotARun { path, .. } => RecordError::NothingMeasured { path },
        other => other,
    })?;
    let environment = serde_json::from_str(&text).map_err(|e| RecordError::Damaged {
        path: directory.join(ENVIRONMENT_FILE),
        line: e.line() as u64,
        what: Sentence::quoted(e),
    })?;
    Ok((environment, is_unchanged(text.as_bytes())))
}

/// Whether `result.json` belongs to a complete run. A run writes such a file only after its record
/// is complete.
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
    let result = open_own(&path).ok().and_then(|file| {
        let file = BufReader::new(file.take(LARGEST_OWN_RESULT));
        serde_json::from_reader::<_, Result>(file).ok()
    });
    result.is_some_and(|result| result.run.complete)
}

/// Largest `result.json` that is read, bytes.
const LARGEST_OWN_RESULT: u64 = 1 << 30;
