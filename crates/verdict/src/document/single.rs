//! Single requests and their patterns.

use crate::TargetFigures;
use tenbin_record::{CacheUse, Environment, SingleRequest};

use tenbin_result::{CacheHits, Figure, PatternResult, SingleResult};

pub(super) fn request(single: &SingleRequest) -> SingleResult {
    SingleResult {
        request: single.request.clone(),
        host: single.host.clone(),
        status: single.status,
        correct: single.correct,
        time: single.ns as f64 / 1e9,
    }
}

/// Every pattern with its name and its hits, as far as they are known.
pub(super) fn patterns(figures: &TargetFigures, environment: &Environment) -> Vec<PatternResult> {
    let labels = environment.patterns.get(&figures.workload);
    let target = environment.targets.get(&figures.target);
    let hosts = target.map_or_else(Vec::new, |target| target.hits_before(&figures.workload));
    let patterns = figures.singles.patterns.iter();
    patterns
        .map(|each| {
            let at = each.pattern as usize;
            PatternResult {
                request: labels.and_then(|labels| labels.get(at).cloned()),
                pattern: each.pattern,
                ok: each.ok,
                failed: each.failed,
                mean: Figure::of(each.mean),
                min: each.min,
                max: each.max,
                hits: hosts.iter().find_map(|(_, hits)| *hits.get(&each.pattern)?),
            }
        })
        .collect()
}

pub(super) fn cache(cache: &CacheUse) -> CacheHits {
    CacheHits {
        forecast: cache.forecast(),
        observed: cache.observed(),
        lookups: cache.lookups,
    }
}

/// The document has the patterns with the results of each target, and not twice.
pub(super) fn without_patterns(environment: &Environment) -> Environment {
    let mut environment = environment.clone();
    environment.patterns.clear();
    for target in environment.targets.values_mut() {
        target.hits.clear();
        target.asked.clear();
    }
    environment
}
