//! The causes of a limit, each with what it predicts.
//!
//! A cause is known by what changes with the load: a queue forms behind what is used up, so that
//! more connections bring no throughput (the utilisation law and Little's law: Denning and Buzen,
//! "The Operational Analysis of Queueing Network Models", 1978).

use Quantity::{
    Alone, AloneOpened, BackendShare, BytesEach, CoreDemand, CoreWaitShare, CpuShare, Doubled,
    GeneratorThread, Idle, InUse, Kept, LinkShare, Loopback, LossShare, NewConnectionShare,
    OthersShare, QueueShare, RefusedShare, RoundTripShare, Served, ServedShare, SetupShare,
    StealShare, StorageShare, StoredEach, StreamShare, SwappedPages, TargetCores, TargetShare,
    TargetThread, ThinkShare, ThreadShare, ThrottledShare, TransferShare,
};

use crate::limit::quantities::Quantity;

/// A possible limit.
pub(crate) struct LimitCause {
    /// Name in `result.json`, and of its messages: `limit-NAME` and `advice-NAME`.
    pub(crate) name: &'static str,
    pub(crate) predicts: &'static [Prediction],
}

impl LimitCause {
    /// Whether the certainty is that of a number, and several things can set it.
    pub(crate) fn is_open(&self) -> bool {
        self.name == WORKERS
    }
}

/// Name of the limit by workers, pooled connections or a lock.
const WORKERS: &str = "workers";

/// The range in which a quantity lies if the cause is the limit.
pub(crate) struct Prediction {
    pub(crate) of: Quantity,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Distance from the range at which the quantity contradicts the cause.
    pub(crate) soft: f64,
    pub(crate) weight: f64,
    pub(crate) rules_out: RulesOut,
    /// Whether a change of the load that fits establishes the cause.
    pub(crate) establishes: bool,
}

/// When a prediction rules its cause out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulesOut {
    /// Never: it only lowers the score.
    Never,
    /// If the quantity contradicts it.
    Contradicted,
    /// If the quantity contradicts it or is unknown.
    ContradictedOrUnknown,
}

impl Prediction {
    const fn at_least(of: Quantity, low: f64, soft: f64, weight: f64) -> Self {
        Self {
            of,
            low,
            high: f64::INFINITY,
            soft,
            weight,
            rules_out: RulesOut::Never,
            establishes: true,
        }
    }

    const fn at_most(of: Quantity, high: f64, soft: f64, weight: f64) -> Self {
        Self {
            of,
            low: f64::NEG_INFINITY,
            high,
            soft,
            weight,
            rules_out: RulesOut::Never,
            establishes: true,
        }
    }

    /// A quantity that tells nothing about the cause, and is quoted with it.
    const fn quoted(of: Quantity) -> Self {
        Self::at_least(of, 0.0, 1.0, 0.0)
    }

    /// For a cause that is at most likely, because other quantities that show it are those of the
    /// whole machine.
    const fn establishes_nothing(mut self) -> Self {
        self.establishes = false;
        self
    }

    const fn must(mut self) -> Self {
        self.rules_out = RulesOut::ContradictedOrUnknown;
        self
    }

    const fn if_known(mut self) -> Self {
        self.rules_out = RulesOut::Contradicted;
        self
    }

    /// Whether a value, or that it is unknown, rules the cause out.
    pub(crate) fn is_ruled_out(&self, fit: Option<f64>) -> bool {
        match (self.rules_out, fit) {
            (RulesOut::Never, _) | (RulesOut::Contradicted, None) => false,
            (RulesOut::ContradictedOrUnknown, None) => true,
            (_, Some(fit)) => fit <= -1.0,
        }
    }

    /// Whether a value that fits is worth a word: what is absent is only worth one where it shows
    /// that the cause is not another.
    pub(crate) fn is_telling(&self) -> bool {
        let shows = matches!(
            self.of,
            Doubled | Served | ServedShare | CpuShare | Idle | TargetThread | Kept
        );
        self.low.is_finite() || shows
    }

    /// The prediction in words: `doubled` ≤ 1.12 (2), and what rules the cause out.
    pub(crate) fn describe(&self) -> String {
        let (sign, edge, beyond) = if self.low.is_finite() {
            ("≥", self.low, self.low - self.soft)
        } else {
            ("≤", self.high, self.high + self.soft)
        };
        let rules_out = match self.rules_out {
            RulesOut::Never => String::new(),
            RulesOut::Contradicted => format!(", ruled out at {beyond:.2}"),
            RulesOut::ContradictedOrUnknown => format!(", ruled out at {beyond:.2} or if unknown"),
        };
        format!(
            "`{}` {sign} {edge} ({}{rules_out})",
            self.of.name(),
            self.weight
        )
    }

    /// Whether the value is one that the cause predicts.
    pub(crate) fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// How well a value fits: 1 inside the range, −1 beyond the soft edge.
    pub(crate) fn fit(&self, value: f64) -> f64 {
        let outside = (self.low - value).max(value - self.high).max(0.0);
        1.0 - 2.0 * (outside / self.soft).min(1.0)
    }
}

use Prediction as P;

/// More connections bring no more throughput.
pub(super) const FLAT: P = P::at_most(Doubled, 1.12, 0.15, 2.0);

/// No thread of the target is full. If one is, twice the connections may bring more only because they
/// reach other threads.
const FREE_THREAD: P = P::at_most(TargetThread, 0.85, 0.1, 0.5).if_known();

/// Few requests are refused. Otherwise the target may be busy with refusing them.
const NOT_REFUSED: P = P::at_most(RefusedShare, 0.05, 0.1, 1.0).if_known();

/// Every cause, in the order in which equal ones are named.
pub(crate) static CAUSES: &[LimitCause] = &[
    LimitCause {
        name: "offered_rate",
        predicts: &[P::at_least(Kept, 0.98, 0.02, 3.0).must()],
    },
    LimitCause {
        // All connections are in use at any target that stays behind, so nothing may be full, and
        // only another run can establish the cause.
        name: "rate_connections",
        predicts: &[
            P::at_least(InUse, 0.9, 0.1, 4.0).must(),
            P::at_most(Kept, 0.95, 0.03, 2.0)
                .must()
                .establishes_nothing(),
            P::at_least(Idle, 0.2, 0.15, 1.0).if_known(),
            P::at_most(TargetThread, 0.8, 0.1, 1.0).if_known(),
            P::at_most(BackendShare, 0.3, 0.2, 0.5).if_known(),
            P::at_most(OthersShare, 0.2, 0.2, 0.5).if_known(),
            P::at_most(CoreWaitShare, 0.25, 0.2, 0.5).if_known(),
            P::at_most(ThrottledShare, 0.02, 0.03, 0.5).if_known(),
            P::at_most(GeneratorThread, 0.85, 0.1, 1.0).if_known(),
            P::at_most(StorageShare, 0.15, 0.15, 1.0).if_known(),
            P::at_most(RoundTripShare, 0.4, 0.2, 0.5).if_known(),
            P::at_most(TransferShare, 0.5, 0.2, 0.5).if_known(),
            P::at_most(NewConnectionShare, 0.2, 0.3, 0.5).if_known(),
            NOT_REFUSED,
        ],
    },
    LimitCause {
        name: "connections",
        predicts: &[
            P::at_least(Doubled, 1.4, 0.2, 3.0).must(),
            P::at_least(ServedShare, 0.6, 0.4, 1.0),
            P::at_least(Idle, 0.15, 0.15, 1.0),
            P::at_most(RoundTripShare, 0.4, 0.3, 1.0),
            P::at_most(LossShare, 0.002, 0.002, 1.5),
            P::at_least(StreamShare, 0.95, 0.05, 0.5).if_known(),
            P::at_most(TransferShare, 0.5, 0.2, 2.0),
            P::at_most(ThinkShare, 0.3, 0.2, 2.0).if_known(),
            FREE_THREAD,
        ],
    },
    LimitCause {
        name: "think_time",
        predicts: &[
            P::at_least(ThinkShare, 0.5, 0.2, 3.0).must(),
            P::at_least(Doubled, 1.4, 0.2, 2.0),
        ],
    },
    LimitCause {
        name: "connection_rate",
        predicts: &[
            P::at_least(Doubled, 1.4, 0.2, 2.0).must(),
            P::at_least(TransferShare, 0.7, 0.2, 3.0).must(),
            P::at_least(BytesEach, 16_384.0, 8_192.0, 1.0).must(),
            P::at_most(LossShare, 0.002, 0.002, 2.0),
            P::at_most(RoundTripShare, 0.4, 0.3, 1.0),
            P::at_least(Idle, 0.15, 0.15, 1.0),
            FREE_THREAD,
        ],
    },
    LimitCause {
        name: "network_latency",
        predicts: &[
            P::at_least(RoundTripShare, 0.5, 0.2, 3.0).must(),
            P::at_least(Doubled, 1.4, 0.2, 2.0),
            P::at_least(Idle, 0.15, 0.15, 1.0),
        ],
    },
    LimitCause {
        name: "link",
        predicts: &[
            P::at_least(LinkShare, 0.85, 0.2, 3.0).must(),
            // More than all of it: a tunnel or a virtual link whose stated speed is not its own.
            P::at_most(LinkShare, 1.05, 0.15, 1.0).must(),
            FLAT,
        ],
    },
    LimitCause {
        name: "bandwidth",
        predicts: &[
            // Few large bodies are done while the load is changed: too few to tell.
            FLAT.if_known(),
            P::at_least(TransferShare, 0.6, 0.3, 3.0).must(),
            // A server that works between the parts of a response looks the same, without a queue.
            P::at_least(QueueShare, 0.05, 0.04, 1.0).must(),
            P::at_least(BytesEach, 16_384.0, 8_192.0, 1.0).must(),
            P::at_most(Loopback, 0.0, 0.5, 1.0).if_known(),
            P::at_least(Idle, 0.2, 0.2, 3.0),
            // Responses share the path: it carries little more than one at its full speed.
            P::at_most(Served, 1.5, 0.5, 2.0),
            P::at_most(TargetThread, 0.8, 0.1, 1.0).if_known(),
            P::at_most(GeneratorThread, 0.85, 0.1, 1.0),
            P::at_most(StorageShare, 0.2, 0.2, 1.0),
        ],
    },
    LimitCause {
        name: "packet_loss",
        predicts: &[
            P::at_least(LossShare, 0.004, 0.003, 3.0).must(),
            P::at_least(Doubled, 1.3, 0.2, 2.0).must(),
            // Other work can take most of the time of a request.
            P::at_least(TransferShare, 0.3, 0.2, 2.0).if_known(),
            // A request of few packets rarely loses one.
            P::at_least(BytesEach, 16_384.0, 8_192.0, 1.0).if_known(),
            P::at_least(Idle, 0.15, 0.15, 1.0),
        ],
    },
    LimitCause {
        name: "stream_limit",
        predicts: &[
            P::at_most(StreamShare, 0.9, 0.05, 3.0).must(),
            P::at_least(Doubled, 1.3, 0.2, 2.0),
            FREE_THREAD,
        ],
    },
    LimitCause {
        name: "connection_setup",
        predicts: &[
            P::at_least(NewConnectionShare, 0.5, 0.3, 2.0).must(),
            // A server that starts a thread for each connection looks as if requests took that time.
            P::at_least(SetupShare, 0.15, 0.1, 0.5),
            // A request that takes long on an open connection costs more than the connection.
            P::at_most(AloneOpened, 0.005, 0.01, 0.5),
            // Connection set-up can saturate a core.
            P::quoted(TargetCores),
        ],
    },
    LimitCause {
        name: "rate_limiter",
        predicts: &[
            P::at_least(RefusedShare, 0.05, 0.04, 3.0).must(),
            FLAT,
            P::at_least(Idle, 0.15, 0.15, 2.0),
        ],
    },
    LimitCause {
        name: WORKERS,
        predicts: &[
            FLAT.must(),
            P::at_most(ServedShare, 0.7, 0.2, 2.0).must(),
            // Workers that are slower together than one alone disturb each other.
            P::at_least(Served, 0.85, 0.2, 2.0).if_known(),
            P::at_most(CpuShare, 0.5, 0.3, 3.0).if_known(),
            P::at_least(Idle, 0.2, 0.2, 1.0),
            // A slow path with small messages also passes only a few requests at a time.
            P::at_least(Loopback, 1.0, 0.5, 4.0),
            // Faster than that, a request alone mostly waits until the cores of both sides wake up.
            P::at_least(Alone, 0.001, 0.0008, 2.0).if_known(),
            P::at_most(TargetThread, 0.8, 0.1, 1.0).if_known(),
            P::at_most(BackendShare, 0.3, 0.2, 2.0),
            P::at_most(StorageShare, 0.1, 0.2, 2.0),
            P::at_most(TransferShare, 0.4, 0.2, 2.0),
            P::at_most(NewConnectionShare, 0.2, 0.3, 2.0),
            P::at_most(GeneratorThread, 0.85, 0.1, 1.0),
            P::at_most(RefusedShare, 0.02, 0.05, 1.0).if_known(),
        ],
    },
    LimitCause {
        name: "overload",
        predicts: &[
            P::at_most(Doubled, 0.9, 0.15, 2.0).must(),
            P::at_most(Served, 0.7, 0.2, 3.0).must(),
            P::at_least(Idle, 0.2, 0.2, 1.0),
            P::at_most(OthersShare, 0.15, 0.15, 2.0),
            P::at_most(TransferShare, 0.4, 0.2, 2.0),
            P::at_most(StorageShare, 0.1, 0.2, 1.0),
            P::at_most(NewConnectionShare, 0.2, 0.3, 2.0),
            P::at_most(GeneratorThread, 0.85, 0.1, 1.0),
            NOT_REFUSED,
        ],
    },
    LimitCause {
        name: "one_core",
        predicts: &[
            P::at_least(TargetCores, 0.8, 0.15, 2.0).must(),
            P::at_most(TargetCores, 1.1, 0.15, 1.0).must(),
            FLAT,
            P::at_least(ThreadShare, 0.85, 0.3, 1.0),
            P::at_most(Served, 1.25, 0.5, 1.0),
            P::at_least(CpuShare, 0.5, 0.3, 1.0),
            P::at_most(GeneratorThread, 0.93, 0.05, 1.0),
            // Threads that pass a lock on wait for a core, too.
            P::at_most(CoreWaitShare, 0.25, 0.2, 1.0),
            // The core may be busy with handshakes.
            P::at_most(NewConnectionShare, 0.5, 0.3, 2.0),
            NOT_REFUSED,
        ],
    },
    LimitCause {
        name: "target_cpu",
        predicts: &[
            P::at_most(Idle, 0.1, 0.15, 2.0).must(),
            P::at_least(TargetShare, 0.3, 0.2, 1.0).must(),
            FLAT,
            P::at_most(OthersShare, 0.15, 0.2, 2.0),
            P::at_most(ThreadShare, 0.75, 0.2, 2.0),
            P::at_least(CpuShare, 0.4, 0.3, 1.0),
            NOT_REFUSED,
        ],
    },
    LimitCause {
        name: "other_programs",
        predicts: &[
            P::at_most(Idle, 0.05, 0.1, 2.0).must(),
            P::at_least(OthersShare, 0.3, 0.2, 2.0).must(),
            FLAT,
            P::at_least(CpuShare, 0.4, 0.3, 2.0).if_known(),
            P::at_least(CoreWaitShare, 0.3, 0.2, 2.0).if_known(),
            P::at_most(RoundTripShare, 0.4, 0.3, 2.0),
            P::at_most(TransferShare, 0.7, 0.2, 1.0),
            P::at_most(ThrottledShare, 0.02, 0.05, 0.5).if_known(),
            P::at_most(NewConnectionShare, 0.5, 0.3, 1.5),
            NOT_REFUSED,
            // A target that only ever works on one request uses one core, also on an idle machine.
            P::at_least(Served, 1.25, 0.25, 3.0),
            // A target that hardly needs a core cannot lose one to other programs.
            P::at_least(CoreDemand, 0.7, 0.4, 2.0).if_known(),
        ],
    },
    LimitCause {
        name: "backend",
        predicts: &[
            P::at_least(BackendShare, 0.3, 0.2, 3.0).must(),
            FLAT,
            P::at_most(Idle, 0.25, 0.25, 2.0),
            P::at_most(TargetShare, 0.3, 0.3, 1.0),
        ],
    },
    LimitCause {
        name: "load_generator",
        predicts: &[
            P::at_least(GeneratorThread, 0.9, 0.1, 3.0).must(),
            P::at_most(Doubled, 1.25, 0.2, 2.0),
            // The fuller of the two is the limit.
            P::at_most(TargetThread, 0.8, 0.15, 1.0).if_known(),
            P::at_most(NewConnectionShare, 0.1, 0.3, 1.0),
            // Other programs keep its threads from running.
            P::at_most(OthersShare, 0.2, 0.2, 2.0),
            NOT_REFUSED,
        ],
    },
    LimitCause {
        name: "cpu_quota",
        predicts: &[P::at_least(ThrottledShare, 0.05, 0.04, 3.0).must(), FLAT],
    },
    LimitCause {
        // A quota whose throttling is not counted for the target alone, or a target that is pinned
        // to some cores.
        name: "few_cores",
        predicts: &[
            P::at_least(CoreWaitShare, 0.4, 0.15, 3.0).must(),
            P::at_least(Idle, 0.4, 0.2, 2.0).must(),
            // Threads that hardly run also wait a little whenever they wake up.
            P::at_least(TargetCores, 0.08, 0.05, 1.0).if_known(),
            P::at_least(CpuShare, 0.5, 0.3, 2.0).if_known(),
            FLAT,
            P::at_most(ThrottledShare, 0.02, 0.03, 2.0).if_known(),
        ],
    },
    LimitCause {
        name: "storage",
        predicts: &[
            P::at_least(StorageShare, 0.25, 0.15, 3.0).must(),
            // The disk may be busy with other programs.
            P::at_least(StoredEach, 512.0, 511.0, 1.0),
            P::at_most(Doubled, 1.3, 0.2, 1.0).establishes_nothing(),
            P::at_least(Idle, 0.15, 0.15, 1.0),
            P::at_most(CpuShare, 0.5, 0.3, 1.0),
        ],
    },
    LimitCause {
        name: "swap",
        predicts: &[P::at_least(SwappedPages, 100.0, 90.0, 3.0).must()],
    },
    LimitCause {
        name: "steal",
        predicts: &[
            P::at_least(StealShare, 0.15, 0.1, 3.0).must(),
            P::at_most(Idle, 0.15, 0.15, 1.0),
        ],
    },
];
