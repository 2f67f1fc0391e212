//! A target's cache and index counters during a slice.

use tenbin_plan::{CacheCounters, Plan, SearchServer, Target, Workload, sentence};
use tenbin_record::{CacheUse, SearchUse};
use tenbin_targets::{CacheCount, Running, SearchState, cache_count, search_state};
use tenbin_workloads::CacheForecast;

use crate::error::RunError;

/// Reads the cache counters of a target; `None` if the plan does not read cache counters.
///
/// # Errors
/// When the target does not report its cache counters.
pub(crate) fn read_counters(
    running: &Running,
    work: &Workload,
    counters: Option<&CacheCounters>,
) -> Result<Option<CacheCount>, RunError> {
    let Some(counters) = counters else {
        return Ok(None);
    };
    let reported = cache_count(running, counters.path());
    reported.map(Some).map_err(|why| RunError::Preparation {
        target: running.name.clone(),
        workload: work.name.clone(),
        what: sentence!("cache-counters", "reading the counters of its cache"),
        why,
    })
}

/// The cache hits and lookups between two readings of the counters, with the simulated hits
/// (`forecast`). `None` if there is neither a first reading nor a forecast; hits and lookups are
/// unknown without a second reading.
pub(crate) fn between(
    before: Option<CacheCount>,
    after: Option<CacheCount>,
    forecast: Option<CacheForecast>,
) -> Option<CacheUse> {
    if before.is_none() && forecast.is_none() {
        return None;
    }
    let forecast = forecast.unwrap_or_default();
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

/// Reads the memory and index figures of an OpenSearch target; `None` for other targets and if the
/// target does not respond.
pub(crate) fn read_search_state(
    running: &Running,
    plan: &Plan,
    of: (&Target, &Workload),
) -> Option<SearchState> {
    let (target, work) = of;
    let is_known = target.searched.status == Some(SearchServer::OpenSearch)
        || plan.cache_counters(target, work) == Some(&CacheCounters::OpenSearch);
    is_known.then(|| search_state(running).ok()).flatten()
}

/// The difference of two reports of a search server. A counter is unknown if the server was
/// restarted between the reports, or if the number of nodes differs.
pub(crate) fn searched(
    before: Option<SearchState>,
    after: Option<SearchState>,
) -> Option<SearchUse> {
    let (before, after) = (before?, after?);
    let same = before.nodes == after.nodes;
    let since = |of: fn(&SearchState) -> u64| {
        let counted = of(&after).checked_sub(of(&before));
        counted.filter(|_| same)
    };
    Some(SearchUse {
        heap_used_bytes: Some(before.heap_used_bytes.max(after.heap_used_bytes)),
        heap_max_bytes: Some(after.heap_max_bytes),
        collections: since(|state| state.collections),
        collection_ms: since(|state| state.collection_ms),
        segments_before: Some(before.segments),
        segments: Some(after.segments),
        merges: since(|state| state.merges),
        merge_ms: since(|state| state.merge_ms),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_kept_without_a_forecast() {
        let count = |hits, lookups| Some(CacheCount { hits, lookups });
        let both = between(count(1, 4), count(3, 14), None).expect("it was counted");
        assert_eq!((both.observed(), both.forecast()), (Some(0.2), None));
        let lost = between(count(1, 4), None, None).expect("it was to be counted");
        assert_eq!((lost.observed(), lost.forecast()), (None, None));
        assert_eq!(between(None, None, None), None);
    }

    #[test]
    fn the_counters_of_a_restarted_server_are_unknown() {
        let state = |collections, segments| SearchState {
            nodes: 1,
            heap_used_bytes: 10,
            heap_max_bytes: 100,
            collections,
            collection_ms: collections * 5,
            segments,
            merges: 0,
            merge_ms: 0,
        };
        let used = searched(Some(state(2, 9)), Some(state(6, 8))).expect("both are known");
        assert_eq!((used.collections, used.collection_ms), (Some(4), Some(20)));
        assert_eq!((used.segments_before, used.segments), (Some(9), Some(8)));
        assert_eq!(used.merges, Some(0));
        let restarted = searched(Some(state(6, 9)), Some(state(2, 9))).expect("both are known");
        assert_eq!(restarted.collections, None, "not 0");
        assert_eq!(searched(Some(state(6, 9)), None), None);
    }
}
