//! The keys of `[corpus]`.

use std::path::{Component, PathBuf};

use crate::keys::page::{self, Page};
use crate::keys::row::{choice, text, whole};
use crate::keys::scalar::{FromFlag, Scalar};
use crate::keys::section::section;
use crate::keys::value::{KeyValue as _, Reading};
use crate::search_servers::{CorpusLanguage, CorpusSource, MOST_TERMS};
use crate::{Sentence, sentence};

/// Maximum number of pages: no Wikipedia has more, so a larger number is taken for a typing error.
const MOST_PAGES: u64 = 100_000_000;

section! {
    /// `[corpus]`.
    pub struct CorpusDraft("in [corpus]", "a table such as [corpus]") {
        /// number of synthetic pages
        synthetic: Scalar, shown source = whole(1, MOST_PAGES).comment("synthetic pages");
        /// a dump of Wikipedia's articles, plain or compressed with bzip2
        wikipedia: Scalar = text("path");
        /// language of synthetic pages
        language: Scalar = choice::<CorpusLanguage>().default("ja");
        /// seed of synthetic pages: the same seed gives the same pages
        seed: Scalar = whole(0, u64::MAX).default("1");
        /// maximum number of pages
        max_records: Scalar => Option<u64> = whole(1, u64::MAX).default_rule("all");
        /// maximum number of characters of a page's text
        text_limit: Scalar => Option<usize> = whole(1, u64::MAX).default_rule("all");
        /// directory of the generated files. If the directory contains pages generated with the
        /// same settings, they are reused; pages generated with other settings are replaced. A
        /// directory with other Groonga command files (`.grn`) is rejected
        directory: Scalar => Option<PathBuf>, read_in directory = text("path").default_rule("`corpus` in the run directory");
        /// number of titles to generate requests from: the first distinct titles of the pages
        terms: Scalar => u32 = whole(1, MOST_TERMS as u64)
            .default("200")
            .comment("titles that requests are generated from");
        /// start of a request before the search term: path and query, such as
        /// `"/d/select?table=Pages&match_columns=title&query="`
        base: Scalar => Option<String>, read base = text("text")
            .default_rule("the Droonga tutorial's [heavy search](search.md#terms-and-patterns)");
    }
    stored {
        /// The pages that search servers index, prepared before anything is started.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Corpus {
            /// Source of the pages.
            pub source: CorpusSource = CorpusSource::Wikipedia(PathBuf::new()),
        }
    }
}

impl FromFlag for CorpusDraft {}

fn source(corpus: &Corpus, page: &mut Page) {
    match &corpus.source {
        CorpusSource::Synthetic {
            pages,
            language,
            seed,
        } => {
            page.key(&CorpusDraft::synthetic, pages);
            page.key(&CorpusDraft::language, page::text(language.name()));
            page.key(&CorpusDraft::seed, seed);
        }
        CorpusSource::Wikipedia(dump) => {
            page.key(&CorpusDraft::wikipedia, page::text(dump.display()))
        }
    }
}

/// Reads a directory, without `.` components, so that the path is always printed with the same
/// text.
fn directory(scalar: &Scalar, reading: &Reading<'_>) -> Result<PathBuf, Sentence> {
    let path = PathBuf::read(scalar, reading)?;
    let parts = path.components();
    Ok(parts.filter(|part| *part != Component::CurDir).collect())
}

fn base(scalar: &Scalar) -> Result<String, Sentence> {
    let base = scalar.text()?;
    let bad = base.chars().find(|c| !c.is_ascii_graphic() || *c == '#');
    match bad {
        _ if !base.starts_with('/') => Err(sentence!(
            "no-slash",
            "{base:?} does not begin with a slash",
            base
        )),
        Some(bad) => Err(sentence!(
            "not-encoded",
            "{base:?} has {bad:?} in it; percent-encode it, for example %20 for a space",
            base,
            bad
        )),
        None => Ok(base.to_owned()),
    }
}
