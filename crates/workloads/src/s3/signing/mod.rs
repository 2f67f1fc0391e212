//! Signatures and heads of requests.

pub(crate) mod form;
pub mod keyring;
pub(crate) mod request_writer;
pub mod sigv2;
pub mod sigv4;
pub(crate) mod timestamp;
pub mod uri;
