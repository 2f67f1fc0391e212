//! Where the figures of what a target uses come from.

use std::fmt;
use std::path::PathBuf;

use url::Url;

use crate::secret::{KeySource, Secret};

/// Where the figures of what a target uses come from, if not from having launched it.
#[derive(Debug, Clone, PartialEq)]
pub enum Observe {
    /// Processes of the generator's own machine.
    Processes(Processes),
    /// `tenbin observe`, on whatever machine.
    Tenbin(ObservePage),
    /// A page in Prometheus' text format.
    Prometheus {
        /// The page.
        page: ObservePage,
        /// The target's group on the page of a process exporter.
        group: Option<String>,
    },
    /// Several sources, none of them `Several`: their figures are added up.
    Several(Vec<Observe>),
}

impl Observe {
    /// Each of them.
    pub fn each(&self) -> &[Observe] {
        match self {
            Self::Several(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// The processes of the generator's own machine, where these are all.
    pub fn processes(&self) -> Option<Vec<&Processes>> {
        let process = |one: &'_ Observe| matches!(one, Self::Processes(_));
        let each = self.each().iter();
        each.clone().all(process).then(|| {
            each.filter_map(|one| match one {
                Self::Processes(processes) => Some(processes),
                _ => None,
            })
            .collect()
        })
    }
}

/// Which processes; all that descend from them belong to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Processes {
    /// The process of this number.
    Pid(u32),
    /// Those that listen on this TCP port.
    Port(u16),
    /// Those that listen on the port of the target's URL.
    OwnPort,
    /// Those of this name: of their program's file, or as `ps -o comm` shows it.
    Name(String),
}

/// For sentences: `process 12`, `port 80`.
impl fmt::Display for Processes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pid(pid) => write!(f, "process {pid}"),
            Self::Port(port) => write!(f, "whatever listens on port {port}"),
            Self::OwnPort => f.write_str("whatever listens on its port"),
            Self::Name(name) => write!(f, "processes called {name:?}"),
        }
    }
}

/// A page with the resource usage of a target.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservePage {
    /// Where it is: http or https.
    pub url: Url,
    /// What it wants to be shown (`Authorization: Bearer …`).
    pub token: Option<Token>,
    /// PEM file of the authorities to trust, in place of the system's.
    pub ca: Option<PathBuf>,
    /// Accept any certificate.
    pub insecure: bool,
}

/// A secret that opens a page.
#[derive(Clone, PartialEq)]
pub struct Token {
    /// The token.
    pub secret: Secret,
    /// Where it came from: a file or the environment.
    pub source: KeySource,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
