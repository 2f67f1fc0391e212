//! An agent: executes its part of every slice that a coordinator orders.

mod ceiling;
mod cpu;
mod examine;
mod limits;

use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bytes::Bytes;
use tenbin_cluster::{
    AgentProcess, Assignment, ClusterError, Introduction, LoadMachine, News, Server, SliceDone,
    SliceOrder, reachable_addresses,
};
use tenbin_engine::{self as engine, Drive, Part, SliceEvent, StartGate, drive};
use tenbin_plan::{Draft, Load, Pace, Plan, Reach, Sentence, Workload, sentence};
use tenbin_record::Environment;
use tenbin_targets::{LaunchContext, Running, bring_up, counters};
use tenbin_workloads::{Prepared, SliceState};

use self::cpu::CpuWatch;
pub use self::limits::AgentLimits;
use crate::context::RunContext;
use crate::controls::Controls;
use crate::generators::{Generators, check, decoded, encoded};
use crate::machine::descriptors::Descriptors;
use crate::stop::Stop;
use crate::target::keys::MayAsk;
use crate::target::live::{LiveTarget, at_most};

/// Most addresses that an agent names.
const MOST_ADDRESSES: usize = 8;
/// Most agents of a run.
const MOST_AGENTS: usize = 1_000;
/// Most load generator threads of an agent.
const MOST_THREADS: usize = 1_024;
/// Longest settling time and longest window of a slice, nanoseconds: 30 days.
const LONGEST_NANOS: u64 = 30 * 24 * 3_600 * 1_000_000_000;
/// How often a connection can be opened in a slice.
const MOST_REOPENS: u32 = 1_000;

/// How an agent called `name` introduces itself to coordinators.
pub fn introduce(name: &str, limits: &AgentLimits) -> Introduction {
    let machine = Environment::collect();
    let cores = machine.cores.unwrap_or(1) as usize;
    let addresses = reachable_addresses().into_iter().take(MOST_ADDRESSES);
    Introduction {
        name: name.to_owned(),
        format: 0,
        instance: RandomState::new().hash_one(std::process::id()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        process: own_process(),
        hostname: machine.hostname,
        cores,
        addresses: addresses.map(|address| address.to_string()).collect(),
        ceiling: ceiling::ceiling(cores),
        cpu: machine.cpu_model,
        kernel: machine.kernel,
        allow: limits.allow.iter().map(ToString::to_string).collect(),
        now: 0,
        is_busy: false,
    }
}

/// This process, as a coordinator on the same machine recognises it.
fn own_process() -> Option<AgentProcess> {
    let pid = i32::try_from(std::process::id()).ok()?;
    let own = counters::programs_of(&[pid]);
    Some(AgentProcess {
        boot: counters::boot_id()?,
        pid,
        start: own.first()?.start,
    })
}

/// Runs an agent until `stop` is set. `context` contains the agent's directories and program.
///
/// # Errors
/// When the NATS server cannot be reached.
pub fn run_agent(
    server: &Server,
    me: Introduction,
    limits: AgentLimits,
    context: &RunContext,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(News),
) -> Result<(), ClusterError> {
    let mut machine = Machine {
        limits,
        directory: context.root.clone(),
        executable: context.executable.clone(),
        plan_directory: context.plan_directory.clone(),
        assigned: None,
    };
    tenbin_cluster::serve(server, me, &mut machine, stop, tell)
}

struct Machine {
    limits: AgentLimits,
    directory: PathBuf,
    executable: PathBuf,
    plan_directory: PathBuf,
    assigned: Option<Assigned>,
}

/// A plan that this agent executes a part of.
struct Assigned {
    plan: Plan,
    live_targets: Vec<LiveTarget>,
    /// Number of this agent, and number of agents.
    part: (usize, usize),
}

impl Assigned {
    /// This agent's part of a slice.
    fn slice<'a>(&'a mut self, order: &'a SliceOrder) -> Result<AssignedSlice<'a>, Sentence> {
        let work = self.plan.workloads.get(order.workload);
        let live = self.live_targets.get_mut(order.target);
        let (Some(work), Some(live)) = (work, live) else {
            return Err(sentence!("no-such-slice", "the plan has no such slice"));
        };
        Ok(AssignedSlice {
            order,
            work,
            live,
            part: self.part,
        })
    }
}

/// This agent's part of a slice.
struct AssignedSlice<'a> {
    order: &'a SliceOrder,
    work: &'a Workload,
    live: &'a mut LiveTarget,
    /// Number of this agent, and number of agents.
    part: (usize, usize),
}

impl AssignedSlice<'_> {
    fn prepared(&mut self) -> &mut dyn Prepared {
        self.live.prepared[self.order.workload].as_mut()
    }

    /// Sets the state that the workload has after the slices before, and removes what this agent
    /// must remove first.
    fn set_state(&mut self, stop: &Arc<AtomicBool>) -> Result<(), Sentence> {
        let (agent, agents) = self.part;
        let state = decoded::<SliceState>(&self.order.state).filter(SliceState::is_possible);
        let Some(state) = state else {
            return Err(invalid(sentence!(
                "invalid-state",
                "an invalid state of the workload"
            )));
        };
        self.prepared().set_state(state.for_agent(agent, agents))?;
        let stage = self.prepared().agent_cleanup();
        let mut controls = Controls {
            stop: &Stop::both(stop),
            progress: &mut |_| {},
            generators: Generators::Here,
        };
        let cleaned = self.live.stage(self.work, stage, &mut controls);
        cleaned.map_err(|error| error.sentence())?;
        Ok(())
    }

    /// The workers of this agent, and its part of the load.
    fn workers(&mut self, gate: &Arc<StartGate>) -> (Vec<Box<dyn engine::Workload>>, Part) {
        let (agent, agents) = self.part;
        let mut workers = self.prepared().slice();
        at_most(&mut workers, self.work.load.connections);
        let has_share = |worker: &dyn engine::Workload| worker.own_connections().is_none();
        let sharing = workers.iter().filter(|worker| has_share(worker.as_ref()));
        let part = Part {
            process: agent,
            of: Some((sharing.count(), agents)),
            gate: Some(Arc::clone(gate)),
            log: None,
        };
        let numbered = workers.into_iter().enumerate();
        // A worker without a share of the load polls what this agent has deleted: every agent runs
        // its own.
        let own =
            numbered.filter(|(thread, worker)| !has_share(worker.as_ref()) || part.has(*thread));
        (own.map(|(_, worker)| worker).collect(), part)
    }

    fn load(&self) -> Result<Load, Sentence> {
        let mut load = self.work.load.clone();
        load.reopen = self.order.reopen;
        if let Some(search) = self.work.search() {
            load.pace = match self.order.rate {
                Some(rate) if rate.is_finite() && rate > 0.0 => search.pace_at(rate),
                Some(_) => {
                    return Err(invalid(sentence!(
                        "invalid-rate", "an invalid rate of a step"
                    )));
                }
                None => Pace::Closed,
            };
        }
        Ok(load)
    }
}

impl Machine {
    fn make_ready(
        &self,
        assignment: &Assignment,
        stop: &Arc<AtomicBool>,
    ) -> Result<Assigned, Sentence> {
        let plan = self.plan_of(assignment)?;
        let (plan, running) = self.bring_up(plan, assignment, stop)?;
        let live_targets = plan.targets.iter().zip(running);
        let live_targets = live_targets
            .map(|(target, running)| LiveTarget::on_agent(&plan, target, running, self.may_ask()));
        let live_targets = live_targets.collect::<Result<Vec<_>, _>>();
        let mut live_targets = live_targets.map_err(|error| error.sentence())?;
        let mut controls = Controls {
            stop: &Stop::both(stop),
            progress: &mut |_| {},
            generators: Generators::Here,
        };
        for live in &mut live_targets {
            for (at, work) in plan.workloads.iter().enumerate() {
                while let Some(stage) = live.prepared[at].agent_setup() {
                    let done = live.stage(work, Some(stage), &mut controls);
                    done.map_err(|error| error.sentence())?;
                }
            }
        }
        Ok(Assigned {
            plan,
            live_targets,
            part: (assignment.agent, assignment.agents),
        })
    }

    /// Reads the plan. Refuses a plan that this agent cannot or may not execute.
    fn plan_of(&self, assignment: &Assignment) -> Result<Plan, Sentence> {
        let is_known = (1..=MOST_AGENTS).contains(&assignment.agents)
            && assignment.agent < assignment.agents
            && (1..=MOST_THREADS * assignment.agents).contains(&assignment.threads);
        if !is_known {
            return Err(invalid(sentence!(
                "invalid-agents",
                "an invalid number of agents or threads"
            )));
        }
        let source = Path::new("the coordinator's plan");
        let (mut context, missing) = self.limits.context(assignment)?;
        let draft = Draft::from_toml(&assignment.plan, source);
        let plan = draft.and_then(|draft| draft.resolve(&mut context));
        let names: Vec<String> = missing.take().into_iter().collect();
        if !names.is_empty() {
            return Err(sentence!(
                "agent-lacks-variables",
                "the plan needs environment variables that this agent may not use or does not \
                 have; set them on its machine, and start the agent with --env {names}",
                names = names.join(",")
            ));
        }
        let mut plan = plan.map_err(|refusal| refusal.sentence())?;
        plan.threads = assignment.threads;
        check(&plan, assignment.agents).map_err(|error| error.sentence())?;
        if let Some(why) = self.limits.refusal(&plan, assignment) {
            return Err(why);
        }
        let descriptors = Descriptors::for_plan(&plan).map_err(|error| error.sentence())?;
        if let Some(descriptors) = descriptors {
            descriptors.raise().map_err(|error| error.sentence())?;
        }
        Ok(plan)
    }

    /// Where this agent may request temporary keys.
    fn may_ask(&self) -> MayAsk {
        let limits = self.limits.clone();
        Box::new(move |address| limits.check_address(address))
    }

    /// The targets of the plan, whose hosts this agent may send requests to.
    fn bring_up(
        &self,
        mut plan: Plan,
        assignment: &Assignment,
        stop: &Arc<AtomicBool>,
    ) -> Result<(Plan, Vec<Running>), Sentence> {
        let certificates = tempfile::tempdir().map_err(|error| Sentence::from(&error))?;
        for target in &mut plan.targets {
            let tls = &mut target.connect.tls;
            let taken = self
                .limits
                .take_certificates(tls, assignment, certificates.path());
            let taken = taken.and_then(|()| self.limits.take_token(&mut target.sessions));
            taken.map_err(|why| of_target(&target.name, why))?;
        }
        let mut all = Vec::new();
        for target in &plan.targets {
            if !matches!(target.reach, Reach::Endpoint { .. }) {
                return Err(sentence!(
                    "target-without-url",
                    "target \"{target}\" has no url",
                    target = target.name
                ));
            }
            if target.observe.is_some() {
                let why = sentence!("agents-observe-none", "agents observe no targets");
                return Err(of_target(&target.name, why));
            }
            let launch = LaunchContext {
                run_dir: &self.directory,
                plan_dir: &self.plan_directory,
                guard_exe: &self.executable,
                stop,
                waiting: &|_| {},
            };
            // Resolves the names of hosts and reads the certificates; sends no request.
            let running = bring_up(target, &launch).map_err(|error| error.sentence())?;
            for host in &crate::target::access::route(&running.route).hosts {
                for address in &host.addresses {
                    let allowed = self.limits.check_address(address);
                    allowed.map_err(|why| of_target(&target.name, why))?;
                }
            }
            all.push(running);
        }
        Ok((plan, all))
    }
}

impl LoadMachine for Machine {
    fn prepare(&mut self, assignment: &Assignment, stop: &Arc<AtomicBool>) -> Result<(), Sentence> {
        self.assigned = None;
        self.assigned = Some(self.make_ready(assignment, stop)?);
        Ok(())
    }

    fn examine(
        &mut self,
        assignment: &Assignment,
        request: &[u8],
        stop: &Arc<AtomicBool>,
    ) -> Result<Bytes, Sentence> {
        self.check_results(assignment, request, stop)
    }

    fn slice(
        &mut self,
        order: &SliceOrder,
        gate: Arc<StartGate>,
        stop: &Arc<AtomicBool>,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<SliceDone, Sentence> {
        check_times(order)?;
        let directory = self.directory.clone();
        let Some(assigned) = &mut self.assigned else {
            return Err(sentence!("agent-without-plan", "the agent has no plan"));
        };
        let mut live_targets = assigned.live_targets.iter();
        let is_alone = live_targets.all(|live| live.running.is_here() == Some(false));
        let mut slice = assigned.slice(order)?;
        slice.set_state(stop)?;
        let (workers, part) = slice.workers(&gate);
        let how = Drive {
            destination: slice.live.destination(slice.work),
            load: slice.load()?,
            seed: order.seed,
            lead: Duration::from_nanos(order.lead),
            window: Some(Duration::from_nanos(order.window)),
            rest: order.rest.map(Duration::from_nanos),
            stages: order.stages,
            part,
        };
        let mut cpu = CpuWatch::new(&directory, is_alone);
        let done = drive(&how, workers, stop, &mut |event| {
            cpu.on_event(&event);
            listen(event);
        });
        let done = done.map_err(|error| error.sentence())?;
        let prepared = slice.prepared();
        prepared.slice_done(done.workers);
        let report = prepared.report();
        Ok(SliceDone {
            seconds: done.seconds,
            late: gate.late(order.lead),
            cut_short: done.cut_short,
            unmeasured: done.unmeasured,
            tcp: done.tcp,
            stages: done.stages,
            spread: done.spread,
            requests: done.requests,
            report: encoded(&report),
            cpu: cpu.used(),
        })
    }

    fn end(&mut self) {
        self.assigned = None;
    }
}

/// Refuses times that no slice has.
fn check_times(order: &SliceOrder) -> Result<(), Sentence> {
    let is_possible = order.lead <= LONGEST_NANOS
        && (1..=LONGEST_NANOS).contains(&order.window)
        && order.rest.is_none_or(|rest| rest <= LONGEST_NANOS)
        && order
            .reopen
            .is_none_or(|count| (1..=MOST_REOPENS).contains(&count));
    if is_possible {
        Ok(())
    } else {
        Err(invalid(sentence!(
            "invalid-times", "invalid times of the slice"
        )))
    }
}

/// The error of a request that no coordinator of this build sends.
fn invalid(what: Sentence) -> Sentence {
    sentence!(
        "coordinator-sent-invalid",
        "the coordinator sent {what}; use the same build of Tenbin on all machines",
        what
    )
}

/// Why this agent may not send requests to a target, with the name of the target.
fn of_target(target: &str, reason: Sentence) -> Sentence {
    sentence!(
        "of-target-reason",
        "target \"{target}\": {reason}",
        target,
        reason
    )
}

#[cfg(test)]
mod tests;
