//! From a target of the plan to a running one.

mod build;
mod command;
mod nodes;
mod placeholders;
mod ports;
mod program;
mod ready;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tenbin_plan::{Builtin, Launch, Reach, Target};
use url::Url;

use crate::data;
use crate::error::TargetError;
use crate::observe::{Observed, Subject, listener};
use crate::running::Running;
use crate::way::Way;
pub use build::{ProgramFile, program_files};
pub(crate) use nodes::Nodes;

/// How often a launch is tried again because somebody took its port meanwhile.
const PORT_ATTEMPTS: usize = 3;

/// What a launch stands on.
#[derive(Clone, Copy)]
pub struct Grounds<'a> {
    /// The run directory: logs and data go to `targets/` in it.
    pub run_dir: &'a Path,
    /// The program that understands `guard` and `serve`: Tenbin itself.
    pub guard_exe: &'a Path,
    /// Working directory of commands that name none: where the plan file is.
    pub plan_dir: &'a Path,
    /// Set when Tenbin is asked to stop.
    pub stop: &'a AtomicBool,
    /// Called about once a second while a target takes longer than two.
    pub waiting: &'a dyn Fn(&Waiting<'_>),
}

/// A target that takes its time.
#[derive(Debug, Clone, Copy)]
pub struct Waiting<'a> {
    /// Name of the target.
    pub target: &'a str,
    /// What it is waited for, for example `port 127.0.0.1:9000`.
    pub awaited: &'a str,
    /// How long it has taken.
    pub waited: Duration,
    /// How long it may take.
    pub limit: Duration,
}

/// Brings a target up and waits until it is ready.
///
/// # Errors
/// One clear sentence for whatever keeps it from being ready; then nothing of it
/// is left running. Its log stays in the run directory.
pub fn bring_up(target: &Target, grounds: &Grounds<'_>) -> Result<Running, TargetError> {
    match &target.reach {
        Reach::Endpoint { url } => endpoint(target, url),
        Reach::Launched(launch) => launch_on_free_port(target, launch, grounds),
        Reach::Builtin(Builtin::Dummy) => without_server(target, "dummy:"),
        Reach::Files(files) => without_server(target, &format!("file://{}", files.path.display())),
        Reach::Builtin(builtin) => launch_on_free_port(
            target,
            &command::builtin(*builtin, target.memory, grounds.guard_exe),
            grounds,
        ),
    }
}

/// What is there without anybody to answer.
fn without_server(target: &Target, url: &str) -> Result<Running, TargetError> {
    Ok(Running {
        name: target.name.clone(),
        url: Url::parse(url).map_err(|error| TargetError::Url {
            target: target.name.clone(),
            url: url.to_owned(),
            reason: error.to_string(),
        })?,
        way: Way::default(),
        credentials: None,
        processes: Vec::new(),
        observed: None,
        listener: None,
        nodes: None,
        data: None,
    })
}

fn endpoint(target: &Target, url: &Url) -> Result<Running, TargetError> {
    let plan = &target.way;
    let hosts: Vec<(Url, u32)> = match plan.hosts.as_slice() {
        [] => vec![(url.clone(), 1)],
        hosts => {
            let each = hosts.iter();
            each.map(|host| (host.url.clone(), host.weight)).collect()
        }
    };
    let mut way = Way::find(&target.name, &hosts, plan, plan.unix.clone())?;
    way.settle();
    let observed = observed(target, &[], &way)?;
    let mut running = Running {
        name: target.name.clone(),
        url: url.clone(),
        way,
        credentials: target.credentials.clone(),
        processes: Vec::new(),
        observed,
        listener: None,
        nodes: None,
        data: None,
    };
    if running.observed.is_none() && running.is_here() == Some(true) {
        running.listener = listener(&running.name, &running.way);
    }
    Ok(running)
}

/// Whoever tells what the target uses, below `guards` if it was launched.
fn observed(target: &Target, guards: &[i32], way: &Way) -> Result<Option<Observed>, TargetError> {
    let subject = Subject {
        guards,
        observe: target.observe.as_ref(),
        way,
    };
    Observed::open(&target.name, &subject).map_err(|reason| TargetError::Observe {
        target: target.name.clone(),
        reason,
    })
}

fn launch_on_free_port(
    target: &Target,
    launch: &Launch,
    grounds: &Grounds<'_>,
) -> Result<Running, TargetError> {
    let mut attempt = 1;
    loop {
        match launch_once(target, launch, grounds) {
            Err(error) if attempt < PORT_ATTEMPTS && ports::lost_race(&error, launch) => {
                attempt += 1;
            }
            result => return result,
        }
    }
}

fn launch_once(
    target: &Target,
    launch: &Launch,
    grounds: &Grounds<'_>,
) -> Result<Running, TargetError> {
    let name = &target.name;
    command::refuse_exposed_secrets(name, launch)?;
    let places = Places::of(name, grounds)?;
    let credentials = command::credentials(target, launch);
    let nodes = Nodes::choose(target, launch, &places, credentials.clone())?;
    let way = nodes.whole_way()?;
    ports::refuse_occupied(name, &way)?;
    let data = command::wants_data(launch)
        .then(|| nodes.make_data(&places))
        .transpose()?;
    let url = way.hosts.first().map(|host| host.url.clone());
    let url = url.ok_or_else(|| TargetError::Url {
        target: name.clone(),
        url: launch.url.clone(),
        reason: "it leads nowhere".to_owned(),
    })?;
    let processes = nodes.spawn_all(grounds, false)?;
    let mut running = Running {
        name: name.clone(),
        url,
        way,
        credentials,
        processes,
        observed: None,
        listener: None,
        nodes: Some(Box::new(nodes)),
        data,
    };
    running.come_up(grounds)?;
    running.way.settle();
    Ok(running)
}

impl Running {
    /// Starts what [`Self::halt`] has stopped: at the same place, on the same data.
    /// Does nothing where nothing was halted.
    ///
    /// # Errors
    /// As [`bring_up`]; then nothing of it is left running.
    pub fn resume(&mut self, grounds: &Grounds<'_>) -> Result<(), TargetError> {
        let Some(nodes) = self.nodes.as_ref().filter(|_| self.processes.is_empty()) else {
            return Ok(());
        };
        ports::refuse_occupied(&self.name, &self.way)?;
        self.processes = nodes.spawn_all(grounds, true)?;
        self.come_up(grounds)
    }

    /// Removes what is in the data directories of a halted target, so that it starts as it did the
    /// first time.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn empty_data(&self) -> Result<(), TargetError> {
        // A command that names no directory has none.
        let nodes = self.nodes.iter().filter(|_| self.data.is_some());
        for path in nodes.flat_map(|nodes| nodes.data_directories()) {
            let emptied =
                std::fs::remove_dir_all(path).and_then(|()| std::fs::create_dir_all(path));
            emptied.map_err(|source| TargetError::File {
                target: self.name.clone(),
                action: "empty",
                path: path.to_owned(),
                source,
            })?;
        }
        Ok(())
    }

    /// Waits until all that has just been started is ready, and looks at it from now on.
    fn come_up(&mut self, grounds: &Grounds<'_>) -> Result<(), TargetError> {
        let is_up = self.wait_and_observe(grounds);
        match is_up {
            Ok(()) => Ok(()),
            Err(error) => self.halt().and(Err(error)),
        }
    }

    fn wait_and_observe(&mut self, grounds: &Grounds<'_>) -> Result<(), TargetError> {
        let Some(nodes) = &self.nodes else {
            return Ok(());
        };
        let guards = self.guards();
        // What is launched is observed from its first breath, anything else once it is there.
        let is_own = nodes.target.observe.is_none();
        if is_own {
            self.observed = observed(&nodes.target, &guards, &self.way)?;
        }
        nodes.wait_for_all(&mut self.processes, &self.way, grounds)?;
        if !is_own {
            self.observed = observed(&nodes.target, &guards, &self.way)?;
        }
        Ok(())
    }
}

/// Where a target's files are, absolute: the command has its own directory.
struct Places {
    target: String,
    data: PathBuf,
    log: PathBuf,
}

impl Places {
    fn of(target: &str, grounds: &Grounds<'_>) -> Result<Self, TargetError> {
        if target.is_empty() || target.starts_with('.') || target.contains('/') {
            return Err(TargetError::Name {
                target: target.to_owned(),
            });
        }
        let error = |path: &Path, source| TargetError::File {
            target: target.to_owned(),
            action: "create",
            path: path.to_owned(),
            source,
        };
        let directory = grounds.run_dir.join("targets");
        std::fs::create_dir_all(&directory).map_err(|source| error(&directory, source))?;
        let directory = directory
            .canonicalize()
            .map_err(|source| error(&directory, source))?;
        Ok(Self {
            target: target.to_owned(),
            data: data::directory_of(&directory, target),
            log: directory.join(format!("{target}.log")),
        })
    }

    /// No target's name has an `@` before a number alone.
    fn log_of_node(&self, number: usize) -> PathBuf {
        self.log
            .with_file_name(format!("{}@{number}.log", self.target))
    }

    fn file_error(&self, action: &'static str, path: &Path, source: std::io::Error) -> TargetError {
        TargetError::File {
            target: self.target.clone(),
            action,
            path: path.to_owned(),
            source,
        }
    }
}
