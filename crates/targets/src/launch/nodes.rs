//! Starts and restarts the processes of a launched target.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use tenbin_plan::{Credentials, Launch, Ready, Sentence, Target, sentence};
use url::Url;

use super::placeholders::Placeholders;
use super::{LaunchContext, TargetPaths, command, ports, ready};
use crate::error::TargetError;
use crate::guarded::Guarded;
use crate::helper_time;
use crate::output::Output;
use crate::process::{DataDirectory, Process, stop_all};
use crate::route::ResolvedRoute;

/// The settings needed to start and restart the processes of a target.
#[derive(Debug)]
pub(crate) struct Nodes {
    pub(super) target: Target,
    launch: Launch,
    each: Vec<Node>,
}

/// Settings of one process of a target.
#[derive(Debug)]
struct Node {
    values: Placeholders,
    log: PathBuf,
}

impl Nodes {
    /// Chooses a port that is free on every address, and determines the values of the placeholders.
    pub(super) fn choose(
        target: &Target,
        launch: &Launch,
        paths: &TargetPaths,
        credentials: Option<Credentials>,
    ) -> Result<Self, TargetError> {
        let one = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
        let addresses = match launch.nodes.as_slice() {
            [] => &one,
            several => several,
        };
        let port = ports::free(addresses).map_err(|source| TargetError::Start {
            target: target.name.clone(),
            reason: sentence!(
                "no-free-port",
                "no port is free on {addresses}: {source}",
                addresses = listed(addresses),
                source = Sentence::from(&source)
            ),
        })?;
        let is_cluster = !launch.nodes.is_empty();
        let nodes = addresses.iter().enumerate().map(|(at, address)| Node {
            values: Placeholders {
                host: command::bracketed(*address),
                port,
                data: if is_cluster {
                    paths.data.join((at + 1).to_string())
                } else {
                    paths.data.clone()
                },
                credentials: credentials.clone(),
            },
            log: if is_cluster {
                paths.log_of_node(at + 1)
            } else {
                paths.log.clone()
            },
        });
        Ok(Self {
            target: target.clone(),
            launch: launch.clone(),
            each: nodes.collect(),
        })
    }

    /// Addresses and connection settings of all nodes.
    pub(super) fn route(&self) -> Result<ResolvedRoute, TargetError> {
        let name = &self.target.name;
        let hosts = self.each.iter().map(|node| {
            let url = command::url(name, &node.values.fill(&self.launch.url))?;
            Ok((url, 1))
        });
        let hosts: Vec<(Url, u32)> = hosts.collect::<Result<_, TargetError>>()?;
        let unix = self.target.connect.unix.as_ref().and_then(|path| {
            let filled = self.each.first()?.values.fill(&path.to_string_lossy());
            Some(PathBuf::from(filled))
        });
        ResolvedRoute::resolve_hosts(name, &hosts, &self.target.connect, unix)
    }

    pub(super) fn make_data(&self, paths: &TargetPaths) -> Result<DataDirectory, TargetError> {
        let failed = |path: &Path, source| paths.file_error("create", path, source);
        let data = DataDirectory::create(paths.data.clone())
            .map_err(|source| failed(&paths.data, source))?;
        for node in &self.each {
            let path = &node.values.data;
            std::fs::create_dir_all(path).map_err(|source| failed(path, source))?;
        }
        Ok(data)
    }

    /// Starts every process. If `again` is set, output is appended to the existing logs.
    pub(super) fn spawn_all(
        &self,
        context: &LaunchContext<'_>,
        again: bool,
    ) -> Result<Vec<Process>, TargetError> {
        let mut processes = Vec::new();
        for node in &self.each {
            match self.spawn(node, context, again) {
                Ok(process) => processes.push(process),
                Err(error) => {
                    let stopped = stop_all(&mut processes, &self.target.name);
                    return Err(error.then(stopped));
                }
            }
        }
        Ok(processes)
    }

    /// The data directory of each process.
    pub(super) fn data_directories(&self) -> impl Iterator<Item = &Path> {
        self.each.iter().map(|node| node.values.data.as_path())
    }

    fn spawn(
        &self,
        node: &Node,
        context: &LaunchContext<'_>,
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
        let failed = |reason| TargetError::Start {
            target: name.clone(),
            reason,
        };
        let limit = helper_time::limit().map_err(failed)?;
        let guard = command::under_guard(name, &self.launch, &node.values, context, pipe)?;
        let guarded = Guarded::spawn(guard, self.launch.stop_within).map_err(|error| {
            failed(sentence!(
                "of-file",
                "{path}: {why}",
                path = context.guard_exe.display(),
                why = Sentence::from(&error)
            ))
        })?;
        let mut process = Process { guarded, output };
        match process.guarded.wait_started(limit) {
            Ok(()) => Ok(process),
            Err(reason) => Err(failed(reason).then(process.stop(name))),
        }
    }

    pub(super) fn wait_for_all(
        &self,
        processes: &mut [Process],
        route: &ResolvedRoute,
        context: &LaunchContext<'_>,
    ) -> Result<(), TargetError> {
        let name = &self.target.name;
        for (at, (node, process)) in self.each.iter().zip(&mut *processes).enumerate() {
            let own = route.only(at);
            let condition =
                ready::Condition::new(&self.target, &self.launch.ready, &node.values, &own)?;
            let limit = self.launch.ready_within;
            let outcome = ready::wait(name, &condition, process, limit, context);
            if let Err(reason) = outcome {
                // Stop first, because the last output may still be in the pipe.
                let stopped = process.stop(name);
                let error = reason.with_tail(&self.target, process.output.tail());
                return Err(error.then(stopped));
            }
        }
        Ok(())
    }
}

/// Secrets to remove from the target's output.
fn secrets_of<'a>(target: &'a Target, credentials: Option<&'a Credentials>) -> Vec<&'a str> {
    let keys = credentials.into_iter().flat_map(|keys| {
        let token = keys.session_token.as_ref();
        let token = token.map(|token| token.secret.reveal());
        [keys.access_key.as_str(), keys.secret_key.reveal()]
            .into_iter()
            .filter(|key| !key.is_empty())
            .chain(token)
    });
    // Shorter values would match ordinary text in the logs.
    let others = target.secrets.values().filter(|value| value.len() >= 4);
    keys.chain(others).collect()
}

fn listed(addresses: &[IpAddr]) -> String {
    let each = addresses.iter().map(ToString::to_string);
    each.collect::<Vec<_>>().join(" and ")
}
