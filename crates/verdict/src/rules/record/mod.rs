//! Rules on the record of the run: whether the record is complete and unchanged.

pub(crate) mod changed_record;
pub(crate) mod incomplete;
pub(crate) mod unobserved;
