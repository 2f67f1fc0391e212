//! What a target's caches do while a slice is driven.

use tenbin_plan::{CacheCounters, Workload, WorkloadKind};
use tenbin_record::CacheUse;
use tenbin_targets::{CacheCount, Running, cache_count};
use tenbin_workloads::CacheForecast;

use crate::error::WeighError;

/// Where the caches of the targets tell what they have done with a workload, if the
/// plan asks for it.
pub(crate) fn counters(work: &Workload) -> Option<&CacheCounters> {
    match &work.kind {
        WorkloadKind::Http(http) => http.patterns.as_ref()?.counters.as_ref(),
        WorkloadKind::S3(_) | WorkloadKind::Blob(_) => None,
    }
}

/// What the caches have done so far; `None` if the plan does not ask for it.
///
/// # Errors
/// A target does not tell.
pub(crate) fn look(running: &Running, work: &Workload) -> Result<Option<CacheCount>, WeighError> {
    let Some(counters) = counters(work) else {
        return Ok(None);
    };
    let told = cache_count(running, counters.path());
    told.map(Some).map_err(|why| WeighError::Preparation {
        target: running.name.clone(),
        workload: work.name.clone(),
        what: "reading the counters of its cache".to_owned(),
        why,
    })
}

/// What the caches did between two looks, beside what was expected. The second look may
/// fail: then it is not known.
pub(crate) fn between(
    before: Option<CacheCount>,
    after: Option<CacheCount>,
    forecast: Option<CacheForecast>,
) -> Option<CacheUse> {
    let forecast = forecast?;
    let did = after
        .zip(before)
        .and_then(|(after, before)| after.since(before));
    Some(CacheUse {
        forecast_hits: forecast.hits,
        forecast_lookups: forecast.lookups,
        hits: did.map(|did| did.hits),
        lookups: did.map(|did| did.lookups),
    })
}
