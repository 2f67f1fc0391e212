//! `tenbin clean`: deletes what a killed run has left; and says that it has.

use std::path::Path;

use tenbin_plan::{Draft, Plan};
use tenbin_weigh::{clean as clean_up, places};

use super::measure::{exit_of, stage_in};
use super::plan::resolve;
use crate::args::CleanArgs;
use crate::exit::Exit;
use crate::output;
use crate::progress::Display;

/// Deletes what a run has left.
pub(crate) fn clean(args: &CleanArgs) -> Exit {
    let plan = match resolve(Draft::read(&args.run.join("plan.toml"))) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    if tenbin_record::is_under_way(&args.run) {
        output::error(&format!(
            "the run in {} is under way and tidies up after itself: wait for its end, or end it \
             with Ctrl-C",
            args.run.display()
        ));
        return Exit::Refused;
    }
    if places(&plan).is_empty() {
        output::note(
            "nothing to clean: the run put nothing on a target that was there before it, or what \
             it put is to stay",
        );
        return Exit::Done;
    }
    let mut display = Display::new(false);
    let (stop, bench) = match stage_in(&args.run, &display) {
        Ok(stage) => stage,
        Err(error) => {
            output::error(&format!("{error:#}"));
            return Exit::Internal;
        }
    };
    let cleaned = clean_up(&plan, &bench, &stop, &mut |news| display.show(&news));
    display.clear();
    match cleaned {
        Ok(left) if left.is_empty() => {
            for place in places(&plan) {
                output::note(&format!("nothing is left {place}"));
            }
            Exit::Done
        }
        Ok(left) => {
            left.iter().for_each(|sentence| output::error(sentence));
            Exit::Target
        }
        Err(error) => {
            output::error(&error.to_string());
            exit_of(&error)
        }
    }
}

/// What may still be on the targets of a run that nobody has tidied up after, or what
/// could not be removed; a sentence each.
pub(super) fn leftovers(plan: &Plan, directory: &Path) -> Vec<String> {
    if let Some(left) = tenbin_record::left_behind(directory) {
        return left;
    }
    if tenbin_record::is_under_way(directory) {
        return Vec::new();
    }
    let places = places(plan).into_iter();
    let advice = format!("tenbin clean {}", directory.display());
    places
        .map(|place| {
            format!("the run was killed: objects may be left {place}; delete them with {advice}")
        })
        .collect()
}
