//! Texts that several reports share.

use tenbin_record::SearchUse;
use tenbin_result::format::{BYTES, UNKNOWN, percent, plural};
use tenbin_result::{CacheHits, Document, OperationResult, ResultOf, Role, Trust};

/// Says which intervals hold simultaneously; `None` if no interval is corrected for several
/// comparisons.
pub(crate) fn intervals_together(document: &Document) -> Option<String> {
    let of_targets = document.comparisons.iter();
    let mut primary = of_targets
        .chain(&document.workload_comparisons)
        .filter(|each| each.primary && each.ratio.is_some_and(|ratio| ratio.interval.is_some()));
    let together = primary.find_map(|each| each.together)?;
    Some(format!(
        "The {} % intervals of the {} primary ratios hold simultaneously; every other interval holds alone",
        // Rounded down, so that the stated confidence is never too high.
        (together.confidence * 100.0).floor(),
        together.comparisons
    ))
}

/// Expected and observed hit ratios of a target's cache, in one sentence.
pub(crate) fn cache_sentence(target: &str, cache: &CacheHits) -> String {
    let share = |share: Option<f64>| share.map_or_else(|| UNKNOWN.to_owned(), percent);
    if cache.lookups == Some(0) {
        return format!("cache of {target}: no lookups reported");
    }
    let lookups = cache.lookups.map_or_else(String::new, |lookups| {
        format!(" of {}", plural(lookups, "lookup"))
    });
    let expected = cache.forecast.map_or_else(String::new, |forecast| {
        format!(", {} expected by simulation", percent(forecast))
    });
    format!(
        "cache of {target}: {} hits{lookups} as reported{expected}",
        share(cache.observed)
    )
}

/// Memory and index figures that a search server reported, in one sentence.
pub(crate) fn search_sentence(target: &str, search: &SearchUse) -> String {
    let bytes = |bytes: Option<u64>| BYTES.maybe(bytes.map(|bytes| bytes as f64));
    let counted = |count: Option<u64>, ms: Option<u64>, word: &str| match (count, ms) {
        (Some(count), Some(ms)) => format!("{} in {ms} ms", plural(count, word)),
        (Some(count), None) => plural(count, word),
        _ => format!("{word}s {UNKNOWN}"),
    };
    let segments = match (search.segments_before, search.segments) {
        (Some(before), Some(after)) if before != after => {
            format!("{before} segments, then {after}")
        }
        (_, Some(after)) => plural(after, "segment"),
        _ => format!("segments {UNKNOWN}"),
    };
    format!(
        "{target}: heap at most {} of {}, {}, {segments}, {}",
        bytes(search.heap_used_bytes),
        bytes(search.heap_max_bytes),
        counted(
            search.collections,
            search.collection_ms,
            "garbage collection"
        ),
        counted(search.merges, search.merge_ms, "merge"),
    )
}

/// Explanation of a trust level.
pub(crate) fn trust_meaning(trust: Trust) -> &'static str {
    match trust {
        Trust::Valid => "no finding invalidates these figures",
        Trust::Suspect => "these figures may mislead",
        Trust::Invalid => "these figures cannot be trusted",
    }
}

/// Name of an operation, marked if the operation does not count as throughput.
pub(crate) fn named_by_role(operation: &OperationResult) -> String {
    match operation.role {
        Role::Request | Role::Transaction => operation.operation.clone(),
        Role::Step => format!("{} (sub-request)", operation.operation),
        Role::Poll => format!("{} (poll)", operation.operation),
        Role::Effect => format!("{} (effect)", operation.operation),
    }
}

/// Explanation of the marks of [`named_by_role`]; `None` without marked operations.
pub(crate) fn about_steps<'a>(results: impl Iterator<Item = &'a ResultOf>) -> Option<String> {
    let mut wholes: Vec<&str> = Vec::new();
    let mut steps = 0;
    let mut has_checks = false;
    for result in results {
        has_checks |= result.checks().next().is_some();
        steps += result.steps().count();
        for whole in result.work().filter(|op| op.role == Role::Transaction) {
            if !wholes.contains(&whole.operation.as_str()) {
                wholes.push(&whole.operation);
            }
        }
    }
    let wholes = if wholes.is_empty() {
        "something larger".to_owned()
    } else {
        wholes.join(", ")
    };
    let steps = (steps > 0).then(|| {
        format!(
            "a sub-request is one request of {wholes}; sub-requests have separate times and do not \
             count as throughput"
        )
    });
    let checks = has_checks.then(|| {
        "an effect is timed from the start of an operation to the start of the first poll that \
        observed it; polls have their own connections and do not count as throughput"
            .to_owned()
    });
    let both: Vec<String> = steps.into_iter().chain(checks).collect();
    (!both.is_empty()).then(|| both.join("; "))
}
