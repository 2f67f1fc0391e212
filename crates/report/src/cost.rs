//! What a target's work cost it, in words for every report.

use tenbin_record::UseScope;

use crate::document::{Document, Figure, ResultOf};
use crate::words::{BYTES, UNKNOWN, digits};

/// What stands behind a target of which only the whole host is known.
pub(crate) const WHOLE_HOST: &str = "whole host";

/// What that means.
pub(crate) const ABOUT_WHOLE_HOST: &str = "of a whole host only the CPU of everything that runs \
     on it is known, that of others included: the cost of the target is at most that";

/// What is told of a control group.
pub(crate) const ABOUT_GROUPS: &str = "memory of a control group includes files that the kernel \
     keeps for its processes, and its peak is the highest since the group was made";

/// Whether anything is known of what the target used.
pub(crate) fn is_known(result: &ResultOf) -> bool {
    result.server_cpu.is_some() || result.peak_rss_bytes.is_some()
}

/// Whether only the use of the whole host is known.
pub(crate) fn is_of_host(result: &ResultOf) -> bool {
    is_known(result) && result.scope == Some(UseScope::Host)
}

/// Name of the target, with a mark where the figures are those of its whole host.
pub(crate) fn named(result: &ResultOf) -> String {
    match is_of_host(result) {
        true => format!("{} ({WHOLE_HOST})", result.target),
        false => result.target.clone(),
    }
}

/// What the figures of a target are about, and what they leave out, where a plan names it.
pub(crate) fn covered(document: &Document, result: &ResultOf) -> Option<String> {
    let mut targets = document.targets.iter();
    let target = targets.find(|target| target.name == result.target)?;
    let observed = target.observed.as_ref().filter(|_| is_known(result))?;
    Some(format!(
        "observed of {}: {observed}; other processes that work for {} are not in these figures",
        target.name, target.name
    ))
}

/// Memory that was looked at once, bytes.
pub(crate) fn memory(bytes: Option<u64>) -> String {
    BYTES.maybe(bytes.map(|bytes| bytes as f64))
}

/// A figure without a unit, and its interval.
pub(crate) fn plain(figure: Option<Figure>) -> String {
    match figure {
        None => UNKNOWN.to_owned(),
        Some(Figure {
            value, interval, ..
        }) => match interval {
            None => format!("{} (interval unknown)", digits(value)),
            Some(ends) => format!(
                "{} ({}–{})",
                digits(value),
                digits(ends.low),
                digits(ends.high)
            ),
        },
    }
}

/// What the group holds besides the target.
pub(crate) fn company(alone: bool) -> &'static str {
    match alone {
        true => "nobody",
        false => "others",
    }
}
