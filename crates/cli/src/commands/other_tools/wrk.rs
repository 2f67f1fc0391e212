//! `tenbin wrk` and `tenbin wrk2`.

use tenbin_compat::wrk::{WrkJob, parse, parse_wrk2};
use tenbin_report::formats::fronts::wrk;

use crate::args::{AddedArgs, ForeignArgs, OutputArgs};
use crate::commands::measure::measure_and_show;
use crate::commands::other_tools::shared::{answer_with_added, last_findings, show_recorded, tell};
use crate::exit::Exit;
use crate::output;

/// Runs a command line of wrk.
pub(crate) fn wrk(args: &ForeignArgs) -> Exit {
    answer_with_added("wrk", args, parse, run)
}

/// Runs a command line of wrk2.
pub(crate) fn wrk2(args: &ForeignArgs) -> Exit {
    answer_with_added("wrk2", args, parse_wrk2, run)
}

fn run(job: &WrkJob, added: AddedArgs) -> Exit {
    tell(&job.web.notes);
    let draft = added.observe(job.web.draft());
    let options = OutputArgs::for_foreign(false, false, added.agents);
    measure_and_show(draft, &options, &|plan, document, directory| {
        show_recorded(plan, document, directory, |run| {
            let mut text = String::new();
            for (target, server) in plan.targets.iter().zip(&job.web.servers) {
                let shown = wrk::Shown {
                    url: Some(&server.url),
                    duration: Some(job.duration),
                    latency: job.latency || added.latency,
                    uncorrected: job.uncorrected,
                };
                text.push_str(&wrk::text(run, target, &shown));
                text.push('\n');
            }
            text.push_str(&last_findings(document));
            output::print_text(&text);
        });
    })
}
