//! The messages between the coordinator and the agents.
//!
//! Times are nanoseconds on the clock of the agent that sends or receives the message: since the
//! agent's start, by its monotonic clock. No message contains the time of day, except inside the
//! state of a workload.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tenbin_engine::{RequestList, Sample, Spread, StageSums, TcpFigures};
use tenbin_plan::Sentence;

use crate::parts::MessagePart;

/// Number of the form of the messages. Increases with every change of a message, so that two builds
/// of the same version with other messages refuse each other.
pub(crate) const FORMAT: u32 = 9;

/// A request for agents to introduce themselves. Like [`Presence`], this message has names of
/// fields, so that other builds can read it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// Identifies the coordinator's run.
    pub(crate) run: String,
    /// [`FORMAT`] of the coordinator.
    #[serde(default)]
    pub(crate) format: u32,
}

/// The response to [`Hello`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Presence {
    /// Identifies the coordinator's run.
    pub(crate) run: String,
    pub(crate) introduction: Introduction,
}

/// The part of a [`Presence`] that every build can read.
#[derive(Debug, Deserialize)]
struct ForeignPresence {
    run: String,
    introduction: ForeignIntroduction,
}

#[derive(Debug, Deserialize)]
struct ForeignIntroduction {
    name: String,
    #[serde(default)]
    format: u32,
    #[serde(default)]
    version: String,
}

impl Presence {
    /// Reads a presence. Of an agent with another [`FORMAT`], only name, version and format are
    /// known. `None` if the message is something else.
    pub(crate) fn read(payload: &[u8]) -> Option<Self> {
        let foreign: ForeignPresence = rmp_serde::from_slice(payload).ok()?;
        let ForeignIntroduction {
            name,
            format,
            version,
        } = foreign.introduction;
        if format == FORMAT {
            return rmp_serde::from_slice(payload).ok();
        }
        Some(Self {
            run: foreign.run,
            introduction: Introduction {
                name,
                format,
                version,
                ..Introduction::default()
            },
        })
    }
}

/// The coordinator lives. Agents that receive no lease for [`crate::LEASE_TIME`] stop sending.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// Identifies the coordinator's run.
    pub(crate) run: String,
    /// The agents that were lost, by name, with the number of the last order before the loss. An agent
    /// that was reserved before this order and still works for the run must stop: its [`What::End`] may
    /// not have arrived.
    pub(crate) lost: BTreeMap<String, u64>,
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
    /// Work for this run, and for no other.
    Reserve {
        /// Number of the last order, or of a later one that nobody gets.
        number: u64,
    },
    /// Prepare for a plan.
    Prepare {
        /// Number of the order, as [`SliceOrder::slice`].
        number: u64,
        assignment: Assignment,
    },
    /// Check the machine and the targets.
    Examine {
        /// Number of the order, as [`SliceOrder::slice`].
        number: u64,
        /// The plan whose targets are checked; no plan checks only the machine.
        assignment: Assignment,
        /// What to check, in a form that the caller of the coordinator chose.
        request: Bytes,
    },
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
    Part {
        /// Number of the order.
        number: u64,
        part: MessagePart,
    },
}

impl What {
    /// Number of an order that has one.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Self::Prepare { number, .. } | Self::Examine { number, .. } => Some(*number),
            Self::Slice(order) => Some(order.slice),
            Self::Start { slice, .. } | Self::Close { slice } | Self::Stop { slice } => {
                Some(*slice)
            }
            Self::Part { number, .. } | Self::Reserve { number } => Some(*number),
            Self::Probe { .. } | Self::End => None,
        }
    }
}

/// A plan, and the part of it that an agent executes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
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
    /// Load generator threads of all agents together. The number stays the same when agents are
    /// lost, so that the same threads send the same requests.
    pub threads: usize,
}

/// A slice: one workload on one target.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SliceOrder {
    /// Number of the order, warm-ups and plans included; increases.
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
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SliceDone {
    /// Actual length of the measured window, seconds.
    pub seconds: f64,
    /// How much later than ordered the agent measured, nanoseconds
    /// ([`tenbin_engine::StartGate::late`]).
    pub late: u64,
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
    /// The slowest and the failed requests of this agent.
    pub requests: RequestList,
    /// What the agent learned of the workload, in a form that the caller of the coordinator chose.
    pub report: Bytes,
    /// CPU use of the agent's machine in the measured window; `None` if unknown.
    pub cpu: Option<CpuOfMachine>,
}

/// CPU use of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CpuOfMachine {
    /// Share of the CPU time of all cores that was not idle, 0 to 1.
    pub busy: f64,
    /// Cores that programs other than the agent used; `None` if a target may run on the machine.
    pub others: Option<f64>,
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
    /// The response to [`Hello`], which is a [`Presence`] on the network.
    #[serde(skip)]
    Here(Introduction),
    /// The agent works for this run now.
    Reserved,
    /// The agent works for another run.
    Busy,
    /// The response to [`What::Probe`].
    Time {
        sent: u64,
        received: u64,
        replied: u64,
    },
    /// The plan of this order is prepared.
    Prepared { number: u64 },
    /// The checks of this order are done.
    Examined {
        number: u64,
        /// Their results, in a form that the caller of the coordinator chose.
        results: Bytes,
    },
    /// Every connection of the slice is open, or has failed to open.
    Ready { slice: u64 },
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
    /// The order arrived too late or not completely; one sentence.
    Missed {
        /// Number of the order, if it has one.
        number: Option<u64>,
        why: Sentence,
    },
    /// The agent cannot or may not do what was ordered; one sentence.
    Refused {
        /// Number of the order, if it has one.
        number: Option<u64>,
        why: Sentence,
    },
    /// The agent does not work for the run, or no longer; one sentence.
    Gone { why: Sentence },
    /// The agent lives; sent every second during a run.
    Alive,
    /// A part of a larger event.
    Part(MessagePart),
}

/// An agent, as it introduces itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Introduction {
    /// Name of the agent: unique, a part of NATS subjects.
    pub name: String,
    /// Number of the form of the agent's messages; set when the agent introduces itself.
    pub format: u32,
    /// Random number of this process: tells two agents of the same name apart.
    pub instance: u64,
    /// Version of Tenbin.
    pub version: String,
    /// Its process; `None` from a machine without `/proc`.
    #[serde(default)]
    pub process: Option<AgentProcess>,
    /// Name of the machine.
    pub hostname: Option<String>,
    /// Logical cores.
    pub cores: usize,
    /// CPU model.
    pub cpu: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Addresses of the machine, without those that only the machine itself can reach.
    pub addresses: Vec<String>,
    /// Requests per second that the machine could send if responses took no time, measured when
    /// the agent started; 0 if not measured.
    pub ceiling: u64,
    /// Networks that the agent may send requests to.
    pub allow: Vec<String>,
    /// Time on the agent's clock.
    pub now: u64,
    /// Whether the agent works for another run.
    pub is_busy: bool,
}

/// The process of an agent, by which a coordinator on the same machine recognises it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentProcess {
    /// Number that the kernel of the machine draws at each boot.
    pub boot: String,
    /// Process id, as the agent sees it.
    pub pid: i32,
    /// Start of the process, clock ticks since boot. In a container, the id is that of another process
    /// outside.
    pub start: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presence(format: u32) -> Presence {
        Presence {
            run: "r".to_owned(),
            introduction: Introduction {
                name: "load1".to_owned(),
                format,
                version: "0.1.0".to_owned(),
                cores: 4,
                ..Introduction::default()
            },
        }
    }

    #[test]
    fn an_agent_of_another_format_is_known_by_name_and_version() {
        #[derive(Serialize)]
        struct OtherPresence {
            run: &'static str,
            more: u8,
            introduction: OtherIntroduction,
        }
        #[derive(Serialize)]
        struct OtherIntroduction {
            version: &'static str,
            cores: &'static str,
            name: &'static str,
            format: u32,
        }
        let other = OtherPresence {
            run: "r",
            more: 1,
            introduction: OtherIntroduction {
                version: "0.1.0",
                cores: "many",
                name: "load1",
                format: FORMAT + 1,
            },
        };
        let read = Presence::read(&rmp_serde::to_vec_named(&other).unwrap()).unwrap();
        let known = Introduction {
            cores: 0,
            ..presence(FORMAT + 1).introduction
        };
        assert_eq!((read.run.as_str(), read.introduction), ("r", known));
    }

    #[test]
    fn an_agent_of_this_format_is_read_completely() {
        let own = presence(FORMAT);
        let read = Presence::read(&rmp_serde::to_vec_named(&own).unwrap()).unwrap();
        assert_eq!(read.introduction, own.introduction);
        let event = Event {
            run: "r".to_owned(),
            what: Happened::Alive,
        };
        assert!(Presence::read(&rmp_serde::to_vec(&event).unwrap()).is_none());
    }
}
