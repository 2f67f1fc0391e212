//! Names of the files of a run directory.

/// File for the executed plan.
pub(crate) const PLAN_FILE: &str = "plan.toml";
/// File for the machine, limits and software versions of a run.
pub(crate) const ENVIRONMENT_FILE: &str = "environment.json";
/// File for the measurements, second by second.
pub(crate) const INTERVALS_FILE: &str = "intervals.jsonl";
/// File for the latency histograms of each second.
pub(crate) const LATENCY_FILE: &str = "latency.hlog";
/// File for the latency histograms of complete slices.
pub(crate) const TOTALS_FILE: &str = "slices.bin";
/// File for the result, written at the end of the run.
pub(crate) const RESULT_FILE: &str = "result.json";
