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
mod msearch;
mod opensearch_log;
mod order;
mod request;
mod set;
mod template;
mod term;
mod text;

pub(crate) use cache::MOST_CACHE_SIZE;
pub use cache::{CacheCounters, CacheDial, DEFAULT_CACHE_SIZE};
pub(crate) use fault::{Fault, Spot};
pub use format::PatternFormat;
pub(crate) use format::{read, read_from};
pub use hits::{HitSource, is_of_search_server};
pub use order::PatternOrder;
pub use set::{Logged, Pattern, PatternGroup, PatternSet};
pub(crate) use template::terms;
pub use template::{ByTarget, GROONGA_SEARCH, OPENSEARCH_PATH, Template};
pub use term::groonga_query;

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
