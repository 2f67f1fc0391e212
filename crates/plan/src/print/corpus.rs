//! The pages that are searched.

use crate::searched::{Corpus, CorpusSource};

use crate::page::{Page, text};

pub(super) fn corpus(page: &mut Page, corpus: &Corpus) {
    page.table("[corpus]");
    match &corpus.source {
        CorpusSource::Synthetic {
            pages,
            language,
            seed,
        } => {
            page.explained("synthetic", pages, "made-up pages");
            page.pair("language", text(language.name()));
            page.pair("seed", seed);
        }
        CorpusSource::Wikipedia(dump) => page.pair("wikipedia", text(dump.display())),
    }
    if let Some(most) = corpus.max_records {
        page.pair("max_records", most);
    }
    if let Some(limit) = corpus.text_limit {
        page.pair("text_limit", limit);
    }
    if let Some(directory) = &corpus.directory {
        page.pair("directory", text(directory.display()));
    }
    page.explained("terms", corpus.terms, "titles that requests are made of");
    if let Some(base) = &corpus.base {
        page.pair("base", text(base));
    }
}
