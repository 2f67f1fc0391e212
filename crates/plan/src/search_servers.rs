//! Settings of search servers: pages to index, node checks, and sizes of a cluster.

use std::fmt;
use std::path::PathBuf;

use crate::keys::names::{Named, named};
use crate::keys::scalar::Field;

/// The value of `patterns` for requests that are generated from the plan's pages.
pub const CORPUS_PATTERNS: &str = "{corpus}";
/// Default number of titles that requests are generated from.
pub const DEFAULT_TERMS: u32 = 200;
/// Maximum number of titles that requests are generated from.
pub(crate) const MOST_TERMS: u32 = 1_000_000;
/// Default seed of synthetic pages, as in `tenbin search data`.
pub const DEFAULT_CORPUS_SEED: u64 = 1;

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

named! {
    /// The language of synthetic pages.
    CorpusLanguage {
        /// Japanese.
        #[default]
        Japanese = "ja",
        /// English.
        English = "en",
        /// Japanese and English in turn.
        Both = "both",
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
