//! Where the figures of what a target uses come from.
//!
//! A new source is a file here with a [`Kind`], and a line in [`SOURCES`]. What a plan
//! says of it is [`tenbin_plan::Observe`].

mod fetch;
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
#[cfg(target_os = "linux")]
mod whose;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tenbin_plan::Observe;

use crate::address::Address;
use crate::usage::{Depth, Reading, Usage};
use crate::way::Way;

pub(crate) use listener::listener;
pub use local::listeners;
pub use serve::{ObserveError, ObserveOptions, serve};

/// A source that was lost is asked again after this long: waiting for an answer that does
/// not come costs time.
const REST: Duration = Duration::from_secs(3);

/// Somebody who tells what a target has used.
pub(crate) trait Source: Send + fmt::Debug {
    /// The totals so far.
    fn look(&mut self, depth: Depth) -> Result<Usage, Lost>;

    /// Whether what it tells of is certainly on this machine.
    fn is_here(&self) -> bool;

    /// Numbers of the observed processes of this machine, as far as they are known.
    fn members(&self) -> Vec<i32> {
        Vec::new()
    }
}

/// Why there are no totals.
#[derive(Debug)]
pub(crate) enum Lost {
    /// The launched target has ended, which is told elsewhere.
    Ended,
    /// One clause.
    Because(String),
}

/// What is to be observed.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The guards above its processes, if Tenbin launched it: one for each node.
    pub(crate) guards: &'a [i32],
    /// What the plan says.
    pub(crate) observe: Option<&'a Observe>,
    /// Where it listens.
    pub(crate) way: &'a Way,
}

impl Subject<'_> {
    /// The port of its URL.
    fn port(&self) -> Option<u16> {
        let host = self.way.hosts.first()?;
        let own = host.addresses.iter().find_map(|address| match address {
            Address::Tcp(address) => Some(address.port()),
            Address::Unix(_) => None,
        });
        own.or_else(|| host.url.port_or_known_default())
    }
}

/// A kind of source.
pub(crate) trait Kind: Sync {
    /// The source for this subject, if it is of this kind.
    ///
    /// # Errors
    /// One clause on why there are no figures.
    fn open(&self, subject: &Subject<'_>) -> Option<Result<Box<dyn Source>, String>>;
}

/// Every kind of source. The first that takes a subject has it.
pub(crate) static SOURCES: &[&dyn Kind] = &[
    &local::Local,
    &several::Several,
    &remote::Tenbin,
    &prometheus::Prometheus,
    &launched::Launched,
];

/// A target under observation.
#[derive(Debug)]
pub(crate) struct Observed {
    target: String,
    is_here: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    source: Box<dyn Source>,
    /// When it was last asked in vain.
    lost: Option<Instant>,
    /// What nobody has been told yet.
    news: Vec<String>,
}

impl Observed {
    /// Whoever tells of this subject; `None` if nobody does.
    ///
    /// # Errors
    /// One clause on why there are no figures although there should be.
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
                news: Vec::new(),
            }),
        }
    }

    /// The totals so far, as far as they can be learnt now.
    pub(crate) fn look(&self, depth: Depth) -> Option<Reading> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.lost.is_some_and(|since| since.elapsed() < REST) {
            return None;
        }
        let begun = Instant::now();
        match state.source.look(depth) {
            Ok(usage) => {
                let within = begun.elapsed();
                if state.lost.take().is_some() {
                    let news = format!("target \"{}\" can be observed again", self.target);
                    state.news.push(news);
                }
                Some(Reading {
                    usage,
                    taken: begun + within / 2,
                    within,
                })
            }
            Err(why) => {
                if let (Lost::Because(why), None) = (why, state.lost) {
                    let news = format!(
                        "target \"{}\" cannot be observed any more, and what it uses is unknown: \
                         {why}",
                        self.target
                    );
                    state.news.push(news);
                }
                state.lost = Some(Instant::now());
                None
            }
        }
    }

    /// What has changed about the observing since this was last asked, a sentence each.
    pub(crate) fn news(&self) -> Vec<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.news)
    }

    pub(crate) fn is_here(&self) -> bool {
        self.is_here
    }

    /// Numbers of the observed processes of this machine.
    pub(crate) fn members(&self) -> Vec<i32> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.source.members()
    }
}

/// Seconds on a clock that never goes back.
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
    fn every_way_to_observe_has_one_source_that_takes_it() {
        let page = ObservePage {
            // Port 9 of this machine, where nobody listens.
            url: "http://127.0.0.1:9/".parse().unwrap(),
            token: None,
            ca: None,
            insecure: false,
        };
        let prometheus = Observe::Prometheus {
            page: page.clone(),
            group: None,
        };
        let way = Way::to_nowhere();
        let of = |guard: Option<i32>, observe: Option<&Observe>| {
            let guards: Vec<i32> = guard.into_iter().collect();
            let subject = Subject {
                guards: &guards,
                observe,
                way: &way,
            };
            let takers = SOURCES.iter().filter(|kind| kind.open(&subject).is_some());
            takers.count()
        };
        // No process has this number: the kernel's are smaller.
        for which in [Processes::Pid(1 << 22), Processes::OwnPort] {
            assert_eq!(of(None, Some(&Observe::Processes(which))), 1);
        }
        assert_eq!(of(None, Some(&Observe::Tenbin(page))), 1);
        assert_eq!(of(None, Some(&prometheus)), 1);
        assert_eq!(of(Some(1), Some(&prometheus)), 1, "what is asked for");
        assert_eq!(of(Some(1), None), 1);
        assert_eq!(of(None, None), 0);
    }

    #[derive(Debug)]
    struct Flaky(Vec<Result<Usage, Lost>>);

    impl Source for Flaky {
        fn look(&mut self, _: Depth) -> Result<Usage, Lost> {
            self.0.remove(0)
        }

        fn is_here(&self) -> bool {
            false
        }
    }

    fn observed(answers: Vec<Result<Usage, Lost>>) -> Observed {
        Observed {
            target: "a".to_owned(),
            is_here: false,
            state: Mutex::new(State {
                source: Box::new(Flaky(answers)),
                lost: None,
                news: Vec::new(),
            }),
        }
    }

    #[test]
    fn a_source_that_is_lost_is_told_of_once_and_given_a_rest() {
        let lost = || Err(Lost::Because("it burnt down".to_owned()));
        let observed = observed(vec![lost(), lost(), Ok(Usage::default())]);
        assert_eq!(observed.look(Depth::Whole), None);
        assert_eq!(observed.look(Depth::Whole), None, "it is not asked at once");
        let news = observed.news();
        assert_eq!(news.len(), 1);
        assert!(news[0].ends_with("unknown: it burnt down"), "{news:?}");
        let rested = || {
            let mut state = observed.state.lock().unwrap();
            state.lost = state.lost.and_then(|at| at.checked_sub(REST));
        };
        rested();
        assert_eq!(observed.look(Depth::Whole), None);
        assert!(observed.news().is_empty(), "it is known already");
        rested();
        assert!(observed.look(Depth::Whole).is_some());
        assert_eq!(observed.news().len(), 1, "and that it is back");
    }

    #[test]
    fn the_end_of_a_launched_target_is_not_told_twice() {
        let observed = observed(vec![Err(Lost::Ended)]);
        assert_eq!(observed.look(Depth::Whole), None);
        assert!(observed.news().is_empty());
    }
}
