//! Formats of benchmarks of object stores, blob stores and disks.

pub(in crate::formats) mod blobstore_bench;
pub(in crate::formats) mod elbencho;
pub(in crate::formats) mod fio;
pub(in crate::formats) mod hsbench;
pub(in crate::formats) mod warp;
