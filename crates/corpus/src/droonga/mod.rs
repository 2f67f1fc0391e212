//! Droonga's messages and the way they travel. Droonga itself can no longer be
//! installed; formats and protocol are those of its last release.

mod clock;
mod convert;
mod forward;
mod send;

pub use clock::timestamp;
pub use convert::Converter;
pub use forward::{Address, DEFAULT_PORT, DEFAULT_TAG, Nodes};
pub use send::{Completion, SendManner, Sent, send};
