//! The runs in a directory: their order, the words that name one of them, and their labels.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tenbin_plan::{Sentence, nearest_few, read_own, sentence};

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
/// The directory of a run with what its targets print.
const OUTPUTS: &str = "targets";
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
/// Most runs that an error names.
const MOST_NAMED: usize = 5;
/// Most names that an error suggests.
const MOST_MEANT: usize = 3;

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

/// The run in `runs/` that a word names: `last`, `previous`, `last~2`, a label, the name of its
/// directory, or the beginning or the end of this name, such as that of `--name`. `None` if the word
/// names none.
///
/// # Errors
/// If there are too few runs, or several begin or end with the word.
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
    let is_called = |run: &&PathBuf| name_of(run) == word;
    let labelled = runs.iter().rev().find(labelled);
    if let Some(run) = labelled.or_else(|| runs.iter().find(is_called)) {
        return Ok(Some(run.clone()));
    }
    let begins = |run: &&PathBuf| name_of(run).starts_with(word);
    let begin: Vec<&PathBuf> = runs.iter().filter(begins).collect();
    if let Some(run) = only(&begin).map_err(|runs| CommandError::SeveralRuns {
        word: word.to_owned(),
        runs,
    })? {
        return Ok(Some(run));
    }
    only(&ending(&runs, word)).map_err(|mut runs| {
        runs.reverse();
        let is_cut = runs.len() > MOST_NAMED;
        runs.truncate(MOST_NAMED);
        runs.extend(is_cut.then(|| "…".to_owned()));
        CommandError::SeveralOfName {
            word: word.to_owned(),
            runs,
        }
    })
}

/// The runs in `runs/` that a name (`--name`) means, oldest first; if none has the name, the run with
/// this label.
pub(crate) fn of_name(word: &Path) -> Vec<PathBuf> {
    let Some(word) = word.to_str().filter(|word| !word.is_empty()) else {
        return Vec::new();
    };
    let runs = runs_in(Path::new(RUNS));
    let named: Vec<PathBuf> = ending(&runs, word).into_iter().cloned().collect();
    if !named.is_empty() {
        return named;
    }
    let labelled = |run: &PathBuf| label(run).as_deref() == Some(word);
    runs.into_iter().filter(labelled).collect()
}

/// The only run of those found; the names of all of them if they are several.
fn only(found: &[&PathBuf]) -> Result<Option<PathBuf>, Vec<String>> {
    match found {
        [] => Ok(None),
        [only] => Ok(Some((*only).clone())),
        several => Err(several.iter().map(|run| name_of(run)).collect()),
    }
}

/// The runs of a name (`--name`), oldest first; if none has the name, the runs whose names end with
/// the word.
fn ending<'a>(runs: &'a [PathBuf], word: &str) -> Vec<&'a PathBuf> {
    let end = format!("-{word}");
    let names: Vec<String> = runs.iter().map(|run| name_of(run)).collect();
    let mut found: Vec<(bool, &PathBuf)> = Vec::new();
    for (run, name) in runs.iter().zip(&names) {
        let mut forms = [name.as_str(), without_number(name, &names)].into_iter();
        if let Some(form) = forms.find(|form| form.ends_with(&end)) {
            found.push((form.len() == TIME + end.len(), run));
        }
    }
    let has_whole = found.iter().any(|(is_whole, _)| *is_whole);
    found.retain(|(is_whole, _)| *is_whole || !has_whole);
    found.into_iter().map(|(_, run)| run).collect()
}

/// The name of a run without the number that runs of the same second and name have, such as `-2`.
fn without_number<'a>(name: &'a str, names: &[String]) -> &'a str {
    let Some((first, number)) = name.rsplit_once('-') else {
        return name;
    };
    let is_number = number.parse::<u32>().is_ok();
    if is_number && names.iter().any(|other| other == first) {
        first
    } else {
        name
    }
}

/// The names and labels in `runs/` that were probably meant, as the end of a sentence.
fn meant(word: &Path) -> Sentence {
    let word = word.file_name().unwrap_or_default().to_string_lossy();
    let runs = runs_in(Path::new(RUNS));
    let is_long = word.len() > TIME;
    let mut known: Vec<String> = Vec::new();
    for run in &runs {
        let name = name_of(run);
        known.extend(label(run));
        known.extend(name.get(TIME + 1..).map(str::to_owned));
        known.extend(is_long.then_some(name));
    }
    if !runs.is_empty() {
        known.extend([LAST, PREVIOUS].map(str::to_owned));
    }
    known.sort_unstable();
    known.dedup();
    let mut near = nearest_few(&word, known.iter().map(String::as_str));
    near.truncate(MOST_MEANT);
    if near.is_empty() {
        return Sentence::default();
    }
    sentence!(
        "did-you-mean-run",
        "; did you mean {near}?",
        near = near.join(" or ")
    )
    .with_names("near", near)
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
        let hint = meant(of);
        sentence!(
            "no-run-directory",
            "run {name} not found: there is no such run directory, and no run in runs/ has this \
             label, or a name that begins or ends with this word; list the runs with tenbin \
             list{hint}",
            name = of.display(),
            hint
        )
    })
}

/// Whether a path is a run directory, and not another file or directory, which can have the name of a
/// label.
pub(crate) fn is_run(path: &Path) -> bool {
    path.is_dir() && path.join("plan.toml").exists()
}

/// Whether a run has got as far as its first slice.
pub(crate) fn has_measurements(run: &Path) -> bool {
    run.join(LINES).exists()
}

/// Names of the files with the output of the targets of a run, without empty ones, in order.
pub(crate) fn logs(run: &Path) -> Vec<String> {
    let entries = fs::read_dir(run.join(OUTPUTS))
        .into_iter()
        .flatten()
        .flatten();
    let is_log = |path: &PathBuf| {
        let known = path.metadata();
        path.extension().is_some_and(|it| it == "log")
            && known.is_ok_and(|known| known.is_file() && known.len() > 0)
    };
    let paths = entries.map(|entry| entry.path()).filter(is_log);
    let in_run = |path: PathBuf| {
        let path = path.strip_prefix(run).map(Path::to_owned).unwrap_or(path);
        path.display().to_string()
    };
    let mut names: Vec<String> = paths.map(in_run).collect();
    names.sort_unstable();
    names
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
    let is_measured = |run: &&PathBuf| has_measurements(run);
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
    fn the_end_of_a_name_is_that_of_one_run() {
        let runs = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(PathBuf::from).collect() };
        let found = |runs: &[PathBuf], word: &str| -> Vec<String> {
            let found = ending(runs, word).into_iter();
            found.map(|run| name_of(run)).collect()
        };
        let all = runs(&[
            "2026-01-01T120000-wrk-day",
            "2026-01-02T120000-day",
            "2026-01-03T120000-wrk-night",
            "2026-01-03T120000-wrk-night-2",
        ]);
        assert_eq!(found(&all, "day"), ["2026-01-02T120000-day"]);
        assert_eq!(found(&all, "wrk-day"), ["2026-01-01T120000-wrk-day"]);
        assert_eq!(found(&all, "night"), [name_of(&all[2]), name_of(&all[3])]);
        assert_eq!(found(&all, "night-2"), [name_of(&all[3])]);
        assert_eq!(found(&all, "ay"), [""; 0]);
        let twice = runs(&["2026-01-01T120000-day", "2026-01-02T120000-day"]);
        let several = only(&ending(&twice, "day")).expect_err("two runs");
        assert_eq!(several, [name_of(&twice[0]), name_of(&twice[1])]);
        assert_eq!(only(&ending(&all, "day")), Ok(Some(all[1].clone())));
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
