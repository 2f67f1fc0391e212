//! The commands that measure.

use std::path::PathBuf;

use tenbin_plan::{Draft, Plan, Refusal};
use tenbin_weigh::{Bench, Ending, Stop, WeighError, Weighed, weigh};

use super::plan::resolve;
use super::result::{Run, is_invalid, keep};
use crate::args::OutputArgs;
use crate::exit::Exit;
use crate::progress::Display;
use crate::{interrupt, output};

/// Runs an experiment, prints its result and keeps it.
pub(crate) fn measure(draft: Result<Draft, Refusal>, options: &OutputArgs) -> Exit {
    let plan = match resolve(draft) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    let mut display = Display::new(options.quiet);
    let (stop, bench) = match stage(options, &display) {
        Ok(stage) => stage,
        Err(error) => {
            output::error(&format!("{error:#}"));
            return Exit::Internal;
        }
    };
    let weighed = weigh(&plan, &bench, &stop, &mut |news| display.show(&news));
    display.clear();
    match weighed {
        Ok(weighed) => conclude(&plan, &weighed, options, &display),
        Err(error) => {
            output::error(&error.to_string());
            exit_of(&error)
        }
    }
}

fn stage(options: &OutputArgs, display: &Display) -> anyhow::Result<(Stop, Bench)> {
    use anyhow::Context as _;

    let stop = interrupt::stop(display.speaker()).context("cannot listen to Ctrl-C")?;
    let executable = std::env::current_exe().context("cannot find this program's own file")?;
    let plan_directory = std::env::current_dir().context("cannot tell the working directory")?;
    Ok((
        stop,
        Bench {
            root: PathBuf::from(&options.out),
            plan_directory,
            executable,
        },
    ))
}

/// Prints and keeps the result, then says how the run ended if not as planned.
fn conclude(plan: &Plan, weighed: &Weighed, options: &OutputArgs, display: &Display) -> Exit {
    let document = Run {
        directory: &weighed.directory,
        started: weighed.started,
        plan,
        environment: &weighed.environment,
        slices: &weighed.slices,
        complete: matches!(weighed.ending, Ending::Complete),
    }
    .document();
    let kept = keep(&document, &weighed.directory);
    for sentence in &weighed.left_behind {
        display.warn(sentence);
    }
    output::report(&document, options.json);
    let ended = match &weighed.ending {
        Ending::Complete => None,
        Ending::Interrupted => {
            display.warn("interrupted; what was measured before is kept");
            Some(Exit::Interrupted)
        }
        Ending::TargetFailed(sentence) => {
            output::error(&format!("{sentence}; what was measured before is kept"));
            Some(Exit::TargetFailed)
        }
        Ending::RecordFailed(error) => {
            output::error(&format!("{error}; what was written before is kept"));
            Some(Exit::Record)
        }
    };
    if let Some(exit) = ended {
        return exit;
    }
    if let Err(error) = kept {
        output::error(&error.to_string());
        return Exit::Record;
    }
    if is_invalid(&document) {
        return Exit::Invalid;
    }
    Exit::Done
}

fn exit_of(error: &WeighError) -> Exit {
    match error {
        WeighError::Target(_) | WeighError::Preparation { .. } => Exit::Target,
        WeighError::Workload(_) | WeighError::Descriptors { .. } => Exit::Refused,
        WeighError::Record(_) => Exit::Record,
        WeighError::Engine(_) => Exit::Internal,
        WeighError::Interrupted => Exit::Interrupted,
    }
}
