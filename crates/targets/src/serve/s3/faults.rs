//! Faults that the S3 server injects.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tenbin_plan::{Sentence, sentence};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// How long a PUT locks a busy store: about the time of one SQLite commit with fsync.
const COMMIT_TIME: Duration = Duration::from_millis(4);

/// A fault and the share of the applicable requests that are affected. Written as `busy:98%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct S3Fault {
    pub(super) kind: FaultKind,
    /// Share of the applicable requests, 0 to 1.
    pub(super) share: f64,
}

/// Kinds of faults; each says which operations the fault applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// PUT and COPY: 500 InternalError while another object is being stored, as from a store whose
    /// database has one writer at a time and does not wait.
    Busy,
    /// PUT and COPY: 503 SlowDown with `Retry-After: 1`.
    SlowDown,
    /// DELETE, including batches: the deletion is acknowledged but not done.
    KeepDeleted,
    /// PUT and COPY: the connection is closed without a response.
    Reset,
}

/// All kinds of faults by name. Faults are registered only here.
const KINDS: [(&str, FaultKind); 4] = [
    ("busy", FaultKind::Busy),
    ("slow-down", FaultKind::SlowDown),
    ("keep-deleted", FaultKind::KeepDeleted),
    ("reset", FaultKind::Reset),
];

impl FromStr for S3Fault {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let wrong = || {
            sentence!(
                "no-fault",
                "{text:?} is not a fault; write for example {example}, with one of {known}",
                text,
                example = "busy:98%",
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

/// The faults of a server, each with the number of applicable requests so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    all: Vec<(S3Fault, AtomicU64)>,
    /// Locked by the request that currently stores an object, if the server has the fault `busy`.
    lock: Arc<Mutex<()>>,
}

/// The write lock of a busy store, released on drop; without the fault `busy`, no lock.
pub(super) struct Writer(Option<OwnedMutexGuard<()>>);

impl Writer {
    /// Waits for the duration of a commit, if the server has the fault `busy`.
    pub(super) async fn commit(self) {
        if self.0.is_some() {
            tokio::time::sleep(COMMIT_TIME).await;
        }
    }
}

impl Faults {
    pub(super) fn new(faults: &[S3Fault]) -> Self {
        let counted = faults.iter().map(|fault| (*fault, AtomicU64::new(0)));
        Self {
            all: counted.collect(),
            lock: Arc::default(),
        }
    }

    /// Whether the fault `kind` affects the current request. Among any n consecutive applicable
    /// requests, the number of affected requests differs from n times the share by less than 1.
    pub(super) fn applies(&self, kind: FaultKind) -> bool {
        let mut own = self.all.iter().filter(|(fault, _)| fault.kind == kind);
        own.any(|(fault, asked)| {
            let before = asked.fetch_add(1, Ordering::Relaxed);
            let due = |count: u64| (count as f64 * fault.share).floor();
            due(before + 1) > due(before)
        })
    }

    /// Makes the current request the only writer. Returns `None` if another request holds the lock
    /// and the fault refuses the current request; otherwise waits for the lock.
    pub(super) async fn writer(&self) -> Option<Writer> {
        if !self.has(FaultKind::Busy) {
            return Some(Writer(None));
        }
        if let Ok(guard) = Arc::clone(&self.lock).try_lock_owned() {
            return Some(Writer(Some(guard)));
        }
        if self.applies(FaultKind::Busy) {
            return None;
        }
        Some(Writer(Some(Arc::clone(&self.lock).lock_owned().await)))
    }

    fn has(&self, kind: FaultKind) -> bool {
        self.all.iter().any(|(fault, _)| fault.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_busy_store_refuses_the_share_of_concurrent_writers() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let faults = Faults::new(&["busy:98%".parse().unwrap()]);
            let alone = faults.writer().await.expect("no other writer");
            let mut refused = 0;
            let mut waiting = 0;
            for _ in 0..100 {
                match faults.writer().now_or_never() {
                    Some(writer) => refused += u32::from(writer.is_none()),
                    None => waiting += 1,
                }
            }
            assert_eq!((refused, waiting), (98, 2));
            alone.commit().await;
            assert!(faults.writer().await.is_some());
        });
    }

    #[test]
    fn an_invalid_fault_is_refused_with_all_valid_names() {
        for text in ["", "busy", "melt:1%", "busy:101%", "reset:x"] {
            let error = text.parse::<S3Fault>().unwrap_err().to_string();
            assert!(
                error.contains("busy, slow-down, keep-deleted, reset"),
                "{error}"
            );
        }
    }
}
