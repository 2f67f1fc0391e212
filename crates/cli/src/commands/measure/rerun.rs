//! `tenbin rerun`: runs the plan of an earlier run again and compares the two runs.

use crate::args::{EarlierArgs, RerunArgs};
use crate::commands::measure_after;
use crate::commands::results::opened::OpenedRun;
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
