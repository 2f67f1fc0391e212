//! `tenbin clean`: deletes and reports the objects and files that a killed run left behind.

use std::path::Path;

use tenbin_plan::{Context, Draft, LARGEST_RESULT, Plan, read_own};
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
        Err(sentence) => {
            output::error(&sentence);
            return Exit::Refused;
        }
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
        output::error(&format!(
            "the run in {} is still running and cleans up when it ends: wait for its end, or end \
             it with Ctrl-C",
            run.display()
        ));
        return Exit::Refused;
    }
    let local = remove_data(&plan, run);
    if places(&plan).is_empty() {
        if local.is_none() {
            output::note(
                "nothing to clean: the run stored nothing on a target that was already running, or \
                 was configured to keep what it stored, and no data of launched targets are left",
            );
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
            output::error(&format!("{error:#}"));
            return Exit::Internal;
        }
    };
    let cleaned = clean_up(&plan, run, &bench, &stop, &mut |event| {
        display.show(&event);
    });
    display.clear();
    match cleaned {
        Ok(cleaned) => {
            cleaned.removed.iter().for_each(|done| output::note(done));
            if cleaned.left.is_empty() {
                for place in places(&plan) {
                    output::note(&format!("nothing is left {place}"));
                }
                return local;
            }
            for left in &cleaned.left {
                output::error(&left.to_string());
            }
            Exit::Target
        }
        Err(RunError::Interrupted) => {
            for place in places(&plan) {
                output::warning(&format!("objects may be left {place}"));
            }
            output::error("interrupted; run the same command again to delete what is left");
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
    /// Prints the error, and returns the exit code.
    fn print(&self) -> Exit {
        match self {
            Self::Unreadable(error) => {
                output::failure(error);
                Exit::Refused
            }
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
        "TENBIN_HEADER_",
        "TENBIN_ENV_",
        "TENBIN_QUERY_",
        "TENBIN_BODY_",
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
                output::note(&format!("removed {}", data_in_words(&left)));
                exit = exit.or(Some(Exit::Done));
            }
            Err(error) => {
                let what = data_in_words(&left);
                output::error(&format!("cannot remove {what}: {error}; remove it by hand"));
                exit = Some(Exit::Target);
            }
        }
    }
    exit
}

fn data_in_words(left: &DataLeft) -> String {
    let files = match left.files {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    format!(
        "the data of target \"{}\" ({files}, {} bytes) in {}",
        left.target,
        left.bytes,
        left.path.display()
    )
}

/// The possible leftovers of a killed run, and the leftovers that a finished run could not remove;
/// one sentence each.
pub(crate) fn leftovers(plan: &Plan, directory: &Path) -> Vec<String> {
    if tenbin_record::is_running(directory) {
        return Vec::new();
    }
    let advice = clean_command(directory);
    let data = data_left(plan, directory).into_iter();
    let data = data.map(|left| {
        let what = data_in_words(&left);
        format!("the run was killed and left {what}; remove it with {advice}")
    });
    if let Some(left) = tenbin_record::left_behind(directory) {
        let left = left.iter().map(ToString::to_string);
        return left.chain(data).collect();
    }
    let places = places(plan).into_iter();
    places
        .map(|place| {
            format!("the run was killed: objects may be left {place}; delete them with {advice}")
        })
        .chain(data)
        .collect()
}
