//! Reports of a run: terminal, Markdown, JSON and the formats of other tools.
//!
//! Every report is a pure function of a [`Document`](tenbin_result::Document), the content of
//! `result.json`; some formats of other tools also use the recorded measurements. Sections turn the
//! document into blocks, and pages print blocks, so that one section serves terminal, Markdown and
//! HTML. [`formats`] reads and writes files; [`formats::FORMATS`] lists all formats. [`terminal`]
//! returns the text for a terminal. This crate makes no statistical decisions. Pages escape text
//! that came from a server.

mod bisect;
mod block;
mod cells;
mod chart;
mod concurrency_sweep;
mod cost;
mod differing_settings;
mod earlier;
mod escape;
mod expectations;
mod flagged;
mod foreign;
pub mod formats;
mod gate;
mod history;
mod language;
mod lint;
mod overlay;
mod page;
mod paired;
mod section;
mod stages;
mod trust_reason;
mod ui;
mod words;

pub use bisect::{bisect_json, terminal_bisect};
pub use earlier::{NotComparable, Results, against, earlier_json, terminal_earlier};
pub use escape::{for_terminal, shortened};
pub use foreign::last_lines;
pub use gate::annotation;
pub use history::{MOST_RUNS, history_json, html_history, terminal_history};
pub use language::verdicts;
pub use lint::{lint_json, lint_text};
pub use overlay::Overlay;
pub use page::html::{ServedPage, html, live_page, titled_html};
pub use page::terminal::{Extent, View, terminal};
pub use section::{main_figures, quoted, section_names};
pub use ui::{
    ComparedRuns, HistoryForm, ListFilter, ListedRun, ListedState, RunContent, RunList, RunPage,
    RunProgress, Site, compared_page, delete_page, history_page, list_page, opening_page,
    problem_page, run_page,
};
