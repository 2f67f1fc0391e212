//! Command lines of other tools, converted to plans. This crate runs nothing, reads no clock and
//! opens no connection.
//!
//! Each tool has one table of flags. A flag has the same effect as in the tool, is accepted with a
//! note, or is refused with a reason. The parser, the help, the documentation and the tests use
//! this table.

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
mod same;
mod spelling;
pub mod warp;
mod web;
pub mod wrk;

pub use help::{Help, Printer};
pub use mistakes::Mistakes;
pub use parse::World;
pub use parsed::Parsed;
pub use spelling::{SPELLINGS, Spelling};
pub use web::{Server, WebJob};
