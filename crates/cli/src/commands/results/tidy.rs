//! `tenbin label`, `tenbin note`, `tenbin rm` and `tenbin prune`: labels and notes of runs, and runs that
//! are no longer needed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tenbin_plan::{Sentence, checked_note, sentence};
use tenbin_record::{is_running, write_atomically};

use crate::args::{LabelArgs, NoteArgs, PruneArgs, RmArgs};
use crate::commands::clean::{keyless_plan, leftovers};
use crate::commands::results::kept::{self, directory};
use crate::commands::results::report::{PAGE, rewrite};
use crate::exit::Exit;
use crate::output;

/// Directory of removed runs, beside the others.
pub(crate) const TRASH: &str = ".trash";
/// Largest measurements of a run whose page is written again at once, bytes.
const QUICK: u64 = 16 << 20;
/// Longest label.
const LONGEST: usize = 60;

/// Labels a run.
pub(crate) fn label(args: &LabelArgs) -> Exit {
    let labelled = labelled(args).map(|run| {
        let name = kept::name_of(&run);
        output::say_note(&match kept::label(&run) {
            Some(label) => sentence!(
                "run-labelled",
                "label of run {run}: {label}",
                run = name,
                label
            ),
            None => sentence!(
                "run-unlabelled",
                "removed the label of run {run}",
                run = name
            ),
        });
        write_page_again(&run);
    });
    done(labelled)
}

/// Writes the note of a run.
pub(crate) fn note(args: &NoteArgs) -> Exit {
    let noted = directory(&args.run).and_then(|run| {
        set_note(&run, &args.note)?;
        let name = kept::name_of(&run);
        output::say_note(&match kept::note(&run) {
            Some(note) => sentence!("run-noted", "note of run {run}: {note}", run = name, note),
            None => sentence!(
                "run-without-note",
                "removed the note of `tenbin note` from run {run}",
                run = name
            ),
        });
        write_page_again(&run);
        Ok(())
    });
    done(noted)
}

/// Writes `report.html` of a run again, so that it shows label and note; says how to do so if this would
/// take long.
pub(crate) fn write_page_again(run: &Path) {
    if is_running(run) || !run.join(PAGE).is_file() {
        return;
    }
    let size = |file: &&str| fs::metadata(run.join(file)).map_or(0, |file| file.len());
    let size: u64 = ["intervals.jsonl", "slices.bin"].iter().map(size).sum();
    if size > QUICK || rewrite(run).is_err() {
        output::say_note(&sentence!(
            "page-is-old",
            "{page} is out of date; update it with: tenbin report {run}",
            page = PAGE,
            run = run.display()
        ));
    }
}

/// Removes runs.
pub(crate) fn rm(args: &RmArgs) -> Exit {
    let named = args.runs.iter().map(|run| directory(run));
    // All are found before the first one is moved: `last` is then another run.
    let moved = named.collect::<Result<Vec<_>, _>>().and_then(|runs| {
        runs.iter()
            .try_for_each(|run| trash(run).map(|to| tell(run, &to)))
    });
    done(moved)
}

/// Removes old runs.
pub(crate) fn prune(args: &PruneArgs) -> Exit {
    if let Err(error) = kept::can_read(&args.directory) {
        output::failure(&error);
        return Exit::Refused;
    }
    let runs = kept::runs_in(&args.directory);
    let old = &runs[..runs.len().saturating_sub(args.keep)];
    for run in old.iter().filter(|run| kept::label(run).is_none()) {
        match trash(run) {
            Ok(to) => tell(run, &to),
            Err(why) => output::say_warning(&why),
        }
    }
    Exit::Done
}

/// Says where a run is now.
fn tell(run: &Path, to: &Path) {
    output::say_note(&sentence!(
        "run-is-now",
        "{run} is now {place}",
        run = run.display(),
        place = to.display()
    ));
}

fn done(done: Result<(), Sentence>) -> Exit {
    match done {
        Ok(()) => Exit::Done,
        Err(sentence) => output::refuse(&sentence),
    }
}

fn labelled(args: &LabelArgs) -> Result<PathBuf, Sentence> {
    let run = directory(&args.run)?;
    let [root, runs] =
        [root_of(&run), Path::new(kept::RUNS)].map(|path| fs::canonicalize(path).ok());
    if runs.is_none() || root != runs {
        return Err(sentence!(
            "not-in-runs",
            "{run} is not in {runs}/ of this directory, where labels are looked for",
            run = run.display(),
            runs = kept::RUNS
        ));
    }
    set_label(&run, &args.label)?;
    Ok(run)
}

/// Gives a run a label that no other run in its directory has; an empty one removes the label.
///
/// # Errors
/// Why it cannot have this label, in one sentence.
pub(crate) fn set_label(run: &Path, label: &str) -> Result<(), Sentence> {
    if !label.is_empty() {
        check(label)?;
        let others = kept::runs_in(root_of(run)).into_iter();
        let mut others = others.filter(|other| kept::name_of(other) != kept::name_of(run));
        if let Some(other) = others.find(|other| kept::label(other).as_deref() == Some(label)) {
            return Err(sentence!(
                "label-taken",
                "{run} has the label {label:?}; remove it there first: tenbin label {label} ''",
                run = other.display(),
                label
            ));
        }
    }
    write_line(&run.join(kept::LABEL), label)
}

/// Gives a run a note, which takes the place of that of its plan; an empty one removes the note.
///
/// # Errors
/// Why it cannot have this note, in one sentence.
pub(crate) fn set_note(run: &Path, note: &str) -> Result<(), Sentence> {
    let note = if note.trim().is_empty() {
        String::new()
    } else {
        checked_note(note)
            .map_err(|why| sentence!("note-refused", "the note {reason}", reason = why))?
    };
    write_line(&run.join(kept::NOTE), &note)
}

/// The directory in which a run is.
fn root_of(run: &Path) -> &Path {
    let parent = run.parent();
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Writes a file of one line; removes the file for an empty line.
fn write_line(file: &Path, line: &str) -> Result<(), Sentence> {
    // A run directory of somebody else could have a pipe in its place, on which a write waits for ever.
    if fs::symlink_metadata(file).is_ok_and(|kind| !kind.is_file()) {
        return Err(sentence!(
            "no-regular-file",
            "{path} is not a regular file; remove {path} first",
            path = file.display()
        ));
    }
    if line.is_empty() {
        return match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(file, &error)),
            _ => Ok(()),
        };
    }
    let written = write_atomically(file, format!("{line}\n").as_bytes());
    written.map_err(|error| error.sentence())?;
    // The run may have been measured with another umask.
    let plan = file.with_file_name("plan.toml");
    fs::metadata(plan)
        .and_then(|plan| fs::set_permissions(file, plan.permissions()))
        .map_err(|error| unwritable(file, &error))
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
            label,
            longest = LONGEST
        ))
    }
}

/// Moves a run to the trash, and returns where it is now.
///
/// # Errors
/// Why it stays where it is, in one sentence.
pub(crate) fn trash(run: &Path) -> Result<PathBuf, Sentence> {
    if is_running(run) {
        return Err(sentence!(
            "end-first",
            "the run in {run} is still running; end it with Ctrl-C first",
            run = run.display()
        ));
    }
    let stays = |left: Sentence| {
        let stays = sentence!(
            "run-stays-because",
            "{run} stays where it is: {left}",
            run = run.display(),
            left
        );
        stays.with_part("left", [left])
    };
    // The plan says where a killed run may have left objects.
    let plan = keyless_plan(run).map_err(|why| stays(why.sentence()))?;
    if let Some(left) = leftovers(&plan, run).into_iter().next() {
        return Err(stays(left));
    }
    let trash = root_of(run).join(TRASH);
    fs::create_dir_all(&trash).map_err(|error| unwritable(&trash, &error))?;
    // A link would lead out of the directory of the runs.
    if !fs::symlink_metadata(&trash).is_ok_and(|kind| kind.is_dir()) {
        let link = sentence!(
            "is-a-link",
            "{path} is a symbolic link",
            path = trash.display()
        );
        return Err(stays(link));
    }
    let to = trash.join(kept::name_of(run));
    fs::rename(run, &to).map_err(|error| unwritable(&to, &error))?;
    Ok(to)
}

fn unwritable(path: &Path, error: &io::Error) -> Sentence {
    sentence!(
        "cannot-write",
        "cannot write {path}: {reason}",
        path = path.display(),
        reason = error
    )
}
