//! An agent: executes its part of every slice that a coordinator orders.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
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
use crate::generators::{Generators, check};
use crate::live_target::{LiveTarget, at_most};
use crate::stop::Stop;

/// Most agents of a run.
const MOST_AGENTS: usize = 1_000;
/// Most load generator threads of an agent.
const MOST_THREADS: usize = 1_024;
/// Longest settling time and longest window of a slice, nanoseconds: 30 days.
const LONGEST_NANOS: u64 = 30 * 24 * 3_600 * 1_000_000_000;
/// How often a connection can be opened in a slice.
const MOST_REOPENS: u32 = 1_000;

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
    fn refusal(&self, plan: &Plan, part: &Assignment) -> Option<String> {
        plan.workloads.iter().find_map(|work| {
            let (name, load) = (&work.name, &work.load);
            let total = (part.threads * part.agents).min(load.connections);
            let own = (part.agent..total).step_by(part.agents);
            let of_thread = |thread| {
                load.connections / total + usize::from(thread < load.connections % total)
            };
            let connections: usize = own.clone().map(of_thread).sum();
            if let Some(most) = self.connections.filter(|most| connections > *most) {
                return Some(format!(
                    "workload \"{name}\" needs {connections} connections of this agent, which may \
                     open {most} (--max-connections)"
                ));
            }
            let most = self.rate?;
            // The threads share arrivals equally.
            let share = own.count() as f64 / total as f64;
            match highest_rate(&load.pace).map(|rate| rate * share) {
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
        format: 0,
        instance: RandomState::new().hash_one(std::process::id()),
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
    fn make_ready(
        &self,
        assignment: &Assignment,
        stop: &Arc<AtomicBool>,
    ) -> Result<Assigned, String> {
        let is_known = (1..=MOST_AGENTS).contains(&assignment.agents)
            && assignment.agent < assignment.agents
            && (1..=MOST_THREADS).contains(&assignment.threads);
        if !is_known {
            return Err(
                "the coordinator's numbers of agents and threads are not possible".to_owned(),
            );
        }
        let source = Path::new("the coordinator's plan");
        let mut context = Context::of_this_process().map_err(|error| error.to_string())?;
        // A coordinator must not learn what this machine's files and variables contain.
        context.environment = Box::new(|_| None);
        context.open = Box::new(|_| Err(io::Error::other("agents read no files")));
        let draft = Draft::from_toml(&assignment.plan, source);
        let plan = draft.and_then(|draft| draft.resolve(&mut context));
        let mut plan = plan.map_err(|refusal| refusal.to_string())?;
        plan.threads = assignment.threads * assignment.agents;
        check(&plan, assignment.agents).map_err(|error| error.to_string())?;
        if let Some(why) = self.limits.refusal(&plan, assignment) {
            return Err(why);
        }
        let descriptors = Descriptors::for_plan(&plan).map_err(|error| error.to_string())?;
        if let Some(descriptors) = descriptors {
            descriptors.raise().map_err(|error| error.to_string())?;
        }
        let stopping = Stop::both(stop);
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
            let tls = &target.connect.tls;
            if tls.ca.is_some() || tls.client.is_some() {
                return Err(format!(
                    "target \"{}\": agents read no files, so they know no certificates of a plan",
                    target.name
                ));
            }
            if target.observe.is_some() {
                return Err(format!(
                    "target \"{}\": agents observe no targets",
                    target.name
                ));
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
    fn prepare(&mut self, assignment: &Assignment, stop: &Arc<AtomicBool>) -> Result<(), String> {
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
        let is_possible = order.lead <= LONGEST_NANOS
            && (1..=LONGEST_NANOS).contains(&order.window)
            && order
                .reopen
                .is_none_or(|count| (1..=MOST_REOPENS).contains(&count));
        if !is_possible {
            return Err("the coordinator's times of the slice are not possible".to_owned());
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(limits: AgentLimits) -> Machine {
        let here = std::env::temp_dir();
        Machine {
            limits,
            directory: here.clone(),
            executable: PathBuf::from("tenbin"),
            plan_directory: here,
            assigned: None,
        }
    }

    /// A plan with these lines in its target, its workload and its load.
    fn plan(target: &str, workload: &str, load: &str) -> String {
        format!(
            "seed = 1\n[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:9/\"\n{target}\n\
             [[workload]]\nkind = \"http\"\n{workload}\n[workload.load]\nconnections = 4\n{load}\n"
        )
    }

    fn refusal(
        machine: &mut Machine,
        plan: String,
        (agent, agents, threads): (usize, usize, usize),
    ) -> String {
        let assignment = Assignment {
            plan,
            agent,
            agents,
            threads,
        };
        let stop = Arc::new(AtomicBool::new(false));
        machine.prepare(&assignment, &stop).expect_err("a refusal")
    }

    #[test]
    fn a_coordinator_cannot_read_files_and_variables_of_an_agent() {
        let file = std::env::temp_dir().join(format!("tenbin-agent-{}", std::process::id()));
        std::fs::write(&file, "a secret of this machine\n").expect("a file");
        let path = file.display();
        for (target, workload, load) in [
            (
                "",
                format!("body_file = \"{path}\"\nmethod = \"POST\""),
                String::new(),
            ),
            ("", format!("patterns = \"{path}\""), String::new()),
            (
                "",
                "headers = [\"X: {env:HOME}\"]".to_owned(),
                String::new(),
            ),
            ("", String::new(), format!("trace = \"{path}\"")),
        ] {
            let plan = plan(target, &workload, &load);
            let why = refusal(
                &mut machine(AgentLimits::loopback()),
                plan.clone(),
                (0, 2, 1),
            );
            assert!(!why.contains("a secret"), "{why}");
            let home = std::env::var("HOME").expect("HOME");
            assert!(!why.contains(&home), "{plan}: {why}");
        }
        let token =
            format!("observe = {{ tenbin = \"http://127.0.0.1:9/\", token_file = \"{path}\" }}");
        let why = refusal(
            &mut machine(AgentLimits::loopback()),
            plan(&token, "", ""),
            (0, 2, 1),
        );
        assert!(why.contains("agents read no files"), "{why}");
        let tls = "tls = { ca = \"/dev/zero\" }";
        let own = plan(tls, "", "").replace("http://", "https://");
        let why = refusal(&mut machine(AgentLimits::loopback()), own, (0, 2, 1));
        assert!(why.contains("agents read no files"), "{why}");
        let observe = "observe = { prometheus = \"http://192.0.2.1:9/\" }";
        let why = refusal(
            &mut machine(AgentLimits::loopback()),
            plan(observe, "", ""),
            (0, 2, 1),
        );
        assert!(why.contains("agents observe no targets"), "{why}");
        std::fs::remove_file(&file).expect("removed");
    }

    #[test]
    fn the_limits_count_what_the_agent_really_sends() {
        let limits = AgentLimits {
            connections: Some(1),
            rate: Some(10.0),
            ..AgentLimits::loopback()
        };
        // Only the first of the agents has a connection.
        let alone = plan("", "", "rate = 1000").replace("connections = 4", "connections = 1");
        let why = refusal(&mut machine(limits.clone()), alone, (0, 100, 1));
        assert!(why.contains("cannot be divided among 100 agents"), "{why}");
        let why = refusal(
            &mut machine(limits.clone()),
            plan("", "", "rate = 4"),
            (0, 2, 1),
        );
        assert!(why.contains("needs 2 connections of this agent"), "{why}");
        let why = refusal(&mut machine(limits), plan("", "", "rate = 100"), (3, 4, 1));
        assert!(
            why.contains("needs 25 requests per second of this agent"),
            "{why}"
        );
    }

    #[test]
    fn impossible_numbers_are_refused() {
        for numbers in [
            (0, 0, 1),
            (2, 2, 1),
            (0, 2, 0),
            (0, 2, usize::MAX),
            (0, usize::MAX, 2),
        ] {
            let why = refusal(
                &mut machine(AgentLimits::loopback()),
                plan("", "", ""),
                numbers,
            );
            assert!(why.contains("not possible"), "{numbers:?}: {why}");
        }
        let order = SliceOrder {
            slice: 1,
            target: 0,
            workload: 0,
            rate: None,
            reopen: None,
            seed: 1,
            lead: u64::MAX,
            window: 1,
            stages: false,
        };
        let mut machine = machine(AgentLimits::loopback());
        let gate = Arc::new(StartGate::default());
        let stop = AtomicBool::new(false);
        let why = machine.slice(&order, gate, &stop, &mut |_| {});
        assert!(why.is_err_and(|why| why.contains("not possible")));
    }

    #[test]
    fn other_addresses_and_other_protocols_are_refused() {
        let outside = plan("", "", "").replace("127.0.0.1", "192.0.2.1");
        let why = refusal(&mut machine(AgentLimits::loopback()), outside, (0, 2, 1));
        assert!(why.contains("may not send requests to 192.0.2.1"), "{why}");
        let s3 = plan(
            "signature = \"none\"",
            "operation = \"put\"\nsize = \"1KiB\"",
            "",
        );
        let s3 = s3.replace("kind = \"http\"", "kind = \"s3\"");
        let why = refusal(&mut machine(AgentLimits::loopback()), s3, (0, 2, 1));
        assert!(why.contains("a protocol other than http"), "{why}");
    }
}
