//! Settings of search servers: pages to index, node checks, and sizes of a cluster.

use std::fmt;
use std::path::PathBuf;

use crate::names::Named;
use crate::patterns::CacheCounters;
use crate::scalar::Field;

/// The value of `patterns` for requests that are generated from the plan's pages.
pub const CORPUS_PATTERNS: &str = "{corpus}";
/// Default number of titles that requests are generated from.
pub const DEFAULT_TERMS: u32 = 200;
/// Maximum number of titles that requests are generated from.
pub(crate) const MOST_TERMS: u32 = 1_000_000;
/// Default seed of synthetic pages, as in `tenbin search data`.
pub const DEFAULT_CORPUS_SEED: u64 = 1;

/// The pages that search servers index, prepared before anything is started.
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    /// Source of the pages.
    pub source: CorpusSource,
    /// Maximum number of pages; `None`: all.
    pub max_records: Option<u64>,
    /// Maximum number of characters of a page's text; `None`: all.
    pub text_limit: Option<usize>,
    /// Directory in which the pages are stored and reused, an absolute path in a resolved plan;
    /// `None`: a directory in the run directory.
    pub directory: Option<PathBuf>,
    /// Number of titles that requests are generated from.
    pub terms: u32,
    /// Start of a request, before the search term; `None`: the search request of the Droonga
    /// tutorial.
    pub base: Option<String>,
}

/// Whether `patterns` means requests that are generated from the plan's pages.
pub(crate) fn is_of_corpus(field: &Field) -> bool {
    let text = field.as_ref().and_then(|field| field.value.text().ok());
    text == Some(CORPUS_PATTERNS)
}

/// Source of pages.
#[derive(Debug, Clone, PartialEq)]
pub enum CorpusSource {
    /// Synthetic pages: the same settings give the same pages.
    Synthetic {
        /// Number of pages.
        pages: u64,
        /// Language of the pages.
        language: CorpusLanguage,
        /// Seed of the pages.
        seed: u64,
    },
    /// A dump of Wikipedia's articles, at this path.
    Wikipedia(PathBuf),
}

/// The language of synthetic pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CorpusLanguage {
    /// Japanese.
    #[default]
    Japanese,
    /// English.
    English,
    /// Japanese and English in turn.
    Both,
}

impl Named for CorpusLanguage {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("ja", Self::Japanese),
        ("en", Self::English),
        ("both", Self::Both),
    ];
}

impl CorpusLanguage {
    /// Name in plans and on the command line: `ja`, `en`, `both`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}

/// A kind of search server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchServer {
    /// Groonga.
    Groonga,
    /// OpenSearch.
    OpenSearch,
    /// Droonga.
    Droonga,
}

impl Named for SearchServer {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("groonga", Self::Groonga),
        ("opensearch", Self::OpenSearch),
        ("droonga", Self::Droonga),
    ];
}

impl SearchServer {
    /// All kinds of search servers.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|&(_, server)| server)
    }

    /// Name in plans and on the command line: `groonga`, `opensearch`, `droonga`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}

impl fmt::Display for SearchServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Search settings of a target; empty for a target that is not a search server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Searched {
    /// Kind of server into which the plan's pages are loaded; `None`: no pages are loaded.
    pub corpus: Option<SearchServer>,
    /// Kind of server whose nodes are counted before every slice; `None`: nodes are not counted.
    pub status: Option<SearchServer>,
    /// Name of the cluster if the target is one of its sizes.
    pub cluster: Option<String>,
    /// Where the target reports its cache counters, if different from the workload's setting.
    pub cache_counters: Option<CacheCounters>,
}
