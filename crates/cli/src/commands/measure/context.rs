//! The runtime environment of a run: stop flags and directories.

use std::path::Path;

use anyhow::Context as _;
use tenbin_plan::sentence;
use tenbin_runner::{RunContext, Stop};

use crate::progress::Display;
use crate::{allocator, interrupt};

/// The stop flags that Ctrl-C sets, and the context of a run with its run directory below `root`.
pub(crate) fn context_in(root: &Path, display: &Display) -> anyhow::Result<(Stop, RunContext)> {
    let stop = interrupt::stop(display.speaker())?;
    let executable = std::env::current_exe().context(sentence!(
        "no-own-file",
        "cannot find this program's own file"
    ))?;
    let plan_directory = std::env::current_dir().context(sentence!(
        "no-working-directory-here",
        "cannot read the working directory"
    ))?;
    Ok((
        stop,
        RunContext {
            root: root.to_owned(),
            plan_directory,
            executable,
            count_allocations: allocator::allocated,
            rounds_end: tenbin_verdict::rounds_end,
            departs: tenbin_verdict::departs,
            lengthen_slices: false,
        },
    ))
}
