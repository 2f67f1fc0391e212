//! Droonga's messages and the protocol that carries them. Droonga is no longer in the package registries;
//! formats and protocol follow its last release.

mod clock;
mod convert;
mod forward;
mod send;

pub use clock::timestamp;
pub use convert::Converter;
pub use forward::{Address, DEFAULT_PORT, DEFAULT_TAG, Nodes};
pub use send::{Completion, SendOptions, Sent, send};
