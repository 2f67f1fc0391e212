//! `tenbin hsbench`.

use tenbin_compat::hsbench::{HsbenchJob, parse};
use tenbin_report::formats::fronts::hsbench;

use crate::args::{AddedArgs, ForeignArgs, OutputArgs};
use crate::commands::measure::measure_and_show;
use crate::commands::other_tools::shared::{
    answer_with_added, can_keep, print_latency, show_recorded, tell,
};
use crate::commands::results::export::keep_as;
use crate::exit::Exit;
use crate::output;

/// Runs a command line of hsbench.
pub(crate) fn hsbench(args: &ForeignArgs) -> Exit {
    answer_with_added("hsbench", args, parse, run)
}

fn run(job: &HsbenchJob, added: AddedArgs) -> Exit {
    if let Err(exit) = can_keep(&[job.csv.as_deref(), job.json.as_deref()]) {
        return exit;
    }
    tell(&job.notes);
    let draft = added.observe(job.draft());
    let options = OutputArgs::for_foreign(false, false, added.agents);
    measure_and_show(draft, &options, &|plan, document, directory| {
        show_recorded(plan, document, directory, |run| {
            output::print_text(hsbench::text(run));
            print_latency(run, added.latency);
            keep_as("hsbench-csv", run, job.csv.as_deref());
            keep_as("hsbench-json", run, job.json.as_deref());
        });
    })
}
