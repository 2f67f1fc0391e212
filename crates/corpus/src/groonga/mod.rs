//! Groonga's commands and responses.

mod answer;
mod command;
mod schema;
mod script;
mod tutorial;

pub use answer::{Answer, Columns};
pub use command::Command;
pub use schema::{Column, Schema, Table};
pub use script::{Item, Record, Script};
pub use tutorial::{INDEXES, SCHEMA, load_begin, load_end};
