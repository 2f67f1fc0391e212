//! The sections on how a run was set up.

pub(super) mod commands;
pub(super) mod environment;
pub(super) mod plan;
