//! Sources of a target's resource usage.

use std::fmt;
use std::path::PathBuf;

use url::Url;

use crate::secrets::secret::{KeySource, Secret};

/// Source of a target's resource usage, unless Tenbin observes the processes that it launched.
#[derive(Debug, Clone, PartialEq)]
pub enum Observe {
    /// Processes on the load generator's machine.
    Processes(Processes),
    /// A `tenbin observe` on any machine.
    Tenbin(ObservePage),
    /// A page in Prometheus' text format.
    Prometheus {
        /// The page.
        page: ObservePage,
        /// The target's group on the page of a process exporter.
        group: Option<String>,
    },
    /// Several sources whose figures are added up. No source is itself `Several`.
    Several(Vec<Observe>),
}

impl Observe {
    /// The individual sources.
    pub fn each(&self) -> &[Observe] {
        match self {
            Self::Several(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// The observed processes if all sources are processes on the load generator's machine,
    /// otherwise `None`.
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

/// The processes to observe. Their descendants are included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Processes {
    /// The process with this process id.
    Pid(u32),
    /// The processes that listen on this TCP port.
    Port(u16),
    /// The processes that listen on the port of the target's URL.
    OwnPort,
    /// The processes with this name: the file name of the program, or the name in `ps -o comm`.
    Name(String),
    /// The processes with this name that belong to a part of the machine, such as one of several
    /// clusters.
    NameWithin(String, Within),
}

/// A part of a machine that processes belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Within {
    /// The processes whose working directory is this directory or below it, or that have a path in
    /// the directory as an argument.
    Directory(PathBuf),
    /// The processes in this cgroup or in a cgroup below it: the path in `/proc/PID/cgroup`.
    Cgroup(PathBuf),
}

impl Processes {
    /// Whether the processes are found by their name.
    pub fn are_named(&self) -> bool {
        matches!(self, Self::Name(_) | Self::NameWithin(..))
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => write!(f, "directory {}", path.display()),
            Self::Cgroup(path) => write!(f, "cgroup {}", path.display()),
        }
    }
}

/// Writes the source for messages: `process 12`, `port 80`.
impl fmt::Display for Processes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pid(pid) => write!(f, "process {pid}"),
            Self::Port(port) => write!(f, "whatever listens on port {port}"),
            Self::OwnPort => f.write_str("whatever listens on its port"),
            Self::Name(name) => write!(f, "processes called {name:?}"),
            Self::NameWithin(name, within) => write!(f, "processes called {name:?} in {within}"),
        }
    }
}

/// A page with the resource usage of a target.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservePage {
    /// URL of the page, http or https.
    pub url: Url,
    /// The bearer token that the page requires (`Authorization: Bearer …`).
    pub token: Option<Token>,
    /// PEM file of the authorities to trust, instead of the system's.
    pub ca: Option<PathBuf>,
    /// Accept any certificate.
    pub insecure: bool,
}

/// A bearer token.
#[derive(Clone, PartialEq)]
pub struct Token {
    /// The token itself.
    pub secret: Secret,
    /// Source of the token: a file or the environment.
    pub source: KeySource,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
