//! The running targets: how they are reached, checked, restarted and stopped.

pub(crate) mod access;
pub(crate) mod first_response;
pub(crate) mod full_disk;
pub(crate) mod keys;
pub(crate) mod live;
pub(crate) mod nodes;
pub(crate) mod outage;
pub(crate) mod redirects;
pub(crate) mod restarts;
