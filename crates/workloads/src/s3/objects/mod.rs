//! Which objects a workload has, and which of them is next.

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
