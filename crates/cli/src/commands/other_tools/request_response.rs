//! `tenbin drnbench-request-response`.

use std::path::PathBuf;

use tenbin_compat::request_response::{NAME, RampJob, parse};
use tenbin_plan::{At, Draft, ObservedDraft, Sentence};
use tenbin_report::Extent;
use tenbin_report::formats::fronts::drnbench::{Listed, sweeps, text};
use tenbin_targets::known_counters;
use tenbin_targets::observe::listeners;

use crate::args::{AddedArgs, ForeignArgs, OutputArgs, observed};
use crate::commands::measure::measure_and_show;
use crate::commands::other_tools::shared::{
    answer_with_added, can_keep, print_latency, show_recorded, tell,
};
use crate::commands::results::export::keep_sweeps;
use crate::exit::Exit;
use crate::output;

/// Runs a command line of drnbench-request-response.
pub(crate) fn request_response(args: &ForeignArgs) -> Exit {
    answer_with_added(NAME, args, parse, run)
}

fn run(job: &RampJob, added: AddedArgs) -> Exit {
    let path = job.output.as_ref().map(PathBuf::from);
    let path = path.unwrap_or_else(|| std::env::temp_dir().join("drnbench-result.csv"));
    if let Err(exit) = can_keep(&[path.to_str()]) {
        return exit;
    }
    tell(&job.notes);
    let draft = match draft(job, &added) {
        Ok(draft) => draft,
        Err(why) => return output::refuse(&why),
    };
    let options = OutputArgs::for_foreign(false, false, added.agents);
    let listed = Listed {
        slow: usize::try_from(job.slow).unwrap_or(usize::MAX),
        fast: usize::try_from(job.fast).unwrap_or(usize::MAX),
        urls: &job.urls,
    };
    measure_and_show(Ok(draft), &options, &|plan, document, directory| {
        show_recorded(plan, document, directory, |run| {
            match sweeps(plan, &run.record.slices).as_slice() {
                [sweep] => output::print_text(text(sweep, &listed, document)),
                _ => output::report(document, Extent::Screen),
            }
            print_latency(run, added.latency);
            keep_sweeps(run, &path);
        });
    })
}

/// The value that disables an option.
const NONE: &str = "none";

/// The kind of cache counters that Droonga's HTTP server has.
const DROONGA: &str = "droonga";
/// Where Droonga's engine listens by default. It does the work; its HTTP server only forwards.
const DROONGA_ENGINE: &str = "http://127.0.0.1:10031/";

/// The address of Droonga's engine, if it runs on this machine.
fn droonga_engine() -> Option<String> {
    let url = DROONGA_ENGINE.to_owned();
    listeners(std::slice::from_ref(&url)).is_ok().then_some(url)
}

/// The plan of the job. The sources of cache hits and CPU use come from the command line or are
/// detected automatically.
fn draft(job: &RampJob, added: &AddedArgs) -> Result<Draft, Sentence> {
    let counters = match job.cache_counters.as_deref() {
        Some(NONE) => None,
        Some(given) => Some(given.to_owned()),
        None => known_counters(&job.urls).map(|known| known.to_string()),
    };
    let mut draft = job.draft(counters.as_deref());
    match added.observes() {
        [] => {
            let mut urls = job.urls.clone();
            if counters.as_deref() == Some(DROONGA) {
                urls.extend(droonga_engine());
            }
            let ports = listeners(&urls).unwrap_or_default().into_iter();
            let each = ports.map(|port| observed(&format!("port:{port}")));
            let found = each.collect::<Result<Vec<_>, _>>()?;
            if let (Some(target), false) = (draft.targets.first_mut(), found.is_empty()) {
                let all = found.into_iter();
                let all = all.map(|one| At::flag("--observe", one)).collect();
                target.value.observe = Some(At::flag("--observe", ObservedDraft::Several(all)));
            }
            Ok(draft)
        }
        [only] if only == NONE => Ok(draft),
        _ => added.observe(draft).map_err(|refusal| refusal.sentence()),
    }
}
