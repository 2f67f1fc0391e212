//! Command lines of other tools, converted to plans. This crate runs nothing, reads no clock and
//! opens no connection.
//!
//! Each tool has one table of its flags: same effect, accepted with a note, or refused by name. The
//! table feeds the parser, the help, the documentation and the tests.

pub mod ab;
pub mod blobstore_bench;
pub mod drnbench;
pub mod flag;
mod help;
pub mod hsbench;
mod mistakes;
mod parse;
mod parsed;
pub mod publish_subscribe;
pub mod request_response;
pub mod warp;
mod web;
pub mod wrk;

pub use mistakes::Mistakes;
pub use parse::World;
pub use parsed::Parsed;
pub use web::{Server, WebJob};
