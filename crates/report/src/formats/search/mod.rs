//! Formats of benchmarks of search servers.

pub(in crate::formats) mod drnbench;
pub(in crate::formats) mod rally;
