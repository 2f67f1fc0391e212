//! Starts the targets of the plan and waits until they are ready.

mod build;
mod command;
mod container;
pub(crate) mod nodes;
mod placeholders;
mod ports;
mod program;
mod ready;
mod version;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tenbin_plan::{Builtin, Launch, Reach, Sentence, Target, sentence};
use url::Url;

use crate::data;
use crate::error::TargetError;
use crate::launch::nodes::Nodes;
use crate::observe::{Observed, Subject, listener};
use crate::route::ResolvedRoute;
use crate::running::Running;
pub use build::{ProgramFile, program_files};
pub use version::StatedVersion;

/// Number of launch attempts if another program takes the chosen port first.
const LAUNCH_ATTEMPTS: usize = 3;

/// Paths and callbacks for launching targets.
#[derive(Clone, Copy)]
pub struct LaunchContext<'a> {
    /// The run directory; logs and data are written to its subdirectory `targets/`.
    pub run_dir: &'a Path,
    /// The program with the subcommands `guard` and `serve`, which is Tenbin itself.
    pub guard_exe: &'a Path,
    /// Directory of the plan file: the default working directory of commands.
    pub plan_dir: &'a Path,
    /// Set to true when Tenbin is interrupted.
    pub stop: &'a AtomicBool,
    /// Called about once per second for a target that takes longer than 2 s to become ready.
    pub waiting: &'a dyn Fn(&Waiting<'_>),
}

/// Progress of waiting for a target to become ready.
#[derive(Debug, Clone, Copy)]
pub struct Waiting<'a> {
    /// Name of the target.
    pub target: &'a str,
    /// The readiness condition, for example `port 127.0.0.1:9000`.
    pub awaited: &'a str,
    /// Time waited so far.
    pub waited: Duration,
    /// Time limit for the target to become ready.
    pub limit: Duration,
}

/// Starts a target and waits until it is ready.
///
/// # Errors
/// Why the target cannot be started or does not become ready. All its processes have then been
/// stopped, and its log stays in the run directory.
pub fn bring_up(target: &Target, context: &LaunchContext<'_>) -> Result<Running, TargetError> {
    match &target.reach {
        Reach::Endpoint { url } => endpoint(target, url),
        Reach::Launched(launch) => launch_on_free_port(target, launch, context),
        Reach::Builtin(Builtin::Dummy) => without_server(target, "dummy:"),
        Reach::Files(files) => without_server(target, &format!("file://{}", files.path.display())),
        Reach::Builtin(builtin) => launch_on_free_port(
            target,
            &command::builtin(*builtin, target.memory, context.guard_exe),
            context,
        ),
    }
}

/// Returns a target without a server, such as a directory of files.
fn without_server(target: &Target, url: &str) -> Result<Running, TargetError> {
    Ok(Running {
        name: target.name.clone(),
        url: Url::parse(url).map_err(|error| TargetError::Url {
            target: target.name.clone(),
            url: url.to_owned(),
            reason: Sentence::verbatim(error),
        })?,
        route: ResolvedRoute::default(),
        credentials: None,
        processes: Vec::new(),
        observed: None,
        listener: None,
        nodes: None,
        data: None,
    })
}

fn endpoint(target: &Target, url: &Url) -> Result<Running, TargetError> {
    let plan = &target.connect;
    let hosts: Vec<(Url, u32)> = match plan.hosts.as_slice() {
        [] => vec![(url.clone(), 1)],
        hosts => {
            let each = hosts.iter();
            each.map(|host| (host.url.clone(), host.weight)).collect()
        }
    };
    let mut route = ResolvedRoute::resolve_hosts(&target.name, &hosts, plan, plan.unix.clone())?;
    route.keep_accepting();
    let observed = observed(target, &[], &route)?;
    let mut running = Running {
        name: target.name.clone(),
        url: url.clone(),
        route,
        credentials: target.credentials.clone(),
        processes: Vec::new(),
        observed,
        listener: None,
        nodes: None,
        data: None,
    };
    if running.observed.is_none() && running.is_here() == Some(true) {
        running.listener = listener(&running.name, &running.route);
    }
    Ok(running)
}

/// Opens the source of the target's resource use. `guards`: process ids of the guards, the parents
/// of the target's processes; empty if Tenbin did not launch the target.
fn observed(
    target: &Target,
    guards: &[i32],
    route: &ResolvedRoute,
) -> Result<Option<Observed>, TargetError> {
    let subject = Subject {
        guards,
        observe: target.observe.as_ref(),
        route,
    };
    Observed::open(&target.name, &subject).map_err(|reason| TargetError::Observe {
        target: target.name.clone(),
        reason: reason.into(),
    })
}

fn launch_on_free_port(
    target: &Target,
    launch: &Launch,
    context: &LaunchContext<'_>,
) -> Result<Running, TargetError> {
    let mut attempt = 1;
    loop {
        match launch_once(target, launch, context) {
            Err(error) if attempt < LAUNCH_ATTEMPTS && ports::lost_race(&error, launch) => {
                attempt += 1;
            }
            result => return result,
        }
    }
}

fn launch_once(
    target: &Target,
    launch: &Launch,
    context: &LaunchContext<'_>,
) -> Result<Running, TargetError> {
    let name = &target.name;
    command::refuse_exposed_secrets(name, launch)?;
    let paths = TargetPaths::of(name, context)?;
    let credentials = command::credentials(target, launch);
    let nodes = Nodes::choose(target, launch, &paths, credentials.clone())?;
    let route = nodes.route()?;
    ports::refuse_occupied(name, &route)?;
    let data = command::wants_data(launch)
        .then(|| nodes.make_data(&paths))
        .transpose()?;
    let url = route.hosts.first().map(|host| host.url.clone());
    let url = url.ok_or_else(|| TargetError::Url {
        target: name.clone(),
        url: launch.url.clone(),
        reason: sentence!("url-no-host-part", "it has no host"),
    })?;
    let processes = nodes.spawn_all(context, false)?;
    let mut running = Running {
        name: name.clone(),
        url,
        route,
        credentials,
        processes,
        observed: None,
        listener: None,
        nodes: Some(Box::new(nodes)),
        data,
    };
    running.wait_until_up(context)?;
    running.route.keep_accepting();
    Ok(running)
}

impl Running {
    /// Starts a target that [`Self::halt`] has stopped, on the same addresses and data. Does
    /// nothing if the target is not halted.
    ///
    /// # Errors
    /// As for [`bring_up`]; all processes of the target have then been stopped.
    pub fn resume(&mut self, context: &LaunchContext<'_>) -> Result<(), TargetError> {
        let Some(nodes) = self.nodes.as_ref().filter(|_| self.processes.is_empty()) else {
            return Ok(());
        };
        ports::refuse_occupied(&self.name, &self.route)?;
        self.processes = nodes.spawn_all(context, true)?;
        self.wait_until_up(context)
    }

    /// Removes the content of a halted target's data directories, so that the target starts with
    /// empty data.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn empty_data(&self) -> Result<(), TargetError> {
        // A command without the placeholder `{data}` has no data directory.
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

    /// Waits until all started processes are ready, and observes the target. Stops the processes on
    /// failure.
    fn wait_until_up(&mut self, context: &LaunchContext<'_>) -> Result<(), TargetError> {
        let is_up = self.wait_and_observe(context);
        match is_up {
            Ok(()) => Ok(()),
            Err(error) => Err(error.then(self.halt())),
        }
    }

    fn wait_and_observe(&mut self, context: &LaunchContext<'_>) -> Result<(), TargetError> {
        let Some(nodes) = &self.nodes else {
            return Ok(());
        };
        let guards = self.guards();
        // A launched target is observed from its start, other processes once the target is
        // reachable. The client of a container is not the server.
        let is_own = nodes.target.observe.is_none();
        if is_own && nodes.target.unobserved_container().is_none() {
            self.observed = observed(&nodes.target, &guards, &self.route)?;
        }
        nodes.wait_for_all(&mut self.processes, &self.route, context)?;
        if !is_own {
            self.observed = observed(&nodes.target, &guards, &self.route)?;
        }
        Ok(())
    }
}

/// Absolute paths of a target's files, because the command can have another working directory.
struct TargetPaths {
    target: String,
    data: PathBuf,
    log: PathBuf,
}

impl TargetPaths {
    fn of(target: &str, context: &LaunchContext<'_>) -> Result<Self, TargetError> {
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
        let directory = context.run_dir.join("targets");
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

    /// Log file of one node. The name is unique, because no target's name ends with `@` and a
    /// number.
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
