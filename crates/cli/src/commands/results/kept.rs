//! The runs in a directory: their order, the words that name one of them, and their labels.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tenbin_plan::{Sentence, read_own, sentence};

use crate::errors::{self, CommandError};
use crate::output;

/// Default directory of runs.
pub(crate) const RUNS: &str = "runs";
/// The word for the newest run.
const LAST: &str = "last";
/// The word for the run before the newest.
const PREVIOUS: &str = "previous";
/// The file of the measurements; created before the first slice.
const LINES: &str = "intervals.jsonl";
/// The file with the label of a run.
pub(crate) const LABEL: &str = "label.txt";
/// The file with the note of a run that was written after the run.
pub(crate) const NOTE: &str = "note.txt";
/// Largest file of a label or a note, bytes; the least that can be read with a limit.
const LARGEST_LINE: u64 = 1 << 20;
/// Letters of a label or a note that are read: `tenbin note` takes no more.
const LETTERS: usize = 500;
/// Length of the time at the beginning of a directory name.
const TIME: usize = "2026-01-31T120000".len();

/// The run directories in `root`, oldest first. Directory names begin with the time of the run; runs
/// of the same second are ordered by the modification time of the plan file.
pub(crate) fn runs_in(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut dated: Vec<((String, SystemTime), PathBuf)> = entries
        .filter_map(|run| {
            let plan = run.path().join("plan.toml");
            let written = plan.metadata().ok()?.modified().ok()?;
            let name = run.file_name().to_string_lossy().into_owned();
            let time: String = name.chars().take(TIME).collect();
            Some(((time, written), run.path()))
        })
        .collect();
    dated.sort();
    dated.into_iter().map(|(_, path)| path).collect()
}

/// Checks that the directory of the runs can be read: [`runs_in`] finds no run in one that cannot.
///
/// # Errors
/// If there is no such directory, or its user may not read it.
pub(crate) fn can_read(root: &Path) -> Result<(), CommandError> {
    let path = root.to_owned();
    match fs::read_dir(root) {
        Ok(_) => Ok(()),
        Err(source) => Err(match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => CommandError::NoDirectory { path },
            _ => CommandError::Unreadable { path, source },
        }),
    }
}

/// The label of a run.
pub(crate) fn label(run: &Path) -> Option<String> {
    line(&run.join(LABEL))
}

/// The note that was written after the run, in place of that of its plan.
pub(crate) fn note(run: &Path) -> Option<String> {
    line(&run.join(NOTE))
}

/// The first line of a file, at most [`LETTERS`] of it.
fn line(file: &Path) -> Option<String> {
    let text = String::from_utf8(read_own(file, LARGEST_LINE).ok()?).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.chars().take(LETTERS).collect())
}

/// The run in `runs/` that a word names: `last`, `previous`, `last~2`, a label, or the beginning of
/// a name. `None` if the word names none.
///
/// # Errors
/// If there are too few runs, or several begin with the word.
pub(crate) fn named(word: &Path) -> Result<Option<PathBuf>, CommandError> {
    let Some(word) = word
        .to_str()
        .filter(|word| !word.is_empty() && *word != "-")
    else {
        return Ok(None);
    };
    let runs = runs_in(Path::new(RUNS));
    if let Some(back) = runs_back(word) {
        return newest(&runs, back).map(Some);
    }
    let labelled = |run: &&PathBuf| label(run).as_deref() == Some(word);
    if let Some(run) = runs.iter().rev().find(labelled) {
        return Ok(Some(run.clone()));
    }
    let begins = |run: &&PathBuf| name_of(run).starts_with(word);
    let found: Vec<&PathBuf> = runs.iter().filter(begins).collect();
    match found.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some((*only).clone())),
        several => Err(CommandError::SeveralRuns {
            word: word.to_owned(),
            runs: several.iter().map(|run| name_of(run)).collect(),
        }),
    }
}

/// The directory of the run that a path or a word names.
///
/// # Errors
/// If there is no such run directory, in one sentence.
pub(crate) fn directory(of: &Path) -> Result<PathBuf, Sentence> {
    if is_run(of) {
        // `.` has neither a name nor a directory in which it is.
        let whole = fs::canonicalize(of)
            .ok()
            .filter(|_| of.file_name().is_none());
        return Ok(whole.unwrap_or_else(|| of.to_owned()));
    }
    let found = match named(of) {
        Err(_) if of.exists() => None,
        found => found.map_err(|error| errors::sentence_of(&error))?,
    };
    found.filter(|run| is_run(run)).ok_or_else(|| {
        sentence!(
            "no-run-directory",
            "run {name} not found: it is no run directory, and no run in runs/ has this label or a \
             name that begins with it; list the runs with tenbin list",
            name = of.display()
        )
    })
}

/// Whether a path is a run directory, and not another file or directory, which can have the name of a
/// label.
pub(crate) fn is_run(path: &Path) -> bool {
    path.is_dir() && path.join("plan.toml").exists()
}

/// Name of a run directory.
pub(crate) fn name_of(run: &Path) -> String {
    let name = run.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// How many runs before the newest a word means.
fn runs_back(word: &str) -> Option<usize> {
    match word {
        LAST => Some(0),
        PREVIOUS => Some(1),
        _ => word.strip_prefix(LAST)?.strip_prefix('~')?.parse().ok(),
    }
}

/// The run `back` before the newest one. Runs without measurements do not count, unless there are
/// no others.
fn newest(runs: &[PathBuf], back: usize) -> Result<PathBuf, CommandError> {
    let newest = runs.last().ok_or(CommandError::NoRun)?;
    let is_measured = |run: &&PathBuf| run.join(LINES).exists();
    let measured: Vec<&PathBuf> = runs.iter().rev().filter(is_measured).collect();
    match measured.get(back) {
        Some(&run) => {
            if back == 0 && run != newest {
                output::say_note(&sentence!(
                    "last-measured",
                    "last is {run}: the newer {newest} measured nothing",
                    run = run.display(),
                    newest = newest.display()
                ));
            }
            Ok(run.clone())
        }
        None if back == 0 => Ok(newest.clone()),
        None => Err(CommandError::TooFewRuns {
            asked: back + 1,
            there: measured.len(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_of_somebody_else_is_read_only_in_part() {
        let run = tempfile::tempdir().expect("a directory");
        fs::write(run.path().join(LABEL), "天".repeat(10_000)).expect("a file");
        assert_eq!(label(run.path()), Some("天".repeat(LETTERS)));
        fs::write(run.path().join(LABEL), " before \nupgrade").expect("a file");
        assert_eq!(label(run.path()).as_deref(), Some("before"));
    }

    #[test]
    fn a_directory_that_cannot_be_read_is_not_an_empty_one() {
        let scratch = tempfile::tempdir().expect("a directory");
        let file = scratch.path().join("file");
        fs::write(&file, "").expect("a file");
        assert!(can_read(scratch.path()).is_ok());
        for missing in [scratch.path().join("nowhere"), file] {
            let error = can_read(&missing).expect_err("no directory");
            assert!(matches!(error, CommandError::NoDirectory { .. }), "{error}");
        }
        // Root may read every directory, but no name is as long as this one.
        let error = can_read(&scratch.path().join("a".repeat(300))).expect_err("no directory");
        assert!(matches!(error, CommandError::Unreadable { .. }), "{error}");
    }
}
