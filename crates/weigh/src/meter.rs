//! What both sides used between two looks at them.

use tenbin_record::{Allocated, ServerUse};
use tenbin_targets::Usage;

/// The difference of two looks at the same target.
pub(crate) fn between(before: Option<Usage>, after: Option<Usage>) -> Option<ServerUse> {
    let (before, after) = (before?, after?);
    let grown = |before: Option<u64>, after: Option<u64>| Some(after?.saturating_sub(before?));
    Some(ServerUse {
        cpu_seconds: (after.cpu_seconds - before.cpu_seconds).max(0.0),
        rss_bytes: after.rss_bytes.max(before.rss_bytes),
        read_bytes: grown(before.read_bytes, after.read_bytes),
        written_bytes: grown(before.written_bytes, after.written_bytes),
    })
}

/// What this process allocated between two looks at its allocator.
pub(crate) fn allocated(before: Option<Allocated>, after: Option<Allocated>) -> Option<Allocated> {
    Some(after?.since(before?))
}
