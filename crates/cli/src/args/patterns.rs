//! Requests from a file.

use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{At, HttpDraft, TargetDraft};

use super::keys::{name, named};
use super::set;

/// Requests from a file.
#[derive(Args)]
#[command(next_help_heading = "Request patterns (docs/patterns.md)")]
pub struct PatternArgs {
    /// File of requests to draw from: one path per line, JSON groups, an access log, or a Groonga
    /// query log
    #[arg(long, value_name = "FILE")]
    patterns: Option<PathBuf>,
    /// Format of the file: auto, text, json, access-log or groonga-log [default: auto]
    #[arg(long, value_name = "FORMAT")]
    patterns_format: Option<String>,
    /// Order of the requests: weighted, sequential, shuffled, or zipf:EXPONENT [default: weighted]
    #[arg(long, value_name = "ORDER")]
    order: Option<String>,
    /// Number of slowest and of fastest requests to list [default: 5]
    #[arg(long, value_name = "N")]
    slowest: Option<u64>,
    /// Send every pattern once before the run and compare the numbers of hits: groonga, opensearch,
    /// or a JSON pointer such as /hits/total/value. auto does this for up to 500 patterns that are
    /// searches (/d/select, _search); none does not [default: auto]
    #[arg(long, value_name = "HOW")]
    hits: Option<String>,
    /// Target hit ratio of the server's cache: uses cache size ÷ ratio patterns of the file
    #[arg(long, value_name = "PERCENT")]
    cache_hit: Option<String>,
    /// Responses that the cache of a host holds [default: 100]
    #[arg(long, value_name = "N")]
    cache_size: Option<u64>,
    /// Where the server reports its cache counters: groonga, droonga, opensearch, or a path;
    /// repeatable, for servers of several kinds
    #[arg(long, value_name = "[NAME=]WHERE")]
    cache_counters: Vec<String>,
}

impl PatternArgs {
    /// Copies the options into the workload, and `--cache-counters` of one target into that target.
    pub(super) fn apply(&self, draft: &mut HttpDraft, targets: &mut [At<TargetDraft>]) {
        let file = self
            .patterns
            .as_ref()
            .map(|file| file.display().to_string());
        set(&mut draft.patterns, "--patterns", file);
        let format = self.patterns_format.as_deref();
        set(&mut draft.patterns_format, "--patterns-format", format);
        set(&mut draft.order, "--order", self.order.as_deref());
        set(&mut draft.slowest, "--slowest", self.slowest);
        set(&mut draft.hits, "--hits", self.hits.as_deref());
        set(
            &mut draft.cache_hit,
            "--cache-hit",
            self.cache_hit.as_deref(),
        );
        set(&mut draft.cache_size, "--cache-size", self.cache_size);
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        for value in &self.cache_counters {
            let flag = "--cache-counters";
            let Some((named, own)) = named(value, &names) else {
                set(&mut draft.cache_counters, flag, Some(value.as_str()));
                continue;
            };
            let mut meant = targets.iter_mut();
            if let Some(target) = meant.find(|target| name(target).as_deref() == Some(named)) {
                set(&mut target.value.cache_counters, flag, Some(own));
            }
        }
    }
}
