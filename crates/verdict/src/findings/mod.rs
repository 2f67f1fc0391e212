//! Definition of rules, and ordering and merging of findings.

pub(crate) mod distortion;
pub(crate) mod explained;
pub(crate) mod flags;
pub(crate) mod gathered;
pub(crate) mod messages;
pub(crate) mod precedence;
pub(crate) mod rule;
pub(crate) mod rule_info;
pub(crate) mod threshold;
pub(crate) mod translated;
pub(crate) mod trust;
