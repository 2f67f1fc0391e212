//! Facts about a workload that the rest of Tenbin uses, for all protocols.

use crate::may_differ::MayDiffer;
use crate::patterns::Patterns;
use crate::sizes::Sizes;
use crate::store::Store;

/// Facts about the work of one workload. The defaults hold for a protocol that sends requests with
/// known right responses and keeps nothing on its targets.
pub trait Facts {
    /// What holds of all work of the protocol.
    fn traits(&self) -> &'static Traits;

    /// The operations that are sent, with their shares; at least one.
    fn operations(&self) -> Vec<Operation<'_>>;

    /// What is sent, in words, without secrets.
    fn describe(&self) -> String;

    /// What to look at where a target refuses the requests, as advice.
    fn when_refused(&self) -> &'static str;

    /// How large the stored objects are; `None` where nothing is stored.
    fn sizes(&self) -> Option<&Sizes> {
        None
    }

    /// Number of objects, if the plan says one.
    fn objects(&self) -> Option<u64> {
        None
    }

    /// Bytes in a part of an object, where objects are sent or read in parts.
    fn part_bytes(&self) -> Option<u64> {
        None
    }

    /// Objects that one request is for; 1 for most operations.
    fn objects_per_request(&self) -> u64 {
        1
    }

    /// The one operation that transfers whole objects of one size, if that is all that is sent.
    fn transfer(&self) -> Option<Transfer> {
        None
    }

    /// What is stored on each target before the first slice.
    fn laid_out(&self) -> Option<LaidOut> {
        None
    }

    /// Whether data that was stored stays after the run.
    fn keeps_data(&self) -> bool {
        false
    }

    /// Whether a slice uses up the objects that were stored for it, so that every operation counts.
    fn uses_up(&self) -> bool {
        false
    }

    /// Whether it matters which requests are sent: they have an order, and what a server caches
    /// follows from it.
    fn has_sequence(&self) -> bool {
        false
    }

    /// Whether a target can be restarted during the run: it holds no data of the workload.
    fn can_relaunch(&self) -> bool {
        false
    }

    /// How often a request that was refused for the moment is sent again.
    fn retries(&self) -> u32 {
        0
    }

    /// Name of the phase, where the workload is one of several that work on the same data one after
    /// the other, once in every round.
    fn phase(&self) -> Option<&'static str> {
        None
    }

    /// Whether a target must speak S3, if blob workloads speak `store` to it.
    fn needs_s3(&self, store: Store) -> bool {
        let _ = store;
        false
    }

    /// Whether targets without a server, and the built-in blob server, can do it.
    fn is_for_blob_stores(&self) -> bool {
        false
    }

    /// The patterns that requests are drawn from.
    fn patterns(&self) -> Option<&Patterns> {
        None
    }

    /// What may differ between responses to the same request; `None` where the right response is
    /// known and every other one counts as failed.
    fn may_differ(&self) -> Option<MayDiffer> {
        None
    }

    /// Whether requests have a body; with patterns, only what is not in them.
    fn sends_body(&self) -> bool {
        false
    }

    /// Whether a response with `status` to a plain GET of the target's URL counts as success; `None`
    /// where other requests are sent.
    fn accepts_first(&self, status: u16) -> Option<bool> {
        let _ = status;
        None
    }
}

/// What holds of all work of a protocol, and so is known of a result that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// Its name in plans and results: the `kind` of a workload.
    pub name: &'static str,
    /// Whether a target is used as an object store: objects are put, read and listed by name.
    pub is_object_store: bool,
    /// Whether the right response is not known but learnt from earlier responses.
    pub learns_responses: bool,
    /// The text before the operation in the name of a Go benchmark; without it, the operation has the
    /// name of its interface.
    pub benchmark: Option<&'static str>,
}

/// One operation of a workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation<'a> {
    /// Its name in plans.
    pub name: &'a str,
    /// Its name in the protocol's own specification.
    pub interface: &'a str,
    /// How often it is sent, in proportion to the shares of the others.
    pub share: f64,
    /// Whether it stores content whose sizes the plan chooses.
    pub stores: bool,
}

/// Whole objects of one size, sent or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Whether they are sent to the target or read from it.
    pub direction: Direction,
    /// Size of an object, bytes.
    pub bytes: u64,
}

/// Which way objects go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the target.
    Write,
    /// From the target.
    Read,
}

/// What is stored on a target before the first slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaidOut {
    /// Number of objects, each version counted.
    pub objects: u64,
    /// Their bytes, about.
    pub bytes: u64,
    /// Whether a slice uses up some of it, so that it is stored again before the next.
    pub again: bool,
}
