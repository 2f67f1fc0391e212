//! The properties of a target that decide what is sent to the target.

use crate::patterns::CacheCounters;

/// A target that a workload is sent to.
pub(crate) struct SentTo<'a> {
    /// Names under which `by_target` can have a request for the target, the most specific first.
    pub(crate) names: Vec<&'a str>,
    /// Whether the target is a twin and the same server as the baseline, because Tenbin did not
    /// start the server.
    pub(crate) is_same_server: bool,
    /// The source of the target's cache counters, if the target sets one.
    pub(crate) cache_counters: Option<&'a CacheCounters>,
    /// Whether an earlier workload draws from the same patterns and reads their hits by default.
    pub(crate) hits_are_read_elsewhere: bool,
}
