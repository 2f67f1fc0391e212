//! Processes of this machine that Tenbin did not launch.

use tenbin_plan::{Observe, Processes};

use super::processes::Observer;
use super::{Kind, Lost, Source, Subject};
use crate::usage::{Depth, Usage};

pub(super) struct Local;

impl Kind for Local {
    fn open(&self, subject: &Subject<'_>) -> Option<Result<Box<dyn Source>, String>> {
        let Some(Observe::Processes(which)) = subject.observe else {
            return None;
        };
        let which = match (which, subject.port()) {
            (Processes::OwnPort, Some(port)) => Processes::Port(port),
            (which, _) => which.clone(),
        };
        let found = LocalProcesses::find(which);
        Some(found.map(|found| Box::new(found) as Box<dyn Source>))
    }
}

/// Processes of this machine, found again should they be started anew.
#[derive(Debug)]
pub(super) struct LocalProcesses {
    which: Processes,
    observer: Option<Observer>,
    /// How often they were found.
    found: u64,
}

impl LocalProcesses {
    /// # Errors
    /// One clause: there are none, or they cannot be seen.
    pub(super) fn find(which: Processes) -> Result<Self, String> {
        let mut processes = Self {
            observer: Some(observer(&which)?),
            which,
            found: 1,
        };
        match processes.look(Depth::Whole) {
            Ok(_) => Ok(processes),
            Err(_) => Err(format!("{} ended just now", processes.which)),
        }
    }

    /// How many there are, with all that descend from them.
    pub(super) fn count(&self) -> usize {
        self.observer.as_ref().map_or(0, Observer::count)
    }

    pub(super) fn which(&self) -> &Processes {
        &self.which
    }

    fn seek(&mut self) -> Result<(), Lost> {
        if self.observer.is_none() {
            self.observer = Some(observer(&self.which).map_err(Lost::Because)?);
            self.found += 1;
        }
        Ok(())
    }
}

impl Source for LocalProcesses {
    fn look(&mut self, depth: Depth) -> Result<Usage, Lost> {
        self.seek()?;
        match self.observer.as_mut().and_then(|o| o.usage(depth)) {
            Some(usage) => Ok(Usage {
                epoch: self.found,
                ..usage
            }),
            None => {
                self.observer = None;
                Err(Lost::Because(format!("{} has ended", self.which)))
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
fn observer(which: &Processes) -> Result<Observer, String> {
    use super::processes::Root;

    super::whose::find(which).map(|roots| Observer::new(Root::Processes(roots)))
}

#[cfg(not(target_os = "linux"))]
fn observer(which: &Processes) -> Result<Observer, String> {
    Err(format!("{which} can be observed on Linux only"))
}
