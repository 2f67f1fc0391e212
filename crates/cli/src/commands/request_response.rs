//! `tenbin drnbench-request-response`.

use std::path::PathBuf;

use tenbin_compat::request_response::{NAME, RampJob, parse};
use tenbin_plan::{AgentsDraft, At, Draft, ObservedDraft};
use tenbin_report::Extent;
use tenbin_report::formats::fronts::drnbench::{Listed, ramps, text};
use tenbin_targets::known_counters;
use tenbin_targets::observe::listeners;

use super::export::keep_ramps;
use super::foreign::{answer_with_agents, can_keep, show_recorded, tell};
use super::measure::measure_and_show;
use crate::args::{Flags, ForeignArgs, OutputArgs, foreign_world, observed};
use crate::exit::Exit;
use crate::output;

/// Runs a command line of drnbench-request-response.
pub(crate) fn request_response(args: &ForeignArgs) -> Exit {
    answer_with_agents(
        NAME,
        args,
        |arguments| parse(arguments, &foreign_world()),
        run,
    )
}

fn run(job: &RampJob, agents: Flags<AgentsDraft>) -> Exit {
    let path = job.output.as_ref().map(PathBuf::from);
    let path = path.unwrap_or_else(|| std::env::temp_dir().join("drnbench-result.csv"));
    if let Err(exit) = can_keep(&[path.to_str()]) {
        return exit;
    }
    tell(&job.notes);
    let draft = match draft(job) {
        Ok(draft) => draft,
        Err(why) => {
            output::error(&why);
            return Exit::Refused;
        }
    };
    let options = OutputArgs::for_foreign(false, false, agents);
    let listed = Listed {
        slow: usize::try_from(job.slow).unwrap_or(usize::MAX),
        fast: usize::try_from(job.fast).unwrap_or(usize::MAX),
        urls: &job.urls,
    };
    measure_and_show(Ok(draft), &options, &|plan, document, directory| {
        show_recorded(plan, document, directory, |run| {
            match ramps(plan, &run.record.slices).as_slice() {
                [ramp] => output::print(text(ramp, &listed, document).as_bytes()),
                _ => output::report(document, Extent::Screen),
            }
            keep_ramps(run, &path);
        });
    })
}

/// The value that disables an option.
const NONE: &str = "none";

/// The plan of the job. The sources of cache hits and CPU use come from the command line or are
/// detected automatically.
fn draft(job: &RampJob) -> Result<Draft, String> {
    let counters = match job.cache_counters.as_deref() {
        Some(NONE) => None,
        Some(given) => Some(given.to_owned()),
        None => known_counters(&job.urls).map(|known| known.to_string()),
    };
    let observed = match job.observe.as_deref() {
        Some(NONE) => Vec::new(),
        Some(given) => vec![observed(given).map_err(|why| format!("--observe: {why}"))?],
        None => {
            let ports = listeners(&job.urls).unwrap_or_default().into_iter();
            let each = ports.map(|port| observed(&format!("port:{port}")));
            each.collect::<Result<_, _>>()?
        }
    };
    let mut draft = job.draft(counters.as_deref());
    if let (Some(target), false) = (draft.targets.first_mut(), observed.is_empty()) {
        let all = observed.into_iter();
        let all = all.map(|one| At::flag("--observe", one)).collect();
        target.value.observe = Some(At::flag("--observe", ObservedDraft::Several(all)));
    }
    Ok(draft)
}
