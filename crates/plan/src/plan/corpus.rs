//! Requests generated from the plan's pages (the documents that search servers index), and the
//! clusters among the plan's targets.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::patterns::{self, ByTarget, CacheCounters, PatternFormat, PatternSet, Template};
use crate::plan::model::Plan;
use crate::plan::workload::Workload;
use crate::target::Target;
use crate::work::WorkloadKind;
use crate::work::http::draft::Patterns;
use crate::{Sentence, sentence};

/// The targets that are one cluster with different numbers of hosts.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterSizes {
    /// Name of the cluster in the plan.
    pub cluster: String,
    /// Positions in [`Plan::targets`], ascending by number of hosts. No two targets have the same
    /// number of hosts.
    pub targets: Vec<usize>,
}

impl WorkloadKind {
    /// The method for patterns without a method, and the patterns generated from the plan's pages.
    /// `None` if the requests have another source.
    fn corpus_patterns(&mut self) -> Option<(String, &mut Patterns)> {
        let (method, drawn) = self.protocol_mut().patterns_mut()?;
        drawn.of_corpus.then(|| (method.to_owned(), drawn))
    }
}

impl Plan {
    /// Where a target reports its cache counters for a workload: the `cache_counters` of the
    /// target, otherwise those of the workload. `None` if no counters are read.
    pub fn cache_counters<'a>(
        &self,
        target: &'a Target,
        work: &'a Workload,
    ) -> Option<&'a CacheCounters> {
        let patterns = work.patterns()?;
        let own = target.searched.cache_counters.as_ref();
        own.or(patterns.cache_counters.as_ref())
    }

    /// Every cluster of the plan, with the targets that are its sizes.
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

    /// Whether the requests of any workload are generated from the plan's pages.
    pub fn draws_from_corpus(&self) -> bool {
        let mut drawn = self.workloads.iter().filter_map(Workload::patterns);
        drawn.any(|patterns| patterns.of_corpus)
    }

    /// Sets the requests of all workloads with `patterns = "{corpus}"` to those in `file`, a
    /// patterns file generated from the plan's pages.
    ///
    /// # Errors
    ///
    /// A line that is not a request, or too few requests for the target hit ratio.
    pub fn fill_patterns(&mut self, file: &[u8]) -> Result<(), Sentence> {
        // The levels of a ramp share their patterns.
        let mut known: Option<(String, Arc<PatternSet>)> = None;
        for work in &mut self.workloads {
            let Some((method, drawn)) = work.kind.corpus_patterns() else {
                continue;
            };
            let set = match &known {
                Some((of, set)) if *of == method => Arc::clone(set),
                _ => patterns::read(file, PatternFormat::Auto, &method)
                    .map_err(|fault| {
                        sentence!(
                            "requests-of-pages",
                            "requests made of the pages: {why}",
                            why = fault.why
                        )
                    })?
                    .into(),
            };
            known = Some((method, Arc::clone(&set)));
            if let Some(cache) = drawn.cache() {
                cache.check(&set)?;
            }
            drawn.set = set;
        }
        Ok(())
    }

    /// Generates the requests for these search terms, in the syntax of each target: from the
    /// templates of `by_target`; in a workload without `by_target`, from the search request of the
    /// Droonga tutorial in the syntax of the target's server.
    ///
    /// # Errors
    /// No target is a search server of a known kind, no request can be made from a term, or there
    /// are too few requests for the target hit ratio.
    pub fn fill_terms(&mut self, terms: &[String]) -> Result<(), Sentence> {
        let mut usual = BTreeMap::new();
        for target in &self.targets {
            if let Some(kind) = target.searched.status {
                usual.insert(kind.name().to_owned(), Template::tutorial(kind));
            }
        }
        let mut known: Option<(Patterns, Patterns)> = None;
        for work in &mut self.workloads {
            let Some((_, drawn)) = work.kind.corpus_patterns() else {
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
            drawn.set = set.ok_or(sentence!(
                "no-search-server",
                "no target is a search server of a known kind"
            ))?;
            if let Some(cache) = drawn.cache() {
                cache.check(&drawn.set)?;
            }
            known = Some((written, drawn.clone()));
        }
        Ok(())
    }
}
