//! Rules on the load generator and the load that was sent.

pub(crate) mod agent_far;
pub(crate) mod agent_lost;
pub(crate) mod agent_saturated;
pub(crate) mod agents_differ;
pub(crate) mod agents_disagree;
pub(crate) mod agents_unlike;
pub(crate) mod client_saturated;
pub(crate) mod coordinated_waiting;
pub(crate) mod little;
pub(crate) mod send_lag;
pub(crate) mod start_skew;
