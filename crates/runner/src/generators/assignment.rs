//! Gives the agents the plan, once the targets run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Cursor};
use std::path::Path;
use std::rc::Rc;

use bytes::Bytes;
use tenbin_cluster::Assignment;
use tenbin_plan::{
    Context, Draft, Host, KeySource, Plan, Reach, Relaunch, Sentence, Target, sentence,
};
use tenbin_targets::Running;

use crate::controls::Controls;
use crate::error::RunError;
use crate::generators::Generators;
use crate::target::live::LiveTarget;

/// Files by path.
type Files = BTreeMap<String, Bytes>;

/// Start of the names of environment variables for generated credentials.
pub(crate) const GENERATED: &str = "TENBIN_GENERATED_";

/// Gives the plan to the agents, if there are any.
pub(crate) fn assign(
    plan: &Plan,
    live_targets: &[LiveTarget],
    controls: &mut Controls<'_>,
) -> Result<(), RunError> {
    if matches!(controls.generators, Generators::Here) {
        return Ok(());
    }
    let running = live_targets.iter().map(|live| &live.running);
    let assignment = assignment(plan, running)?;
    controls.generators.assign(&assignment, controls.stop)
}

/// The plan as agents execute it, with what it needs; `running` are its targets.
pub(crate) fn assignment<'a>(
    plan: &Plan,
    running: impl Iterator<Item = &'a Running>,
) -> Result<Assignment, RunError> {
    let threads = plan.threads;
    let (plan, variables) = for_agents(plan, running);
    let unreadable = |error: io::Error| {
        RunError::Agents(sentence!(
            "preparing-plan",
            "preparing the plan: {error}",
            error = Sentence::from(&error)
        ))
    };
    let plan = plan.to_toml();
    let files = files_of(&plan).map_err(unreadable)?;
    let directory = std::env::current_dir().and_then(|path| Ok(utf8(&path)?.to_owned()));
    Ok(Assignment {
        plan,
        directory: directory.map_err(unreadable)?,
        files,
        variables,
        agent: 0,
        agents: 0,
        threads,
    })
}

/// The plan as agents execute it: every target runs already, and is reached by its URL. Also the
/// credentials that were generated for this run, as environment variables.
fn for_agents<'a>(
    plan: &Plan,
    running: impl Iterator<Item = &'a Running>,
) -> (Plan, Vec<(String, String)>) {
    let mut plan = plan.clone();
    plan.agents = None;
    plan.output = tenbin_plan::Output::default();
    // The coordinator restarts the targets, so the plan of an agent must not demand it.
    plan.rounds.relaunch = Relaunch::Never;
    let mut variables = Vec::new();
    for (at, (target, running)) in plan.targets.iter_mut().zip(running).enumerate() {
        if !matches!(target.reach, Reach::Endpoint { .. }) {
            target.store = target.reach.store(target.store);
            target.reach = Reach::Endpoint {
                url: running.url.clone(),
            };
            let hosts = running.route.hosts.iter().map(|host| Host {
                url: host.url.clone(),
                weight: host.weight,
            });
            let hosts: Vec<Host> = hosts.collect();
            target.connect.hosts = if hosts.len() > 1 { hosts } else { Vec::new() };
        }
        target.observe = None;
        target.memory = None;
        let generated = running.credentials.clone();
        let generated = generated.filter(|keys| keys.secret_key_source == KeySource::Generated);
        if let Some(mut keys) = generated {
            let names = ["ACCESS_KEY", "SECRET_KEY"].map(|key| format!("{GENERATED}{key}_{at}"));
            let values = [&keys.access_key, keys.secret_key.reveal()].map(str::to_owned);
            let [access_key, secret_key] = names.clone().map(KeySource::Env);
            (keys.access_key_source, keys.secret_key_source) = (access_key, secret_key);
            target.credentials = Some(keys);
            variables.extend(names.into_iter().zip(values));
        }
    }
    (plan, variables)
}

/// The contents of the files that a plan names, except files with secrets. Secrets need not be
/// known here.
fn files_of(plan: &str) -> io::Result<Vec<(String, Bytes)>> {
    let (mut context, files) = recording()?;
    let draft = Draft::from_toml(plan, Path::new("the plan for agents"));
    let plan = draft.and_then(|draft| draft.resolve(&mut context));
    let plan = plan.map_err(|refusal| io::Error::other(refusal.to_string()))?;
    let is_secret = |path: &Path| plan.targets.iter().any(|target| is_key_of(target, path));
    let files = files.take().into_iter();
    Ok(files
        .filter(|(name, _)| !is_secret(Path::new(name)))
        .collect())
}

/// Whether the file contains a key of the target.
fn is_key_of(target: &Target, path: &Path) -> bool {
    let client = target.connect.tls.client.as_ref();
    let is_client = client.is_some_and(|client| client.cert == path || client.key == path);
    let is_s3 = target.credentials.as_ref().is_some_and(|keys| {
        let token = keys.session_token.as_ref().map(|token| &token.source);
        let sources = [&keys.access_key_source, &keys.secret_key_source];
        let mut sources = sources.into_iter().chain(token);
        sources.any(|source| matches!(source, KeySource::File(file) if file == path))
    });
    let identity = target.sessions.web_identity.as_ref();
    let is_identity = identity
        .is_some_and(|identity| matches!(&identity.source, KeySource::File(file) if file == path));
    is_client || is_s3 || is_identity
}

/// A context that records the files that are read.
fn recording() -> io::Result<(Context, Rc<RefCell<Files>>)> {
    let files = Rc::<RefCell<Files>>::default();
    let mut context = Context::of_this_process()?;
    // Only the agents need the values.
    context.environment =
        Box::new(|name| Some(std::env::var(name).unwrap_or_else(|_| "unset".to_owned())));
    let (open, seen) = (context.open, Rc::clone(&files));
    context.open = Box::new(move |path| {
        let mut bytes = Vec::new();
        open(path)?.read_to_end(&mut bytes)?;
        let bytes = Bytes::from(bytes);
        let name = utf8(path)?.to_owned();
        seen.borrow_mut().insert(name, bytes.clone());
        Ok(Box::new(Cursor::new(bytes)))
    });
    Ok((context, files))
}

fn utf8(path: &Path) -> io::Result<&str> {
    let text = path.to_str();
    text.ok_or_else(|| io::Error::other(format!("the path {} is not UTF-8", path.display())))
}
