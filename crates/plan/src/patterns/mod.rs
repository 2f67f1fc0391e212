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

/// Default number of slowest and of fastest requests to record.
pub const DEFAULT_SLOWEST: u32 = 5;
/// Maximum number of slowest and of fastest requests to record.
pub const MOST_SLOWEST: u32 = 1000;
/// Maximum number of patterns with separate figures.
pub const MOST_COUNTED_PATTERNS: usize = 10_000;
/// Maximum number of patterns whose search hits are counted before the run if the plan sets `hits`.
pub const MOST_ASKED_FOR_HITS: usize = 10_000;
/// Maximum number of patterns whose search hits are counted before the run by default. With 500
/// patterns, the standard error of the share of searches without a hit is at most 2.2 percentage
/// points, and counting the hits adds little to the time of most runs.
pub const MOST_ASKED_BY_DEFAULT: usize = 500;

/// The requests that a workload draws from, and their order.
#[derive(Clone)]
pub struct Patterns {
    /// The file with the requests or search terms; `{corpus}` if `of_corpus` is true.
    pub path: PathBuf,
    /// Whether requests are generated from the plan's pages (`[corpus]`) before the run, instead of
    /// read from a file. `set` is empty until the requests are generated.
    pub of_corpus: bool,
    /// Format of the file, as in the plan.
    pub format: PatternFormat,
    /// Order in which requests are drawn.
    pub order: PatternOrder,
    /// Number of slowest and of fastest requests to record.
    pub slowest: u32,
    /// How responses report their number of search hits, and whether hits are read.
    pub hits: HitSource,
    /// Allowed difference between the search hits of two targets for one pattern, relative to the
    /// larger number; also the share of patterns that can exceed this difference.
    pub hits_tolerance: Percent,
    /// The request templates of targets, if the file contains search terms.
    pub by_target: Option<ByTarget>,
    /// Size and target hit ratio of the server's cache; `None` if the plan sets neither.
    pub cache: Option<CacheDial>,
    /// Where the server reports its cache counters.
    pub counters: Option<CacheCounters>,
    /// The content of the file. Shared between copies, because a file can be large.
    pub set: Arc<PatternSet>,
}

impl Patterns {
    /// Patterns from the file `path` with default settings, before the file is read.
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

// The requests are left out, because bodies and headers can be secret, and because a file can have
// a million requests.
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
