//! What search servers need beyond an address: pages, nodes that are counted, and a place
//! in a cluster.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{Plan, Reach, Target, Workload, WorkloadKind};
use crate::names::Named;
use crate::patterns::{
    self, ByTarget, CacheCounters, PatternFormat, PatternSet, Patterns, Template,
};

/// What stands in a workload's `patterns` for those that are made of the plan's own pages.
pub const CORPUS_PATTERNS: &str = "{corpus}";
/// Titles that requests are made of if nothing else is said.
pub const DEFAULT_TERMS: u32 = 200;
/// The most of them.
pub(crate) const MOST_TERMS: u32 = 1_000_000;
/// Seed of made-up pages if nothing else is said: that of `tenbin search data`.
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
    /// What stands before a term in a request; the Droonga tutorial's heavy search when not
    /// set.
    pub base: Option<String>,
}

/// Where pages come from.
#[derive(Debug, Clone, PartialEq)]
pub enum CorpusSource {
    /// They are made up; the same ones for the same settings.
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

/// What made-up pages are written in.
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

impl Target {
    /// How many hosts answer for it: one process on each for a target that Tenbin starts.
    pub fn host_count(&self) -> usize {
        let several = match &self.reach {
            Reach::Launched(launch) => launch.nodes.len(),
            _ => self.way.hosts.len(),
        };
        several.max(1)
    }
}

/// The sizes of one cluster, as positions among [`Plan::targets`], the fewest hosts first.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterSizes {
    /// What the plan calls the cluster.
    pub cluster: String,
    /// Its targets, no two with as many hosts.
    pub targets: Vec<usize>,
}

impl Plan {
    /// Where a target reports what its cache has done with a workload: what the target's own
    /// `cache_counters` name, or else those of the workload. `None` where nothing is to be read.
    pub fn cache_counters<'a>(
        &self,
        target: &'a Target,
        work: &'a Workload,
    ) -> Option<&'a CacheCounters> {
        let patterns = work.patterns()?;
        let own = target.searched.cache_counters.as_ref();
        own.or(patterns.counters.as_ref())
    }

    /// Every cluster of the plan with its sizes.
    pub fn clusters(&self) -> Vec<ClusterSizes> {
        let mut clusters: Vec<ClusterSizes> = Vec::new();
        for (at, target) in self.targets.iter().enumerate() {
            let Some(name) = &target.searched.cluster else {
                continue;
            };
            match clusters.iter_mut().find(|one| one.cluster == *name) {
                Some(known) => known.targets.push(at),
                None => clusters.push(ClusterSizes {
                    cluster: name.clone(),
                    targets: vec![at],
                }),
            }
        }
        for cluster in &mut clusters {
            cluster
                .targets
                .sort_by_key(|at| self.targets[*at].host_count());
        }
        clusters
    }

    /// Whether a workload draws from patterns that are made of the plan's pages.
    pub fn draws_from_corpus(&self) -> bool {
        self.workloads.iter().any(|work| match &work.kind {
            WorkloadKind::Http(http) => http.patterns.as_ref().is_some_and(|p| p.of_corpus),
            WorkloadKind::S3(_) | WorkloadKind::Blob(_) => false,
        })
    }

    /// Gives the workloads that draw from the plan's pages their requests, as a file of
    /// patterns has them.
    ///
    /// # Errors
    /// What of it is no request, or that there are too few for the rate of cache hits that
    /// is asked for.
    pub fn fill_patterns(&mut self, file: &[u8]) -> Result<(), String> {
        // The levels of a ramp share their patterns.
        let mut known: Option<(String, Arc<PatternSet>)> = None;
        for work in &mut self.workloads {
            let WorkloadKind::Http(http) = &mut work.kind else {
                continue;
            };
            let method = http.method.clone();
            let Some(drawn) = http.patterns.as_mut().filter(|drawn| drawn.of_corpus) else {
                continue;
            };
            let set = match &known {
                Some((of, set)) if *of == method => Arc::clone(set),
                _ => patterns::read(file, PatternFormat::Auto, &method)
                    .map_err(|fault| format!("requests made of the pages: {}", fault.why))?
                    .into(),
            };
            known = Some((method, Arc::clone(&set)));
            if let Some(cache) = &drawn.cache {
                cache.check(&set)?;
            }
            drawn.set = set;
        }
        Ok(())
    }

    /// Makes the requests of the workloads that draw from these search terms, each target in
    /// its own words: those of `by_target`, or without it the tutorial's search for the kind of
    /// server that it is.
    ///
    /// # Errors
    /// A target of no known kind, or a term that makes no request.
    pub fn fill_terms(&mut self, terms: &[String]) -> Result<(), String> {
        let mut usual = BTreeMap::new();
        for target in &self.targets {
            if let Some(kind) = target.searched.status {
                usual.insert(kind.name().to_owned(), Template::tutorial(kind));
            }
        }
        let mut known: Option<(Patterns, Patterns)> = None;
        for work in &mut self.workloads {
            let WorkloadKind::Http(http) = &mut work.kind else {
                continue;
            };
            let Some(drawn) = http.patterns.as_mut().filter(|drawn| drawn.of_corpus) else {
                continue;
            };
            // The levels of a ramp share their patterns.
            if let Some((_, filled)) = known.as_ref().filter(|(written, _)| written == drawn) {
                *drawn = filled.clone();
                continue;
            }
            let written = drawn.clone();
            let by_target = drawn
                .by_target
                .get_or_insert_with(|| ByTarget::new(usual.clone()));
            by_target.fill(terms)?;
            let set = by_target.any_set().map(Arc::clone);
            drawn.set = set.ok_or("no target is a search server of a known kind")?;
            if let Some(cache) = &drawn.cache {
                cache.check(&drawn.set)?;
            }
            known = Some((written, drawn.clone()));
        }
        Ok(())
    }
}
