//! Droonga's messages and their protocol. Droonga cannot be installed any more; formats and
//! protocol are those of its last release.

mod clock;
mod convert;
mod forward;
mod send;

pub use clock::timestamp;
pub use convert::Converter;
pub use forward::{Address, DEFAULT_PORT, DEFAULT_TAG, Nodes};
pub use send::{Completion, SendOptions, Sent, send};
