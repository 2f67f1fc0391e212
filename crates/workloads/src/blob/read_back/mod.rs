//! Reading back, after the measured part, a sample of the blobs that were put and deleted.

pub(crate) mod reader;
pub(crate) mod sample;
