//! The S3 operations, one file each.

pub(super) mod append;
pub(super) mod copy;
pub(super) mod delete;
pub(super) mod delete_batch;
mod each;
pub(super) mod fan_out;
pub(super) mod get;
pub(super) mod get_part;
pub(super) mod list;
pub(super) mod lock;
pub(super) mod multipart;
pub(super) mod put;
pub(super) mod snowball;
pub(super) mod stat;
pub(super) mod tags;
pub(super) mod zip_get;
pub(super) mod zip_list;
