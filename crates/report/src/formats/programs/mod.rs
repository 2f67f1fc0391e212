//! Formats of benchmarks of functions, commands and databases.

pub(crate) mod go;
pub(in crate::formats) mod hyperfine;
pub(in crate::formats) mod pgbench;
pub(in crate::formats) mod sysbench;
