//! What a rule is, and how findings are ordered and merged.

pub(crate) mod explained;
pub(crate) mod flags;
pub(crate) mod gathered;
pub(crate) mod precedence;
pub(crate) mod rule;
pub(crate) mod rule_info;
pub(crate) mod threshold;
