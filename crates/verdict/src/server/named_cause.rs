//! Advice for failures whose error text or status names their cause.

use std::collections::BTreeMap;

/// Advice by parts of error codes and error texts, in lower case. The first entry that fits counts:
/// a text that names a cause comes before codes that say only that the target is busy.
const BY_TEXT: &[(&[&str], &str)] = &[
    (
        &["quorum", "slowdownwrite", "slowdownread"],
        "check that all disks and nodes of the target are up: too few of them took part in the \
         operation; fewer connections do not change that",
    ),
    (
        &["notinitialized", "not initialized"],
        "wait until the target has started completely, and run again",
    ),
    (
        &[
            "slowdown",
            "toomanyrequests",
            "too many requests",
            "requestlimit",
            "throttl",
        ],
        "the target limits its load: use fewer connections or a lower rate, or raise the target's \
         limit of concurrent requests",
    ),
    (
        &["serviceunavailable", "service unavailable"],
        "read the target's log: it was unavailable, because it is overloaded, has started or is \
         being maintained; a run with few connections shows whether the load is the reason",
    ),
    (
        &["internalerror", "internal error", "internal server error"],
        "read the target's log for the reason of the internal error; if a run with few connections \
         fails as well, the load is not the reason",
    ),
];

/// Advice by status, if no text names the cause.
const BY_STATUS: &[(u16, &str)] = &[
    (
        502,
        "read the log of the proxy in front of the target: it got no valid response from the server \
         behind it",
    ),
    (
        504,
        "read the log of the proxy in front of the target: the server behind it did not respond in \
         time",
    ),
];

/// Advice for success statuses that count as failures.
pub(crate) const ODD_SUCCESS: &str = "find out what responds at this address: a store that implements this operation does not \
     respond with that status, so it is unknown whether the operation was done";

/// Advice on the most frequent failures, if their text or status names the cause.
pub(crate) fn advice(
    statuses: &BTreeMap<u16, u64>,
    texts: &BTreeMap<String, u64>,
) -> Option<&'static str> {
    let (status, _) = statuses.iter().max_by_key(|(_, count)| **count)?;
    if *status < 500 {
        return None;
    }
    let text = texts.iter().max_by_key(|(_, count)| **count);
    let text = text.map_or_else(String::new, |(text, _)| text.to_ascii_lowercase());
    let mut by_text = BY_TEXT.iter();
    let named = by_text.find(|(parts, _)| parts.iter().any(|part| text.contains(part)));
    let by_status = || BY_STATUS.iter().find(|(known, _)| known == status);
    named
        .map(|(_, advice)| *advice)
        .or_else(|| by_status().map(|(_, advice)| *advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, text: &str) -> Option<&'static str> {
        advice(&[(status, 9)].into(), &[(text.to_owned(), 9)].into())
    }

    #[test]
    fn a_named_cause_gets_advice_about_that_cause() {
        for (status, text, expected) in [
            (500, "quorum write failed", "disks and nodes"),
            (503, "SlowDownWrite", "disks and nodes"),
            (503, "InsufficientReadQuorum", "disks and nodes"),
            (503, "SlowDown", "limits its load"),
            (503, "XMinioServerNotInitialized", "started completely"),
            (503, "ServiceUnavailable", "was unavailable"),
            (500, "InternalError", "internal error"),
            (502, "", "proxy"),
            (504, "<html>", "in time"),
        ] {
            let found = of(status, text).unwrap();
            assert!(found.contains(expected), "{status} {text}: {found}");
        }
        for text in ["quorum write failed", "SlowDownWrite", "InternalError"] {
            let found = of(500, text).unwrap();
            assert!(!found.contains("use fewer connections"), "{found}");
        }
        assert_eq!(of(500, "out of cheese"), None);
        assert_eq!(of(404, "quorum"), None);
    }
}
