//! What is compared, and the conditions that figures must meet.

pub(crate) mod expectation;
pub(crate) mod figure;
pub(crate) mod gate;
pub(crate) mod may_differ;
pub(crate) mod until;
