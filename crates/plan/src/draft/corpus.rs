//! The keys of `[corpus]`.

use crate::key::{choice, section, text, whole};
use crate::scalar::{FromFlag, Scalar};
use crate::searched::{CorpusLanguage, MOST_TERMS};

/// Maximum number of pages: no Wikipedia has more, so a larger number is taken for a typing error.
const MOST_PAGES: u64 = 100_000_000;

section! {
    /// `[corpus]`.
    pub struct CorpusDraft("in [corpus]", "a table such as [corpus]") {
        /// number of synthetic pages
        synthetic: Scalar = whole(1, MOST_PAGES).comment("synthetic pages");
        /// a dump of Wikipedia's articles, plain or compressed with bzip2
        wikipedia: Scalar = text("path");
        /// language of synthetic pages
        language: Scalar = choice::<CorpusLanguage>().default("ja");
        /// seed of synthetic pages: the same seed gives the same pages
        seed: Scalar = whole(0, u64::MAX).default("1");
        /// maximum number of pages
        max_records: Scalar = whole(1, u64::MAX).default_rule("all");
        /// maximum number of characters of a page's text
        text_limit: Scalar = whole(1, u64::MAX).default_rule("all");
        /// directory of the generated files. If the directory contains pages generated with the
        /// same settings, they are reused; pages generated with other settings are replaced. A
        /// directory with other Groonga command files (`.grn`) is rejected
        directory: Scalar = text("path").default_rule("`corpus` in the run directory");
        /// number of titles to generate requests from: the first distinct titles of the pages
        terms: Scalar = whole(1, MOST_TERMS as u64)
            .default("200")
            .comment("titles that requests are generated from");
        /// start of a request before the search term: path and query, such as
        /// `"/d/select?table=Pages&match_columns=title&query="`
        base: Scalar = text("text")
            .default_rule("the Droonga tutorial's [heavy search](search.md#terms-and-patterns)");
    }
}

impl FromFlag for CorpusDraft {}
