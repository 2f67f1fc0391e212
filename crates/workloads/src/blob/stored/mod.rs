//! What is known of stored blobs: in memory, in journals, on disk, and between agents.

pub(crate) mod batch;
pub(crate) mod disk;
pub(crate) mod journal;
pub(crate) mod messages;
pub(crate) mod recorder;
pub(crate) mod run_journals;
pub(crate) mod set;
pub(crate) mod transfer;
