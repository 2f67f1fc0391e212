//! `tenbin wrk`.

use tenbin_compat::wrk::{WrkJob, parse};
use tenbin_report::{Pooled, last_lines, wrk};

use super::foreign::{answer, show_recorded, tell};
use super::measure::measure_and_show;
use crate::args::{ForeignArgs, OutputArgs, foreign_world};
use crate::exit::Exit;
use crate::output;

/// Runs a command line of wrk.
pub(crate) fn wrk(args: &ForeignArgs) -> Exit {
    answer("wrk", parse(&args.arguments, &foreign_world()), run)
}

fn run(job: &WrkJob) -> Exit {
    tell(&job.web.notes);
    let options = OutputArgs::for_foreign(false, false);
    measure_and_show(
        Ok(job.web.draft()),
        &options,
        &|plan, document, directory| {
            show_recorded(document, directory, |recorded| {
                let mut text = String::new();
                for (target, server) in plan.targets.iter().zip(&job.web.servers) {
                    let asked = wrk::Asked {
                        url: &server.url,
                        duration: job.duration,
                        threads: plan.threads as u64,
                        connections: job.web.connections,
                        latency: job.latency,
                        at_a_rate: job.web.rate.is_some(),
                        uncorrected: job.uncorrected,
                    };
                    let pooled = Pooled::of(recorded, &target.name);
                    text.push_str(&wrk::text(&asked, &pooled));
                    text.push('\n');
                }
                text.push_str(&last_lines(document));
                output::print(text.as_bytes());
            });
        },
    )
}
