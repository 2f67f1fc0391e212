//! A run of a command that measures several runs and prints one result, such as a bisect.

use std::path::PathBuf;

use tenbin_plan::Plan;
use tenbin_record::Slice;
use tenbin_result::Document;
use tenbin_runner::{Ending, Progress, RunContext, RunError, Stop};

use super::{Concluded, Steered};
use crate::output;
use crate::progress::Display;

/// A run that measured something.
pub(crate) struct OneRun {
    pub(crate) directory: PathBuf,
    pub(crate) document: Document,
    pub(crate) ending: Ending,
}

/// Measures a plan and writes its result. `read` gets the slices, which the result does not keep as
/// they were.
///
/// # Errors
/// When nothing could be measured.
pub(crate) fn run_one(
    plan: &Plan,
    context: &RunContext,
    stop: &Stop,
    display: &mut Display,
    read: &mut dyn FnMut(&Plan, &[Slice]),
) -> Result<OneRun, RunError> {
    stop.begin_run();
    let mut steering = Steered::new(plan);
    let mut concluded = None;
    let outcome = tenbin_runner::run(plan, context, stop, &mut steering, &mut |event| {
        display.show(&event);
        if let Progress::Concluded { outcome } = event {
            read(plan, &outcome.slices);
            concluded = Some(Concluded::new(plan, outcome, None));
        }
    });
    display.clear();
    let mut outcome = outcome?;
    let Some(concluded) = concluded else {
        return Err(RunError::Interrupted);
    };
    let concluded = concluded.with_leftovers(plan, &mut outcome, None);
    for left in &outcome.left_behind {
        display.warn_always(&left.sentence());
    }
    if let Err(error) = &concluded.kept {
        display.always(&output::warning_of(error));
    }
    Ok(OneRun {
        directory: outcome.directory,
        document: concluded.document,
        ending: outcome.ending,
    })
}
