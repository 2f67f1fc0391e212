//! When the agents of a run were last heard of. The thread of the NATS client notes every event, so
//! that heartbeats do not fill the queue while nothing reads messages, for example while targets
//! start.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::bus::{Filter, read};
use crate::message::{Event, Happened};

/// Longest heartbeat, bytes. Longer messages are something else.
const LONGEST_SIGN: usize = 256;

/// Arrival of the last event of each agent, by subject.
#[derive(Debug, Clone, Default)]
pub(super) struct SignsOfLife(Arc<Mutex<HashMap<String, Instant>>>);

/// The part of an event or an introduction that names the run.
#[derive(Deserialize)]
struct Addressed {
    run: String,
    #[serde(rename = "what", alias = "introduction")]
    _rest: IgnoredAny,
}

impl SignsOfLife {
    /// Waits for events on this subject from now on, or again.
    pub(super) fn expect(&self, subject: String) {
        self.all().insert(subject, Instant::now());
    }

    pub(super) fn forget(&self, subject: &str) {
        self.all().remove(subject);
    }

    /// When the last event arrived on an expected subject.
    pub(super) fn last(&self, subject: &str) -> Option<Instant> {
        self.all().get(subject).copied()
    }

    /// Notes the events for `run`. Drops heartbeats, and what is for other runs.
    pub(super) fn filter(&self, run: &str) -> Filter {
        let (signs, run) = (self.clone(), run.to_owned());
        Box::new(move |subject, payload, at| {
            let addressed: Option<Addressed> = read(payload);
            if addressed.is_none_or(|message| message.run != run) {
                return false;
            }
            if let Some(last) = signs.all().get_mut(subject) {
                *last = at;
            }
            let is_sign = payload.len() <= LONGEST_SIGN
                && read::<Event>(payload).is_some_and(|it| matches!(it.what, Happened::Alive));
            !is_sign
        })
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        // The map is valid after each change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{FORMAT, Introduction, Presence};

    fn event(run: &str, what: Happened) -> Vec<u8> {
        let run = run.to_owned();
        rmp_serde::to_vec(&Event { run, what }).unwrap()
    }

    #[test]
    fn signs_of_life_are_noted_and_dropped() {
        let signs = SignsOfLife::default();
        signs.expect("load1".to_owned());
        let filter = signs.filter("r");
        let later = Instant::now() + std::time::Duration::from_secs(9);
        assert!(!filter("load1", &event("r", Happened::Alive), later));
        assert_eq!(signs.last("load1"), Some(later));
        let even_later = later + std::time::Duration::from_secs(9);
        assert!(filter("load1", &event("r", Happened::Reserved), even_later));
        assert_eq!(signs.last("load1"), Some(even_later));
        assert!(filter("load2", &event("r", Happened::Reserved), later));
        assert_eq!(signs.last("load2"), None, "not expected");
    }

    #[test]
    fn other_runs_fill_no_queue() {
        let signs = SignsOfLife::default();
        signs.expect("load1".to_owned());
        let before = signs.last("load1");
        let filter = signs.filter("r");
        let later = Instant::now() + std::time::Duration::from_secs(9);
        assert!(!filter("load1", &event("other", Happened::Reserved), later));
        assert!(!filter("load1", b"?", later));
        assert_eq!(signs.last("load1"), before);
    }

    #[test]
    fn introductions_pass() {
        let presence = Presence {
            run: "r".to_owned(),
            introduction: Introduction {
                name: "load1".to_owned(),
                format: FORMAT + 1,
                ..Introduction::default()
            },
        };
        let named = rmp_serde::to_vec_named(&presence).unwrap();
        let filter = SignsOfLife::default().filter("r");
        assert!(filter("load1", &named, Instant::now()));
    }
}
