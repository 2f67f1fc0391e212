//! The machines that send load: this machine, or agents on other machines.

pub(crate) mod agent_loss;
pub(crate) mod assignment;

use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tenbin_cluster::{
    AgentProcess, Assignment, Coordinator, Creds, PartOfAgent, Server, Slice, SliceOrder,
    reachable_addresses,
};
use tenbin_engine::{
    Drive, RequestList, SliceEvent, Spread, StageSums, TcpFigures, Workload as EngineWorkload,
    drive,
};
use tenbin_plan::{Agents, Pace, Plan, sentence};
use tenbin_record::{AgentEnvironment, AgentUse, RunDirectory};
use tenbin_targets::counters;
use tenbin_targets::observe::processes_on;
use tenbin_workloads::{Prepared, SliceReport, SliceState};
use url::Url;

use crate::error::RunError;
use crate::progress::Progress;
use crate::stop::Stop;

/// Name of the process of `tenbin hub`.
const PROGRAM: &str = "tenbin";
/// Shortest time between two notes on the number of agents found.
const TELL_AGAIN: Duration = Duration::from_secs(2);

/// The machines that send load.
pub(crate) enum Generators {
    /// This machine.
    Here,
    /// Agents, which share every slice.
    Agents(Box<Coordinator>),
}

/// A slice to drive: one workload on one target.
pub(crate) struct Job<'a> {
    /// Index of the target.
    pub(crate) target: usize,
    /// Index of the workload.
    pub(crate) workload: usize,
    pub(crate) how: &'a Drive,
    /// What agents must know of the workload.
    pub(crate) state: SliceState,
    pub(crate) workers: Vec<Box<dyn EngineWorkload>>,
}

/// Result of a driven slice.
pub(crate) struct Driven {
    workers: Vec<Box<dyn EngineWorkload>>,
    pub(crate) seconds: f64,
    pub(crate) unmeasured: u64,
    pub(crate) cut_short: bool,
    pub(crate) tcp: Option<TcpFigures>,
    pub(crate) stages: Option<StageSums>,
    pub(crate) spread: Option<Spread>,
    pub(crate) requests: RequestList,
    /// Largest possible difference between the starts of two agents.
    pub(crate) skew: Option<Duration>,
    /// What each agent reported of its machine; empty without agents.
    pub(crate) agents: Vec<AgentUse>,
    /// What each agent reports of the workload; `None` if this machine sent the load.
    reports: Option<Vec<SliceReport>>,
}

/// The ids of the agents among `agents` that run on this machine, whose current boot is `boot`.
fn processes_here<'a>(
    agents: impl Iterator<Item = &'a AgentProcess>,
    boot: Option<&str>,
) -> Vec<i32> {
    let is_alive = |agent: &AgentProcess| {
        let there = counters::programs_of(&[agent.pid]);
        there.first().is_some_and(|it| it.start == agent.start)
    };
    agents
        .filter(|agent| Some(agent.boot.as_str()) == boot && is_alive(agent))
        .map(|agent| agent.pid)
        .collect()
}

/// Port of a NATS server whose URL has none.
const NATS_PORT: u16 = 4222;

/// The processes of the NATS server at `url`, and of the hub that started it, if they run on this
/// machine.
pub(crate) fn hub_here(url: &str) -> Vec<i32> {
    let Ok(url) = Url::parse(url) else {
        return Vec::new();
    };
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_here = match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || reachable_addresses().contains(&address),
        Err(_) => host == "localhost",
    };
    if is_here {
        processes_on(url.port().unwrap_or(NATS_PORT), PROGRAM)
    } else {
        Vec::new()
    }
}

impl Driven {
    /// Gives the workload its workers and the reports of the agents back.
    pub(crate) fn hand_back(&mut self, prepared: &mut dyn Prepared) -> Result<(), RunError> {
        prepared.slice_done(std::mem::take(&mut self.workers));
        match self.reports.take() {
            None => Ok(()),
            Some(reports) => prepared
                .add_reports(reports)
                .map_err(|why| RunError::Agents(why.into())),
        }
    }
}

impl Generators {
    /// Finds the agents that the plan asks for, if any.
    pub(crate) fn gather(
        plan: &Plan,
        directory: &RunDirectory,
        stop: &Stop,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Self, RunError> {
        let Some(agents) = &plan.agents else {
            return Ok(Self::Here);
        };
        check(plan, agents.count)?;
        let run = directory.path().file_name().unwrap_or_default();
        Self::find(agents, &run.to_string_lossy(), stop, progress)
    }

    /// Finds agents for the run of this name.
    pub(crate) fn find(
        agents: &Agents,
        run: &str,
        stop: &Stop,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Self, RunError> {
        // A process id is not unique: in containers, many programs have the id 1.
        let id = RandomState::new().hash_one(std::process::id());
        let run = format!("{run}-{id:x}");
        let server = Server {
            url: agents.nats.clone(),
            creds: agents.creds.as_deref().map(Creds::read).transpose()?,
        };
        let wanted = agents.count;
        let plural = if wanted == 1 { "" } else { "s" };
        progress(Progress::Note(&sentence!(
            "waiting-for-agents",
            "waiting for {agents} agent{s}",
            agents = wanted,
            s = plural
        )));
        let mut told = Instant::now();
        let mut tell = |found: usize| {
            if found == wanted || told.elapsed() >= TELL_AGAIN {
                told = Instant::now();
                progress(Progress::Note(&sentence!(
                    "agents-found",
                    "{found} of {wanted} agents found",
                    found,
                    wanted
                )));
            }
        };
        let gathered = Coordinator::gather(
            &server,
            &run,
            (wanted, agents.wait),
            stop.asked(),
            &mut tell,
        )?;
        Ok(Self::Agents(Box::new(gathered)))
    }

    /// The number of agents; 0 if this machine sends the load.
    pub(crate) fn agents(&self) -> usize {
        match self {
            Self::Here => 0,
            Self::Agents(coordinator) => coordinator.agents().len(),
        }
    }

    /// Continues without the agent `lost`: see [`Coordinator::regroup`].
    pub(crate) fn regroup(
        &mut self,
        lost: &str,
        time: Duration,
        stop: &Stop,
    ) -> Result<Vec<(String, String)>, RunError> {
        match self {
            Self::Here => Ok(Vec::new()),
            Self::Agents(coordinator) => Ok(coordinator.regroup(lost, time, stop.asked())?),
        }
    }

    /// The agents, for the recorded environment.
    pub(crate) fn environment(&self) -> Vec<AgentEnvironment> {
        let Self::Agents(coordinator) = self else {
            return Vec::new();
        };
        let agents = coordinator.agents().map(|agent| AgentEnvironment {
            name: agent.name.clone(),
            hostname: agent.hostname.clone(),
            cores: agent.cores as u64,
            cpu_model: agent.cpu.clone(),
            kernel: agent.kernel.clone(),
        });
        agents.collect()
    }

    /// The ids of the agents' processes on this machine.
    pub(crate) fn processes_here(&self) -> Vec<i32> {
        match self {
            Self::Here => Vec::new(),
            Self::Agents(coordinator) => {
                let boot = counters::boot_id();
                let agents = coordinator.agents().filter_map(|it| it.process.as_ref());
                processes_here(agents, boot.as_deref())
            }
        }
    }

    /// What agents must know of a workload before its next slice; nothing if this machine sends the
    /// load.
    pub(crate) fn state_of(&self, prepared: &mut dyn Prepared) -> SliceState {
        match self {
            Self::Here => SliceState::default(),
            Self::Agents(_) => prepared.state_for_agents(),
        }
    }

    /// Gives a plan to the agents.
    pub(crate) fn assign(&mut self, plan: &Assignment, stop: &Stop) -> Result<(), RunError> {
        match self {
            Self::Here => Ok(()),
            Self::Agents(coordinator) => Ok(coordinator.prepare(plan, stop.asked())?),
        }
    }

    /// Lets the agents check their machines and the targets of a plan, within `time`.
    pub(crate) fn examine(
        &mut self,
        (plan, request): (&Assignment, &Bytes),
        time: Duration,
        stop: &Stop,
        tell: &mut dyn FnMut(&str, Bytes),
    ) -> Result<(), RunError> {
        match self {
            Self::Here => Ok(()),
            Self::Agents(coordinator) => {
                Ok(coordinator.examine(plan, request, time, stop.asked(), tell)?)
            }
        }
    }

    /// Drives a slice and passes its events to `listen`. Setting `stop` ends the slice.
    pub(crate) fn drive(
        &mut self,
        job: Job<'_>,
        stop: &AtomicBool,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<Driven, RunError> {
        let Self::Agents(coordinator) = self else {
            let done = drive(job.how, job.workers, stop, listen)?;
            return Ok(Driven {
                workers: done.workers,
                seconds: done.seconds,
                unmeasured: done.unmeasured,
                cut_short: done.cut_short,
                tcp: done.tcp,
                stages: done.stages,
                spread: done.spread,
                requests: done.requests,
                skew: None,
                reports: None,
                agents: Vec::new(),
            });
        };
        let nanos = |length: Duration| length.as_nanos() as u64;
        let slice = Slice {
            order: SliceOrder {
                slice: 0,
                target: job.target,
                workload: job.workload,
                rate: fixed_rate(&job.how.load.pace),
                reopen: job.how.load.reopen,
                seed: job.how.seed,
                lead: nanos(job.how.lead),
                window: nanos(job.how.window.unwrap_or_default()),
                rest: job.how.rest.map(nanos),
                stages: job.how.stages,
                state: encoded(&job.state),
            },
            operations: match job.workers.first() {
                Some(worker) => worker.operations(),
                None => &[],
            },
            timeout: job.how.load.timeout,
        };
        let all = coordinator.slice(&slice, stop, listen)?;
        let reports = all.reports.iter().map(|bytes| decoded(bytes));
        let reports = reports.collect::<Option<Vec<SliceReport>>>();
        let unreadable = || {
            RunError::Agents(sentence!(
                "agent-report",
                "the report of an agent cannot be read"
            ))
        };
        Ok(Driven {
            reports: Some(reports.ok_or_else(unreadable)?),
            seconds: all.done.seconds,
            unmeasured: all.done.unmeasured,
            cut_short: all.done.cut_short,
            tcp: all.done.tcp,
            stages: all.done.stages,
            spread: all.done.spread,
            requests: all.done.requests,
            skew: all.skew,
            agents: all.agents.iter().map(recorded).collect(),
            workers: job.workers,
        })
    }
}

/// A part of a message that only the runners of coordinator and agents read.
pub(crate) fn encoded(part: &impl Serialize) -> Bytes {
    let bytes = rmp_serde::to_vec(part).expect("messages can be serialized");
    bytes.into()
}

/// Reads what [`encoded`] has written; `None` if it has another form.
pub(crate) fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    rmp_serde::from_slice(bytes).ok()
}

fn recorded(part: &PartOfAgent) -> AgentUse {
    AgentUse {
        cpu_busy: part.cpu.map(|cpu| cpu.busy),
        others_cores: part.cpu.and_then(|cpu| cpu.others),
        round_trip_ns: part.round_trip,
        min_rtt_ns: part.min_rtt,
    }
}

/// The rate of an open loop whose rate does not change, requests per second.
fn fixed_rate(pace: &Pace) -> Option<f64> {
    match pace {
        Pace::Constant { per_second } | Pace::Poisson { per_second } => Some(*per_second),
        _ => None,
    }
}

/// Refuses what agents cannot do.
pub(crate) fn check(plan: &Plan, agents: usize) -> Result<(), RunError> {
    let mut targets = plan.targets.iter();
    if let Some(target) = targets.find(|target| !target.reach.has_connections()) {
        return Err(RunError::NotForAgents {
            target: target.name.clone(),
            why: sentence!(
                "agents-need-servers",
                "target \"{name}\": agents send requests only to servers, and this target is a \
                 directory or the dummy; run it without agents",
                name = target.name
            ),
        });
    }
    if plan.output.ops_log.is_some() {
        return Err(RunError::Agents(sentence!(
            "agents-no-log",
            "agents keep no log of requests; run without --ops-log, or without agents"
        )));
    }
    for work in &plan.workloads {
        if work.load.connections < agents {
            return Err(RunError::Agents(sentence!(
                "agents-connections",
                "workload \"{name}\": {connections} connections cannot be divided among {agents} \
                 agents; use at least one connection per agent",
                name = work.name,
                connections = work.load.connections,
                agents
            )));
        }
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// This process as an agent; `change` modifies it.
    fn agent(change: impl Fn(&mut AgentProcess)) -> AgentProcess {
        let pid = std::process::id().cast_signed();
        let mut agent = AgentProcess {
            boot: counters::boot_id().expect("a boot id"),
            pid,
            start: counters::programs_of(&[pid])[0].start,
        };
        change(&mut agent);
        agent
    }

    #[test]
    fn agents_of_this_machine_are_known_by_boot_id_and_start() {
        let agents = [
            agent(|_| {}),
            agent(|other| other.boot = "another machine".to_owned()),
            agent(|other| other.start += 1),
        ];
        let boot = counters::boot_id();
        let found = processes_here(agents.iter(), boot.as_deref());
        assert_eq!(found, [agents[0].pid]);
    }

    #[test]
    fn a_hub_is_found_by_the_port_of_its_server() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let own = std::process::id().cast_signed();
        for url in ["nats://127.0.0.1:", "tls://localhost:"] {
            assert!(hub_here(&format!("{url}{port}")).contains(&own), "{url}");
        }
        assert_eq!(
            hub_here(&format!("nats://192.0.2.1:{port}")),
            Vec::<i32>::new()
        );
        assert_eq!(hub_here("no URL"), Vec::<i32>::new());
    }
}
