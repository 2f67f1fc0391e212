//! The slices of a run: their order and length, the requests they send, and what is measured.

pub(crate) mod cache;
pub(crate) mod length;
pub(crate) mod limit_probes;
pub(crate) mod max_rate;
pub(crate) mod measured;
pub(crate) mod measurement;
pub(crate) mod request_list;
pub(crate) mod request_log;
pub(crate) mod request_samples;
pub(crate) mod responses;
pub(crate) mod retries;
pub(crate) mod segments;
pub(crate) mod speed;
pub(crate) mod sustain;
pub(crate) mod warm_up;
pub(crate) mod watch;
