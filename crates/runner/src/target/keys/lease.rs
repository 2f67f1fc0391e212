//! Keys with an end, and their renewal.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tenbin_record::RefusedRenewal;
use tenbin_workloads::s3::keyring::Keyring;

use super::source::Source;

/// Longest pause between two tries of a renewal.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Keys, where they come from, and when they are renewed.
pub(super) struct Lease {
    source: Source,
    pub(super) ring: Arc<Keyring>,
    /// When the keys expire.
    expires: Instant,
    /// When the next renewal is tried.
    due: Instant,
    /// Tries of the current renewal that were refused.
    refusals: u32,
}

/// A renewal that was refused at least once.
pub(super) struct Refused {
    issuer: String,
    tries: u64,
    why: String,
    first: Instant,
    /// When the keys expire that should have been replaced.
    expires: Instant,
    renewed: Option<Instant>,
}

type Log = Mutex<Vec<Refused>>;

fn held(log: &Log) -> MutexGuard<'_, Vec<Refused>> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time after which keys with this life are renewed: three quarters of it.
fn renewal_after(life: Duration) -> Duration {
    life / 4 * 3
}

/// The pause after this many refusals in a row.
fn pause_after(refusals: u32) -> Duration {
    let doubled = 1_u64
        .checked_shl(refusals.saturating_sub(1))
        .unwrap_or(u64::MAX);
    Duration::from_secs(doubled).min(LONGEST_PAUSE)
}

/// Renews keys until the other end of `stopped` is dropped.
pub(super) fn keep(mut leases: Vec<Lease>, stopped: &Receiver<()>, log: &Log) {
    while let Some(next) = leases.iter_mut().min_by_key(|lease| lease.due) {
        let wait = next.due.saturating_duration_since(Instant::now());
        if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        next.renew(log);
    }
}

impl Lease {
    pub(super) fn new(source: Source, ring: Arc<Keyring>, life: Duration) -> Self {
        let now = Instant::now();
        Self {
            source,
            ring,
            expires: now + life,
            due: now + renewal_after(life),
            refusals: 0,
        }
    }

    fn renew(&mut self, log: &Log) {
        match self.source.obtain() {
            Ok(issued) => {
                let now = Instant::now();
                self.ring.replace(issued.keys);
                if self.refusals > 0
                    && let Some(open) = self.open(&mut held(log))
                {
                    open.renewed = Some(now);
                }
                self.refusals = 0;
                self.expires = now + issued.life;
                self.due = now + renewal_after(issued.life);
            }
            Err(refusal) => {
                self.refusals += 1;
                self.note(refusal.why.to_string(), log);
                self.due = Instant::now() + pause_after(self.refusals);
            }
        }
    }

    fn note(&self, why: String, log: &Log) {
        let mut log = held(log);
        match self.open(&mut log) {
            Some(open) => {
                open.tries += 1;
                open.why = why;
            }
            None => log.push(Refused {
                issuer: self.source.describe(),
                tries: 1,
                why,
                first: Instant::now(),
                expires: self.expires,
                renewed: None,
            }),
        }
    }

    /// The entry of the renewal that has not succeeded yet.
    fn open<'a>(&self, log: &'a mut [Refused]) -> Option<&'a mut Refused> {
        let issuer = self.source.describe();
        log.iter_mut()
            .find(|one| one.renewed.is_none() && one.issuer == issuer)
    }
}

impl Refused {
    pub(super) fn recorded(&self, target: &str, started: Instant) -> RefusedRenewal {
        let seconds = |at: Instant| at.saturating_duration_since(started).as_secs_f64();
        let had_expired = self.renewed.unwrap_or_else(Instant::now) > self.expires;
        RefusedRenewal {
            target: target.to_owned(),
            issuer: self.issuer.clone(),
            reason: self.why.clone(),
            tries: self.tries,
            first: seconds(self.first),
            expired: had_expired.then(|| seconds(self.expires)),
            renewed: self.renewed.map(seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_renewed_well_before_their_end_and_refusals_are_spaced_out() {
        let minutes = |count: u64| Duration::from_secs(60 * count);
        assert_eq!(renewal_after(minutes(60)), minutes(45));
        assert_eq!(renewal_after(Duration::from_secs(10)).as_millis(), 7500);
        let pauses = [1, 2, 3, 6, 70].map(|refusals| pause_after(refusals).as_secs());
        assert_eq!(pauses, [1, 2, 4, 30, 30]);
    }

    #[test]
    fn a_refusal_counts_as_expiry_only_if_the_keys_had_ended() {
        let started = Instant::now();
        let at = |seconds| started + Duration::from_secs(seconds);
        let refused = |renewed| Refused {
            issuer: "AssumeRole".to_owned(),
            tries: 3,
            why: "why".to_owned(),
            first: at(10),
            expires: at(20),
            renewed,
        };
        let in_time = refused(Some(at(15))).recorded("a", started);
        assert_eq!((in_time.expired, in_time.renewed), (None, Some(15.0)));
        let late = refused(Some(at(25))).recorded("a", started);
        assert_eq!((late.expired, late.renewed), (Some(20.0), Some(25.0)));
        let open = refused(None).recorded("a", started);
        assert_eq!((open.expired, open.renewed), (None, None));
    }
}
