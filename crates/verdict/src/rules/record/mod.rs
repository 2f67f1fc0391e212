//! Whether the record of the run is complete and unchanged.

pub(crate) mod changed_record;
pub(crate) mod incomplete;
pub(crate) mod unobserved;
