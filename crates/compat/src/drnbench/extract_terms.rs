//! The command line of `drnbench-extract-searchterms`.

use std::path::PathBuf;

use super::{Helper, Job, files};
use crate::flag::{Flag, Kind};
use crate::parse::Given;

/// Extraction of search terms from responses.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractTerms {
    /// Column with the search terms, counted from 0.
    pub column: u64,
    /// Escape the terms for a URL.
    pub escape: bool,
    /// Files with responses; empty for standard input.
    pub files: Vec<PathBuf>,
}

pub(super) const HELPER: Helper = Helper {
    name: "drnbench-extract-searchterms",
    usage: "tenbin drnbench-extract-searchterms [FLAGS] [FILE]...",
    about: "prints a column of a select response as search terms, one per line",
    flags: &[FLAGS],
    job,
};

const TOOL: &[&str] = &["drnbench-extract-searchterms"];

const FLAGS: &[Flag] = &[
    Flag::new(
        TOOL,
        "column-index",
        Kind::Whole,
        "0",
        "column of the response, from 0",
    ),
    Flag::new(
        TOOL,
        "escape",
        Kind::Switch,
        "",
        "escape the terms for a URL",
    ),
];

fn job(given: &mut Given) -> Job {
    Job::ExtractTerms(ExtractTerms {
        column: given.whole("column-index"),
        escape: given.switch("escape"),
        files: files(given),
    })
}
