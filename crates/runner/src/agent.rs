//! An agent: executes its part of every slice that a coordinator orders.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ipnet::IpNet;
use tenbin_cluster::{
    Assignment, ClusterError, Introduction, LoadMachine, News, Server, SliceDone, SliceOrder,
};
use tenbin_engine::{Address, Destination, Drive, Part, SliceEvent, StartGate, drive};
use tenbin_plan::{Context, Draft, Pace, Plan, Reach};
use tenbin_record::Environment;
use tenbin_targets::{LaunchContext, bring_up};

use crate::context::RunContext;
use crate::controls::Controls;
use crate::descriptors::Descriptors;
use crate::generators::Generators;
use crate::live_target::{LiveTarget, at_most};
use crate::stop::Stop;

/// What an agent may do, whatever a coordinator orders.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentLimits {
    /// The networks that requests may be sent to.
    pub allow: Vec<IpNet>,
    /// Most connections of this agent.
    pub connections: Option<usize>,
    /// Highest rate of this agent in an open loop, requests per second. A closed loop is then
    /// refused, because its rate has no limit.
    pub rate: Option<f64>,
}

impl AgentLimits {
    /// Only servers on this machine, without other limits.
    pub fn loopback() -> Self {
        Self {
            allow: vec![
                IpNet::new_assert(IpAddr::from([127, 0, 0, 0]), 8),
                IpNet::new_assert(IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]), 128),
            ],
            connections: None,
            rate: None,
        }
    }

    /// Why these limits forbid the agent's part of `plan`, in one sentence.
    fn refusal(&self, plan: &Plan, agents: usize) -> Option<String> {
        plan.workloads.iter().find_map(|work| {
            let (name, load) = (&work.name, &work.load);
            let connections = load.connections.div_ceil(agents);
            if let Some(most) = self.connections.filter(|most| connections > *most) {
                return Some(format!(
                    "workload \"{name}\" needs {connections} connections of this agent, which may \
                     open {most} (--max-connections)"
                ));
            }
            let most = self.rate?;
            let rate = highest_rate(&load.pace).map(|rate| rate / agents as f64);
            match rate {
                Some(rate) if rate <= most => None,
                Some(rate) => Some(format!(
                    "workload \"{name}\" needs {rate} requests per second of this agent, which may \
                     send {most} (--max-rate)"
                )),
                None => Some(format!(
                    "workload \"{name}\" has no fixed rate, and this agent may send {most} requests \
                     per second (--max-rate); use --rate"
                )),
            }
        })
    }

    fn check_address(&self, address: &Address) -> Result<(), String> {
        match address {
            Address::Tcp(address) if self.allow.iter().any(|net| net.contains(&address.ip())) => {
                Ok(())
            }
            Address::Tcp(address) => Err(format!(
                "this agent may not send requests to {}; if it should, start the agent with \
                 --allow {}",
                address.ip(),
                address.ip()
            )),
            Address::Unix(path) => Err(format!(
                "agents do not send requests to sockets in the file system ({})",
                path.display()
            )),
        }
    }
}

/// The highest rate of an open loop, requests per second; `None` without a known limit.
fn highest_rate(pace: &Pace) -> Option<f64> {
    match pace {
        Pace::Constant { per_second } | Pace::Poisson { per_second } => Some(*per_second),
        Pace::Ramp { from, to, .. } => Some(from.max(*to)),
        Pace::Steps { steps, .. } => {
            let rates = steps.iter().map(|(per_second, _)| *per_second);
            rates.max_by(f64::total_cmp)
        }
        Pace::Closed | Pace::Search(_) | Pace::Trace(_) => None,
    }
}

/// How an agent called `name` introduces itself to coordinators.
pub fn introduce(name: &str, limits: &AgentLimits) -> Introduction {
    let machine = Environment::collect();
    Introduction {
        name: name.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        hostname: machine.hostname,
        cores: machine.cores.unwrap_or(1) as usize,
        cpu: machine.cpu_model,
        kernel: machine.kernel,
        allow: limits.allow.iter().map(ToString::to_string).collect(),
        now: 0,
        is_busy: false,
    }
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

impl Machine {
    fn make_ready(&self, assignment: &Assignment, stop: &AtomicBool) -> Result<Assigned, String> {
        let source = Path::new("the coordinator's plan");
        let mut context = Context::of_this_process().map_err(|error| error.to_string())?;
        let draft = Draft::from_toml(&assignment.plan, source);
        let plan = draft.and_then(|draft| draft.resolve(&mut context));
        let mut plan = plan.map_err(|refusal| refusal.to_string())?;
        plan.threads = assignment.threads * assignment.agents;
        if let Some(why) = self.limits.refusal(&plan, assignment.agents) {
            return Err(why);
        }
        let descriptors = Descriptors::for_plan(&plan).map_err(|error| error.to_string())?;
        if let Some(descriptors) = descriptors {
            descriptors.raise().map_err(|error| error.to_string())?;
        }
        let stopping = Stop::new();
        let mut controls = Controls {
            stop: &stopping,
            progress: &mut |_| {},
            generators: Generators::Here,
        };
        let mut live_targets = Vec::new();
        for target in &plan.targets {
            if !matches!(target.reach, Reach::Endpoint { .. }) {
                return Err(format!("target \"{}\" has no url", target.name));
            }
            let launch = LaunchContext {
                run_dir: &self.directory,
                plan_dir: &self.plan_directory,
                guard_exe: &self.executable,
                stop,
                waiting: &|_| {},
            };
            // Resolves the names of hosts; sends no request.
            let running = bring_up(target, &launch).map_err(|error| error.to_string())?;
            for host in &crate::reach::route(&running.route).hosts {
                for address in &host.addresses {
                    let allowed = self.limits.check_address(address);
                    allowed.map_err(|why| format!("target \"{}\": {why}", target.name))?;
                }
            }
            let live = LiveTarget::of(&plan, target, running, &self.directory, None);
            live_targets.push(live.map_err(|error| error.to_string())?);
        }
        for live in &mut live_targets {
            let ready = live.check(&plan, &mut controls);
            let ready = ready.and_then(|()| live.make_ready(&plan, &mut controls));
            ready.map_err(|error| error.to_string())?;
        }
        Ok(Assigned {
            plan,
            live_targets,
            part: (assignment.agent, assignment.agents),
        })
    }
}

impl LoadMachine for Machine {
    fn prepare(&mut self, assignment: &Assignment, stop: &AtomicBool) -> Result<(), String> {
        self.assigned = None;
        self.assigned = Some(self.make_ready(assignment, stop)?);
        Ok(())
    }

    fn slice(
        &mut self,
        order: &SliceOrder,
        gate: Arc<StartGate>,
        stop: &AtomicBool,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<SliceDone, String> {
        let Some(assigned) = &mut self.assigned else {
            return Err("the agent has no plan".to_owned());
        };
        let work = assigned.plan.workloads.get(order.workload);
        let live = assigned.live_targets.get_mut(order.target);
        let (Some(work), Some(live)) = (work, live) else {
            return Err("the plan has no such slice".to_owned());
        };
        let mut workers = live.prepared[order.workload].slice();
        at_most(&mut workers, work.load.connections);
        let (agent, agents) = assigned.part;
        let part = Part {
            process: agent,
            of: Some((workers.len(), agents)),
            gate: Some(gate),
        };
        let numbered = workers.into_iter().enumerate();
        let own = numbered.filter(|(thread, _)| part.has(*thread));
        let workers = own.map(|(_, worker)| worker).collect();
        let mut load = work.load.clone();
        load.reopen = order.reopen;
        if let Some(search) = work.search() {
            load.pace = match order.rate {
                Some(rate) if rate.is_finite() && rate > 0.0 => search.pace_at(rate),
                Some(_) => return Err("the rate of a probe is not a rate".to_owned()),
                None => Pace::Closed,
            };
        }
        let how = Drive {
            destination: live.destination(work),
            load,
            seed: order.seed,
            lead: Duration::from_nanos(order.lead),
            window: Some(Duration::from_nanos(order.window)),
            rest: None,
            stages: order.stages,
            part,
        };
        if matches!(how.destination, Destination::Files { .. }) {
            return Err("agents do not write files".to_owned());
        }
        let done = drive(&how, workers, stop, listen).map_err(|error| error.to_string())?;
        let prepared = live.prepared[order.workload].as_mut();
        prepared.slice_done(done.workers);
        drop(prepared.take_samples());
        drop(prepared.response_comparison());
        Ok(SliceDone {
            seconds: done.seconds,
            cut_short: done.cut_short,
            unmeasured: done.unmeasured,
            tcp: done.tcp,
            stages: done.stages,
            spread: done.spread,
        })
    }

    fn end(&mut self) {
        self.assigned = None;
    }
}
