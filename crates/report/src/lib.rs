//! Reports of a run: terminal, Markdown, JSON and the formats of other tools.
//!
//! Every report is a pure function of a [`Document`](tenbin_result::Document), the content of
//! `result.json`; some formats of other tools also use the recorded measurements. Sections turn the
//! document into blocks, and pages print blocks, so that one section serves terminal, Markdown and
//! HTML. [`formats`] reads and writes files; [`formats::FORMATS`] lists all formats. [`terminal`]
//! returns the text for a terminal. This crate makes no statistical decisions. Pages escape text
//! that came from a server.

mod asked;
mod block;
mod cells;
mod chart;
mod cost;
mod earlier;
mod escape;
mod flagged;
mod foreign;
pub mod formats;
mod language;
mod lint;
mod page;
mod paired;
mod ramp;
mod section;
mod stages;
mod trust_reason;
mod words;

pub use earlier::{Results, against, earlier_json, terminal_earlier};
pub use escape::for_terminal;
pub use foreign::last_lines;
pub use lint::{lint_json, lint_text};
pub use page::html::{LivePage, html, live_page};
pub use page::terminal::{Extent, View, terminal};
pub use ramp::Overlay;
pub use section::{quoted, section_names};
