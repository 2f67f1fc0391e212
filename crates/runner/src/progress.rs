//! Progress events of a run.

use std::path::Path;
use std::time::{Duration, SystemTime};

use tenbin_plan::Plan;
use tenbin_record::{Environment, LiveSecond, Slice};

use crate::supply::Supply;

/// A progress event.
#[derive(Debug)]
pub enum Progress<'a> {
    /// The run directory has been created.
    Started {
        /// The run directory.
        directory: &'a Path,
        /// When the run started.
        started: SystemTime,
        /// Largest number of slices.
        slices: usize,
        /// Longest duration of the measured part.
        forecast: Duration,
        /// Longest duration if one target is much slower than another.
        longest: Option<Duration>,
        /// Shortest duration, if the run may end by precision.
        shortest: Option<Duration>,
        /// Requests of all slices, if each slice ends after a number of requests.
        requests: Option<u64>,
        /// The data that is loaded into each target before measuring, if any.
        supply: Option<Supply>,
    },
    /// `plan.toml` contains values that may be secret but do not look like it.
    Printed {
        /// What it contains, in words.
        what: &'a str,
    },
    /// A target is being started, or its response is awaited.
    Starting {
        /// Name of the target.
        target: &'a str,
        /// What the start waits for, once it takes a while.
        awaited: Option<&'a str>,
        /// How long the wait has taken so far.
        waited: Duration,
    },
    /// A target is ready.
    Ready {
        /// Name of the target.
        target: &'a str,
        /// Its URL.
        url: &'a str,
    },
    /// The pages for the full-text search are being generated.
    Pages {
        /// Pages generated.
        made: u64,
        /// Pages to generate, if known.
        total: Option<u64>,
    },
    /// Pages are being loaded into a target.
    Loading {
        /// Name of the target.
        target: &'a str,
        /// The server that they are loaded into.
        server: &'a str,
        /// Pages loaded.
        loaded: u64,
        /// Pages to load.
        total: u64,
    },
    /// Unmeasured work: checks, loading data, cleaning up.
    Stage {
        /// Name of the target.
        target: &'a str,
        /// Name of the workload.
        workload: &'a str,
        /// The current step.
        what: &'a str,
        /// Operations done.
        done: u64,
        /// Number of operations, if known.
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
        /// Its index in the run, from 0.
        index: usize,
        /// Its round, from 0.
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
        /// Target rate, operations per second.
        rate: f64,
        /// Whether it is the proof at the end of the search.
        proof: bool,
        /// The highest rate that has held so far.
        held: Option<f64>,
        /// The lowest rate that has failed so far.
        failed: Option<f64>,
    },
    /// Progress of the current slice.
    Speed {
        /// Correct responses per second, over all threads, in their last samples.
        ok_per_second: f64,
        /// Failures since the start of the slice.
        failed: u64,
    },
    /// A second of the current slice has ended for all threads.
    Second {
        /// The figures of one operation in that second.
        second: &'a LiveSecond,
    },
    /// A slice has ended.
    Measured {
        /// Its figures.
        slice: &'a Slice,
    },
    /// The patterns have been sent to every target to count their hits.
    Hits {
        /// The plan.
        plan: &'a Plan,
        /// The environment with the hits.
        environment: &'a Environment,
    },
    /// A warning; one sentence.
    Warning(&'a str),
    /// A note; one sentence.
    Note(&'a str),
    /// Targets are being stopped.
    Stopping,
}
