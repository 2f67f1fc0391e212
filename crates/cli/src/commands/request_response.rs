//! `tenbin drnbench-request-response`.

use std::path::PathBuf;

use tenbin_compat::request_response::{NAME, RampJob, parse};
use tenbin_report::drnbench::{Listed, text};

use super::foreign::{answer, can_keep, show_recorded, tell};
use super::measure::measure_and_show;
use super::ramp::{keep_ramps, ramps_of};
use crate::args::{ForeignArgs, OutputArgs, foreign_world};
use crate::exit::Exit;
use crate::output;

/// Does what drnbench-request-response's command line asks for.
pub(crate) fn request_response(args: &ForeignArgs) -> Exit {
    answer(NAME, parse(&args.arguments, &foreign_world()), run)
}

fn run(job: &RampJob) -> Exit {
    let path = job.output.as_ref().map(PathBuf::from);
    let path = path.unwrap_or_else(|| std::env::temp_dir().join("drnbench-result.csv"));
    if let Err(exit) = can_keep(&[path.to_str()]) {
        return exit;
    }
    tell(&job.notes);
    let options = OutputArgs::for_foreign(false, false);
    let listed = Listed {
        slow: usize::try_from(job.slow).unwrap_or(usize::MAX),
        fast: usize::try_from(job.fast).unwrap_or(usize::MAX),
        urls: &job.urls,
    };
    measure_and_show(Ok(job.draft()), &options, &|plan, document, directory| {
        show_recorded(document, directory, |recorded| {
            let ramps = ramps_of(plan, recorded);
            match ramps.as_slice() {
                [ramp] => output::print(text(ramp, &listed, document).as_bytes()),
                _ => output::report(document, false),
            }
            keep_ramps(&ramps, &path);
        });
    })
}
