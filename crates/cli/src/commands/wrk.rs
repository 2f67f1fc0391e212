//! `tenbin wrk`.

use tenbin_compat::wrk::{WrkJob, parse};
use tenbin_plan::AgentsDraft;
use tenbin_report::formats::fronts::wrk;
use tenbin_report::last_lines;

use super::foreign::{answer_with_agents, show_recorded, tell};
use super::measure::measure_and_show;
use crate::args::{Flags, ForeignArgs, OutputArgs, foreign_world};
use crate::exit::Exit;
use crate::output;

/// Runs a command line of wrk.
pub(crate) fn wrk(args: &ForeignArgs) -> Exit {
    answer_with_agents(
        "wrk",
        args,
        |arguments| parse(arguments, &foreign_world()),
        run,
    )
}

fn run(job: &WrkJob, agents: Flags<AgentsDraft>) -> Exit {
    tell(&job.web.notes);
    let options = OutputArgs::for_foreign(false, false, agents);
    measure_and_show(
        Ok(job.web.draft()),
        &options,
        &|plan, document, directory| {
            show_recorded(plan, document, directory, |run| {
                let mut text = String::new();
                for (target, server) in plan.targets.iter().zip(&job.web.servers) {
                    let shown = wrk::Shown {
                        url: Some(&server.url),
                        duration: Some(job.duration),
                        latency: job.latency,
                        uncorrected: job.uncorrected,
                    };
                    text.push_str(&wrk::text(run, target, &shown));
                    text.push('\n');
                }
                text.push_str(&last_lines(document));
                output::print(text.as_bytes());
            });
        },
    )
}
