//! Plan files as written: reading, and the problems found.

pub(crate) mod key_count;
pub(crate) mod mistake;
pub(crate) mod problem;
pub(crate) mod read;
