//! The objects of a workload, and the order in which they are used.

pub(crate) mod appended;
pub(crate) mod archives;
pub(crate) mod catalogue;
pub(crate) mod dataset;
pub(crate) mod generations;
pub(crate) mod marks;
pub(crate) mod orders;
pub(crate) mod selection;
pub(crate) mod uploads;
pub(crate) mod versions;
