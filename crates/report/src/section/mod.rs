//! The sections of a report: each turns a document into [blocks](crate::block).
//!
//! [`SECTIONS`] lists all sections: pages print them in this order, and `--section` accepts their
//! names.

mod agents;
mod answer;
mod charts;
mod claims;
mod closing;
mod comparisons;
mod concurrency_sweep;
mod connections;
mod cost;
mod earlier;
mod expectations;
mod findings;
mod gate;
mod hosts;
mod in_words;
mod limits;
mod max_rate;
mod nodes;
mod operations;
mod patterns;
mod question;
mod readable;
mod results;
mod samples;
mod setup;
mod slices;
mod slow;
mod stages;
mod suite;

pub(crate) use closing::{last_three_lines, trusted};
pub(crate) use earlier::blocks_of as earlier;
pub(crate) use earlier::{answer as earlier_answer, brief_of, next_step as earlier_next_step};
pub(crate) use limits::limit_lines;
pub(crate) use question::question;
pub use setup::commands::quoted;

use Shown::{Always, Closing, Details, Drawn, InShort};
use setup::{commands, environment, plan};
use tenbin_result::format::Unit;
use tenbin_result::{Document, Language};

use crate::block::Block;
use crate::chart::Chart;
use crate::language;

/// The main figures of each result of a run, one sentence each: `b: 9.1 k/s ± 1 %`. Twins are
/// left out.
pub fn main_figures(document: &Document, language: Language) -> Vec<String> {
    let measured = closing::measured(document).into_iter();
    let figures = measured.map(|result| closing::figures(document, result, Unit::with_spread));
    figures
        .map(|message| language::say_in(language, &message))
        .collect()
}

/// A section of a report.
pub(crate) struct Section {
    /// Name of the section for `--section`.
    pub(crate) name: &'static str,
    /// Heading of the section; empty for no heading.
    pub(crate) title: &'static str,
    /// When the section is shown.
    pub(crate) shown: Shown,
    /// Creates the blocks; empty if there is nothing to show.
    pub(crate) blocks: fn(&Document) -> Vec<Block>,
}

/// When a section is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Always, before all other sections.
    Always,
    /// On the first screen; the details contain a longer version.
    InShort,
    /// On pages with drawings. Other pages print the section only if requested by name, because it
    /// is long or its figures are also in other sections.
    Drawn,
    /// Among the details; collapsible in a file.
    Details,
    /// Always, at the end of the first screen.
    Closing,
}

/// All sections, in page order.
pub(crate) const SECTIONS: &[Section] = &[
    section(Always, "gate", "", gate::blocks),
    section(Always, "answer", "", answer::blocks),
    section(Always, "results", "", results::blocks),
    section(Always, "in-words", "", in_words::blocks),
    section(Always, "limit", "", limits::blocks),
    section(
        Always,
        "capacity",
        "Concurrency sweep",
        concurrency_sweep::blocks,
    ),
    section(Always, "max-rate", "Maximum rate", max_rate::blocks),
    section(Always, "nodes", "Nodes", nodes::blocks),
    section(Always, "earlier", "Before and after", earlier::blocks),
    section(Always, "expectations", "Expectations", expectations::blocks),
    section(InShort, "reasons", "", findings::in_short),
    section(Closing, "closing", "", closing::blocks),
    section(Drawn, "forest", "", charts::forest),
    section(Drawn, "percentile-ratios", "", charts::percentile_ratios),
    section(Drawn, "quads", "", charts::quads),
    section(Drawn, "percentiles", "", charts::spectrum),
    section(Drawn, "timeline", "", charts::timeline),
    section(Drawn, "errors", "", charts::errors),
    section(Drawn, "matrix", "", charts::matrix),
    section(Drawn, "cost-and-speed", "", charts::cost_and_speed),
    section(Drawn, "server-stages", "", charts::server_stages),
    section(Details, "findings", "Findings", findings::blocks),
    section(Details, "comparisons", "Comparisons", comparisons::blocks),
    section(Details, "operations", "Operations", operations::blocks),
    section(Details, "hosts", "Hosts", hosts::blocks),
    section(Details, "agents", "Agents", agents::blocks),
    section(Details, "connections", "Connections", connections::blocks),
    section(Details, "cost", "Server cost", cost::of_servers),
    section(Details, "generator", "Load generator", cost::of_generator),
    section(Details, "stages", "Server stages", stages::blocks),
    section(Details, "samples", "Request samples", samples::blocks),
    section(Details, "patterns", "Patterns", patterns::blocks),
    section(Details, "suite", "Object storage", suite::blocks),
    section(Details, "plan", "Plan", plan::blocks),
    section(Drawn, "commands", "Commands", commands::blocks),
    section(Drawn, "plan-file", "Plan file", plan::file),
    section(Drawn, "slow", "Slowest and failed requests", slow::blocks),
    section(Details, "environment", "Environment", environment::blocks),
    section(Details, "slices", "Slices", slices::blocks),
    section(Details, "benchmark", "Raw data", suite::raw),
];

/// Names of all sections.
pub fn section_names() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|section| section.name)
}

impl Section {
    /// The section's blocks in the language of the document.
    pub(crate) fn translated_blocks(&self, document: &Document) -> Vec<Block> {
        language::translated(document, (self.blocks)(document))
    }

    /// The section's heading in the language of the document; empty for no heading.
    pub(crate) fn heading(&self, document: &Document) -> String {
        language::text(document, self.title)
    }

    /// The section's blocks on the first screen of a terminal, without long tables.
    pub(crate) fn screen_blocks(&self, document: &Document) -> Vec<Block> {
        match self.name {
            "max-rate" => language::translated(document, max_rate::in_short(document)),
            _ => self.translated_blocks(document),
        }
    }

    /// The section's blocks on a page without files: the chart of a gate is drawn in characters.
    pub(crate) fn blocks_alone(&self, document: &Document) -> Vec<Block> {
        match self.name {
            "gate" => language::translated(document, gate::alone(document)),
            _ => self.translated_blocks(document),
        }
    }

    /// The section's blocks, with only the first `most` rows of tables whose length grows with the
    /// run.
    pub(crate) fn first_rows(&self, document: &Document, most: usize) -> Vec<Block> {
        match self.name {
            "slices" => language::translated(document, slices::first(document, most)),
            _ => self.translated_blocks(document),
        }
    }
}

/// The charts of the section with this name.
pub(crate) fn charts_of(document: &Document, name: &str) -> impl Iterator<Item = Chart> {
    let section = SECTIONS.iter().find(|section| section.name == name);
    let blocks = section.map_or_else(Vec::new, |section| section.translated_blocks(document));
    blocks.into_iter().filter_map(|block| match block {
        Block::Chart(chart) => Some(*chart),
        _ => None,
    })
}

const fn section(
    shown: Shown,
    name: &'static str,
    title: &'static str,
    blocks: fn(&Document) -> Vec<Block>,
) -> Section {
    Section {
        name,
        title,
        shown,
        blocks,
    }
}
