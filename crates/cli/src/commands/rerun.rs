//! `tenbin rerun`: runs the plan of an earlier run again and compares the two runs.

use super::measure_after;
use super::opened::OpenedRun;
use crate::args::{EarlierArgs, RerunArgs};
use crate::exit::Exit;

/// Runs the plan of an earlier run again and compares the two runs.
pub(crate) fn rerun(args: &RerunArgs) -> Exit {
    let run = match OpenedRun::open(&args.run) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    let draft = args.draft(&run.directory);
    let earlier = EarlierArgs {
        before: Some(run.directory.clone()),
        ..EarlierArgs::default()
    };
    measure_after(draft, &args.output, Some(&earlier))
}
