//! Before the first slice: checks, data sets and what a target supports.

pub(crate) mod access;
pub(crate) mod archive_loader;
pub(crate) mod check;
pub(crate) mod checksum;
mod checksum_stages;
mod host_stages;
pub(crate) mod hosts;
pub(crate) mod loading;
pub(crate) mod must_succeed;
pub(crate) mod probe;
pub(crate) mod progress;
pub(crate) mod requirements;
pub(crate) mod survey;
