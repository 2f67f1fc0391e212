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

use crate::block::Block;
use crate::document::Document;

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
    always("answer", "", answer::blocks),
    always("results", "", results::blocks),
    always("capacity", "Concurrency sweep", capacity::blocks),
    always("max-rate", "Maximum rate", max_rate::blocks),
    always("nodes", "Nodes", nodes::blocks),
    always("earlier", "Before and after", earlier::blocks),
    always("expectations", "Expectations", expectations::blocks),
    Section {
        name: "reasons",
        title: "",
        shown: Shown::InShort,
        blocks: findings::in_short,
    },
    Section {
        name: "closing",
        title: "",
        shown: Shown::Closing,
        blocks: closing::blocks,
    },
    details("findings", "Findings", findings::blocks),
    details("comparisons", "Comparisons", comparisons::blocks),
    details("operations", "Operations", operations::blocks),
    details("hosts", "Hosts", hosts::blocks),
    details("connections", "Connections", connections::blocks),
    details("cost", "Server cost", cost::of_servers),
    details("generator", "Load generator", cost::of_generator),
    details("stages", "Server stages", stages::blocks),
    details("samples", "Request samples", samples::blocks),
    details("patterns", "Patterns", patterns::blocks),
    details("suite", "Object storage", suite::blocks),
    details("plan", "Plan", plan::blocks),
    details("environment", "Environment", environment::blocks),
    details("slices", "Slices", slices::blocks),
    details("benchmark", "Raw data", suite::raw),
];

/// The name of every section.
pub fn section_names() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|section| section.name)
}

const fn always(
    name: &'static str,
    title: &'static str,
    blocks: fn(&Document) -> Vec<Block>,
) -> Section {
    Section {
        name,
        title,
        shown: Shown::Always,
        blocks,
    }
}

const fn details(
    name: &'static str,
    title: &'static str,
    blocks: fn(&Document) -> Vec<Block>,
) -> Section {
    Section {
        name,
        title,
        shown: Shown::Details,
        blocks,
    }
}
