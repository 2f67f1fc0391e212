//! `tenbin ab`.

use tenbin_compat::ab::{AbJob, parse};
use tenbin_report::formats::fronts::ab;

use crate::args::{AddedArgs, ForeignArgs, OutputArgs};
use crate::commands::measure::measure_and_show;
use crate::commands::other_tools::shared::{
    answer_with_added, can_keep, last_findings, print_latency, show_recorded, tell,
};
use crate::commands::results::export::keep_as;
use crate::exit::Exit;
use crate::output;

/// Runs a command line of ab.
pub(crate) fn ab(args: &ForeignArgs) -> Exit {
    answer_with_added("ab", args, parse, run)
}

fn run(job: &AbJob, added: AddedArgs) -> Exit {
    if let Err(exit) = can_keep(&[job.csv.as_deref(), job.list.as_deref()]) {
        return exit;
    }
    tell(&job.web.notes);
    let draft = added.observe(job.web.draft());
    let options = OutputArgs::for_foreign(job.quiet, false, added.agents);
    measure_and_show(draft, &options, &|plan, document, directory| {
        show_recorded(plan, document, directory, |run| {
            let mut text = String::new();
            for target in &plan.targets {
                text.push_str(&ab::text(run, target, job.percentages));
                text.push('\n');
            }
            keep_as("ab-csv", run, job.csv.as_deref());
            keep_as("ab-tsv", run, job.list.as_deref());
            output::print_text(&text);
            print_latency(run, added.latency);
            output::print_text(last_findings(document));
        });
    })
}
