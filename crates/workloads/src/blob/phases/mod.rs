//! The phases: blobs are stored, read and deleted.

pub(crate) mod delete;
pub(crate) mod dummy;
pub(crate) mod encoding;
pub(crate) mod followed;
pub(crate) mod follower;
pub(crate) mod fresh;
pub(crate) mod get;
pub(crate) mod handover;
pub(crate) mod in_flight;
pub(crate) mod mixed;
pub(crate) mod pieces;
pub(crate) mod positions;
pub(crate) mod put;
pub(crate) mod read_order;
