//! A resolved plan, and what follows from it.

pub(crate) mod apply_found;
pub(crate) mod baseline;
pub(crate) mod continuous;
pub(crate) mod corpus;
pub(crate) mod found;
pub(crate) mod hypotheses;
pub(crate) mod limit_probes;
pub(crate) mod model;
pub(crate) mod restarts;
pub(crate) mod schedule;
pub(crate) mod workload;
pub(crate) mod workload_settings;
