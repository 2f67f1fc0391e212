//! Other tools' command lines as plans. Nothing here runs, reads a clock or opens
//! a connection.
//!
//! Each tool has one table of its flags, with what becomes of each: honoured,
//! accepted with a note, or refused by name. The table feeds the parser, the help,
//! the documentation and the tests.

pub mod ab;
mod asked;
pub mod blobstore_bench;
pub mod drnbench;
pub mod flag;
mod help;
pub mod hsbench;
mod mistakes;
mod parse;
pub mod publish_subscribe;
pub mod request_response;
pub mod warp;
mod web;
pub mod wrk;

pub use asked::Asked;
pub use mistakes::Mistakes;
pub use parse::World;
pub use web::{Server, WebJob};
