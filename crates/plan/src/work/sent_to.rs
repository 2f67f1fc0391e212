//! What of a target decides what is sent to it.

use crate::patterns::CacheCounters;

/// A target that a workload is sent to.
pub(crate) struct SentTo<'a> {
    /// What requests of `by_target` may be called for it, the most special name first.
    pub(crate) names: Vec<&'a str>,
    /// Whether it is the twin of a server that was there before the run, and so the same server.
    pub(crate) is_same_server: bool,
    /// The source of its cache counters, if the target sets one.
    pub(crate) cache_counters: Option<&'a CacheCounters>,
    /// Whether an earlier workload draws from the same patterns: by default their
    /// hits are read once.
    pub(crate) hits_are_read_elsewhere: bool,
}
