//! The traits of prepared workloads: set-up, sequence, agents and clean-up.

use tenbin_engine::Workload;
use tenbin_plan::{Found, Sentence};

use crate::read_back::ReadBack;
use crate::remote::{SliceReport, SliceState};
use crate::responses::{ExpectedResponse, ResponseComparison};
use crate::samples::{CountedPatterns, SliceSamples};
use crate::sequence::Position;

/// A workload prepared for one target. Its parts are the traits below, each with what a protocol
/// must say; a protocol without a part says so with the marker of the part.
///
/// Order of calls: `check`; `before_run` until the result is `None`; for every slice, warm-ups
/// included, `before_slice`, `slice` and `slice_done`; `after_run` until the result is `None`.
/// Because `after_run` removes what the run created, it is also called after a failure.
///
/// Of two workloads on the same server, the workload checked first is cleaned up last, because it
/// may have created the bucket that the second workload uses.
pub trait Prepared: SetUp + Sequence + Observation + AgentSide + CleanUp + Send {
    /// The measured workers of one slice: one per thread, or one per connection if there are fewer
    /// connections than threads. If [`Sequence::position`] is `Some`, the workers continue from
    /// that position; otherwise every slice starts from the beginning.
    fn slice(&mut self) -> Vec<Box<dyn Workload>>;

    /// The workers of a slice that retries each refused request at most `most` times; `None` if the
    /// workload cannot retry, or if [`Prepared::slice`] retries already.
    fn slice_with_retries(&mut self, most: u32) -> Option<Vec<Box<dyn Workload>>> {
        let _ = most;
        None
    }

    /// Takes back the workers of [`Prepared::slice`]. What the workers created is already recorded,
    /// so `workers` can be incomplete.
    fn slice_done(&mut self, workers: Vec<Box<dyn Workload>>);

    /// Why nothing is left to measure, in one sentence; `None` if the next slice can be measured.
    /// Called before each slice.
    fn spent(&self) -> Option<String> {
        None
    }

    /// Why the run must end early, in one sentence; `None` if the run can continue. Called after
    /// each slice.
    fn failed(&self) -> Option<String> {
        None
    }
}

/// Part of [`Prepared`]: what is sent before the load.
pub trait SetUp {
    /// The first stage: checks access, and creates missing buckets; `None` without a check.
    fn check(&mut self) -> Option<Stage>;

    /// The next setup stage before the first slice; called again after each stage until the result
    /// is `None`.
    fn before_run(&mut self) -> Option<Stage>;

    /// Why the target's responses before the run rule out the run, in one sentence; called after the
    /// stages of [`SetUp::before_run`].
    fn refused(&self) -> Option<Sentence> {
        None
    }

    /// The next stage at the start of the first warm-up, before any load; called again after each
    /// stage until the result is `None`. Its requests count as requests of the warm-up.
    fn before_warm_up(&mut self) -> Option<Stage> {
        None
    }

    /// The setup stage of the next slice, if needed; called once before each slice.
    fn before_slice(&mut self) -> Option<Stage> {
        None
    }

    /// Notes for the user before the first slice, one sentence each; called once, after the stages
    /// of [`SetUp::before_run`].
    fn notes(&self) -> Vec<Sentence> {
        Vec::new()
    }

    /// The existing data set that the workload uses, if any; called after the stages of
    /// [`SetUp::before_run`].
    fn found(&self) -> Option<Found> {
        None
    }

    /// Sets the name that the workload has in the executed plan, because random choices depend on
    /// the name. Called before the first slice, so that a rerun of that plan sends the same
    /// requests.
    fn rename(&mut self, name: &str) {
        let _ = name;
    }

    /// Records that the target was restarted and has lost the contents of its memory.
    fn restarted(&mut self) {}
}

/// Part of [`Prepared`]: the sequence of requests, which is the same for every target. A workload
/// whose choice of requests does not matter implements [`NoSequence`] instead.
pub trait Sequence {
    /// Position in the request sequence, valid between slices; `None` if the choice of requests
    /// does not matter.
    fn position(&self) -> Option<Position>;

    /// Sets the position in the sequence, by worker, at which the workers of the next slice return
    /// [`tenbin_engine::Next::Exhausted`]. With `None`, the slice ends by time.
    fn ends_at(&mut self, ends: Option<&[u64]>);

    /// Moves each worker to this position of its sequence. Requests before the position that were
    /// not sent are skipped.
    fn skip_to(&mut self, position: &[u64]);

    /// Number of distinct objects that slice `slice` (from 0, warm-ups included) can read, for a
    /// workload that reads what earlier slices or runs stored; `None` for other workloads.
    fn readable(&self, slice: usize) -> Option<u64> {
        let _ = slice;
        None
    }

    /// Makes the next slice a continuation of the last slice: both read the same stored objects.
    fn continue_slice(&mut self) {}

    /// Limits the next slice to reading the first `things` objects, because another target has only
    /// this number.
    fn limit_reads(&mut self, things: u64) {
        let _ = things;
    }
}

/// A workload whose choice of requests does not matter: no [`Sequence`].
pub trait NoSequence {}

impl<T: NoSequence> Sequence for T {
    fn position(&self) -> Option<Position> {
        None
    }

    fn ends_at(&mut self, _ends: Option<&[u64]>) {}

    fn skip_to(&mut self, _position: &[u64]) {}
}

/// Part of [`Prepared`]: what responses have shown, beyond success and time.
pub trait Observation {
    /// Request samples of the last slice; called after each slice, warm-ups included, even if the
    /// result is discarded.
    fn take_samples(&mut self) -> Option<SliceSamples> {
        None
    }

    /// Comparison of the last slice's responses with the learned expected response; `None` if
    /// nothing was compared. Called after each slice, even if the result is discarded.
    fn response_comparison(&mut self) -> Option<ResponseComparison> {
        None
    }

    /// The expected response that was learned before and during the run, if any.
    fn expected_response(&self) -> Option<ExpectedResponse> {
        None
    }

    /// The first correct response of the run that looks like an error, in one clause: status, sign
    /// and the start of the body. `None` if no response looks like an error.
    fn suspicious_response(&self) -> Option<String> {
        None
    }

    /// The header of the checksum that the workload sends, if the target has acknowledged content
    /// with a wrong one before the run. `None` if the target checks the checksum, and if that is
    /// unknown.
    fn ignored_checksum(&self) -> Option<&'static str> {
        None
    }

    /// The patterns that requests are drawn from, with the search hits that the stages counted;
    /// `None` without patterns.
    fn counted_patterns(&self) -> Option<CountedPatterns> {
        None
    }

    /// The next stage that runs after load and repeats the checks of the setup stages. Called again
    /// after each stage until the result is `None`; the next call starts over. No measured result
    /// depends on these stages.
    fn count_again(&mut self) -> Option<Stage> {
        None
    }
}

/// Part of [`Prepared`]: what agents on other machines and the coordinator tell each other. A
/// workload that keeps nothing from slice to slice implements [`Stateless`] instead.
pub trait AgentSide {
    /// What agents must know before the next slice. From now on, agents on other machines send the
    /// load of this workload; the workers of [`Prepared::slice`] send none.
    fn state_for_agents(&mut self) -> SliceState;

    /// Adds what agents report of the last slice, by agent: agent `i` of `n` drove every n-th
    /// worker, from worker `i`. Called instead of a slice on this machine, after
    /// [`Prepared::slice_done`].
    ///
    /// # Errors
    /// One sentence if a report is not possible.
    fn add_reports(&mut self, reports: Vec<SliceReport>) -> Result<(), String>;

    /// Whether other agents can continue the workload after an agent was lost. False if an agent
    /// knows something of the stored data that the coordinator does not know.
    fn is_continuable(&self) -> bool;

    /// On an agent: the next stage before the first slice, by which the agent learns what is stored
    /// on the target; called again after each stage until the result is `None`. Replaces
    /// [`SetUp::check`] and [`SetUp::before_run`], which the coordinator has done.
    fn agent_setup(&mut self) -> Option<Stage> {
        None
    }

    /// On an agent: the stage that removes what unfinished requests of its last slice may have left
    /// open. Called before each slice; after the run, the coordinator removes what is left.
    fn agent_cleanup(&mut self) -> Option<Stage> {
        None
    }

    /// On an agent: takes over the coordinator's state; called before each slice.
    ///
    /// # Errors
    /// One sentence if the state is not possible.
    fn set_state(&mut self, state: SliceState) -> Result<(), String>;

    /// On an agent: the report of the last slice; called after [`Prepared::slice_done`].
    fn report(&mut self) -> SliceReport;
}

/// A workload whose slices are independent of each other: agents and coordinator need to tell each
/// other nothing.
pub trait Stateless {}

impl<T: Stateless> AgentSide for T {
    fn state_for_agents(&mut self) -> SliceState {
        SliceState::default()
    }

    fn add_reports(&mut self, reports: Vec<SliceReport>) -> Result<(), String> {
        if reports.iter().all(|report| report.is_possible(None)) {
            Ok(())
        } else {
            Err(IMPOSSIBLE.to_owned())
        }
    }

    fn is_continuable(&self) -> bool {
        true
    }

    fn set_state(&mut self, _state: SliceState) -> Result<(), String> {
        Ok(())
    }

    fn report(&mut self) -> SliceReport {
        SliceReport::default()
    }
}

/// Part of [`Prepared`]: what is stored on the target, and its removal. A workload that stores
/// nothing implements [`StoresNothing`] instead.
pub trait CleanUp {
    /// The next step of reading back a sample of what the measured slices have written and deleted.
    /// Called after the measured part and before [`CleanUp::after_run`] until the result is
    /// [`Reading::Done`]; the stages need not succeed, and what was not read is unknown.
    fn read_back(&mut self) -> Reading {
        Reading::Done(Vec::new())
    }

    /// Takes over the data that an earlier run of the same plan may have left, so that
    /// [`CleanUp::after_run`] removes this data.
    fn inherit(&mut self);

    /// Describes data of an earlier run that cannot be found, in one sentence; called after
    /// [`CleanUp::inherit`].
    fn lost(&self) -> Option<String> {
        None
    }

    /// Takes over the buckets in `buckets` that this workload uses, and removes their names from
    /// `buckets`. An earlier run of the same plan created these buckets; [`CleanUp::after_run`]
    /// deletes the empty ones. Called after [`CleanUp::inherit`].
    fn inherit_buckets(&mut self, buckets: &mut Vec<String>) {
        let _ = buckets;
    }

    /// The next cleanup stage, which removes only what Tenbin created; called again after each
    /// stage until the result is `None`.
    fn after_run(&mut self) -> Option<Stage>;

    /// Describes the data that the plan keeps after the run, in one sentence; called after the
    /// stages of [`CleanUp::after_run`].
    fn kept(&self) -> Option<Sentence>;

    /// The data that the stages of [`CleanUp::after_run`] could not remove; called after these
    /// stages.
    fn leftovers(&self) -> Vec<Leftover>;

    /// Describes the data that could not be removed, in one sentence.
    fn left_behind(&self) -> Option<String> {
        let left = self.leftovers();
        let sentences: Vec<String> = left.iter().map(ToString::to_string).collect();
        (!sentences.is_empty()).then(|| sentences.join("; "))
    }

    /// Describes what the stages of [`CleanUp::after_run`] removed, one sentence each; called
    /// after these stages when the leftovers of an earlier run are cleaned up.
    fn removed(&self) -> Vec<Sentence> {
        Vec::new()
    }

    /// Names of the buckets that this workload created; available after [`SetUp::check`].
    fn buckets_made(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A workload that stores nothing on the target: no [`CleanUp`].
pub trait StoresNothing {}

impl<T: StoresNothing> CleanUp for T {
    fn inherit(&mut self) {}

    fn after_run(&mut self) -> Option<Stage> {
        None
    }

    fn kept(&self) -> Option<Sentence> {
        None
    }

    fn leftovers(&self) -> Vec<Leftover> {
        Vec::new()
    }
}

/// Why a report of an agent was refused.
pub(crate) const IMPOSSIBLE: &str = "an agent sent figures that this slice cannot have; use the \
                                     same build of Tenbin on all machines";

/// Data of Tenbin that is still on a target after cleanup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leftover {
    /// Description of the data and its place: a sentence without a full stop.
    pub what: String,
    /// S3: bucket of the data.
    pub bucket: Option<String>,
    /// S3: common prefix of the keys.
    pub prefix: Option<String>,
    /// Number of objects; `None` if unknown.
    pub objects: Option<u64>,
    /// Why the data was not removed, if known.
    pub reason: Option<String>,
    /// Whether the target acknowledged the deletion of this data.
    pub acknowledged: bool,
    /// Whether a clean-up of the run cannot remove the data either, because its place is not, or no
    /// longer, known.
    pub unremovable: bool,
}

impl From<String> for Leftover {
    fn from(what: String) -> Self {
        Self {
            what,
            ..Self::default()
        }
    }
}

impl std::fmt::Display for Leftover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)?;
        match &self.reason {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

/// The next step of reading back a sample: see [`CleanUp::read_back`].
pub enum Reading {
    /// Requests that read a part of the sample.
    Stage(Stage),
    /// Nothing is left to read: the result of each operation that writes or deletes.
    Done(Vec<ReadBack>),
}

/// Unmeasured work that the engine runs in a closed loop until every worker returns
/// [`tenbin_engine::Next::Exhausted`].
pub struct Stage {
    /// Description for progress messages: `loading 10,000 objects`.
    pub what: Sentence,
    /// Number of operations, if known.
    pub total: Option<u64>,
    /// Number of connections over all workers; at least one per worker.
    pub connections: usize,
    /// One worker per thread.
    pub workers: Vec<Box<dyn Workload>>,
    /// Whether a failure ends the run, with the text of the failure as the error message.
    pub must_succeed: bool,
    /// Index, among the target's hosts, of the only host that the stage uses; `None` for all hosts
    /// in turn. With `Some`, [`tenbin_engine::Exchange::host`] is 0 for this host.
    pub host: Option<usize>,
}

impl Stage {
    /// Whether the stage uploads the content that the workload needs before it is measured.
    pub fn is_loading(&self) -> bool {
        matches!(self.what.id(), "loading" | "loading-blobs")
    }
}
