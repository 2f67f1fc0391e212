//! Reads lists of requests whose columns the user names: CSV or TSV of any tool, with a row for each
//! request.
//!
//! No format recognises such a file: a map says which column has which role.

mod columns;
mod outcome;
mod read;
mod steps;
mod unit;

pub use columns::ColumnMap;
pub(super) use read::read;
