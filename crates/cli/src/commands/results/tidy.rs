//! `tenbin label`, `tenbin rm` and `tenbin prune`: labels of runs, and runs that are no longer needed.

use std::fs;
use std::io;
use std::path::Path;

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
            output::warning(&why);
        }
    }
    Exit::Done
}

fn done(done: Result<(), String>) -> Exit {
    match done {
        Ok(()) => Exit::Done,
        Err(sentence) => {
            output::error(&sentence);
            Exit::Refused
        }
    }
}

fn labelled(args: &LabelArgs) -> Result<(), String> {
    let run = directory(&args.run)?;
    let root = run.parent().unwrap_or(Path::new("."));
    if fs::canonicalize(root).ok() != fs::canonicalize(kept::RUNS).ok() {
        return Err(format!(
            "{} is not in {}/ of this directory, where labels are looked for",
            run.display(),
            kept::RUNS
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
        return Err(format!(
            "{} has the label {:?}; remove it there first: tenbin label {} ''",
            other.display(),
            args.label,
            args.label
        ));
    }
    let written = write_atomically(&file, format!("{}\n", args.label).as_bytes());
    written.map_err(|error| error.to_string())
}

fn check(label: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let is_word = label == "last" || label == "previous" || label.starts_with('.');
    if label.chars().count() <= LONGEST && label.chars().all(is_plain) && !is_word {
        Ok(())
    } else {
        Err(format!(
            "{label:?} is no label: use up to {LONGEST} letters, digits, - _ and ., and not last or \
             previous"
        ))
    }
}

/// Moves a run to the trash.
fn trash(run: &Path) -> Result<(), String> {
    if is_running(run) {
        return Err(format!(
            "the run in {} is still running; end it with Ctrl-C first",
            run.display()
        ));
    }
    // The plan says where a killed run may have left objects.
    let plan = keyless_plan(run).map_err(|_| format!("{} stays where it is", run.display()))?;
    if let Some(left) = leftovers(&plan, run).into_iter().next() {
        return Err(format!("{} stays where it is: {left}", run.display()));
    }
    let root = run.parent().unwrap_or(Path::new("."));
    let trash = root.join(TRASH);
    fs::create_dir_all(&trash).map_err(|error| unwritable(&trash, &error))?;
    let to = trash.join(kept::name_of(run));
    fs::rename(run, &to).map_err(|error| unwritable(&to, &error))?;
    output::note(&format!("{} is now {}", run.display(), to.display()));
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}
