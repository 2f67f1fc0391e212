//! Progress events of a run.

use std::path::Path;
use std::time::{Duration, SystemTime};

use tenbin_plan::{MeasuredTime, Plan, Sentence};
use tenbin_record::{Environment, LiveSecond, Slice};

use crate::data::loaded::LoadedData;
use crate::outcome::RunOutcome;

/// A progress event.
#[derive(Debug)]
pub enum Progress<'a> {
    /// The run directory has been created.
    Started {
        /// The run directory.
        directory: &'a Path,
        /// Start time of the run.
        started: SystemTime,
        /// Maximum number of slices, with those after the rounds; 0 for a maximum-rate search.
        slices: usize,
        /// Planned time of each slice after the rounds, in the order of the run: the probes of other
        /// loads and the continuous stretches.
        after_rounds: &'a [Duration],
        /// Expected maximum duration of the measured part; for a gate, within its budget.
        forecast: Duration,
        /// The measured time in `forecast`; `None` if the run or its slices can end before their time.
        measured: Option<MeasuredTime>,
        /// Expected maximum duration if one target is much slower than another.
        longest: Option<Duration>,
        /// Expected maximum duration if a target cannot keep up with a fixed rate.
        behind: Option<Duration>,
        /// Expected minimum duration, if the run may end as soon as the figures are precise enough.
        shortest: Option<Duration>,
        /// Whether slices can end before their time, as phases do that have handled all their blobs.
        ends_early: bool,
        /// Total number of requests, if each slice ends after a fixed number of requests.
        requests: Option<u64>,
        /// The data that is loaded into each target before measuring, if any.
        loaded: Option<LoadedData>,
    },
    /// The run is about to be measured: its length, known since [`Progress::Started`], can be told.
    /// Before the data is loaded, if any; otherwise after the first responses of the targets.
    Announced,
    /// `plan.toml` contains values that may be secrets without being marked as secret.
    Printed {
        /// Description of these values.
        what: &'a Sentence,
    },
    /// A target is starting, or Tenbin waits for its response.
    Starting {
        /// Name of the target.
        target: &'a str,
        /// What the start is waiting for, reported once the wait takes a while.
        awaited: Option<&'a str>,
        /// Duration of the wait so far.
        waited: Duration,
    },
    /// A target is ready.
    Ready {
        /// Name of the target.
        target: &'a str,
        /// URL of the target.
        url: &'a str,
    },
    /// The pages for the full-text search are being generated.
    Pages {
        /// Number of pages generated so far.
        made: u64,
        /// Total number of pages to generate, if known.
        total: Option<u64>,
    },
    /// Pages are being loaded into a target.
    Loading {
        /// Name of the target.
        target: &'a str,
        /// The server that receives the pages.
        server: &'a str,
        /// Number of pages loaded so far.
        loaded: u64,
        /// Total number of pages to load.
        total: u64,
    },
    /// Unmeasured work: checks, loading data, cleaning up.
    Stage {
        /// Name of the target.
        target: &'a str,
        /// Name of the workload.
        workload: &'a str,
        /// The current step.
        what: &'a Sentence,
        /// Number of operations done so far.
        done: u64,
        /// Total number of operations, if known.
        total: Option<u64>,
    },
    /// Unmeasured load before the first slice.
    WarmUp {
        /// Name of the target.
        target: &'a str,
        /// Name of the workload.
        workload: &'a str,
    },
    /// A slice starts.
    Slice {
        /// Index of the slice in the run, from 0.
        index: usize,
        /// Index of the round, from 0.
        round: u32,
        /// Name of the target.
        target: &'a str,
        /// Name of the workload.
        workload: &'a str,
    },
    /// The slice that has just started belongs to a maximum-rate search.
    Probe {
        /// Name of the target.
        target: &'a str,
        /// Name of the workload.
        workload: &'a str,
        /// Offered rate, operations per second.
        rate: f64,
        /// Whether the probe is the longer probe at the end, which confirms the maximum rate.
        proof: bool,
        /// Highest rate that has met the objective so far, operations per second.
        held: Option<f64>,
        /// Lowest rate that has missed the objective so far, operations per second.
        failed: Option<f64>,
    },
    /// Progress of the current slice.
    Speed {
        /// Correct responses per second, summed over the last sample of each thread.
        ok_per_second: f64,
        /// Failures since the start of the slice.
        failed: u64,
        /// Requests of an open loop that are due and wait for a free connection.
        waiting: u64,
    },
    /// The figures of a second of the current slice have been recorded. Each kind of operation is
    /// reported separately; a late thread causes another report for the same second.
    Second {
        /// The figures of one operation in this second.
        second: &'a LiveSecond,
    },
    /// A slice has ended.
    Measured {
        /// The figures of the slice.
        slice: &'a Slice,
    },
    /// Every target has been sent every request pattern, and the hits have been recorded.
    Hits {
        /// The plan.
        plan: &'a Plan,
        /// The environment, including the hits.
        environment: &'a Environment,
    },
    /// A warning; one sentence.
    Warning(&'a Sentence),
    /// A warning about something that stays and that the user must delete; one sentence.
    Left(&'a Sentence),
    /// A note; one sentence.
    Note(&'a Sentence),
    /// Everything is measured, and the clean-up is next. The result is written now, so that a
    /// clean-up that does not end takes no result with it.
    Concluded {
        /// The outcome; what the clean-up leaves is still unknown. The slices can be taken: they are
        /// most of the memory of a long run, and the run does not need them any more.
        outcome: &'a mut RunOutcome,
    },
    /// Targets are being stopped.
    Stopping,
}
