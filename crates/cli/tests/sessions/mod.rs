//! A stand-in for servers that issue temporary keys, and a provider of web identities.

pub(crate) mod front;
mod http;
pub(crate) mod identity;
