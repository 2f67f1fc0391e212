//! Texts that several reports share.

use tenbin_record::SearchUse;
use tenbin_result::{
    CacheHits, Document, Message, OperationResult, Role, Trust, Value, Workload, message,
};

use crate::language::{clauses, say};

/// Says which intervals hold simultaneously; `None` if no interval is corrected for several
/// comparisons.
pub(crate) fn intervals_together(document: &Document) -> Option<Message> {
    let of_targets = document.comparisons.iter();
    let mut primary = of_targets
        .chain(&document.workload_comparisons)
        .filter(|each| each.primary && each.ratio.is_some_and(|ratio| ratio.interval.is_some()));
    let together = primary.find_map(|each| each.together)?;
    Some(message!(
        "intervals-together",
        // Rounded down, so that the stated confidence is never too high.
        confidence = (together.confidence * 100.0).floor() as u64,
        comparisons = together.comparisons
    ))
}

/// Expected and observed hit ratios of a target's cache, in one sentence.
pub(crate) fn cache_sentence(target: &str, cache: &CacheHits) -> Message {
    if cache.lookups == Some(0) {
        return message!("cache-without-lookups", target);
    }
    let of = cache.lookups;
    let of = of.map(|lookups| message!("of-lookups", lookups));
    let expected = cache.forecast;
    let expected = expected.map(|share| message!("hits-expected", share = Value::Share(share)));
    message!(
        "cache",
        target,
        hits = cache.observed.map_or(Value::Unknown, Value::Share),
        of,
        expected
    )
}

/// Memory and index figures that a search server reported, in one sentence.
pub(crate) fn search_sentence(target: &str, search: &SearchUse) -> Message {
    let bytes = |bytes: Option<u64>| bytes.map_or(Value::Unknown, Value::Bytes);
    let counted = |id: &str, count: Option<u64>, ms: Option<u64>| {
        let message = Message::new(id).with("known", count.is_some());
        message
            .with("count", count.unwrap_or_default())
            .with("timed", ms.is_some())
            .with("ms", Value::Plain(ms.unwrap_or_default()))
    };
    let segments = match (search.segments_before, search.segments) {
        (Some(before), Some(after)) if before != after => message!(
            "segments-changed",
            before = Value::Plain(before),
            after = Value::Plain(after)
        ),
        (_, after) => message!(
            "segments",
            known = after.is_some(),
            count = after.unwrap_or_default()
        ),
    };
    message!(
        "search-server",
        target,
        used = bytes(search.heap_used_bytes),
        heap = bytes(search.heap_max_bytes),
        collections = counted(
            "garbage-collections", search.collections, search.collection_ms
        ),
        segments,
        merges = counted("merges", search.merges, search.merge_ms)
    )
}

/// Explanation of a trust level.
pub(crate) fn trust_meaning(trust: Trust) -> Message {
    match trust {
        Trust::Valid => message!("trust-valid"),
        Trust::Suspect => message!("trust-suspect"),
        Trust::Invalid => message!("trust-invalid"),
    }
}

/// The load of a workload, in the language of the document.
pub(crate) fn load(document: &Document, workload: &Workload) -> String {
    let load = Message::or_text(workload.load_data.as_ref(), &workload.load);
    say(document, &load)
}

/// Name of an operation, marked if the operation does not count as throughput.
pub(crate) fn named_by_role(document: &Document, operation: &OperationResult) -> String {
    let role = match operation.role {
        Role::Request | Role::Transaction => return operation.operation.clone(),
        Role::Step => "sub-request",
        Role::Poll => "poll",
        Role::Effect => "effect",
    };
    let named = message!(
        "operation-by-role",
        operation = &operation.operation,
        role = Value::word(role)
    );
    say(document, &named)
}

/// Explanation of the marks of [`named_by_role`]; `None` without marked operations.
pub(crate) fn about_steps(document: &Document) -> Option<Message> {
    let mut wholes: Vec<String> = Vec::new();
    let mut steps = 0;
    let mut has_checks = false;
    for result in &document.results {
        has_checks |= result.checks().next().is_some();
        steps += result.steps().count();
        for whole in result.work().filter(|op| op.role == Role::Transaction) {
            if !wholes.contains(&whole.operation) {
                wholes.push(whole.operation.clone());
            }
        }
    }
    let wholes: Value = if wholes.is_empty() {
        message!("something-larger").into()
    } else {
        wholes.into()
    };
    let steps = (steps > 0).then(|| message!("about-sub-requests", wholes));
    let checks = has_checks.then(|| message!("about-effects"));
    let mut both = steps.into_iter().chain(checks);
    Some(clauses(both.next()?, both))
}
