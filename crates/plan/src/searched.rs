//! What search servers need beyond an address: pages, nodes that are counted, and a place
//! in a cluster.

use std::fmt;
use std::path::PathBuf;

use crate::names::Named;
use crate::patterns::CacheCounters;
use crate::scalar::Field;

/// The value of `patterns` for requests that are generated from the plan's pages.
pub const CORPUS_PATTERNS: &str = "{corpus}";
/// Titles that requests are made of if nothing else is said.
pub const DEFAULT_TERMS: u32 = 200;
/// The most of them.
pub(crate) const MOST_TERMS: u32 = 1_000_000;
/// Default seed of synthetic pages, as in `tenbin search data`.
pub const DEFAULT_CORPUS_SEED: u64 = 1;

/// The pages that are searched, made before anything is started.
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    /// Where they come from.
    pub source: CorpusSource,
    /// The most pages that are taken; all when not set.
    pub max_records: Option<u64>,
    /// The most characters of a text; all when not set.
    pub text_limit: Option<usize>,
    /// Where they are kept and found again, absolute in a resolved plan; below the run's
    /// directory when not set.
    pub directory: Option<PathBuf>,
    /// How many titles requests are made of.
    pub terms: u32,
    /// The start of a request before the term; the Droonga tutorial's heavy search when not
    /// set.
    pub base: Option<String>,
}

/// Whether `patterns` means requests that are generated from the plan's pages.
pub(crate) fn is_of_corpus(field: &Field) -> bool {
    let text = field.as_ref().and_then(|field| field.value.text().ok());
    text == Some(CORPUS_PATTERNS)
}

/// Where pages come from.
#[derive(Debug, Clone, PartialEq)]
pub enum CorpusSource {
    /// Synthetic pages: the same settings give the same pages.
    Synthetic {
        /// How many.
        pages: u64,
        /// What they are written in.
        language: CorpusLanguage,
        /// What they follow from.
        seed: u64,
    },
    /// A dump of Wikipedia's articles.
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
    /// Every other page in the other one.
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
    /// Its name in plans and on the command line: `ja`, `en`, `both`.
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
    /// Every one.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|&(_, server)| server)
    }

    /// Its name in plans and on the command line: `groonga`, `opensearch`, `droonga`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}

impl fmt::Display for SearchServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a target is as a server that searches; nothing of it for any other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Searched {
    /// As what the plan's pages are loaded into it.
    pub corpus: Option<SearchServer>,
    /// As what its nodes are counted before every slice.
    pub status: Option<SearchServer>,
    /// The cluster that it is one size of.
    pub cluster: Option<String>,
    /// Where it reports what its cache has done, in place of what the workload says.
    pub cache_counters: Option<CacheCounters>,
}
