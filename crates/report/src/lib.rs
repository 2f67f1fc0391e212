//! What people and machines read of a run: terminal, Markdown, JSON.
//!
//! Everything is a pure function of a [`Document`], which holds all that is to
//! be said of a run and is itself what `result.json` holds. Files are made by
//! [`Exporter`]s, all in one table, [`EXPORTERS`]; [`terminal`] makes the text
//! for a terminal. Nothing here decides anything, and text that came from
//! a server is escaped for the page it goes on.

pub mod ab;
mod asked;
mod assemble;
mod benchmark;
pub mod blobstore_bench;
mod capacity;
mod connections;
mod cost;
mod describe;
pub mod document;
pub mod drnbench;
mod earlier;
mod escape;
mod exporter;
mod flagged;
mod foreign;
pub mod hsbench;
pub mod import;
mod markdown;
mod nodes;
mod paired;
mod ramp;
mod schema;
mod stages;
mod table;
mod terminal;
pub mod warp;
mod web;
mod words;
pub mod wrk;

pub use assemble::Source;
pub use document::{Document, document_from_json};
pub use earlier::{Results, against, earlier_json, terminal_earlier};
pub use escape::for_terminal;
pub use exporter::{EXPORTERS, Exporter, exporter};
pub use foreign::last_lines;
pub use ramp::Overlay;
pub use schema::schema_json;
pub use terminal::{terminal, terminal_wrapped};
pub use web::Pooled;
