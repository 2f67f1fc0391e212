//! Source for local processes that Tenbin did not launch.

use std::time::Instant;

use tenbin_http::Address;
use tenbin_plan::{Observe, Processes};

#[cfg(target_os = "linux")]
use super::find::lives;
use super::processes::Observer;
use super::{EndedProcess, Kind, Lost, Source, Subject};
use crate::route::ResolvedRoute;
use crate::usage::{Detail, Usage};

/// Process id and start time. The kernel reuses ids; the pair is unique.
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

/// The distinct ports in `urls`, if all addresses are loopback addresses and an observable process
/// listens on each port.
///
/// # Errors
/// Why the listening processes cannot be observed, in one clause.
pub fn listeners(urls: &[String]) -> Result<Vec<u16>, String> {
    let route = ResolvedRoute::to_urls(urls)?;
    let mut ports = Vec::new();
    for address in route.hosts.iter().flat_map(|host| &host.addresses) {
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

/// The processes that listen on a port of this machine, with the processes that started them, if those
/// have the name `parent`. Empty if they are not visible.
#[cfg(target_os = "linux")]
pub fn processes_on(port: u16, parent: &str) -> Vec<i32> {
    let all = crate::tree::all_processes();
    let listening = super::find::listening(port, &all).unwrap_or_default();
    let parents = listening.iter().filter_map(|process| {
        let is_parent = |other: &&procfs::process::Stat| other.pid == process.ppid;
        all.iter().find(is_parent)
    });
    let parents = parents.filter(|other| other.comm == parent);
    let found = listening.iter().copied().chain(parents);
    found.map(|process| process.pid).collect()
}

/// Returns no processes, because this system has no `/proc`.
#[cfg(not(target_os = "linux"))]
pub fn processes_on(_port: u16, _parent: &str) -> Vec<i32> {
    Vec::new()
}

/// Observed local processes. After the processes have ended, a reading searches for new processes.
#[derive(Debug)]
pub(super) struct LocalProcesses {
    which: Vec<Processes>,
    observer: Option<Observer>,
    /// The topmost processes of each element of `which`.
    tops: Vec<Vec<Identity>>,
    /// The names of the topmost processes that were alive at the last reading.
    alive: Vec<(Identity, String)>,
    /// Topmost processes that have ended and are not reported yet.
    ended: Vec<EndedProcess>,
    /// Number of successful searches so far.
    found: u64,
}

impl LocalProcesses {
    /// Finds the processes and reads their use once.
    ///
    /// # Errors
    /// The reason, in one clause: no process matches, or the processes are not visible.
    pub(super) fn find(which: Vec<Processes>) -> Result<Self, String> {
        let mut processes = Self::find_later(which);
        match processes.read(Detail::Full) {
            Ok(_) => Ok(processes),
            Err(Lost::Because(why)) => Err(why),
            Err(Lost::Ended) => Err(format!("{} has just ended", processes.which())),
        }
    }

    /// Creates a source that searches for the processes at the first reading.
    pub(super) fn find_later(which: Vec<Processes>) -> Self {
        Self {
            observer: None,
            tops: Vec::new(),
            alive: Vec::new(),
            ended: Vec::new(),
            which,
            found: 0,
        }
    }

    /// Number of observed processes, including descendants.
    pub(super) fn count(&self) -> usize {
        self.observer.as_ref().map_or(0, Observer::count)
    }

    /// Description of the processes, for use in messages.
    pub(super) fn which(&self) -> String {
        let each: Vec<String> = self.which.iter().map(ToString::to_string).collect();
        each.join(" and ")
    }

    fn search(&mut self) -> Result<(), Lost> {
        if self.observer.is_none() {
            let (observer, tops) = observer(&self.which).map_err(Lost::Because)?;
            (self.observer, self.tops) = (Some(observer), tops);
            self.found += 1;
            let mut all: Vec<Identity> = self.tops.iter().flatten().copied().collect();
            all.sort_unstable();
            all.dedup();
            self.alive = all.into_iter().map(|it| (it, name_of(&it))).collect();
        }
        Ok(())
    }

    /// Notes the topmost processes that have ended since the last reading. The others of a name or
    /// a port are still observed, so that no failed reading tells of the loss.
    fn note_ended(&mut self) {
        let (alive, ended): (Vec<_>, Vec<_>) = self
            .alive
            .drain(..)
            .partition(|(identity, _)| lives(identity));
        self.alive = alive;
        let noticed = Instant::now();
        let ended = ended
            .into_iter()
            .map(|((pid, _), name)| EndedProcess { name, pid, noticed });
        self.ended.extend(ended);
    }

    /// The first element of `which` whose processes have all ended; the sum would lack these
    /// processes.
    fn ended(&self) -> Option<&Processes> {
        let each = self.which.iter().zip(&self.tops);
        let mut ended = each.filter(|(_, tops)| !tops.iter().any(lives));
        ended.next().map(|(which, _)| which)
    }
}

impl Source for LocalProcesses {
    fn read(&mut self, detail: Detail) -> Result<Usage, Lost> {
        self.note_ended();
        self.search()?;
        if self.which.len() > 1
            && let Some(ended) = self.ended()
        {
            let why = format!("{ended} has ended");
            self.observer = None;
            return Err(Lost::Because(why));
        }
        match self.observer.as_mut().and_then(|o| o.usage(detail)) {
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

    fn take_ended(&mut self) -> Vec<EndedProcess> {
        std::mem::take(&mut self.ended)
    }
}

#[cfg(target_os = "linux")]
fn observer(which: &[Processes]) -> Result<(Observer, Vec<Vec<Identity>>), String> {
    use super::processes::Root;

    let found = super::find::find(which)?;
    Ok((Observer::new(Root::Processes(found.topmost)), found.each))
}

#[cfg(not(target_os = "linux"))]
fn observer(which: &[Processes]) -> Result<(Observer, Vec<Vec<Identity>>), String> {
    Err(format!("{} can be observed on Linux only", which[0]))
}

/// The name of a process in the process table; empty if the process has just ended.
#[cfg(target_os = "linux")]
fn name_of(identity: &Identity) -> String {
    crate::tree::stat(identity.0).map_or_else(String::new, |stat| stat.comm)
}

#[cfg(not(target_os = "linux"))]
fn name_of(_: &Identity) -> String {
    String::new()
}

#[cfg(not(target_os = "linux"))]
fn lives(_: &Identity) -> bool {
    false
}
