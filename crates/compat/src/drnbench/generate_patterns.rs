//! The command line of `drnbench-generate-select-patterns`.

use std::path::PathBuf;

use super::{Helper, Job, files};
use crate::flag::{Flag, Kind};
use crate::parse::Given;

/// Generation of request patterns from search terms.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratePatterns {
    /// Parameters of every request.
    pub base_params: String,
    /// Hosts; each host gets a separate group of patterns.
    pub hosts: Vec<String>,
    /// Files with terms; empty for standard input.
    pub files: Vec<PathBuf>,
}

pub(super) const HELPER: Helper = Helper {
    name: "drnbench-generate-select-patterns",
    usage: "tenbin drnbench-generate-select-patterns [FLAGS] [FILE]...",
    about: "generates request patterns as JSON from search terms, one per line",
    flags: &[FLAGS],
    job,
};

const TOOL: &[&str] = &["drnbench-generate-select-patterns"];

const FLAGS: &[Flag] = &[
    Flag::new(
        TOOL,
        "base-params",
        Kind::Text,
        "limit=10&offset=0",
        "parameters of every request",
    ),
    Flag::new(
        TOOL,
        "hosts",
        Kind::Text,
        "",
        "hosts, separated by commas; each gets its own group",
    ),
];

fn job(given: &mut Given) -> Job {
    let hosts = given.text("hosts").split(',').map(str::trim);
    let hosts = hosts.filter(|host| !host.is_empty()).map(str::to_owned);
    Job::GeneratePatterns(GeneratePatterns {
        base_params: given.text("base-params").to_owned(),
        hosts: hosts.collect(),
        files: files(given),
    })
}
