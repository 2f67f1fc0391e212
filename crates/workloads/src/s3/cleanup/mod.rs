//! Cleanup after a run: deletes what the run created, and counts what remains.

pub(crate) mod abort_uploads;
pub(crate) mod deletion;
pub(crate) mod leftovers;
pub(crate) mod remaining;
pub(crate) mod sweep;
