//! Checks this machine and every target before a run. Measures nothing, and changes nothing on a
//! target.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tenbin_cluster::Assignment;
use tenbin_engine::Destination;
use tenbin_plan::{Agents, Plan, Reach, Target, sentence};
use tenbin_targets::doctor::{
    CheckConfig, CheckResult, Process, Reached, Reply, TargetFacts, examine_machine, examine_target,
};
use tenbin_targets::{LaunchContext, Running, TargetError, bring_up, preflight};
use tenbin_workloads::probe_target;

use crate::context::RunContext;
use crate::error::RunError;
use crate::generators::assignment::assignment;
use crate::generators::{self, Generators, decoded, encoded};
use crate::machine::descriptors;
use crate::progress::Progress;
use crate::stage;
use crate::stop::Stop;
use crate::target::access::{route, site};
use crate::target::first_response::FIRST_ANSWER;
use crate::target::keys::{KeyKeeper, MayAsk, anywhere};

/// Number of requests sent to a target: enough to detect that the target logs a line per request.
const REQUESTS: u64 = 20;
/// How long agents may take to run the checks, besides the check of noise.
const CHECK_TIME: Duration = Duration::from_secs(120);

/// What to check.
pub struct Examination<'a> {
    /// The targets, with a single workload; `None` checks only the machines.
    pub plan: Option<&'a Plan>,
    /// The agents that check their machines too, and the targets from there.
    pub agents: Option<&'a Agents>,
    /// Planned number of connections, for a check without a plan.
    pub connections: Option<u64>,
    /// Ports on which servers will be started.
    pub ports: Vec<u16>,
    /// How long the machines are observed for noise; skipped if shorter than a second.
    pub watch: Duration,
    /// Data directories of targets, by target name.
    pub data: BTreeMap<String, PathBuf>,
}

/// Settings of the checks of agents.
#[derive(Serialize, Deserialize)]
pub(crate) struct AgentChecks {
    /// Connections of the planned run.
    pub(crate) connections: u64,
    /// Open files that the planned run needs.
    pub(crate) files: u64,
    /// How long the machine is observed for noise, nanoseconds.
    watch: u64,
}

impl AgentChecks {
    pub(crate) fn watch(&self) -> Duration {
        Duration::from_nanos(self.watch)
    }
}

/// Runs all checks and reports each check result as soon as it is known.
///
/// # Errors
/// When a check cannot be run, agents are missing, or the user stops. A problem of a target or of a
/// machine is a check result, not an error.
pub fn examine(
    examination: &Examination<'_>,
    context: &RunContext,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress<'_>),
    tell: &mut dyn FnMut(CheckResult),
) -> Result<(), RunError> {
    let visit = visit(examination, context, stop);
    let mut agents = AskedAgents::find(examination, &visit, stop, progress)?;
    examine_machine(&visit).for_each(&mut *tell);
    if stop.is_asked() {
        return Err(RunError::Interrupted);
    }
    agents.check(&Assignment::default(), None, stop, tell)?;
    let Some(plan) = examination.plan else {
        return Ok(());
    };
    let place = Temporary::for_plan(plan)?;
    for target in &plan.targets {
        if stop.is_asked() {
            return Err(RunError::Interrupted);
        }
        let context = LaunchContext {
            run_dir: place.path(context),
            plan_dir: &context.plan_directory,
            guard_exe: &context.executable,
            stop: stop.asked(),
            waiting: &|_| {},
        };
        let data = examination.data.get(&target.name);
        match bring_up(target, &context) {
            Ok(mut running) => {
                let examined = check_target(plan, target, &running, data, stop, anywhere())?;
                examine_target(&visit, &examined).for_each(&mut *tell);
                agents.check_target(plan, target, &running, stop, tell)?;
                running.stop()?;
            }
            Err(error) => {
                let examined = out_of_reach(target, error);
                examine_target(&visit, &examined).for_each(&mut *tell);
            }
        }
    }
    Ok(())
}

/// The agents that run the same checks.
struct AskedAgents {
    generators: Generators,
    request: Bytes,
    watch: Duration,
}

impl AskedAgents {
    fn find(
        examination: &Examination<'_>,
        config: &CheckConfig,
        stop: &Stop,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Self, RunError> {
        let generators = match examination.agents {
            None => Generators::Here,
            Some(agents) => {
                let plan = examination.plan;
                plan.map_or(Ok(()), |plan| generators::check(plan, agents.count))?;
                Generators::find(agents, "doctor", stop, progress)?
            }
        };
        let share = |total: u64| total.div_ceil(generators.agents().max(1) as u64);
        let request = encoded(&AgentChecks {
            connections: share(config.connections),
            files: share(config.files),
            watch: config.watch.as_nanos() as u64,
        });
        Ok(Self {
            generators,
            request,
            watch: config.watch,
        })
    }

    fn check_target(
        &mut self,
        plan: &Plan,
        target: &Target,
        running: &Running,
        stop: &Stop,
        tell: &mut dyn FnMut(CheckResult),
    ) -> Result<(), RunError> {
        if matches!(self.generators, Generators::Here) {
            return Ok(());
        }
        let mut plan = plan.clone();
        plan.targets = vec![target.clone()];
        let assignment = assignment(&plan, [running].into_iter())?;
        self.check(&assignment, Some(&target.name), stop, tell)
    }

    fn check(
        &mut self,
        assignment: &Assignment,
        target: Option<&String>,
        stop: &Stop,
        tell: &mut dyn FnMut(CheckResult),
    ) -> Result<(), RunError> {
        let mut all = Vec::new();
        self.generators.examine(
            (assignment, &self.request),
            CHECK_TIME + self.watch,
            stop,
            &mut |agent, results| all.push((agent.to_owned(), results)),
        )?;
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (agent, results) in all {
            let results: Option<Vec<CheckResult>> = decoded(&results);
            let results = results.ok_or_else(|| {
                RunError::Agents(sentence!(
                    "agent-results",
                    "the results of agent \"{agent}\" cannot be read",
                    agent
                ))
            })?;
            results.into_iter().for_each(|result| {
                tell(CheckResult {
                    agent: Some(agent.clone()),
                    target: target.cloned(),
                    ..result
                });
            });
        }
        Ok(())
    }
}

fn visit(examination: &Examination<'_>, context: &RunContext, stop: &Stop) -> CheckConfig {
    let plan = examination.plan;
    let planned = plan.map(|plan| {
        let each = plan.workloads.iter();
        let most = each.map(|work| work.load.connections as u64).max();
        (most.unwrap_or(0), descriptors::needed(plan))
    });
    let (connections, files) = planned.unwrap_or_else(|| {
        let connections = examination.connections.unwrap_or(0);
        (connections, descriptors::needed_for(connections))
    });
    CheckConfig {
        ports: examination.ports.clone(),
        root: context.root.clone(),
        records: true,
        connections,
        files,
        watch: examination.watch,
        stop: Arc::clone(stop.asked()),
    }
}

/// Checks a target that is running. `may_ask`: where temporary keys may be requested.
pub(crate) fn check_target(
    plan: &Plan,
    target: &Target,
    running: &Running,
    data: Option<&PathBuf>,
    stop: &Stop,
    may_ask: MayAsk,
) -> Result<TargetFacts, RunError> {
    // Unsigned, so that a wrong clock becomes a check result instead of a refused signature.
    let first = match preflight::check(running, false, FIRST_ANSWER) {
        Ok(first) => first,
        Err(error) => return Ok(out_of_reach(target, error)),
    };
    let process = Process::behind(running);
    let logs = process.as_ref().map(Process::logs);
    let reply = check_bucket(plan, target, running, stop, may_ask)?;
    Ok(TargetFacts {
        name: target.name.clone(),
        reached: Ok(Reached::of(running, first)),
        reply,
        process,
        data: data.cloned(),
        logs,
    })
}

fn out_of_reach(target: &Target, error: TargetError) -> TargetFacts {
    TargetFacts {
        name: target.name.clone(),
        reached: Err(error),
        reply: None,
        process: None,
        data: None,
        logs: None,
    }
}

/// Checks the target's response to a signed request for the bucket of the plan's workload.
fn check_bucket(
    plan: &Plan,
    target: &Target,
    running: &Running,
    stop: &Stop,
    may_ask: MayAsk,
) -> Result<Option<Reply>, RunError> {
    let site = site(running, target);
    let keys = KeyKeeper::start(plan, target, running, &site, may_ask)?;
    let site = match &keys {
        Some(keys) => keys.give(site),
        None => site,
    };
    let mut works = plan.workloads.iter();
    let Some(probe) = works.find_map(|work| probe_target(work, &site, REQUESTS)) else {
        return Ok(None);
    };
    let (stage, response) = probe?;
    let destination = Destination::Route(route(&running.route));
    stage::run(stage, destination, FIRST_ANSWER, stop, &mut |_, _| {})?;
    if stop.is_asked() {
        return Err(RunError::Interrupted);
    }
    let response = response
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    Ok(Some(Reply {
        status: response.status,
        code: response.code,
        meaning: response.meaning,
        region: response.region,
        is_listing: response.is_listing,
        responses: response.answered,
        bucket: response.bucket,
        signed_for: target.region.clone(),
    }))
}

/// A temporary directory for the output of launched targets, removed when dropped; `None` if no
/// target is launched.
struct Temporary(Option<PathBuf>);

impl Temporary {
    fn for_plan(plan: &Plan) -> Result<Self, RunError> {
        let is_there = |target: &Target| matches!(target.reach, Reach::Endpoint { .. });
        if plan.targets.iter().all(is_there) {
            return Ok(Self(None));
        }
        Self::make().map(|path| Self(Some(path))).map_err(|source| {
            TargetError::File {
                target: plan.targets[0].name.clone(),
                action: "make",
                path: std::env::temp_dir(),
                source,
            }
            .into()
        })
    }

    fn make() -> io::Result<PathBuf> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = now.map_or(0, |now| now.subsec_nanos());
        let name = format!("tenbin-doctor-{}-{nanos:09}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(path)
    }

    fn path<'a>(&'a self, context: &'a RunContext) -> &'a Path {
        self.0.as_deref().unwrap_or(&context.root)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = fs::remove_dir_all(path);
        }
    }
}
