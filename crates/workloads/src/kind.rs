//! The kinds of workloads, and how a planned workload is prepared for a target.

use std::sync::{Arc, Mutex};

use tenbin_engine::{Protocol, Workload};
use tenbin_plan::{self as plan, Found};

use crate::KINDS;
use crate::error::WorkloadError;
use crate::responses::{ExpectedResponse, ResponseComparison};
use crate::samples::{CountedPatterns, SliceSamples};
use crate::sequence::Position;
use crate::site::Site;

/// A kind of workload: its name and how it is prepared for a target.
pub trait Kind: Sync {
    /// Name of its protocol, as in plans ([`plan::Traits::name`]).
    fn name(&self) -> &'static str;

    /// One-line description.
    fn summary(&self) -> &'static str;

    /// What connections to a target carry; `None` for HTTP, in the version of the target.
    fn protocol(&self) -> Option<&'static dyn Protocol> {
        None
    }

    /// Prepares a workload for one target. All expensive work is done here instead of on the path of
    /// a request: creating and hashing content, formatting heads.
    ///
    /// Keys and content follow from `seed` and are the same for every target; `threads` is the
    /// largest number of workers that [`Prepared::slice`] may return.
    ///
    /// # Errors
    /// When the planned requests cannot be sent to this target.
    fn prepare(
        &self,
        work: &plan::Workload,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Result<Box<dyn Prepared>, WorkloadError>;

    /// Description of the place on a target where a run stores data outside the target's existing
    /// data; `None` if it stores none there or the plan keeps the data.
    fn place(&self, work: &plan::Workload, target: &plan::Target, seed: u64) -> Option<String> {
        let _ = (work, target, seed);
        None
    }

    /// A request that changes nothing, sent `times` times; `None` if the protocol has no request
    /// that gives more information than the first response of a run.
    ///
    /// # Errors
    /// When the request cannot be formed for this workload and target.
    fn probe_target(
        &self,
        work: &plan::Workload,
        target: &Site,
        times: u64,
    ) -> Option<Result<TargetProbe, WorkloadError>> {
        let _ = (work, target, times);
        None
    }
}

/// A stage that probes a target, and the response, which is filled while the stage runs.
pub type TargetProbe = (Stage, Arc<Mutex<ProbeResponse>>);

/// The response to a request that changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbeResponse {
    /// Status of the first response; `None` without a response.
    pub status: Option<u16>,
    /// S3 error code of the first response, if any.
    pub code: Option<String>,
    /// Meaning of that code and what to do, if known.
    pub meaning: Option<&'static str>,
    /// The correct region according to the first response: lower-case letters, digits and hyphens.
    pub region: Option<String>,
    /// Whether the first response is a listing.
    pub is_listing: bool,
    /// Number of responses.
    pub answered: u64,
    /// The bucket in the request.
    pub bucket: String,
}

/// Prepares a planned workload for one target, with the kind that handles it.
///
/// # Errors
/// As [`Kind::prepare`].
pub fn prepare(
    work: &plan::Workload,
    target: &Site,
    seed: u64,
    threads: usize,
) -> Result<Box<dyn Prepared>, WorkloadError> {
    kind_of(work)
        .ok_or_else(|| WorkloadError::no_kind(work))?
        .prepare(work, target, seed, threads)
}

/// What connections carry for a workload; see [`Kind::protocol`].
pub fn protocol(work: &plan::Workload) -> Option<&'static dyn Protocol> {
    kind_of(work)?.protocol()
}

/// Description of the place where a run stores data; see [`Kind::place`].
pub fn place(work: &plan::Workload, target: &plan::Target, seed: u64) -> Option<String> {
    kind_of(work)?.place(work, target, seed)
}

/// A request that changes nothing; see [`Kind::probe_target`].
///
/// # Errors
/// As [`Kind::probe_target`].
pub fn probe_target(
    work: &plan::Workload,
    target: &Site,
    times: u64,
) -> Option<Result<TargetProbe, WorkloadError>> {
    kind_of(work)?.probe_target(work, target, times)
}

fn kind_of(work: &plan::Workload) -> Option<&'static dyn Kind> {
    let name = work.facts().traits().name;
    KINDS.iter().copied().find(|kind| kind.name() == name)
}

/// A workload prepared for one target.
///
/// Order of calls: `check` once; `before_run` once; for every slice, warm-up included,
/// `before_slice`, `slice`, `slice_done`; `after_run` once, also after a failure, since it removes
/// what the run created. Of two prepared workloads on the same server, the one that is checked
/// first is cleaned up last, because it may have created the bucket that the other one found.
pub trait Prepared: Send {
    /// Checks and creations that must come first, such as a check of the credentials.
    fn check(&mut self) -> Option<Stage> {
        None
    }

    /// Work that must be done before the first slice; called again after each stage until it
    /// returns `None`.
    fn before_run(&mut self) -> Option<Stage> {
        None
    }

    /// Work that must be done before each slice.
    fn before_slice(&mut self) -> Option<Stage> {
        None
    }

    /// Position in the request sequence, between slices; `None` if it does not matter which
    /// requests a target receives.
    fn position(&self) -> Option<Position> {
        None
    }

    /// Sets the end of the next slice in the sequence, by worker: there each worker returns
    /// [`tenbin_engine::Next::Exhausted`]. With `None`, the slice ends by time.
    fn ends_at(&mut self, ends: Option<&[u64]>) {
        let _ = ends;
    }

    /// Continues at this position of the sequence, by worker. Requests before it that have not been
    /// sent are skipped.
    fn skip_to(&mut self, position: &[u64]) {
        let _ = position;
    }

    /// Number of different objects that the slice with this number (from 0, warm-ups included) can
    /// read, if an earlier slice stored them on this target.
    fn readable(&self, slice: usize) -> Option<u64> {
        let _ = slice;
        None
    }

    /// Tells the workload that the last slice was only the first part of the next one, which reads
    /// what an earlier slice of the same number stored.
    fn continue_slice(&mut self) {}

    /// Limits the next slice to reading the first `things` objects, because another target has no
    /// more.
    fn limit_reads(&mut self, things: u64) {
        let _ = things;
    }

    /// The measured workers of one slice: one per thread, or one per connection if there are fewer
    /// connections than threads. With a [`Prepared::position`] they continue from that position;
    /// otherwise every slice starts from the beginning.
    fn slice(&mut self) -> Vec<Box<dyn Workload>>;

    /// The workers of an interval in which refused requests are retried at most `most` times each;
    /// `None` if that is not possible, or if [`Prepared::slice`] retries already.
    fn slice_with_retries(&mut self, most: u32) -> Option<Vec<Box<dyn Workload>>> {
        let _ = most;
        None
    }

    /// Takes back the workers of [`Prepared::slice`]. What they created is already recorded, so a
    /// worker may also be missing.
    fn slice_done(&mut self, workers: Vec<Box<dyn Workload>>) {
        drop(workers);
    }

    /// Notes for the user before the first slice, one sentence each; called once, after the stages
    /// of [`Prepared::before_run`].
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The data set that existed before the run, if the workload uses it; called after the stages
    /// of
    /// [`Prepared::before_run`].
    fn found(&self) -> Option<Found> {
        None
    }

    /// Sets the name of the workload for the found data set. Called before the first slice, so that
    /// a run of the executed plan sends the same requests.
    fn rename(&mut self, name: &str) {
        let _ = name;
    }

    /// The patterns that requests are drawn from, with the hits that the stages counted; `None`
    /// without patterns.
    fn counted_patterns(&self) -> Option<CountedPatterns> {
        None
    }

    /// Repeats after load what the stages before the run checked. Called again after each stage
    /// until it returns `None`, and can then be started again. No figure depends on it.
    fn count_again(&mut self) -> Option<Stage> {
        None
    }

    /// Request samples of the last slice, warm-ups included; called after each slice, even if the
    /// result is discarded.
    fn take_samples(&mut self) -> Option<SliceSamples> {
        None
    }

    /// Comparison of the last slice's responses with the expected response, if that is learned
    /// instead of known; called after each slice, even if the result is discarded.
    fn response_comparison(&mut self) -> Option<ResponseComparison> {
        None
    }

    /// The expected response, if it is learned from requests before the run and during it.
    fn expected_response(&self) -> Option<ExpectedResponse> {
        None
    }

    /// Tells the workload that the target was restarted and has lost what was in memory.
    fn restarted(&mut self) {}

    /// Takes over what an earlier run of the same plan may have left, so that
    /// [`Prepared::after_run`] removes it.
    fn inherit(&mut self) {}

    /// What an earlier run may have left that cannot be found, in one sentence; called after
    /// [`Prepared::inherit`].
    fn lost(&self) -> Option<String> {
        None
    }

    /// Removes what Tenbin created, and nothing else; called again after each stage until it
    /// returns `None`.
    fn after_run(&mut self) -> Option<Stage> {
        None
    }

    /// Why there is nothing left to measure, in one sentence; called before each slice.
    fn spent(&self) -> Option<String> {
        None
    }

    /// Why the run cannot continue although there is more to measure, in one sentence; called after
    /// each slice.
    fn failed(&self) -> Option<String> {
        None
    }

    /// What is kept after the run because the plan says so, in one sentence; called after the
    /// stages of [`Prepared::after_run`].
    fn kept(&self) -> Option<String> {
        None
    }

    /// What the stages of [`Prepared::after_run`] could not remove, in one sentence; called after
    /// them.
    fn left_behind(&self) -> Option<String> {
        None
    }

    /// The leftovers, one by one, with details.
    fn leftovers(&self) -> Vec<Leftover> {
        self.left_behind().into_iter().map(Leftover::from).collect()
    }

    /// What the stages of [`Prepared::after_run`] removed after [`Prepared::inherit`], one sentence
    /// each; called after them.
    fn removed(&self) -> Vec<String> {
        Vec::new()
    }

    /// Names of the buckets that this workload created; available after [`Prepared::check`].
    fn buckets_made(&self) -> Vec<String> {
        Vec::new()
    }

    /// Takes over the buckets that an earlier run of the same plan created and that this workload
    /// uses, and removes them from `buckets`: [`Prepared::after_run`] deletes those that are empty.
    /// Called after [`Prepared::inherit`].
    fn inherit_buckets(&mut self, buckets: &mut Vec<String>) {
        let _ = buckets;
    }
}

/// Data of Tenbin that is still on a target after cleanup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leftover {
    /// What it is and where: a sentence without a full stop.
    pub what: String,
    /// S3: its bucket.
    pub bucket: Option<String>,
    /// S3: the common prefix of its keys.
    pub prefix: Option<String>,
    /// Number of objects; `None` if unknown.
    pub objects: Option<u64>,
    /// Why it was not removed, if known.
    pub reason: Option<String>,
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

/// Unmeasured work that the engine runs in a closed loop until every worker returns
/// [`tenbin_engine::Next::Exhausted`].
pub struct Stage {
    /// Description for progress messages: `loading 10,000 objects`.
    pub what: String,
    /// Number of operations, if known.
    pub total: Option<u64>,
    /// Number of connections over all workers; at least one per worker.
    pub connections: usize,
    /// One worker per thread.
    pub workers: Vec<Box<dyn Workload>>,
    /// Whether a failure ends the run. The text of the failure is then shown to the user.
    pub must_succeed: bool,
    /// The only host of the stage, by its position in the route; `None` for all hosts in turn. With
    /// `Some`, the engine knows no other host and numbers this one 0.
    pub host: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_different_names_and_a_summary() {
        for (at, kind) in KINDS.iter().enumerate() {
            assert!(!kind.summary().is_empty());
            assert!(KINDS[..at].iter().all(|other| other.name() != kind.name()));
        }
    }

    #[test]
    fn every_protocol_of_plans_has_a_kind() {
        let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
        let protocols: Vec<&str> = plan::work::protocols().map(|traits| traits.name).collect();
        assert_eq!(kinds, protocols);
    }
}
