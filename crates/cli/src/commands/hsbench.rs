//! `tenbin hsbench`.

use tenbin_compat::hsbench::{HsbenchJob, parse};
use tenbin_report::hsbench::{self, Bytes};

use super::foreign::{answer, can_keep, keep, show_recorded, tell};
use super::measure::measure_and_show;
use crate::args::{ForeignArgs, OutputArgs, foreign_world};
use crate::exit::Exit;
use crate::output;

/// Runs a command line of hsbench.
pub(crate) fn hsbench(args: &ForeignArgs) -> Exit {
    answer("hsbench", parse(&args.arguments, &foreign_world()), run)
}

fn run(job: &HsbenchJob) -> Exit {
    if let Err(exit) = can_keep(&[job.csv.as_deref(), job.json.as_deref()]) {
        return exit;
    }
    tell(&job.notes);
    let options = OutputArgs::for_foreign(false, false);
    measure_and_show(Ok(job.draft()), &options, &|_, document, directory| {
        show_recorded(document, directory, |recorded| {
            let mode = |workload: &str| {
                let mut modes = job.modes.iter();
                let found = modes.find(|(_, name)| name == workload);
                found.map_or_else(|| workload.to_owned(), |(mode, _)| mode.name().to_owned())
            };
            let rows = hsbench::rows(
                recorded.started,
                &recorded.slices,
                mode,
                Bytes::Each(job.size),
            );
            output::print(hsbench::text(&rows, document).as_bytes());
            keep(job.csv.as_deref(), hsbench::csv(&rows).as_bytes());
            keep(job.json.as_deref(), &hsbench::json(&rows));
        });
    })
}
