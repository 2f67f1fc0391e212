//! The messages between the coordinator and the agents.
//!
//! Times are nanoseconds on the clock of the agent that sends or receives the message: since the
//! agent's start, by its monotonic clock. No message contains the time of day, except inside the
//! state of a workload.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tenbin_engine::{Sample, Spread, StageSums, TcpFigures};

use crate::parts::MessagePart;

/// A request for agents to introduce themselves.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// Identifies the coordinator's run.
    pub(crate) run: String,
}

/// The coordinator lives. Agents that receive no lease for [`crate::LEASE_TIME`] stop sending.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// Identifies the coordinator's run.
    pub(crate) run: String,
}

/// An order for one agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Order {
    /// Identifies the coordinator's run: orders of another run are refused.
    pub(crate) run: String,
    /// The agent refuses the order after this time.
    pub(crate) expires: u64,
    pub(crate) what: What,
}

/// What an agent must do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum What {
    /// Tell the time.
    Probe {
        /// Time on the coordinator's clock, which the response repeats.
        sent: u64,
    },
    /// Prepare for a plan.
    Prepare(Assignment),
    /// Get ready for a slice, and wait for [`What::Start`].
    Slice(SliceOrder),
    /// Start the slice that is ready.
    Start { slice: u64, at: u64 },
    /// Close the window: another agent has sent its share of the segment.
    Close { slice: u64 },
    /// End the slice.
    Stop { slice: u64 },
    /// The run has ended.
    End,
    /// A part of a larger order.
    Part(MessagePart),
}

/// A plan, and the part of it that an agent executes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Assignment {
    /// The plan as TOML, without secrets. Every target has a URL.
    pub plan: String,
    /// Working directory of the coordinator, where relative paths of the plan start.
    pub directory: String,
    /// The files that the plan names, except files with secrets.
    pub files: Vec<(String, Bytes)>,
    /// Environment variables that the plan names, for credentials that the coordinator has
    /// generated for servers that it started.
    pub variables: Vec<(String, String)>,
    /// Number of this agent, from 0.
    pub agent: usize,
    /// Number of agents.
    pub agents: usize,
    /// Load generator threads of each agent.
    pub threads: usize,
}

/// A slice: one workload on one target.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SliceOrder {
    /// Number of the slice, warm-ups included; increases.
    pub slice: u64,
    /// Index of the target in the plan.
    pub target: usize,
    /// Index of the workload in the plan.
    pub workload: usize,
    /// Rate of a probe of a maximum-rate search, requests per second over all agents; `None` for
    /// the plan's load, and for the closed loop before a search.
    pub rate: Option<f64>,
    /// How often each connection is opened ([`tenbin_engine::Drive::load`]).
    pub reopen: Option<u32>,
    /// Seed of random arrivals and think times.
    pub seed: u64,
    /// Settling time, nanoseconds.
    pub lead: u64,
    /// Length of the measured window, nanoseconds.
    pub window: u64,
    /// Longest time after the window for the requests that are left, nanoseconds
    /// ([`tenbin_engine::Drive::rest`]).
    pub rest: Option<u64>,
    /// Whether to read server stage times from response headers.
    pub stages: bool,
    /// What the agent must know of the workload, in a form that the caller of the coordinator
    /// chose.
    pub state: Bytes,
}

/// The end of an agent's part of a slice.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SliceDone {
    /// Actual length of the measured window, seconds.
    pub seconds: f64,
    /// Whether the slice was stopped.
    pub cut_short: bool,
    /// Operations issued unmeasured after the window.
    pub unmeasured: u64,
    /// Kernel statistics of the TCP connections.
    pub tcp: Option<TcpFigures>,
    /// Server stage times.
    pub stages: Option<StageSums>,
    /// How evenly the server served this agent's connections.
    pub spread: Option<Spread>,
    /// What the agent learned of the workload, in a form that the caller of the coordinator chose.
    pub report: Bytes,
}

/// An event of an agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Event {
    /// Identifies the coordinator's run that the event is for.
    pub(crate) run: String,
    pub(crate) what: Happened,
}

/// What happened at an agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Happened {
    /// The response to [`Hello`].
    Here(Introduction),
    /// The response to [`What::Probe`].
    Time {
        sent: u64,
        received: u64,
        replied: u64,
    },
    /// The plan is prepared.
    Prepared,
    /// Every connection of the slice is open, or has failed to open.
    Ready { slice: u64 },
    /// The start of the slice is known.
    Started {
        slice: u64,
        /// How much later than ordered the agent starts, nanoseconds.
        late: u64,
    },
    /// A sample of one thread.
    Sample {
        slice: u64,
        /// Number of the sample in the slice, from 0.
        sequence: u64,
        sample: Box<Sample>,
    },
    /// The measured window has closed.
    Closed { slice: u64 },
    /// The slice has ended.
    Done {
        slice: u64,
        /// Number of samples sent.
        samples: u64,
        done: SliceDone,
    },
    /// The agent cannot or may not do what was ordered; one sentence.
    Refused { why: String },
    /// The agent lives; sent every second during a run.
    Alive,
    /// A part of a larger event.
    Part(MessagePart),
}

/// An agent, as it introduces itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Introduction {
    /// Name of the agent: unique, a part of NATS subjects.
    pub name: String,
    /// Random number of this process: tells two agents of the same name apart.
    pub instance: u64,
    /// Version of Tenbin.
    pub version: String,
    /// Name of the machine.
    pub hostname: Option<String>,
    /// Logical cores.
    pub cores: usize,
    /// CPU model.
    pub cpu: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Addresses that the agent may send requests to.
    pub allow: Vec<String>,
    /// Time on the agent's clock.
    pub now: u64,
    /// Whether the agent works for another run.
    pub is_busy: bool,
}
