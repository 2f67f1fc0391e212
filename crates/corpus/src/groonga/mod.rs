//! Groonga's commands and responses.

mod command;
mod response;
mod schema;
mod script;
mod tutorial;

pub use command::Command;
pub use response::{Columns, Response};
pub use schema::{Column, Schema, Table};
pub use script::{Item, Record, Script};
pub use tutorial::{INDEXES, SCHEMA, load_begin, load_end};
