//! `tenbin clean`: deletes and reports the objects and files that a killed run left behind.

use std::path::Path;

use tenbin_plan::{Context, Draft, LARGEST_RESULT, Plan, Sentence, read_own, sentence};
use tenbin_runner::{DataLeft, RunError, clean as clean_up, clean_command, data_left, places};

use crate::args::CleanArgs;
use crate::commands::measure::context::context_in;
use crate::commands::measure::plan::{NoPlan, executed, resolve_with};
use crate::commands::results::kept;
use crate::errors::CommandError;
use crate::exit::Exit;
use crate::output;
use crate::progress::Display;

/// Deletes the objects and files that a run left behind.
pub(crate) fn clean(args: &CleanArgs) -> Exit {
    let run = match kept::directory(&args.run) {
        Ok(run) => run,
        Err(sentence) => return output::refuse(&sentence),
    };
    clean_run(&run)
}

fn clean_run(run: &Path) -> Exit {
    // The data of launched targets is local, so removing it needs no key.
    let plan = match keyless_plan(run) {
        Ok(plan) => plan,
        Err(why) => return why.print(),
    };
    if tenbin_record::is_running(run) {
        return output::refuse(&sentence!(
            "cleans-up-itself",
            "the run in {run} is still running and cleans up when it ends: wait for its end, or end \
             it with Ctrl-C",
            run = run.display()
        ));
    }
    let local = remove_data(&plan, run);
    if places(&plan).is_empty() {
        if local.is_none() {
            output::say_note(&sentence!(
                "nothing-to-clean",
                "nothing to clean: the run stored nothing on a target that was already running, or \
                 was configured to keep what it stored, and no data of launched targets are left"
            ));
        }
        return local.unwrap_or(Exit::Done);
    }
    let local = local.unwrap_or(Exit::Done);
    let plan = match resolve_with(Draft::read_run(run), without_values) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    let mut display = Display::new(false);
    let (stop, bench) = match context_in(run, &display) {
        Ok(stage) => stage,
        Err(error) => {
            output::failed(&error);
            return Exit::Internal;
        }
    };
    let cleaned = clean_up(&plan, run, &bench, &stop, &mut |event| {
        display.show(&event);
    });
    display.clear();
    match cleaned {
        Ok(cleaned) => {
            cleaned.removed.iter().for_each(output::say_note);
            for left in &cleaned.unremovable {
                output::say_warning(&left.sentence());
            }
            if cleaned.left.is_empty() && !cleaned.unremovable.is_empty() {
                return local;
            }
            if cleaned.left.is_empty() {
                for place in places(&plan) {
                    let nothing = sentence!("nothing-left", "nothing is left {place}", place);
                    output::say_note(&nothing.with_part("place", [place]));
                }
                return local;
            }
            for left in &cleaned.left {
                output::say_error(&left.sentence());
            }
            Exit::Target
        }
        Err(RunError::Interrupted) => {
            for place in places(&plan) {
                let left = sentence!("objects-left", "objects may be left {place}", place);
                output::say_warning(&left.with_part("place", [place]));
            }
            output::say_error(&sentence!(
                "clean-again",
                "interrupted; run the same command again to delete what is left"
            ));
            Exit::Interrupted
        }
        Err(error) => {
            output::failure(&error);
            Exit::of_run(&error)
        }
    }
}

/// Why a run has no plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanUnread {
    /// `plan.toml` cannot be read.
    #[error(transparent)]
    Unreadable(CommandError),
    /// It is no plan.
    #[error(transparent)]
    NoPlan(#[from] NoPlan),
}

impl PlanUnread {
    /// The error with its arguments.
    pub(crate) fn sentence(&self) -> Sentence {
        match self {
            Self::Unreadable(error) => error.sentence(),
            Self::NoPlan(why) => why.sentence(),
        }
    }

    /// Prints the error, and returns the exit code.
    fn print(&self) -> Exit {
        match self {
            Self::Unreadable(error) => output::refuse_error(error),
            Self::NoPlan(why) => why.print(),
        }
    }
}

/// The plan of a run, with placeholders for all secrets.
pub(crate) fn keyless_plan(run: &Path) -> Result<Plan, PlanUnread> {
    let path = run.join("plan.toml");
    let text = read_own(&path, LARGEST_RESULT)
        .map_err(|source| PlanUnread::Unreadable(CommandError::Unreadable { path, source }))?;
    Ok(executed(&String::from_utf8_lossy(&text), run)?)
}

/// Sets placeholders for unset secrets of the measured requests, which deleting does not need.
/// Credentials of the servers get no placeholders, because deleting needs the real values.
fn without_values(context: &mut Context) {
    const NOT_NEEDED: [&str; 4] = [
        "TENBIN_HEADER_", "TENBIN_ENV_", "TENBIN_QUERY_", "TENBIN_BODY_",
    ];
    context.environment = Box::new(|name| {
        let made_up = || NOT_NEEDED.iter().any(|start| name.starts_with(start));
        let value = std::env::var(name).ok();
        value.or_else(|| made_up().then(|| "not-needed".to_owned()))
    });
}

/// Removes the data of launched targets from the run directory and reports each removal; `None` if
/// there is no such data.
fn remove_data(plan: &Plan, directory: &Path) -> Option<Exit> {
    let mut exit = None;
    for left in data_left(plan, directory) {
        match left.remove() {
            Ok(()) => {
                let what = data_in_words(&left);
                let removed = sentence!("removed", "removed {what}", what);
                output::say_note(&removed.with_part("what", [what]));
                exit = exit.or(Some(Exit::Done));
            }
            Err(error) => {
                let what = data_in_words(&left);
                let kept = sentence!(
                    "cannot-remove",
                    "cannot remove {what}: {reason}; remove it by hand",
                    what,
                    reason = error
                );
                output::say_error(&kept.with_part("what", [what]));
                exit = Some(Exit::Target);
            }
        }
    }
    exit
}

fn data_in_words(left: &DataLeft) -> Sentence {
    let files = match left.files {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    let data = sentence!(
        "data-of-target",
        "the data of target \"{target}\" ({files}, {bytes} bytes) in {path}",
        target = left.target,
        files,
        bytes = left.bytes,
        path = left.path.display()
    );
    data.with("files", left.files)
}

/// The possible leftovers of a killed run, and the leftovers that a finished run could not remove;
/// one sentence each.
pub(crate) fn leftovers(plan: &Plan, directory: &Path) -> Vec<Sentence> {
    if tenbin_record::is_running(directory) {
        return Vec::new();
    }
    let advice = clean_command(directory);
    let data = data_left(plan, directory).into_iter();
    let data = data.map(|left| {
        let what = data_in_words(&left);
        let left = sentence!(
            "killed-left-data",
            "the run was killed and left {what}; remove it with {command}",
            what,
            command = advice
        );
        left.with_part("what", [what])
    });
    if let Some(left) = tenbin_record::left_behind(directory) {
        let left = left.iter().map(|left| left.sentence());
        return left.chain(data).collect();
    }
    let places = places(plan).into_iter();
    places
        .map(|place| {
            let left = sentence!(
                "killed-left-objects",
                "the run was killed: objects may be left {place}; delete them with {command}",
                place,
                command = advice
            );
            left.with_part("place", [place])
        })
        .chain(data)
        .collect()
}
