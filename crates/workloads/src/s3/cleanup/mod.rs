//! After a run: what was created is deleted, and what remains is counted.

pub(crate) mod abort_uploads;
pub(crate) mod deletion;
pub(crate) mod leftovers;
pub(crate) mod remaining;
pub(crate) mod sweep;
