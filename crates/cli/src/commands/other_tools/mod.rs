//! Commands that run the command lines of other tools.

pub(crate) mod ab;
pub(crate) mod blobstore_bench;
pub(crate) mod hsbench;
pub(crate) mod publish_subscribe;
pub(crate) mod request_response;
pub(crate) mod shared;
pub(crate) mod warp;
pub(crate) mod wrk;
