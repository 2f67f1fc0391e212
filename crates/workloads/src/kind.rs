//! What a kind of workload does, and how one is found for a planned workload.

use std::sync::{Arc, Mutex};

use tenbin_engine::Workload;
use tenbin_plan::{self as plan, Found};

use crate::KINDS;
use crate::error::WorkloadError;
use crate::responses::{ExpectedResponse, ResponsesSeen};
use crate::sequence::Position;
use crate::single::{AskedPatterns, SinglesSeen};
use crate::site::Site;

/// A kind of workload: what it is called and how it is made ready for a target.
pub trait Kind: Sync {
    /// Name of its protocol, as in plans ([`plan::Traits::name`]).
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// Makes a workload ready for one target. Everything that costs time is done
    /// here and not on the path of a request: content made, hashed, heads formatted.
    ///
    /// `seed` names the keys and the content, the same for every target;
    /// `threads` is the most workers that [`Prepared::slice`] may yield.
    ///
    /// # Errors
    /// When what is planned cannot be sent to this target.
    fn prepare(
        &self,
        work: &plan::Workload,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Result<Box<dyn Prepared>, WorkloadError>;

    /// Where a run puts things on a target that are not the target's own, in words; `None` where
    /// it puts none there, or the plan keeps them.
    fn place(&self, work: &plan::Workload, target: &plan::Target, seed: u64) -> Option<String> {
        let _ = (work, target, seed);
        None
    }

    /// A request that changes nothing, sent `times` times; `None` where the protocol has none that
    /// tells more than the first response does.
    ///
    /// # Errors
    /// When the work or the target cannot be asked for.
    fn look(
        &self,
        work: &plan::Workload,
        target: &Site,
        times: u64,
    ) -> Option<Result<Look, WorkloadError>> {
        let _ = (work, target, times);
        None
    }
}

/// A stage that looks at a target, and what came back once the stage has been driven.
pub type Look = (Stage, Arc<Mutex<Seen>>);

/// What came back from a request that changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// Status of the first answer; none, if there was no answer.
    pub status: Option<u16>,
    /// The S3 error code of the first answer, if it has one.
    pub code: Option<String>,
    /// What that code means and what to do, if that is known.
    pub meaning: Option<&'static str>,
    /// The region that the first answer says is the right one: small letters, digits
    /// and hyphens.
    pub region: Option<String>,
    /// Whether the first answer is a listing.
    pub is_listing: bool,
    /// How many answers there were.
    pub answered: u64,
    /// The bucket that was asked for.
    pub bucket: String,
}

/// Makes a planned workload ready for one target, by the kind that takes it.
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

/// Where a run puts things on a target, by the kind of the workload; as [`Kind::place`].
pub fn place(work: &plan::Workload, target: &plan::Target, seed: u64) -> Option<String> {
    kind_of(work)?.place(work, target, seed)
}

/// A request that changes nothing, by the kind of the workload; as [`Kind::look`].
///
/// # Errors
/// As [`Kind::look`].
pub fn look(
    work: &plan::Workload,
    target: &Site,
    times: u64,
) -> Option<Result<Look, WorkloadError>> {
    kind_of(work)?.look(work, target, times)
}

fn kind_of(work: &plan::Workload) -> Option<&'static dyn Kind> {
    let name = work.facts().traits().name;
    KINDS.iter().copied().find(|kind| kind.name() == name)
}

/// A workload made ready for one target.
///
/// In this order: `check` once; `before_run` once; then for every slice (a
/// warm-up is one too) `before_slice`, `slice`, `slice_done`; `after_run` once,
/// whatever failed before it, or what was made stays behind. Of two prepared
/// workloads on the same server, the one checked first is tidied last: it may
/// have made the bucket that the other found.
pub trait Prepared: Send {
    /// What must be found out or made before anything else, such as whether the
    /// credentials are right.
    fn check(&mut self) -> Option<Stage> {
        None
    }

    /// What must be there before the first slice; asked again after each stage until
    /// there is nothing more.
    fn before_run(&mut self) -> Option<Stage> {
        None
    }

    /// What must be there again before each slice.
    fn before_slice(&mut self) -> Option<Stage> {
        None
    }

    /// How far the workload has come in the sequence of its requests; `None` where it
    /// does not matter which requests a target is sent. Asked between slices.
    fn position(&self) -> Option<Position> {
        None
    }

    /// Where the next slice ends in the sequence, by worker, which is then
    /// [`tenbin_engine::Next::Exhausted`]; without, it ends by time.
    fn ends_at(&mut self, ends: Option<&[u64]>) {
        let _ = ends;
    }

    /// Goes on at this position of the sequence, by worker. What is before it and has not
    /// been sent is left out.
    fn skip_to(&mut self, position: &[u64]) {
        let _ = position;
    }

    /// How many different things the slice of that number (from 0, warm-ups among them) may
    /// read, where that depends on what an earlier slice stored on this target.
    fn readable(&self, slice: usize) -> Option<u64> {
        let _ = slice;
        None
    }

    /// The slice that was driven last is only the first part of the next one, which reads
    /// what an earlier slice of the same number stored.
    fn goes_on(&mut self) {}

    /// The next slice is to read only the first `things`, since another target has no
    /// more of them.
    fn read_only(&mut self, things: u64) {
        let _ = things;
    }

    /// The measured workers of one slice, one for a thread: as many as there are
    /// threads, or connections where these are fewer. Where the workload has a
    /// [`Prepared::position`], they go on from there; elsewhere every slice begins anew.
    fn slice(&mut self) -> Vec<Box<dyn Workload>>;

    /// The workers of a stretch in which refused requests are sent again, at most so often
    /// each; `None` where that cannot be done, or is what [`Prepared::slice`] does.
    fn slice_with_retries(&mut self, most: u32) -> Option<Vec<Box<dyn Workload>>> {
        let _ = most;
        None
    }

    /// Takes the workers of [`Prepared::slice`] back. What they made is already
    /// noted; they need not come back.
    fn slice_done(&mut self, workers: Vec<Box<dyn Workload>>) {
        drop(workers);
    }

    /// What is worth a word before the first slice, a sentence each; asked once, after
    /// the stages of [`Prepared::before_run`].
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The data set that was there before the run, if there was one that this works on; asked
    /// after the stages of [`Prepared::before_run`].
    fn found(&self) -> Option<Found> {
        None
    }

    /// The workload is called that from now on: after what was found. Called before the first
    /// slice, so that a run of the plan as executed sends the same.
    fn rename(&mut self, name: &str) {
        let _ = name;
    }

    /// The patterns that requests are drawn from, if they are, and what was found of
    /// them by the stages that ask for it.
    fn asked_patterns(&self) -> Option<AskedPatterns> {
        None
    }

    /// Asks again what was asked before the run, now that there was load; asked again after
    /// each stage until there is nothing more, and then ready to begin anew. Nothing depends
    /// on it being asked.
    fn ask_again(&mut self) -> Option<Stage> {
        None
    }

    /// What was seen of single requests in the slice whose workers have just been taken
    /// back, a warm-up too; asked after each, if only to be thrown away.
    fn singles_seen(&mut self) -> Option<SinglesSeen> {
        None
    }

    /// What was seen of the responses of the slice whose workers have just been taken back, where
    /// the right response is not known but learnt; asked after each, if only to be thrown away.
    fn responses_seen(&mut self) -> Option<ResponsesSeen> {
        None
    }

    /// The response that is expected, where it is not known but learnt: from requests before
    /// the run, and from the run.
    fn expected_response(&self) -> Option<ExpectedResponse> {
        None
    }

    /// The target has been started anew: what it kept in memory is gone.
    fn restarted(&mut self) {}

    /// Takes over whatever an earlier run of the same plan may have left, for
    /// [`Prepared::after_run`] to remove.
    fn inherit(&mut self) {}

    /// What an earlier run may have left that nobody can find, in one sentence; asked
    /// after [`Prepared::inherit`].
    fn lost(&self) -> Option<String> {
        None
    }

    /// Removes what Tenbin made, and nothing else; asked again after each stage until
    /// there is nothing more.
    fn after_run(&mut self) -> Option<Stage> {
        None
    }

    /// Why there is nothing to measure any more, in a sentence; asked before each slice.
    fn spent(&self) -> Option<String> {
        None
    }

    /// Why the run cannot go on although there is more to measure, in a sentence; asked
    /// after each slice.
    fn failed(&self) -> Option<String> {
        None
    }

    /// What stays after the run because the plan says so, in one sentence, once the
    /// stages of [`Prepared::after_run`] have been driven.
    fn kept(&self) -> Option<String> {
        None
    }

    /// What the stages of [`Prepared::after_run`] could not remove, in one
    /// sentence, once it has been driven.
    fn left_behind(&self) -> Option<String> {
        None
    }

    /// The same, one by one, with what is known of each.
    fn leftovers(&self) -> Vec<Leftover> {
        self.left_behind().into_iter().map(Leftover::from).collect()
    }

    /// What the stages of [`Prepared::after_run`] removed after [`Prepared::inherit`], a
    /// sentence each, once they have been driven.
    fn removed(&self) -> Vec<String> {
        Vec::new()
    }

    /// Names of the buckets that this workload made, known after [`Prepared::check`].
    fn buckets_made(&self) -> Vec<String> {
        Vec::new()
    }

    /// Takes over the buckets that an earlier run of the same plan made, as far as this
    /// workload uses them: [`Prepared::after_run`] deletes those that are empty. Takes what
    /// it uses out of `buckets`; called after [`Prepared::inherit`].
    fn inherit_buckets(&mut self, buckets: &mut Vec<String>) {
        let _ = buckets;
    }
}

/// Something that Tenbin put on a target and that is still there after tidying.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leftover {
    /// What it is and where, in a sentence without an end.
    pub what: String,
    /// The bucket it is in, of S3.
    pub bucket: Option<String>,
    /// What all its keys begin with, of S3.
    pub prefix: Option<String>,
    /// Number of objects; `None` if that is not known.
    pub objects: Option<u64>,
    /// Why it is still there, if that is known.
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

/// Unmeasured work that the engine drives like any other, in a closed loop until
/// every worker is [`tenbin_engine::Next::Exhausted`].
pub struct Stage {
    /// What is being done, for progress: `putting 10,000 objects`.
    pub what: String,
    /// Operations it will take, if that is known.
    pub total: Option<u64>,
    /// Connections to use, over all workers; at least one each.
    pub connections: usize,
    /// One for a thread.
    pub workers: Vec<Box<dyn Workload>>,
    /// Whether any failure ends the run. Its text is a sentence for people.
    pub must_succeed: bool,
    /// The one host that all of it goes to, by its position in the route; to all of them in
    /// turn without. The engine then knows no other host, and calls this one the first.
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
