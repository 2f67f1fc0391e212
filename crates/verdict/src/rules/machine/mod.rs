//! Rules on the load generator's machine.

pub(crate) mod accept_queue;
pub(crate) mod busy_idle_target;
pub(crate) mod disk_space;
pub(crate) mod machine_full;
pub(crate) mod others_busy;
pub(crate) mod shared_cores;
pub(crate) mod swapping;
pub(crate) mod thresholds;
