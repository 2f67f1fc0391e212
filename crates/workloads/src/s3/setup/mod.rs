//! Before the first slice: checks, data sets and what a target supports.

pub(crate) mod check;
pub(crate) mod loading;
pub(crate) mod look;
pub(crate) mod must_succeed;
pub(crate) mod pack;
pub(crate) mod probe;
pub(crate) mod progress;
pub(crate) mod requirements;
pub(crate) mod survey;
