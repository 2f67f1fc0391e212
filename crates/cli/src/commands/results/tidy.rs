//! `tenbin label`, `tenbin rm` and `tenbin prune`: labels of runs, and runs that are no longer needed.

use std::fs;
use std::io;
use std::path::Path;

use tenbin_plan::{Sentence, sentence};
use tenbin_record::{is_running, write_atomically};

use crate::args::{LabelArgs, PruneArgs, RmArgs};
use crate::commands::clean::{keyless_plan, leftovers};
use crate::commands::results::kept::{self, directory};
use crate::exit::Exit;
use crate::output;

/// Directory of removed runs, beside the others.
const TRASH: &str = ".trash";
/// Longest label.
const LONGEST: usize = 60;

/// Labels a run.
pub(crate) fn label(args: &LabelArgs) -> Exit {
    done(labelled(args))
}

/// Removes runs.
pub(crate) fn rm(args: &RmArgs) -> Exit {
    let named = args.runs.iter().map(|run| directory(run));
    // All are found before the first one is moved: `last` is then another run.
    let moved = named
        .collect::<Result<Vec<_>, _>>()
        .and_then(|runs| runs.iter().try_for_each(|run| trash(run)));
    done(moved)
}

/// Removes old runs.
pub(crate) fn prune(args: &PruneArgs) -> Exit {
    let runs = kept::runs_in(&args.directory);
    let old = &runs[..runs.len().saturating_sub(args.keep)];
    for run in old.iter().filter(|run| kept::label(run).is_none()) {
        if let Err(why) = trash(run) {
            output::say_warning(&why);
        }
    }
    Exit::Done
}

fn done(done: Result<(), Sentence>) -> Exit {
    match done {
        Ok(()) => Exit::Done,
        Err(sentence) => {
            output::say_error(&sentence);
            Exit::Refused
        }
    }
}

fn labelled(args: &LabelArgs) -> Result<(), Sentence> {
    let run = directory(&args.run)?;
    let root = run.parent().unwrap_or(Path::new("."));
    if fs::canonicalize(root).ok() != fs::canonicalize(kept::RUNS).ok() {
        return Err(sentence!(
            "not-in-runs",
            "{run} is not in {runs}/ of this directory, where labels are looked for",
            run = run.display(),
            runs = kept::RUNS
        ));
    }
    let file = run.join(kept::LABEL);
    if args.label.is_empty() {
        return match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(&file, &error)),
            _ => Ok(()),
        };
    }
    check(&args.label)?;
    let mut others = kept::runs_in(root)
        .into_iter()
        .filter(|other| *other != run);
    if let Some(other) = others.find(|other| kept::label(other).as_deref() == Some(&args.label)) {
        return Err(sentence!(
            "label-taken",
            "{run} has the label {label:?}; remove it there first: tenbin label {label} ''",
            run = other.display(),
            label = args.label
        ));
    }
    let written = write_atomically(&file, format!("{}\n", args.label).as_bytes());
    written.map_err(|error| error.to_string().into())
}

fn check(label: &str) -> Result<(), Sentence> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let is_word = label == "last" || label == "previous" || label.starts_with('.');
    if label.chars().count() <= LONGEST && label.chars().all(is_plain) && !is_word {
        Ok(())
    } else {
        Err(sentence!(
            "no-label",
            "{label:?} is no label: use up to {longest} letters, digits, - _ and ., and not last or \
             previous",
            label = label,
            longest = LONGEST
        ))
    }
}

/// Moves a run to the trash.
fn trash(run: &Path) -> Result<(), Sentence> {
    if is_running(run) {
        return Err(sentence!(
            "end-first",
            "the run in {run} is still running; end it with Ctrl-C first",
            run = run.display()
        ));
    }
    // The plan says where a killed run may have left objects.
    let plan = keyless_plan(run)
        .map_err(|_| sentence!("run-stays", "{run} stays where it is", run = run.display()))?;
    if let Some(left) = leftovers(&plan, run).into_iter().next() {
        let stays = sentence!(
            "run-stays-because",
            "{run} stays where it is: {left}",
            run = run.display(),
            left = left
        );
        return Err(stays.with_part("left", [left]));
    }
    let root = run.parent().unwrap_or(Path::new("."));
    let trash = root.join(TRASH);
    fs::create_dir_all(&trash).map_err(|error| unwritable(&trash, &error))?;
    let to = trash.join(kept::name_of(run));
    fs::rename(run, &to).map_err(|error| unwritable(&to, &error))?;
    output::say_note(&sentence!(
        "run-is-now",
        "{run} is now {place}",
        run = run.display(),
        place = to.display()
    ));
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Sentence {
    sentence!(
        "cannot-write",
        "cannot write {path}: {reason}",
        path = path.display(),
        reason = error
    )
}
