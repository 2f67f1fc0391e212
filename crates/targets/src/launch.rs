//! From a target of the plan to a running one.

mod command;
mod placeholders;
mod ports;
mod program;
mod ready;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tenbin_plan::{Builtin, Credentials, Launch, Reach, Ready, Target};
use url::Url;

use crate::error::TargetError;
use crate::guarded::Guarded;
use crate::observe::{Observed, Subject};
use crate::output::Output;
use crate::running::{DataDirectory, Process, Running};
use crate::way::Way;
use placeholders::Placeholders;

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
            &command::builtin(*builtin, grounds.guard_exe),
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
        process: None,
        observed: None,
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
    let observed = observed(target, None, &way)?;
    Ok(Running {
        name: target.name.clone(),
        url: url.clone(),
        way,
        credentials: target.credentials.clone(),
        process: None,
        observed,
    })
}

/// Whoever tells what the target uses, below `guard` if it was launched.
fn observed(
    target: &Target,
    guard: Option<i32>,
    way: &Way,
) -> Result<Option<Observed>, TargetError> {
    let subject = Subject {
        guard,
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
    let values = Placeholders {
        port: ports::free().map_err(|source| TargetError::Start {
            target: name.clone(),
            reason: format!("no free port on 127.0.0.1: {source}"),
        })?,
        data: places.data.clone(),
        credentials: credentials.clone(),
    };
    let url = command::url(name, &values.fill(&launch.url))?;
    let unix = target.way.unix.as_ref().map(|path| {
        let filled = values.fill(&path.to_string_lossy());
        PathBuf::from(filled)
    });
    let mut way = Way::find(name, &[(url.clone(), 1)], &target.way, unix)?;
    ports::refuse_occupied(name, &way)?;

    let data = command::wants_data(launch)
        .then(|| DataDirectory::create(places.data.clone()))
        .transpose()
        .map_err(|source| places.file_error("create", &places.data, source))?;
    let awaited = match &launch.ready {
        Ready::Log(text) => Some(values.fill(text)),
        Ready::Port | Ready::Url(_) => None,
    };
    let secrets: Vec<&str> = credentials
        .iter()
        .flat_map(
            |Credentials {
                 access_key,
                 secret_key,
                 session_token,
                 ..
             }| {
                let token = session_token.as_ref();
                let token = token.map(|token| token.secret.reveal());
                [access_key.as_str(), secret_key.reveal()]
                    .into_iter()
                    .chain(token)
            },
        )
        .collect();
    let (output, pipe) = Output::capture(&places.log, &secrets, awaited.as_deref())
        .map_err(|source| places.file_error("write", &places.log, source))?;

    let guard = command::under_guard(name, launch, &values, grounds, pipe)?;
    let guarded =
        Guarded::spawn(guard, launch.stop_within).map_err(|error| TargetError::Start {
            target: name.clone(),
            reason: format!("{}: {error}", grounds.guard_exe.display()),
        })?;
    guarded
        .wait_started(GUARD_WITHIN)
        .map_err(|reason| TargetError::Start {
            target: name.clone(),
            reason,
        })?;
    let guard = guarded.guard_pid();
    // What is launched is observed from its first breath, anything else once it is there.
    let mut watched = match target.observe {
        None => observed(target, Some(guard), &way)?,
        Some(_) => None,
    };
    let mut process = Process {
        guarded,
        output,
        data,
    };

    let condition = ready::Condition::new(target, &launch.ready, &values, &way)?;
    let outcome = ready::wait(name, &condition, &process, launch.ready_within, grounds);
    if let Err(reason) = outcome {
        let stopped = process.stop(name);
        let error = reason.with_tail(name, process.output.tail());
        return stopped.and(Err(error));
    }
    way.settle();
    if target.observe.is_some() {
        watched = match observed(target, Some(guard), &way) {
            Ok(watched) => watched,
            Err(error) => {
                let stopped = process.stop(name);
                return stopped.and(Err(error));
            }
        };
    }
    Ok(Running {
        name: name.clone(),
        url,
        way,
        credentials,
        process: Some(process),
        observed: watched,
    })
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
            data: directory.join(target).join("data"),
            log: directory.join(format!("{target}.log")),
        })
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
