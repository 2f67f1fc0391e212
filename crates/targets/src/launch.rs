//! From a target of the plan to a running one.

mod build;
mod command;
mod placeholders;
mod ports;
mod program;
mod ready;

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tenbin_plan::{Builtin, Credentials, Launch, Reach, Ready, Target};
use url::Url;

use crate::data;
use crate::error::TargetError;
use crate::guarded::Guarded;
use crate::observe::{Observed, Subject, listener};
use crate::output::Output;
use crate::running::{DataDirectory, Process, Running};
use crate::way::Way;
use placeholders::Placeholders;

pub use build::{ProgramFile, program_files};

/// How often a launch is tried again because somebody took its port meanwhile.
const PORT_ATTEMPTS: usize = 3;
/// How long starting a guard may take on an overloaded machine.
const GUARD_WITHIN: Duration = Duration::from_secs(10);

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
        stand: None,
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
        stand: None,
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
    let stand = Stand::choose(target, launch, &places, credentials.clone())?;
    let way = stand.whole_way()?;
    ports::refuse_occupied(name, &way)?;
    let data = command::wants_data(launch)
        .then(|| stand.make_data(&places))
        .transpose()?;
    let url = way.hosts.first().map(|host| host.url.clone());
    let url = url.ok_or_else(|| TargetError::Url {
        target: name.clone(),
        url: launch.url.clone(),
        reason: "it leads nowhere".to_owned(),
    })?;
    let processes = stand.spawn_all(grounds, false)?;
    let mut running = Running {
        name: name.clone(),
        url,
        way,
        credentials,
        processes,
        observed: None,
        listener: None,
        stand: Some(Box::new(stand)),
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
        let Some(stand) = self.stand.as_ref().filter(|_| self.processes.is_empty()) else {
            return Ok(());
        };
        ports::refuse_occupied(&self.name, &self.way)?;
        self.processes = stand.spawn_all(grounds, true)?;
        self.come_up(grounds)
    }

    /// Removes what is in the data directories of a halted target, so that it starts as it did the
    /// first time.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn empty_data(&self) -> Result<(), TargetError> {
        // A command that names no directory has none.
        let stand = self.stand.iter().filter(|_| self.data.is_some());
        for node in stand.flat_map(|stand| &stand.nodes) {
            let path = &node.values.data;
            let emptied =
                std::fs::remove_dir_all(path).and_then(|()| std::fs::create_dir_all(path));
            emptied.map_err(|source| TargetError::File {
                target: self.name.clone(),
                action: "empty",
                path: path.clone(),
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
        let Some(stand) = &self.stand else {
            return Ok(());
        };
        let guards = self.guards();
        // What is launched is observed from its first breath, anything else once it is there.
        let is_own = stand.target.observe.is_none();
        if is_own {
            self.observed = observed(&stand.target, &guards, &self.way)?;
        }
        stand.wait_for_all(&mut self.processes, &self.way, grounds)?;
        if !is_own {
            self.observed = observed(&stand.target, &guards, &self.way)?;
        }
        Ok(())
    }
}

/// Where the processes of a target are started, and started again.
#[derive(Debug)]
pub(crate) struct Stand {
    target: Target,
    launch: Launch,
    nodes: Vec<Node>,
}

/// One process of a target.
#[derive(Debug)]
struct Node {
    values: Placeholders,
    log: PathBuf,
}

impl Stand {
    /// Chooses a port that is free on every address, and what goes with it.
    fn choose(
        target: &Target,
        launch: &Launch,
        places: &Places,
        credentials: Option<Credentials>,
    ) -> Result<Self, TargetError> {
        let one = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
        let addresses = match launch.nodes.as_slice() {
            [] => &one,
            several => several,
        };
        let port = ports::free(addresses).map_err(|source| TargetError::Start {
            target: target.name.clone(),
            reason: format!("no port is free on {}: {source}", listed(addresses)),
        })?;
        let is_cluster = !launch.nodes.is_empty();
        let nodes = addresses.iter().enumerate().map(|(at, address)| Node {
            values: Placeholders {
                host: command::bracketed(*address),
                port,
                data: match is_cluster {
                    true => places.data.join((at + 1).to_string()),
                    false => places.data.clone(),
                },
                credentials: credentials.clone(),
            },
            log: match is_cluster {
                true => places.log_of_node(at + 1),
                false => places.log.clone(),
            },
        });
        Ok(Self {
            target: target.clone(),
            launch: launch.clone(),
            nodes: nodes.collect(),
        })
    }

    /// The way to all nodes.
    fn whole_way(&self) -> Result<Way, TargetError> {
        let name = &self.target.name;
        let hosts = self.nodes.iter().map(|node| {
            let url = command::url(name, &node.values.fill(&self.launch.url))?;
            Ok((url, 1))
        });
        let hosts: Vec<(Url, u32)> = hosts.collect::<Result<_, TargetError>>()?;
        let unix = self.target.way.unix.as_ref().and_then(|path| {
            let filled = self.nodes.first()?.values.fill(&path.to_string_lossy());
            Some(PathBuf::from(filled))
        });
        Way::find(name, &hosts, &self.target.way, unix)
    }

    fn make_data(&self, places: &Places) -> Result<DataDirectory, TargetError> {
        let failed = |path: &Path, source| places.file_error("create", path, source);
        let data = DataDirectory::create(places.data.clone())
            .map_err(|source| failed(&places.data, source))?;
        for node in &self.nodes {
            let path = &node.values.data;
            std::fs::create_dir_all(path).map_err(|source| failed(path, source))?;
        }
        Ok(data)
    }

    /// Starts every process. With `again`, what they print is written behind what is in
    /// their logs.
    fn spawn_all(&self, grounds: &Grounds<'_>, again: bool) -> Result<Vec<Process>, TargetError> {
        let mut processes = Vec::new();
        for node in &self.nodes {
            match self.spawn(node, grounds, again) {
                Ok(process) => processes.push(process),
                Err(error) => {
                    let stopped = stop_all(&mut processes, &self.target.name);
                    return stopped.and(Err(error));
                }
            }
        }
        Ok(processes)
    }

    fn spawn(
        &self,
        node: &Node,
        grounds: &Grounds<'_>,
        again: bool,
    ) -> Result<Process, TargetError> {
        let name = &self.target.name;
        let awaited = match &self.launch.ready {
            Ready::Log(text) => Some(node.values.fill(text)),
            Ready::Port | Ready::Url(_) => None,
        };
        let secrets = secrets_of(&self.target, node.values.credentials.as_ref());
        let (output, pipe) = Output::capture(&node.log, &secrets, awaited.as_deref(), again)
            .map_err(|source| TargetError::File {
                target: name.clone(),
                action: "write",
                path: node.log.clone(),
                source,
            })?;
        let guard = command::under_guard(name, &self.launch, &node.values, grounds, pipe)?;
        let guarded =
            Guarded::spawn(guard, self.launch.stop_within).map_err(|error| TargetError::Start {
                target: name.clone(),
                reason: format!("{}: {error}", grounds.guard_exe.display()),
            })?;
        let mut process = Process { guarded, output };
        match process.guarded.wait_started(GUARD_WITHIN) {
            Ok(()) => Ok(process),
            Err(reason) => {
                let failed = TargetError::Start {
                    target: name.clone(),
                    reason,
                };
                process.stop(name).and(Err(failed))
            }
        }
    }

    fn wait_for_all(
        &self,
        processes: &mut [Process],
        way: &Way,
        grounds: &Grounds<'_>,
    ) -> Result<(), TargetError> {
        let name = &self.target.name;
        for (at, (node, process)) in self.nodes.iter().zip(&mut *processes).enumerate() {
            let own = way.only(at);
            let condition =
                ready::Condition::new(&self.target, &self.launch.ready, &node.values, &own)?;
            let limit = self.launch.ready_within;
            let outcome = ready::wait(name, &condition, process, limit, grounds);
            if let Err(reason) = outcome {
                // Stopped first: its last words are still in the pipe.
                let stopped = process.stop(name);
                let error = reason.with_tail(name, process.output.tail());
                return stopped.and(Err(error));
            }
        }
        Ok(())
    }
}

/// Everybody is asked before anybody is waited for.
pub(crate) fn stop_all(processes: &mut [Process], target: &str) -> Result<(), TargetError> {
    for process in processes.iter() {
        process.guarded.ask_to_stop();
    }
    let stopped: Vec<_> = processes.iter_mut().map(|each| each.stop(target)).collect();
    stopped.into_iter().collect()
}

/// What the output of a target is not to show.
fn secrets_of<'a>(target: &'a Target, credentials: Option<&'a Credentials>) -> Vec<&'a str> {
    let keys = credentials.into_iter().flat_map(|keys| {
        let token = keys.session_token.as_ref();
        let token = token.map(|token| token.secret.reveal());
        [keys.access_key.as_str(), keys.secret_key.reveal()]
            .into_iter()
            .chain(token)
    });
    // Anything shorter stands in every log.
    let others = target.secrets.values().filter(|value| value.len() >= 4);
    keys.chain(others).collect()
}

fn listed(addresses: &[IpAddr]) -> String {
    let each = addresses.iter().map(ToString::to_string);
    each.collect::<Vec<_>>().join(" and ")
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
