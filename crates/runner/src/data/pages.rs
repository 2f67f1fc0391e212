//! The pages for full-text search, synthetic or from a Wikipedia dump: created before any target is
//! started, and loaded into every target whose workloads require pages.

use std::path::{Path, PathBuf};

use tenbin_corpus::documents::Reading;
use tenbin_corpus::load::{
    self, Files, Kind, LoadOptions, Options, SavedProgress, in_directory, state_file,
};
use tenbin_corpus::make::{self, PageSource, Recipe, TABLE};
use tenbin_corpus::patterns;
use tenbin_corpus::synthetic::Language;
use tenbin_plan::{
    Corpus, CorpusLanguage, CorpusSource, Plan, SearchServer, Sentence, Target, Workload, sentence,
};
use tenbin_targets::Running;

use crate::controls::Controls;
use crate::error::RunError;
use crate::progress::Progress;
use crate::target::access::is_disposable;
use crate::target::nodes;

/// Default subdirectory of the run directory for the pages.
const DIRECTORY: &str = "corpus";
/// Pages per batch, as in `tenbin search load`.
const BATCH: usize = 1000;

/// The created pages on disk.
pub(crate) struct Pages {
    files: Vec<PathBuf>,
    count: u64,
}

impl Pages {
    /// Creates the pages of a plan or reuses existing pages. Returns the pages with the plan, whose
    /// requests are now generated from the pages; `None` if the plan has no pages.
    pub(crate) fn make(
        plan: &Plan,
        run_directory: &Path,
        controls: &mut Controls<'_>,
    ) -> Result<Option<(Self, Plan)>, RunError> {
        let Some(corpus) = &plan.corpus else {
            return Ok(None);
        };
        let directory = match &corpus.directory {
            Some(directory) => directory.clone(),
            None => run_directory.join(DIRECTORY),
        };
        let recipe = recipe(corpus);
        let count = match make::made_already(&recipe, &directory)? {
            Some(count) => {
                (controls.progress)(Progress::Note(&sentence!(
                    "pages-reused",
                    "the {pages} pages in {directory} are reused: they were generated with the same \
                     settings",
                    pages = count,
                    directory = directory.display()
                )));
                count
            }
            None => made(&recipe, &directory, controls)?,
        };
        let pages = Self {
            files: in_directory(&directory)?,
            count,
        };
        let plan = with_requests(plan, corpus, &directory, controls)?;
        Ok(Some((pages, plan)))
    }

    /// Loads the pages into every host of a target that requires pages and lacks them. Returns the
    /// number of pages, which is the number of records on every host; `None` if the target requires
    /// no pages.
    pub(crate) fn load_into(
        &self,
        target: &Target,
        running: &Running,
        controls: &mut Controls<'_>,
    ) -> Result<Option<u64>, RunError> {
        let Some(server) = target.searched.corpus else {
            return Ok(None);
        };
        let failed = |why: Sentence| RunError::Load {
            target: target.name.clone(),
            why,
        };
        let kind = kind(server).ok_or_else(|| {
            failed(sentence!(
                "load-not-supported",
                "loading into {server} is not supported",
                server
            ))
        })?;
        let urls = nodes::urls(running);
        let groups: Vec<Vec<String>> = if kind.replicas {
            urls.into_iter().map(|url| vec![url]).collect()
        } else {
            vec![urls]
        };
        for servers in groups {
            // Each Droonga node stores a complete copy.
            let copies = servers.len() as u32;
            let options = Options {
                shards: Some(1),
                replicas: Some(copies - 1),
                servers,
                ..Options::default()
            };
            let before = records(kind, &options);
            if before != Some(self.count) {
                self.load(target, kind, &options, controls)?;
            }
            let now = records(kind, &options);
            if now != Some(self.count) {
                let place = options.servers.join(", ");
                let has = now.map_or_else(
                    || sentence!("unknown-number", "an unknown number of"),
                    Sentence::verbatim,
                );
                return Err(failed(sentence!(
                    "records-differ",
                    "{place} has {has} records in {table}, but there are {count} pages; use an \
                     empty database",
                    place,
                    table = TABLE,
                    count = self.count,
                    has
                )));
            }
        }
        Ok(Some(self.count))
    }

    fn load(
        &self,
        target: &Target,
        kind: &Kind,
        options: &Options,
        controls: &mut Controls<'_>,
    ) -> Result<(), RunError> {
        let failed = |error: tenbin_corpus::Error| RunError::Load {
            target: target.name.clone(),
            why: sentence!(
                "pages-not-loaded",
                "its pages cannot be loaded: {error}",
                error = error.sentence()
            ),
        };
        let servers = &options.servers;
        let server = servers.first().map_or("", String::as_str);
        let sink = (kind.make)(options).map_err(failed)?;
        // The address of a built-in server may have belonged to a different server before.
        let from_start = is_disposable(target);
        let state = state_file(&self.files, kind.name, servers);
        let input = (&self.files[..], &Reading::default());
        let mut kept =
            SavedProgress::open(&state, kind.name, servers, input, from_start).map_err(failed)?;
        let manner = LoadOptions {
            batch: BATCH,
            rate: None,
        };
        let (stop, progress) = (controls.stop, &mut *controls.progress);
        let loaded = load::load(
            &mut Files::new(&self.files),
            sink,
            &mut kept,
            &manner,
            &|| stop.is_asked(),
            &mut |loaded| {
                progress(Progress::Loading {
                    target: &target.name,
                    server,
                    loaded: loaded.records,
                    total: self.count,
                });
            },
        );
        match loaded {
            Ok(summary) if summary.stopped => Err(RunError::Interrupted),
            Ok(_) => Ok(()),
            Err(broken) => Err(failed(broken.error)),
        }
    }
}

/// Number of records in the table of pages: with several Groonga servers, the smallest number on
/// any server. `None` if the number is unknown, for example because the table does not exist.
fn records(kind: &Kind, options: &Options) -> Option<u64> {
    (kind.make)(options).ok()?.count(TABLE).ok().flatten()
}

fn kind(server: SearchServer) -> Option<&'static Kind> {
    let mut kinds = load::KINDS.iter();
    kinds.find(|kind| kind.name == server.name())
}

fn recipe(corpus: &Corpus) -> Recipe {
    Recipe {
        source: match &corpus.source {
            CorpusSource::Wikipedia(dump) => PageSource::Dump(dump.clone()),
            CorpusSource::Synthetic {
                pages,
                language,
                seed,
            } => PageSource::Synthetic {
                pages: *pages,
                language: match language {
                    CorpusLanguage::Japanese => Language::Japanese,
                    CorpusLanguage::English => Language::English,
                    CorpusLanguage::Both => Language::Both,
                },
                seed: *seed,
            },
        },
        max_records: corpus.max_records,
        text_limit: corpus.text_limit,
    }
}

fn made(recipe: &Recipe, directory: &Path, controls: &mut Controls<'_>) -> Result<u64, RunError> {
    if !make::may_be_made_in(directory) {
        return Err(RunError::NotThePages(sentence!(
            "foreign-files",
            "{directory} contains command files that were not generated with these settings; use \
             another directory for the corpus, or empty this one",
            directory = directory.display()
        )));
    }
    let of_source = match &recipe.source {
        PageSource::Synthetic { pages, .. } => Some(*pages),
        PageSource::Dump(_) => None,
    };
    let total = match (of_source, recipe.max_records) {
        (Some(pages), Some(most)) => Some(pages.min(most)),
        (pages, most) => pages.or(most),
    };
    let (stop, progress) = (controls.stop, &mut *controls.progress);
    let made = make::make(recipe, directory, &|| stop.is_asked(), &mut |made| {
        if made.pages % BATCH as u64 == 0 {
            progress(Progress::Pages {
                made: made.pages,
                total,
            });
        }
    })?;
    if made.stopped {
        return Err(RunError::Interrupted);
    }
    if made.cut_off {
        return Err(RunError::NotThePages(sentence!(
            "dump-cut",
            "the dump is truncated, so pages are missing: check that the download is complete"
        )));
    }
    Ok(made.pages)
}

/// The plan with requests generated from the titles of the pages.
fn with_requests(
    plan: &Plan,
    corpus: &Corpus,
    directory: &Path,
    controls: &mut Controls<'_>,
) -> Result<Plan, RunError> {
    let mut plan = plan.clone();
    if !plan.draws_from_corpus() {
        return Ok(plan);
    }
    let wanted = corpus.terms as usize;
    let terms = make::titles(directory, wanted)?;
    if terms.is_empty() {
        let why = sentence!(
            "no-titles",
            "no page in {directory} has a title to search for",
            directory = directory.display()
        );
        return Err(RunError::NotThePages(why));
    }
    if terms.len() < wanted {
        (controls.progress)(Progress::Note(&sentence!(
            "few-titles",
            "only {titles} distinct titles are available for requests: the pages have no more",
            titles = terms.len()
        )));
    }
    let filled = match requests(&plan, corpus, &terms) {
        Some(requests) => plan.fill_patterns(requests.as_bytes()),
        None => plan.fill_terms(&terms),
    };
    filled.map_err(RunError::NotThePages)?;
    Ok(plan)
}

/// One search request per term, as the text of a request file for all targets. Each request is
/// `base` from the plan with the term appended; without `base`, the default search of OpenSearch or
/// the search of the Groonga tutorial, depending on the servers. `None` if targets need different
/// request files.
fn requests(plan: &Plan, corpus: &Corpus, terms: &[String]) -> Option<String> {
    let mut workloads = plan.workloads.iter().filter_map(Workload::patterns);
    if workloads.any(|patterns| patterns.by_target.is_some()) {
        return None;
    }
    if let Some(base) = &corpus.base {
        return Some(patterns::lines(base, terms, false));
    }
    let servers = plan.targets.iter().map(|target| target.searched.corpus);
    let asked_in_json = |server| server == Some(SearchServer::OpenSearch);
    match servers.clone().any(asked_in_json) {
        false => Some(patterns::lines(patterns::HEAVY, terms, false)),
        true if servers.clone().all(asked_in_json) => {
            Some(patterns::opensearch(patterns::OPENSEARCH, terms))
        }
        true => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_that_a_plan_may_load_into_can_be_loaded_into() {
        for server in SearchServer::all() {
            assert!(kind(server).is_some(), "{server}");
        }
    }
}
