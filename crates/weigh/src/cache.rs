//! What a target's caches do while a slice is driven.

use tenbin_plan::{CacheCounters, Workload};
use tenbin_record::CacheUse;
use tenbin_targets::{CacheCount, Running, cache_count};
use tenbin_workloads::CacheForecast;

use crate::error::WeighError;

/// What the caches have done so far; `None` if the plan does not ask for it.
///
/// # Errors
/// A target does not report it.
pub(crate) fn look(
    running: &Running,
    work: &Workload,
    counters: Option<&CacheCounters>,
) -> Result<Option<CacheCount>, WeighError> {
    let Some(counters) = counters else {
        return Ok(None);
    };
    let reported = cache_count(running, counters.path());
    reported.map(Some).map_err(|why| WeighError::Preparation {
        target: running.name.clone(),
        workload: work.name.clone(),
        what: "reading the counters of its cache".to_owned(),
        why,
    })
}

/// What the caches did between two looks, and what was forecast; `None` where neither is known.
/// The second look may fail: then what they did is unknown. Without a forecast nothing was
/// expected of them.
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
}
