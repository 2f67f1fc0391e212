//! What a format needs that the plan already shows, so that a run is refused before it starts.

use tenbin_plan::Plan;

use super::format::Format;

/// What a run lacks for `junit` and `code-quality`.
pub(super) const NO_CONDITION: &str =
    "the run has no condition and no gate; add --expect or --fail-if, or use `tenbin gate`";
/// What a run lacks for the formats of a concurrency sweep.
pub(super) const NO_SWEEP: &str = "the run has no concurrency sweep; add --ramp";
/// Why formats of tools that measure one request cannot hold a run.
const ONE_WORKLOAD: &str = "the format is for a run of one workload, and the plan has several";

/// Names of formats, whether a plan has what they need, and what is missing otherwise.
type Row = (&'static [&'static str], fn(&Plan) -> bool, &'static str);

const ROWS: &[Row] = &[
    (
        &["junit", "code-quality"],
        |plan| !plan.comparing.expect.is_empty() || plan.gate.is_some(),
        NO_CONDITION,
    ),
    (
        &["ramp", "ramp-throughput", "ramp-latency"],
        |plan| !plan.concurrency_sweeps().is_empty(),
        NO_SWEEP,
    ),
    (
        &["ab", "ab-csv", "ab-tsv", "wrk"],
        |plan| plan.workloads.len() == 1,
        ONE_WORKLOAD,
    ),
];

impl Format {
    /// What a run of this plan will lack for this format, in one clause; `None` if nothing is known
    /// to be missing.
    pub fn lacks_in(&self, plan: &Plan) -> Option<&'static str> {
        let mut rows = ROWS.iter();
        let (_, is_there, what) = rows.find(|(names, ..)| names.contains(&self.name))?;
        (!is_there(plan)).then_some(*what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::table::format;

    #[test]
    fn every_row_names_formats_that_are_written() {
        for name in ROWS.iter().flat_map(|(names, ..)| *names) {
            let known = format(name).unwrap_or_else(|| panic!("{name}"));
            assert!(known.write.is_some(), "{name}");
        }
    }
}
