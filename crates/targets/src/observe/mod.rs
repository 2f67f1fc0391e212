//! Sources of a target's resource use.
//!
//! To add a source, add a file with a [`Kind`], and a line in [`SOURCES`]. The settings of a source
//! in the plan are in [`tenbin_plan::Observe`].

mod fetch;
#[cfg(target_os = "linux")]
mod find;
#[cfg(target_os = "linux")]
mod group;
mod launched;
mod listener;
mod local;
mod processes;
mod prometheus;
mod remote;
mod serve;
mod several;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tenbin_http::Address;
use tenbin_plan::Observe;

use crate::route::ResolvedRoute;
use crate::usage::{Detail, Reading, Usage};

pub(crate) use listener::listener;
pub use local::{listeners, processes_on};
pub use serve::{ObserveError, ObserveOptions, serve};

/// Time without requests to a source after a failure, because waiting for a response costs time.
const RETRY_AFTER: Duration = Duration::from_secs(3);

/// An observed process that ended during the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedProcess {
    /// Name in the process table. The program chooses this text: escape it before display.
    pub name: String,
    /// Process id.
    pub pid: i32,
    /// When the end was noticed: at the next reading.
    pub noticed: Instant,
}

/// A source of resource figures.
pub(crate) trait Source: Send + fmt::Debug {
    /// Reads the totals so far.
    fn read(&mut self, detail: Detail) -> Result<Usage, Lost>;

    /// Whether all observed processes run on this machine.
    fn is_here(&self) -> bool;

    /// Ids of the observed local processes, if known.
    fn members(&self) -> Vec<i32> {
        Vec::new()
    }

    /// The topmost observed local processes that ended since the last call.
    fn take_ended(&mut self) -> Vec<EndedProcess> {
        Vec::new()
    }
}

/// Why a source has no totals.
#[derive(Debug)]
pub(crate) enum Lost {
    /// The launched target has ended. The end is reported elsewhere.
    Ended,
    /// Any other reason, in one clause.
    Because(String),
}

/// The target to observe.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// Process ids of the guards (parents of the launched commands), one per node; empty if Tenbin
    /// did not launch the target.
    pub(crate) guards: &'a [i32],
    /// Settings in the plan; `None` if the plan has no settings.
    pub(crate) observe: Option<&'a Observe>,
    /// The target's addresses.
    pub(crate) route: &'a ResolvedRoute,
}

impl Subject<'_> {
    /// The port of the target's URL.
    fn port(&self) -> Option<u16> {
        let host = self.route.hosts.first()?;
        let own = host.addresses.iter().find_map(|address| match address {
            Address::Tcp(address) => Some(address.port()),
            Address::Unix(_) => None,
        });
        own.or_else(|| host.url.port_or_known_default())
    }
}

/// A kind of source, such as local processes or a Prometheus page.
pub(crate) trait Kind: Sync {
    /// Opens the source for `subject`; `None` if another kind is responsible.
    ///
    /// # Errors
    /// Why there are no figures, in one clause.
    fn open(&self, subject: &Subject<'_>) -> Option<Result<Box<dyn Source>, String>>;
}

/// All kinds of sources; the first kind that accepts a subject is used.
pub(crate) static SOURCES: &[&dyn Kind] = &[
    &local::Local,
    &several::Several,
    &remote::Tenbin,
    &prometheus::Prometheus,
    &launched::Launched,
];

/// An observed target with its source.
#[derive(Debug)]
pub(crate) struct Observed {
    target: String,
    is_here: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    source: Box<dyn Source>,
    /// Time of the last failed reading; `None` if the last reading succeeded.
    lost: Option<Instant>,
    /// Unreported changes in how the target is observed, one sentence each.
    changes: Vec<String>,
    /// Unreported ends of observed processes.
    ended: Vec<EndedProcess>,
}

impl Observed {
    /// Opens the source for `subject`; `None` if no kind accepts the subject.
    ///
    /// # Errors
    /// Why the figures that the plan requests are not available, in one clause.
    pub(crate) fn open(target: &str, subject: &Subject<'_>) -> Result<Option<Self>, String> {
        let mut sources = SOURCES.iter();
        let Some(source) = sources.find_map(|kind| kind.open(subject)) else {
            return Ok(None);
        };
        Ok(Some(Self::by(target, source?)))
    }

    fn by(target: &str, source: Box<dyn Source>) -> Self {
        Self {
            target: target.to_owned(),
            is_here: source.is_here(),
            state: Mutex::new(State {
                source,
                lost: None,
                changes: Vec::new(),
                ended: Vec::new(),
            }),
        }
    }

    /// Reads the totals so far; `None` if the source has failed.
    pub(crate) fn read(&self, detail: Detail) -> Option<Reading> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state
            .lost
            .is_some_and(|since| since.elapsed() < RETRY_AFTER)
        {
            return None;
        }
        let started = Instant::now();
        let read = state.source.read(detail);
        let ended = state.source.take_ended();
        for process in &ended {
            let change = format!(
                "target \"{}\": the observed process {} (pid {}) has ended",
                self.target, process.name, process.pid
            );
            state.changes.push(change);
        }
        state.ended.extend(ended);
        match read {
            Ok(usage) => {
                let within = started.elapsed();
                if state.lost.take().is_some() {
                    let changes = format!("target \"{}\" can be observed again", self.target);
                    state.changes.push(changes);
                }
                Some(Reading {
                    usage,
                    taken: started + within / 2,
                    within,
                })
            }
            Err(why) => {
                if let (Lost::Because(why), None) = (why, state.lost) {
                    let changes = format!(
                        "target \"{}\" cannot be observed any more, and what it uses is unknown: \
                         {why}",
                        self.target
                    );
                    state.changes.push(changes);
                }
                state.lost = Some(Instant::now());
                None
            }
        }
    }

    /// Returns the changes of the observation since the last call, one sentence each.
    pub(crate) fn take_changes(&self) -> Vec<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.changes)
    }

    /// Returns the observed processes that ended since the last call.
    pub(crate) fn take_ended(&self) -> Vec<EndedProcess> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.ended)
    }

    pub(crate) fn is_here(&self) -> bool {
        self.is_here
    }

    /// Ids of the observed processes on this machine.
    pub(crate) fn members(&self) -> Vec<i32> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.source.members()
    }
}

/// Current time of a monotonic clock, seconds.
pub(crate) fn now() -> f64 {
    let clock = nix::time::ClockId::CLOCK_MONOTONIC;
    clock
        .now()
        .map_or(0.0, |time| Duration::from(time).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{ObservePage, Processes};

    use super::*;

    #[test]
    fn every_observe_setting_is_accepted_by_one_source() {
        let page = ObservePage {
            // A port that no server listens on.
            url: "http://127.0.0.1:9/".parse().unwrap(),
            token: None,
            ca: None,
            insecure: false,
        };
        let prometheus = Observe::Prometheus {
            page: page.clone(),
            group: None,
        };
        let route = ResolvedRoute::to_closed_port();
        let of = |guard: Option<i32>, observe: Option<&Observe>| {
            let guards: Vec<i32> = guard.into_iter().collect();
            let subject = Subject {
                guards: &guards,
                observe,
                route: &route,
            };
            let takers = SOURCES.iter().filter(|kind| kind.open(&subject).is_some());
            takers.count()
        };
        // An id larger than the largest process id.
        for which in [Processes::Pid(1 << 22), Processes::OwnPort] {
            assert_eq!(of(None, Some(&Observe::Processes(which))), 1);
        }
        assert_eq!(of(None, Some(&Observe::Tenbin(page))), 1);
        assert_eq!(of(None, Some(&prometheus)), 1);
        assert_eq!(of(Some(1), Some(&prometheus)), 1, "the configured source");
        assert_eq!(of(Some(1), None), 1);
        assert_eq!(of(None, None), 0);
    }

    #[derive(Debug)]
    struct Flaky(Vec<Result<Usage, Lost>>);

    impl Source for Flaky {
        fn read(&mut self, _: Detail) -> Result<Usage, Lost> {
            self.0.remove(0)
        }

        fn is_here(&self) -> bool {
            false
        }
    }

    fn observed(results: Vec<Result<Usage, Lost>>) -> Observed {
        Observed {
            target: "a".to_owned(),
            is_here: false,
            state: Mutex::new(State {
                source: Box::new(Flaky(results)),
                lost: None,
                changes: Vec::new(),
                ended: Vec::new(),
            }),
        }
    }

    #[test]
    fn a_lost_source_is_reported_once_and_retried_later() {
        let lost = || Err(Lost::Because("connection refused".to_owned()));
        let observed = observed(vec![lost(), lost(), Ok(Usage::default())]);
        assert_eq!(observed.read(Detail::Full), None);
        assert_eq!(
            observed.read(Detail::Full),
            None,
            "no request before the retry time"
        );
        let changes = observed.take_changes();
        assert_eq!(changes.len(), 1);
        assert!(
            changes[0].ends_with("unknown: connection refused"),
            "{changes:?}"
        );
        let rested = || {
            let mut state = observed.state.lock().unwrap();
            state.lost = state.lost.and_then(|at| at.checked_sub(RETRY_AFTER));
        };
        rested();
        assert_eq!(observed.read(Detail::Full), None);
        assert!(observed.take_changes().is_empty(), "it is known already");
        rested();
        assert!(observed.read(Detail::Full).is_some());
        assert_eq!(observed.take_changes().len(), 1, "and that it is back");
    }

    #[test]
    fn the_end_of_a_launched_target_is_not_reported_twice() {
        let observed = observed(vec![Err(Lost::Ended)]);
        assert_eq!(observed.read(Detail::Full), None);
        assert!(observed.take_changes().is_empty());
    }
}
