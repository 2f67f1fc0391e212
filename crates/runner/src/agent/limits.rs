//! The limits of an agent.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Cursor};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ipnet::IpNet;
use tenbin_cluster::Assignment;
use tenbin_engine::Address;
use tenbin_plan::{Context, KeySource, Pace, Plan, Sentence, Sessions, Tls, sentence};

use crate::generators::assignment::GENERATED;

/// Names of the environment variables that a plan needs and does not get.
pub(super) type MissingVariables = Rc<RefCell<BTreeSet<String>>>;

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
    /// Names of environment variables that plans may use.
    pub variables: BTreeSet<String>,
    /// Files and directories whose files plans may use as secrets.
    pub files: Vec<PathBuf>,
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
            variables: BTreeSet::new(),
            files: Vec::new(),
        }
    }

    /// The context in which this agent resolves a plan: the files that the coordinator sent, and
    /// what [`AgentLimits::variables`] and [`AgentLimits::files`] name. A coordinator must not learn
    /// what other files and variables of this machine contain.
    pub(super) fn context(
        &self,
        assignment: &Assignment,
    ) -> Result<(Context, MissingVariables), Sentence> {
        let mut context = Context::of_this_process().map_err(|error| Sentence::from(&error))?;
        context.directory = PathBuf::from(&assignment.directory);
        let generated = assignment.variables.clone();
        let allowed = self.variables.clone();
        let missing = MissingVariables::default();
        let asked = Rc::clone(&missing);
        context.environment = Box::new(move |name| {
            let mut known = generated.iter();
            if name.starts_with(GENERATED) {
                let known = known.find(|(known, _)| known == name);
                return known.map(|(_, value)| value.clone());
            }
            let value = std::env::var(name).ok().filter(|_| allowed.contains(name));
            if value.is_none() {
                asked.borrow_mut().insert(name.to_owned());
            }
            value
        });
        let sent = assignment.files.clone();
        let files = self.files.clone();
        let open = context.open;
        context.open = Box::new(move |path| {
            if let Some((_, bytes)) = sent.iter().find(|(name, _)| Path::new(name) == path) {
                return Ok(Box::new(Cursor::new(bytes.clone())));
            }
            match allowed_file(path, &files) {
                Some(real) => open(&real),
                None => Err(io::Error::other(not_allowed())),
            }
        });
        Ok((context, missing))
    }

    /// Checks that the agent may use the certificates of a target's TLS connections. Certificate
    /// authorities that the coordinator sent are written to `directory`.
    pub(super) fn take_certificates(
        &self,
        tls: &mut Tls,
        assignment: &Assignment,
        directory: &Path,
    ) -> Result<(), Sentence> {
        if let Some(ca) = &mut tls.ca {
            let mut sent = assignment.files.iter();
            if let Some((name, bytes)) = sent.find(|(name, _)| Path::new(name) == ca) {
                let number = sent.len();
                let own = directory.join(format!("authority-{number}.pem"));
                std::fs::write(&own, bytes).map_err(|error| {
                    sentence!(
                        "agent-cannot-copy",
                        "writing a copy of {name}: {error}",
                        name,
                        error
                    )
                })?;
                *ca = own;
            } else {
                *ca = self.own_file(ca)?;
            }
        }
        if let Some(client) = &mut tls.client {
            client.cert = self.own_file(&client.cert)?;
            client.key = self.own_file(&client.key)?;
        }
        Ok(())
    }

    /// Checks that the agent may read the file of a web identity, which is read again for every
    /// renewal: a coordinator must not name another file of this machine.
    pub(super) fn take_token(&self, sessions: &mut Sessions) -> Result<(), Sentence> {
        if let Some(identity) = &mut sessions.web_identity
            && let KeySource::File(path) = &mut identity.source
        {
            *path = self.own_file(path)?;
        }
        Ok(())
    }

    fn own_file(&self, path: &Path) -> Result<PathBuf, Sentence> {
        let own = allowed_file(path, &self.files);
        own.ok_or_else(|| {
            sentence!(
                "of-file",
                "{path}: {why}",
                path = path.display(),
                why = not_allowed()
            )
        })
    }

    /// Why these limits forbid the agent's part of `plan`, in one sentence.
    pub(super) fn refusal(&self, plan: &Plan, part: &Assignment) -> Option<Sentence> {
        plan.workloads.iter().find_map(|work| {
            let (name, load) = (&work.name, &work.load);
            let total = part.threads.min(load.connections);
            let own = (part.agent..total).step_by(part.agents);
            let of_thread = |thread| {
                load.connections / total + usize::from(thread < load.connections % total)
            };
            let observing = observing_share(work.facts().observing_connections(), part);
            let connections = own.clone().map(of_thread).sum::<usize>() + observing;
            if let Some(most) = self.connections.filter(|most| connections > *most) {
                return Some(sentence!(
                    "agent-few-connections",
                    "workload \"{name}\" needs {connections} connections of this agent, which may \
                     open {most} (--max-connections)",
                    name,
                    connections,
                    most
                ));
            }
            let most = self.rate?;
            if observing > 0 {
                return Some(sentence!(
                    "agent-polls-without-rate",
                    "workload \"{name}\" polls without a fixed rate, and this agent may send {most} \
                     requests per second (--max-rate)",
                    name,
                    most
                ));
            }
            // The threads share arrivals equally.
            let share = own.count() as f64 / total as f64;
            match peak_rate(&load.pace).map(|rate| rate * share) {
                Some(rate) if rate <= most => None,
                Some(rate) => Some(sentence!(
                    "agent-low-rate",
                    "workload \"{name}\" needs {rate} requests per second of this agent, which may \
                     send {most} (--max-rate)",
                    name,
                    rate,
                    most
                )),
                None => Some(sentence!(
                    "agent-needs-rate",
                    "workload \"{name}\" has no fixed rate, and this agent may send {most} requests \
                     per second (--max-rate); use --rate",
                    name,
                    most
                )),
            }
        })
    }

    pub(super) fn check_address(&self, address: &Address) -> Result<(), Sentence> {
        match address {
            Address::Tcp(address) if self.allow.iter().any(|net| net.contains(&address.ip())) => {
                Ok(())
            }
            Address::Tcp(address) => Err(sentence!(
                "agent-may-not-send",
                "this agent may not send requests to {ip}; if it should, start the agent with \
                 --allow {ip}",
                ip = address.ip()
            )),
            Address::Unix(path) => Err(sentence!(
                "agent-no-sockets",
                "agents do not send requests to sockets in the file system ({path})",
                path = path.display()
            )),
        }
    }
}

/// Why a file is not read.
fn not_allowed() -> Sentence {
    sentence!(
        "agent-may-not-read",
        "the agent may not read it; if it should, start the agent with --file"
    )
}

/// The agent's share of connections that observe the load: at least one, if there are any.
fn observing_share(connections: usize, part: &Assignment) -> usize {
    match connections {
        0 => 0,
        some => {
            let more = usize::from(part.agent < some % part.agents);
            (some / part.agents + more).max(1)
        }
    }
}

/// The file `path` without links, if it is one of `allowed` or below one of them.
fn allowed_file(path: &Path, allowed: &[PathBuf]) -> Option<PathBuf> {
    let real = path.canonicalize().ok()?;
    let is_in = |allowed: &PathBuf| {
        let allowed = allowed.canonicalize();
        allowed.is_ok_and(|allowed| real.starts_with(allowed))
    };
    allowed.iter().any(is_in).then_some(real)
}

/// The highest rate of an open loop, requests per second; `None` without a known limit.
fn peak_rate(pace: &Pace) -> Option<f64> {
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
