//! Prints `[corpus]`.

use crate::draft::CorpusDraft;
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
            page.key(&CorpusDraft::synthetic, pages);
            page.key(&CorpusDraft::language, text(language.name()));
            page.key(&CorpusDraft::seed, seed);
        }
        CorpusSource::Wikipedia(dump) => page.key(&CorpusDraft::wikipedia, text(dump.display())),
    }
    if let Some(most) = corpus.max_records {
        page.key(&CorpusDraft::max_records, most);
    }
    if let Some(limit) = corpus.text_limit {
        page.key(&CorpusDraft::text_limit, limit);
    }
    if let Some(directory) = &corpus.directory {
        page.key(&CorpusDraft::directory, text(directory.display()));
    }
    page.key(&CorpusDraft::terms, corpus.terms);
    if let Some(base) = &corpus.base {
        page.key(&CorpusDraft::base, text(base));
    }
}
