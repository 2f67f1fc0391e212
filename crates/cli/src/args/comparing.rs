//! How targets are compared.

use clap::Args;
use tenbin_plan::{Draft, Scalar};

use super::{many, set};

/// How targets are compared, and the conditions that are checked.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Comparison")]
pub struct ComparingArgs {
    /// The target that the others are compared with [default: the first]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Add a twin of the baseline: a second instance of a server that Tenbin starts, or otherwise
    /// the same address under another name. Its difference from the baseline is the noise of the
    /// run
    #[arg(long)]
    pub aa: bool,
    /// Workloads to compare with the first of them on each target, separated by commas, for example
    /// get-1KiB,get-1MiB; their slices are interleaved like those of targets
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    pub compare_workloads: Vec<String>,
    /// Largest difference at which two targets count as equivalent [default: 5%]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub margin: Option<String>,
    /// Variation between starts of one program: if each target ran in a single process, a smaller
    /// difference is "cannot tell"; 0% compares these processes, not the programs [default: 5%]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub start_noise: Option<String>,
    /// Figure that decides every comparison: throughput, mean, p50, p90, p95, p99, p99.9 or another
    /// percentile, cpu or bandwidth [default: throughput; with a rate p50]
    #[arg(long, value_name = "FIGURE")]
    pub decide: Option<String>,
    /// Condition that must be proven true, repeatable or with commas: throughput, mean, p50, p90,
    /// p95, p99, p99.9 or another percentile, max, errors, cpu or bandwidth, then <, <=, > or >= and
    /// a bound with a unit, such as 'p99<20ms' or 'throughput>0.95x baseline'; NAME: before the
    /// condition for one target or workload. Exit code 7 if proven false, 8 if the run cannot tell
    #[arg(long, value_name = "CONDITION", value_delimiter = ',')]
    pub expect: Vec<String>,
    /// Condition that must not be proven true, written like --expect, such as
    /// 'throughput<0.95x baseline'. Exit code 7 if proven true, and 0 if the run cannot tell
    #[arg(long, value_name = "CONDITION", value_delimiter = ',')]
    pub fail_if: Vec<String>,
}

impl ComparingArgs {
    /// Overrides `draft` with the options that were given.
    pub(super) fn apply(&self, draft: &mut Draft) {
        set(&mut draft.baseline, "--baseline", self.baseline.as_deref());
        set(&mut draft.aa, "--aa", self.aa.then_some(true));
        set(&mut draft.margin, "--margin", self.margin.as_deref());
        let start_noise = self.start_noise.as_deref();
        set(&mut draft.start_noise, "--start-noise", start_noise);
        set(&mut draft.decide, "--decide", self.decide.as_deref());
        if let Some(workloads) = many("--compare-workloads", &self.compare_workloads) {
            draft.compare.workloads = Some(workloads);
        }
        if let Some(conditions) = many("--expect", &self.expect) {
            draft.expect = Some(conditions);
        }
        if let Some(conditions) = many("--fail-if", &self.fail_if) {
            draft.fail_if = Some(conditions);
        }
    }

    /// Separates conditions from statuses in `--expect`: a condition contains an operator; a
    /// status is a number or a class such as `3xx`.
    pub(super) fn without_statuses(&self) -> (Self, Vec<Scalar>) {
        let (mut conditions, mut statuses) = (Vec::new(), Vec::new());
        for word in &self.expect {
            match word.parse::<u64>() {
                Ok(status) => statuses.push(status.into()),
                Err(_) if word.len() == 3 && word.ends_with("xx") => {
                    statuses.push(word.as_str().into());
                }
                Err(_) => conditions.push(word.clone()),
            }
        }
        let conditions = Self {
            expect: conditions,
            ..self.clone()
        };
        (conditions, statuses)
    }
}
