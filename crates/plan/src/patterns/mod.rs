//! Request patterns: the requests that a workload draws from, read from a file.

mod access_log;
mod builder;
mod cache;
mod fault;
mod format;
mod groonga_log;
mod hits;
mod json;
mod lines;
mod order;
mod request;
mod set;
mod template;
mod term;
mod text;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::percent::Percent;

pub(crate) use cache::MOST_CACHE_SIZE;
pub use cache::{CacheCounters, CacheDial, DEFAULT_CACHE_SIZE};
pub(crate) use fault::{Fault, Spot};
pub use format::PatternFormat;
pub(crate) use format::{read, read_from};
pub use hits::HitSource;
pub use order::PatternOrder;
pub use set::{Pattern, PatternGroup, PatternSet};
pub(crate) use template::terms;
pub use template::{ByTarget, GROONGA_SEARCH, OPENSEARCH_PATH, Template};
pub use term::groonga_query;

/// How many of the slowest and of the fastest requests are kept if nothing else is said.
pub const DEFAULT_SLOWEST: u32 = 5;
/// How many of them may be kept.
pub const MOST_SLOWEST: u32 = 1000;
/// The most patterns that have separate figures.
pub const MOST_COUNTED_PATTERNS: usize = 10_000;
/// The most patterns whose hits are read before the run if the plan sets `hits`.
pub const MOST_ASKED_FOR_HITS: usize = 10_000;
/// Maximum number of patterns whose hits are read by default. With 500 patterns, the standard error
/// of the share of searches without a hit is at most 2.2 percentage points, and reading the hits
/// adds little to the time of most runs.
pub const MOST_ASKED_BY_DEFAULT: usize = 500;

/// The requests that a workload draws from, and in which order.
#[derive(Clone)]
pub struct Patterns {
    /// The file.
    pub path: PathBuf,
    /// There is no file: the requests are made of the plan's pages before the run, and
    /// there are none until then.
    pub of_corpus: bool,
    /// What it is written in, as the plan says.
    pub format: PatternFormat,
    /// In which order requests are drawn.
    pub order: PatternOrder,
    /// How many of the slowest and of the fastest requests are kept.
    pub slowest: u32,
    /// How a response reports its number of hits, and whether that is read at all.
    pub hits: HitSource,
    /// How far the numbers of hits of two targets may be apart, as a share of the larger, and
    /// the share of the patterns for which they may be farther apart.
    pub hits_tolerance: Percent,
    /// The file has search terms, and each target has its request for them.
    pub by_target: Option<ByTarget>,
    /// The cache that requests are to meet.
    pub cache: Option<CacheDial>,
    /// Where the server reports its cache counters.
    pub counters: Option<CacheCounters>,
    /// What the file holds. Shared, since it may be much.
    pub set: Arc<PatternSet>,
}

impl Patterns {
    /// Patterns of that file with default settings, before the file is read.
    pub fn of(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            of_corpus: false,
            format: PatternFormat::default(),
            order: PatternOrder::default(),
            slowest: DEFAULT_SLOWEST,
            hits: HitSource::default(),
            hits_tolerance: Percent::of(0.0),
            by_target: None,
            cache: None,
            counters: None,
            set: Arc::default(),
        }
    }
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Self) -> bool {
        let same_set = Arc::ptr_eq(&self.set, &other.set) || self.set == other.set;
        same_set
            && self.path == other.path
            && self.of_corpus == other.of_corpus
            && self.format == other.format
            && self.order == other.order
            && self.slowest == other.slowest
            && self.hits == other.hits
            && self.hits_tolerance == other.hits_tolerance
            && self.by_target == other.by_target
            && self.cache == other.cache
            && self.counters == other.counters
    }
}

// Bodies and headers may be secret, and are many.
impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patterns")
            .field("path", &self.path)
            .field("format", &self.format)
            .field("order", &self.order)
            .field("slowest", &self.slowest)
            .field("hits", &self.hits)
            .field("hits_tolerance", &self.hits_tolerance)
            .field("by_target", &self.by_target)
            .field("cache", &self.cache)
            .field("counters", &self.counters)
            .field("set", &format_args!("{} patterns", self.set.len()))
            .finish()
    }
}
