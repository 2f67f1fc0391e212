//! Rules on targets that cannot be reached, end or start again.

pub(crate) mod dead_hosts;
pub(crate) mod failed_start;
pub(crate) mod key_renewal;
pub(crate) mod outage;
pub(crate) mod process_ended;
