//! `tenbin show`: a finished or a killed run again.

use std::path::Path;

use tenbin_plan::{Context, Draft, Plan};
use tenbin_record::RecordedRun;

use super::plan::resolve_with;
use super::result::{Run, is_invalid};
use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::output;

/// Prints a run again.
pub(crate) fn show(args: &ShowArgs) -> Exit {
    let recorded = match tenbin_record::read(&args.run) {
        Ok(recorded) => recorded,
        Err(error) => {
            output::error(&error.to_string());
            return Exit::Refused;
        }
    };
    let plan = match plan_of(&recorded, &args.run) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    let document = Run {
        directory: &args.run,
        started: recorded.started,
        plan: &plan,
        environment: &recorded.environment,
        slices: &recorded.slices,
        complete: recorded.complete,
    }
    .document();
    output::report(&document, args.json);
    if is_invalid(&document) {
        Exit::Invalid
    } else {
        Exit::Done
    }
}

/// The plan as executed. Its secrets are not needed to look at it, nor are
/// the files that it names: neither may be there any more.
fn plan_of(recorded: &RecordedRun, directory: &Path) -> Result<Plan, Exit> {
    let draft = Draft::from_toml(&recorded.plan_toml, &directory.join("plan.toml"));
    resolve_with(draft, |context: &mut Context| {
        context.environment = Box::new(|_| Some("not-needed".to_owned()));
        context.read = Box::new(|_| Ok(b"not-needed".to_vec()));
    })
}
