//! What people and machines read of a run: terminal, Markdown, JSON.
//!
//! Everything is a pure function of a [`Document`](tenbin_result::Document), which holds all that is to
//! be said of a run and is itself what `result.json` holds. Sections turn it into blocks, and
//! pages print blocks: a section is written once for the terminal and for Markdown. Files are made
//! by [`Exporter`]s, all in one table, [`EXPORTERS`]; [`terminal`] makes the text
//! for a terminal. Nothing here decides anything, and text that came from
//! a server is escaped by the page it goes on.

pub mod ab;
mod asked;
mod benchmark;
pub mod blobstore_bench;
mod block;
mod cost;
pub mod drnbench;
mod earlier;
mod escape;
mod exporter;
mod flagged;
mod foreign;
pub mod hsbench;
pub mod import;
mod page;
mod paired;
mod ramp;
mod section;
mod stages;
pub mod warp;
mod web;
mod words;
pub mod wrk;

pub use earlier::{Results, against, earlier_json, terminal_earlier};
pub use escape::for_terminal;
pub use exporter::{EXPORTERS, Exporter, exporter};
pub use foreign::last_lines;
pub use page::terminal::{Extent, View, terminal};
pub use ramp::Overlay;
pub use section::section_names;
pub use web::Pooled;
