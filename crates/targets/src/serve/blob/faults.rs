//! Faults that the blob server injects.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use tenbin_plan::{Sentence, sentence};

/// A fault and the share of the applicable requests that are affected. Written as `corrupt:10%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    pub(super) kind: FaultKind,
    /// Share of the applicable requests, 0 to 1.
    pub(super) share: f64,
}

/// Kinds of faults; each says which requests the fault applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// GET: one byte is changed.
    Corrupt,
    /// GET: the second half of the announced content is missing, and the connection is closed.
    Truncate,
    /// GET: the content is that of another existing blob, if there is any.
    Swap,
    /// GET: the content is that of a deleted blob, if there is any.
    Stale,
    /// GET of a range: the head announces a range shifted by one byte.
    Misrange,
    /// GET: status 500.
    Break,
    /// PUT: the returned checksums are wrong.
    WrongHash,
    /// Any request: status 400.
    Refuse,
    /// Any request: status 403 without a body.
    Forbid,
    /// Any request: status 429, as from a load balancer.
    TooMany,
    /// Any request: status 552.
    Limit,
    /// PUT: status 466, as if the body were too short.
    ShortBody,
    /// PUT with a framed body: status 466, as if a block did not match its checksum.
    BadBlock,
    /// PUT with a framed body: the body is handled as a plain body.
    Unframed,
    /// DELETE: status 226, and no location in the affected cluster is deleted.
    KeepSome,
    /// DELETE: the deletion is acknowledged but not done.
    NeverGone,
}

const KINDS: [(&str, FaultKind); 16] = [
    ("corrupt", FaultKind::Corrupt),
    ("truncate", FaultKind::Truncate),
    ("swap", FaultKind::Swap),
    ("stale", FaultKind::Stale),
    ("misrange", FaultKind::Misrange),
    ("500", FaultKind::Break),
    ("wrong-hash", FaultKind::WrongHash),
    ("400", FaultKind::Refuse),
    ("403", FaultKind::Forbid),
    ("429", FaultKind::TooMany),
    ("552", FaultKind::Limit),
    ("466", FaultKind::ShortBody),
    ("bad-block", FaultKind::BadBlock),
    ("unframed", FaultKind::Unframed),
    ("226", FaultKind::KeepSome),
    ("never-gone", FaultKind::NeverGone),
];

impl FromStr for Fault {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let wrong = || {
            sentence!(
                "no-fault",
                "{text:?} is not a fault; write for example {example}, with one of {known}",
                text,
                example = "corrupt:10%",
                known = KINDS.map(|(name, _)| name).join(", ")
            )
        };
        let (name, share) = text.split_once(':').ok_or_else(wrong)?;
        let (_, kind) = KINDS
            .into_iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(wrong)?;
        let share = super::super::share(share).map_err(|_| wrong())?;
        Ok(Self { kind, share })
    }
}

/// All faults of a server, each with the number of applicable requests so far.
#[derive(Debug)]
pub(super) struct Faults(Vec<(Fault, AtomicU64)>);

impl Faults {
    pub(super) fn new(faults: &[Fault]) -> Self {
        let counted = faults.iter().map(|fault| (*fault, AtomicU64::new(0)));
        Self(counted.collect())
    }

    /// Whether the fault `kind` affects the current request. Among any n consecutive applicable
    /// requests, the number of affected requests differs from n times the share by less than 1.
    pub(super) fn applies(&self, kind: FaultKind) -> bool {
        let mut own = self.0.iter().filter(|(fault, _)| fault.kind == kind);
        own.any(|(fault, asked)| {
            let before = asked.fetch_add(1, Ordering::Relaxed);
            let due = |count: u64| (count as f64 * fault.share).floor();
            due(before + 1) > due(before)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_met_exactly() {
        let faults = Faults::new(&["corrupt:25%".parse().unwrap(), "552:100%".parse().unwrap()]);
        let struck = |kind| (0..100).filter(|_| faults.applies(kind)).count();
        assert_eq!(struck(FaultKind::Corrupt), 25);
        assert_eq!(struck(FaultKind::Limit), 100);
        assert_eq!(struck(FaultKind::Swap), 0);
    }

    #[test]
    fn invalid_faults_are_refused() {
        for text in ["", "corrupt", "melt:1%", "corrupt:101%", "429:x"] {
            assert!(text.parse::<Fault>().is_err(), "{text}");
        }
    }
}
