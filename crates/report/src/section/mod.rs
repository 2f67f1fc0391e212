//! The parts of a result, each a function from the document to [blocks](crate::block).
//!
//! [`SECTIONS`] is the one table of them: pages print them in its order, and `--section` takes
//! its names.

mod answer;
mod capacity;
mod claims;
mod closing;
mod comparisons;
mod connections;
mod cost;
mod earlier;
mod environment;
mod expectations;
mod findings;
mod hosts;
mod max_rate;
mod nodes;
mod operations;
mod patterns;
mod plan;
mod readable;
mod results;
mod samples;
mod slices;
mod stages;
mod suite;

pub(crate) use closing::last_three_lines;
pub(crate) use earlier::of as earlier;

use Shown::{Always, Closing, Details, InShort};
use tenbin_result::Document;

use crate::block::Block;

/// A part of a result.
pub(crate) struct Section {
    /// Its name, as `--section` takes it.
    pub(crate) name: &'static str,
    /// Its heading; none where the blocks need none.
    pub(crate) title: &'static str,
    /// When it is shown.
    pub(crate) shown: Shown,
    /// What it says; empty where there is nothing to say.
    pub(crate) blocks: fn(&Document) -> Vec<Block>,
}

/// When a section is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Always, before everything else.
    Always,
    /// On the first screen; details have the same at length.
    InShort,
    /// Where details are asked for; folded in a file.
    Details,
    /// Always, at the end of the first screen.
    Closing,
}

/// Every section, in the order in which pages print them.
pub(crate) const SECTIONS: &[Section] = &[
    section(Always, "answer", "", answer::blocks),
    section(Always, "results", "", results::blocks),
    section(Always, "capacity", "Concurrency sweep", capacity::blocks),
    section(Always, "max-rate", "Maximum rate", max_rate::blocks),
    section(Always, "nodes", "Nodes", nodes::blocks),
    section(Always, "earlier", "Before and after", earlier::blocks),
    section(Always, "expectations", "Expectations", expectations::blocks),
    section(InShort, "reasons", "", findings::in_short),
    section(Closing, "closing", "", closing::blocks),
    section(Details, "findings", "Findings", findings::blocks),
    section(Details, "comparisons", "Comparisons", comparisons::blocks),
    section(Details, "operations", "Operations", operations::blocks),
    section(Details, "hosts", "Hosts", hosts::blocks),
    section(Details, "connections", "Connections", connections::blocks),
    section(Details, "cost", "Server cost", cost::of_servers),
    section(Details, "generator", "Load generator", cost::of_generator),
    section(Details, "stages", "Server stages", stages::blocks),
    section(Details, "samples", "Request samples", samples::blocks),
    section(Details, "patterns", "Patterns", patterns::blocks),
    section(Details, "suite", "Object storage", suite::blocks),
    section(Details, "plan", "Plan", plan::blocks),
    section(Details, "environment", "Environment", environment::blocks),
    section(Details, "slices", "Slices", slices::blocks),
    section(Details, "benchmark", "Raw data", suite::raw),
];

/// The name of every section.
pub fn section_names() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|section| section.name)
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
