//! News of a run under way, for whoever shows it.

use std::path::Path;
use std::time::{Duration, SystemTime};

use tenbin_plan::Plan;
use tenbin_record::{Environment, LiveSecond, Slice};

use crate::supply::Supply;

/// What is happening now.
#[derive(Debug)]
pub enum Progress<'a> {
    /// The run has its directory.
    Begun {
        /// The run directory.
        directory: &'a Path,
        /// When the run began.
        started: SystemTime,
        /// Slices to come, at most.
        slices: usize,
        /// How long the measuring will take, at most; preparations apart.
        forecast: Duration,
        /// How long it takes at most where one target is much slower than another.
        longest: Option<Duration>,
        /// How long it will take at least, if it may end by precision.
        shortest: Option<Duration>,
        /// Requests of all slices together, if each slice ends after so many.
        requests: Option<u64>,
        /// The data that is put on each target before the measuring, if there is any.
        supply: Option<Supply>,
    },
    /// `plan.toml` holds values that may be secret and do not look like it.
    Printed {
        /// What it holds, in words.
        what: &'a str,
    },
    /// A target is being started or looked for.
    Starting {
        /// Name of the target.
        target: &'a str,
        /// What it is waited for, once it takes a while.
        awaited: Option<&'a str>,
        /// How long that has taken so far.
        waited: Duration,
    },
    /// A target is there.
    Up {
        /// Name of the target.
        target: &'a str,
        /// Where it listens.
        url: &'a str,
    },
    /// The pages that are searched are being made.
    Pages {
        /// Pages made.
        made: u64,
        /// Pages to be made, if that is known.
        total: Option<u64>,
    },
    /// Pages are being loaded into a target.
    Loading {
        /// Name of the target.
        target: &'a str,
        /// Where they go to.
        server: &'a str,
        /// Pages loaded.
        loaded: u64,
        /// Pages to be loaded.
        total: u64,
    },
    /// Unmeasured work: checks, data sets, cleaning up.
    Stage {
        /// Name of the target.
        target: &'a str,
        /// Name of the workload.
        workload: &'a str,
        /// What is being done.
        what: &'a str,
        /// Operations done.
        done: u64,
        /// Operations to do, if known.
        total: Option<u64>,
    },
    /// Unmeasured load before the first slice.
    WarmUp {
        /// Name of the target.
        target: &'a str,
        /// Name of the workload.
        workload: &'a str,
    },
    /// A slice begins.
    Slice {
        /// Its position in the run, from 0.
        index: usize,
        /// The round it belongs to, from 0.
        round: u32,
        /// Name of the target.
        target: &'a str,
        /// Name of the workload.
        workload: &'a str,
    },
    /// The slice that has just begun belongs to the search for the highest rate.
    Probe {
        /// Name of the target.
        target: &'a str,
        /// Name of the workload.
        workload: &'a str,
        /// Operations a second that are offered.
        rate: f64,
        /// It is the proof at the end.
        proof: bool,
        /// The highest rate that has held so far.
        held: Option<f64>,
        /// The lowest rate that has failed so far.
        failed: Option<f64>,
    },
    /// How the slice under way is going.
    Speed {
        /// Correct answers a second, over all threads, in their last reports.
        ok_per_second: f64,
        /// Failures since the slice began.
        failed: u64,
    },
    /// A second of the slice under way is over, for all threads.
    Second {
        /// What came of one operation in it.
        second: &'a LiveSecond,
    },
    /// A slice has ended.
    Measured {
        /// Its figures.
        slice: &'a Slice,
    },
    /// Every target has been asked for the hits of the patterns.
    Hits {
        /// The experiment.
        plan: &'a Plan,
        /// What they found.
        environment: &'a Environment,
    },
    /// Something worth a word; one sentence.
    Warning(&'a str),
    /// Something worth knowing that is as it should be; one sentence.
    Note(&'a str),
    /// Targets are being stopped.
    Stopping,
}
