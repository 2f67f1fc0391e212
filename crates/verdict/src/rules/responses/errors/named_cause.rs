//! Advice for failures whose error text or status names their cause.

use std::collections::BTreeMap;

use tenbin_result::Message;

use crate::rules::responses::errors::tally::PARTLY_DELETED;

/// Ids of advice by parts of error codes and error texts, in lower case. The first entry that fits counts:
/// a text that names a cause comes before codes that say only that the target is busy.
const BY_TEXT: &[(&[&str], &str)] = &[
    (&["quorum", "slowdownwrite", "slowdownread"], "check-disks"),
    (&["notinitialized", "not initialized"], "wait-for-start"),
    (
        &[
            "slowdown", "toomanyrequests", "too many requests", "requestlimit", "throttl",
        ],
        "raise-limit",
    ),
    (
        &["serviceunavailable", "service unavailable"],
        "was-unavailable",
    ),
    (
        &["internalerror", "internal error", "internal server error"],
        "internal-error",
    ),
];

/// Error codes, in lower case, of requests whose temporary keys are not or no longer accepted. Servers
/// send them with status 400 or 403.
const OF_KEYS: &[&str] = &["expiredtoken", "invalidtoken", "tokenrefreshrequired"];

/// Ids of advice by status, if no text names the cause.
const BY_STATUS: &[(u16, &str)] = &[
    (502, "bad-gateway"),
    (503, "refuses-load"),
    (504, "gateway-timeout"),
];

/// Advice on the most frequent failures, if their text or status names the cause.
pub(super) fn advice(
    statuses: &BTreeMap<u16, u64>,
    texts: &BTreeMap<String, u64>,
) -> Option<Message> {
    let (status, _) = statuses.iter().max_by_key(|(_, count)| **count)?;
    let text = texts.iter().max_by_key(|(_, count)| **count);
    let text = text.map_or_else(String::new, |(text, _)| text.to_ascii_lowercase());
    if OF_KEYS.iter().any(|code| text.contains(code)) {
        return Some(Message::new("renew-keys"));
    }
    if *status == PARTLY_DELETED {
        return Some(Message::new("not-passed-on"));
    }
    if *status < 500 {
        return None;
    }
    let mut by_text = BY_TEXT.iter();
    let named = by_text.find(|(parts, _)| parts.iter().any(|part| text.contains(part)));
    let by_status = || BY_STATUS.iter().find(|(known, _)| known == status);
    let named = named.map(|(_, id)| *id);
    let id = named.or_else(|| by_status().map(|(_, id)| *id))?;
    Some(Message::new(id))
}

/// Error texts, in lower case, that only repeat the status 500.
const OF_STATUS_500: &[&str] = &["internalerror", "internal error", "internal server error"];
/// Words, in lower case, of texts that only state a status.
const OF_ANY_STATUS: &[&str] = &["refused", "status", "http", "error"];

/// Whether the most frequent failures have status 500 and no text that gives a reason.
pub(super) fn is_unexplained(statuses: &BTreeMap<u16, u64>, texts: &BTreeMap<String, u64>) -> bool {
    let status = statuses.iter().max_by_key(|(_, count)| **count);
    let text = texts.iter().max_by_key(|(_, count)| **count);
    let text = text.map_or_else(String::new, |(text, _)| text.to_ascii_lowercase());
    let mut words = text.split(|c: char| !c.is_alphabetic());
    let has_reason = words.any(|word| !word.is_empty() && !OF_ANY_STATUS.contains(&word));
    let repeats = OF_STATUS_500.iter().any(|part| text.contains(part));
    let mut named = BY_TEXT.iter().filter(|(_, id)| *id != "internal-error");
    let names_other = named.any(|(parts, _)| parts.iter().any(|part| text.contains(part)));
    status.is_some_and(|(status, _)| *status == 500) && !names_other && (repeats || !has_reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::responses::errors::RULE;

    fn named_cause(status: u16, text: &str) -> Option<String> {
        let advice = advice(&[(status, 9)].into(), &[(text.to_owned(), 9)].into())?;
        Some(RULE.messages.in_english(&advice))
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
            (503, "", "rate limit"),
            (504, "<html>", "in time"),
            (226, "1 of 1 not deleted (226)", "proxy and Kafka"),
            (400, "ExpiredToken", "temporary keys"),
            (403, "InvalidToken", "temporary keys"),
        ] {
            let found = named_cause(status, text).unwrap();
            assert!(found.contains(expected), "{status} {text}: {found}");
        }
        for text in ["quorum write failed", "SlowDownWrite", "InternalError"] {
            let found = named_cause(500, text).unwrap();
            assert!(!found.contains("use fewer connections"), "{found}");
        }
        assert_eq!(named_cause(500, "out of cheese"), None);
        let is_bare = |status: u16, text: &str| {
            is_unexplained(&[(status, 9)].into(), &[(text.to_owned(), 9)].into())
        };
        for text in [
            "",
            "refused (500)",
            "InternalError: we encountered an error",
        ] {
            assert!(is_bare(500, text), "{text}");
        }
        assert!(!is_bare(500, "out of cheese"));
        assert!(!is_bare(503, ""));
        assert!(is_unexplained(&[(500, 1)].into(), &BTreeMap::new()));
        assert_eq!(named_cause(404, "quorum"), None);
    }
}
