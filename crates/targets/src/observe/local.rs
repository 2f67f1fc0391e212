//! Processes of this machine that Tenbin did not launch.

use tenbin_plan::{Observe, Processes};

use super::processes::Observer;
#[cfg(target_os = "linux")]
use super::whose::lives;
use super::{Kind, Lost, Source, Subject};
use crate::address::Address;
use crate::usage::{Depth, Usage};
use crate::way::Way;

/// A number may be used again; together with its start it is unique.
type Identity = (i32, u64);

pub(super) struct Local;

impl Kind for Local {
    fn open(&self, subject: &Subject<'_>) -> Option<Result<Box<dyn Source>, String>> {
        let which = subject.observe.and_then(Observe::processes)?.into_iter();
        let which = which.map(|which| match (which, subject.port()) {
            (Processes::OwnPort, Some(port)) => Processes::Port(port),
            (which, _) => which.clone(),
        });
        let found = LocalProcesses::find(which.collect());
        Some(found.map(|found| Box::new(found) as Box<dyn Source>))
    }
}

/// The ports of these URLs, each once, where all of their hosts are this machine and processes
/// that can be observed listen on each port.
///
/// # Errors
/// One clause: why what listens there cannot be observed.
pub fn listeners(urls: &[String]) -> Result<Vec<u16>, String> {
    let way = Way::to(urls)?;
    let mut ports = Vec::new();
    for address in way.hosts.iter().flat_map(|host| &host.addresses) {
        match address {
            Address::Tcp(address) if address.ip().is_loopback() => {
                if !ports.contains(&address.port()) {
                    ports.push(address.port());
                }
            }
            _ => return Err("the server is on another machine".to_owned()),
        }
    }
    LocalProcesses::find(ports.iter().map(|port| Processes::Port(*port)).collect())?;
    Ok(ports)
}

/// Processes of this machine, found again should they be started anew.
#[derive(Debug)]
pub(super) struct LocalProcesses {
    which: Vec<Processes>,
    observer: Option<Observer>,
    /// The topmost of each.
    tops: Vec<Vec<Identity>>,
    /// How often they were found.
    found: u64,
}

impl LocalProcesses {
    /// # Errors
    /// One clause: there are none, or they cannot be seen.
    pub(super) fn find(which: Vec<Processes>) -> Result<Self, String> {
        let mut processes = Self::sought(which);
        match processes.look(Depth::Whole) {
            Ok(_) => Ok(processes),
            Err(Lost::Because(why)) => Err(why),
            Err(Lost::Ended) => Err(format!("{} ended just now", processes.which())),
        }
    }

    /// Processes that are looked for with the first look at them.
    pub(super) fn sought(which: Vec<Processes>) -> Self {
        Self {
            observer: None,
            tops: Vec::new(),
            which,
            found: 0,
        }
    }

    /// How many there are, with all that descend from them.
    pub(super) fn count(&self) -> usize {
        self.observer.as_ref().map_or(0, Observer::count)
    }

    /// Which they are, in words.
    pub(super) fn which(&self) -> String {
        let each: Vec<String> = self.which.iter().map(ToString::to_string).collect();
        each.join(" and ")
    }

    fn seek(&mut self) -> Result<(), Lost> {
        if self.observer.is_none() {
            let (observer, tops) = observer(&self.which).map_err(Lost::Because)?;
            (self.observer, self.tops) = (Some(observer), tops);
            self.found += 1;
        }
        Ok(())
    }

    /// What of several has ended, if anything: the others go on without it, and their sum
    /// would be too small.
    fn ended(&self) -> Option<&Processes> {
        let each = self.which.iter().zip(&self.tops);
        let mut ended = each.filter(|(_, tops)| !tops.iter().any(lives));
        ended.next().map(|(which, _)| which)
    }
}

impl Source for LocalProcesses {
    fn look(&mut self, depth: Depth) -> Result<Usage, Lost> {
        self.seek()?;
        if self.which.len() > 1
            && let Some(ended) = self.ended()
        {
            let why = format!("{ended} has ended");
            self.observer = None;
            return Err(Lost::Because(why));
        }
        match self.observer.as_mut().and_then(|o| o.usage(depth)) {
            Some(usage) => Ok(Usage {
                epoch: self.found,
                ..usage
            }),
            None => {
                self.observer = None;
                Err(Lost::Because(format!("{} has ended", self.which())))
            }
        }
    }

    fn is_here(&self) -> bool {
        true
    }

    fn members(&self) -> Vec<i32> {
        self.observer
            .as_ref()
            .map_or_else(Vec::new, Observer::members)
    }
}

#[cfg(target_os = "linux")]
fn observer(which: &[Processes]) -> Result<(Observer, Vec<Vec<Identity>>), String> {
    use super::processes::Root;

    let found = super::whose::find(which)?;
    Ok((Observer::new(Root::Processes(found.topmost)), found.each))
}

#[cfg(not(target_os = "linux"))]
fn observer(which: &[Processes]) -> Result<(Observer, Vec<Vec<Identity>>), String> {
    Err(format!("{} can be observed on Linux only", which[0]))
}

#[cfg(not(target_os = "linux"))]
fn lives(_: &Identity) -> bool {
    false
}
