//! Result files of concurrency sweeps in drnbench's format.

use std::path::Path;

use tenbin_plan::Plan;
use tenbin_record::RecordedRun;
use tenbin_report::drnbench::{Manner, Ramp, csv, file_of, ramps};

use super::foreign::keep;
use crate::output;

/// The concurrency sweeps of a run.
pub(super) fn ramps_of(plan: &Plan, recorded: &RecordedRun) -> Vec<Ramp> {
    ramps(&recorded.slices, |workload| {
        let mut workloads = plan.workloads.iter();
        let load = workloads.find(|known| known.name == workload);
        let load = load.map(|known| &known.load);
        let think = load.and_then(|load| load.think);
        Manner {
            keep_alive: load.is_none_or(|load| load.keep_alive),
            think: think.map_or(0.0, |think| think.mean().as_secs_f64()),
        }
    })
}

/// Writes one file per target and prints its path.
pub(super) fn keep_ramps(ramps: &[Ramp], path: &Path) {
    if ramps.is_empty() {
        output::warning(
            "no step ran its full time in a closed loop, so that there is no file in drnbench's \
             format",
        );
    }
    for ramp in ramps {
        let file = file_of(path, ramp, ramps);
        let shown = file.display().to_string();
        keep(Some(&shown), csv(ramp).as_bytes());
        output::note(&format!("{} in drnbench's format: {shown}", ramp.target));
    }
}
