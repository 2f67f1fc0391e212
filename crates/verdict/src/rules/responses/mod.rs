//! Rules on responses: whether the work was done and was the same for all targets.

pub(crate) mod censored;
pub(crate) mod checksum_ignored;
pub(crate) mod errors;
pub(crate) mod left_behind;
pub(crate) mod read_back;
pub(crate) mod unequal_requests;
