//! Target hit ratio and hit counters of a server's response cache.

use std::fmt;
use std::str::FromStr;

use super::set::PatternSet;
use crate::keys::value::read_from_text;
use crate::units::percent::Percent;
use crate::{Sentence, sentence};

/// The default cache size of Groonga and of Droonga's HTTP server, in responses.
pub const DEFAULT_CACHE_SIZE: u32 = 100;
/// Maximum size of a cache, responses: no cache of responses holds more.
pub(crate) const MOST_CACHE_SIZE: u64 = 10_000_000;

/// The size of a server's response cache, and a target hit ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CacheDial {
    /// Target share of requests whose response is in the cache; `None`: no target.
    pub hit: Option<Percent>,
    /// Responses that the cache of one host holds. The cache evicts the least recently used
    /// response, as the cache of Groonga does: patterns in sequential order never hit if they are
    /// more than `size`, and always hit after the first pass otherwise.
    pub size: u32,
}

impl CacheDial {
    /// The number of patterns that gives the target hit ratio if all are equally frequent: cache
    /// size ÷ ratio, because the cache contains the responses to the `size` different patterns
    /// requested last. `None` without a target hit ratio.
    pub fn patterns(&self) -> Option<usize> {
        let share = self.hit?.share();
        let exact = f64::from(self.size) / share;
        Some((exact.round() as usize).max(1))
    }

    /// Checks that there are enough patterns for the target hit ratio.
    ///
    /// # Errors
    ///
    /// Too few patterns; the message states the number needed.
    pub(crate) fn check(&self, set: &PatternSet) -> Result<(), Sentence> {
        let (Some(hit), Some(count)) = (self.hit, self.patterns()) else {
            return Ok(());
        };
        if set.is_empty() {
            return Ok(());
        }
        set.allot(count).map(drop).map_err(|why| {
            sentence!(
                "cache-hit-patterns",
                "a hit ratio of {hit} with a cache of {size} needs {count} different patterns \
                 ({cache} ÷ {hit}), which the file cannot provide: {why}",
                hit,
                size = self.size,
                count,
                cache = self.size,
                why
            )
        })
    }
}

/// Where a server reports its cache counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheCounters {
    /// Groonga: `cache_hit_rate`, in percent, and `n_queries` of `/d/status`.
    Groonga,
    /// Droonga's HTTP server: `nGets` and `nHits` of `/statistics/cache`.
    Droonga,
    /// OpenSearch: `hit_count` and `miss_count` of every node's own request cache.
    OpenSearch,
    /// At this path of every host: a response in the form of Groonga, Droonga or OpenSearch.
    At(String),
}

impl CacheCounters {
    /// The path that is requested from every host.
    pub fn path(&self) -> &str {
        match self {
            Self::Groonga => "/d/status",
            Self::Droonga => "/statistics/cache",
            // Every host would return the statistics of the whole cluster, so that the sum over all
            // hosts would count each node several times.
            Self::OpenSearch => "/_nodes/_local/stats/indices/request_cache",
            Self::At(path) => path,
        }
    }

    /// Whether the counters are those of a known search server.
    pub fn is_of_search_server(&self) -> bool {
        !matches!(self, Self::At(_))
    }

    /// Whether a forecast of cache hits assumes that all hosts of a target share one cache, and
    /// that the cache also holds responses to `POST`: true for OpenSearch.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::OpenSearch)
    }
}

impl FromStr for CacheCounters {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let visible = |path: &str| path.bytes().all(|b| b.is_ascii_graphic() && b != b'#');
        match text {
            "groonga" => Ok(Self::Groonga),
            "droonga" => Ok(Self::Droonga),
            "opensearch" => Ok(Self::OpenSearch),
            path if path.starts_with('/') && visible(path) => Ok(Self::At(path.to_owned())),
            _ => Err(sentence!(
                "no-cache-counters",
                "{text:?} is not one of \"groonga\", \"droonga\", \"opensearch\", or a path \
                    such as \"/_nodes/stats/indices/request_cache\"",
                text
            )),
        }
    }
}

impl fmt::Display for CacheCounters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Groonga => "groonga",
            Self::Droonga => "droonga",
            Self::OpenSearch => "opensearch",
            Self::At(path) => path,
        })
    }
}

read_from_text!(CacheCounters);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_makes_a_number_of_patterns() {
        let patterns = |hit: &str, size| {
            let hit = Some(hit.parse().unwrap());
            CacheDial { hit, size }.patterns()
        };
        assert_eq!(patterns("50%", 100), Some(200));
        assert_eq!(patterns("10%", 100), Some(1000));
        assert_eq!(patterns("90%", 100), Some(111));
        assert_eq!(patterns("100%", 1), Some(1));
        let as_it_comes = CacheDial {
            hit: None,
            size: 100,
        };
        assert_eq!(as_it_comes.patterns(), None);
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["groonga", "droonga", "opensearch", "/d/status?x=1"] {
            let counters: CacheCounters = text.parse().unwrap();
            assert_eq!(counters.to_string(), text);
        }
        for text in ["", "solr", "/a b", "/a\r\nX: y"] {
            assert!(text.parse::<CacheCounters>().is_err(), "{text}");
        }
    }
}
