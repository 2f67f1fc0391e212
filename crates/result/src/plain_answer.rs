//! What a comparison says in plain words, as in `result.json`.

use serde::{Deserialize, Serialize};

use crate::message::Message;
use crate::metric::MetricName;

/// What one workload and one challenger come to, in plain words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlainAnswer {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target that serves as the reference.
    pub baseline: String,
    /// Name of the target that is compared with the baseline.
    pub challenger: String,
    /// What is known of the figures in the sentence, the decided ones first.
    pub figures: Vec<PlainFigure>,
    /// What would decide the figure that is undecided; empty if no figure is undecided, or if nothing
    /// that Tenbin can name would help.
    pub would_decide: Vec<Decider>,
    /// The sentence, in English.
    pub sentence: String,
    /// What would decide it, in English; null if `would_decide` is empty.
    pub advice: Option<String>,
    /// The sentence as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Message>,
    /// What would decide it, as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice_data: Option<Message>,
}

/// What is known of one figure of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlainFigure {
    /// Machine-readable name of the figure, for example `throughput`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub metric: MetricName,
    /// Whether this figure decides the verdict.
    pub decides: bool,
    /// The challenger's figure divided by the baseline's; null if unknown.
    pub ratio: Option<f64>,
    /// What is known of it.
    #[serde(flatten)]
    pub known: Known,
}

/// What is known of a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "known", rename_all = "snake_case")]
pub enum Known {
    /// The targets differ by more than chance explains.
    Differs,
    /// The targets are the same within the margin of equivalence.
    Same {
        /// The margin, as a share.
        within: f64,
    },
    /// Undecided.
    Undecided {
        /// The main reason.
        because: Undecided,
    },
}

/// Why a figure is undecided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Undecided {
    /// The numbers cannot be trusted; the findings say why.
    Untrusted,
    /// The figure was not measured for both targets.
    NotMeasured,
    /// There are too few rounds to tell a difference from chance.
    FewRounds {
        /// Number of measured rounds.
        rounds: u64,
        /// Whether all of them show the same difference.
        agree: bool,
    },
    /// Other programs used the machine of the load generator, which makes the rounds differ.
    OtherPrograms {
        /// Share of the CPU time of all cores.
        share: f64,
    },
    /// The interval of the ratio is compatible with a difference and with none.
    Chance {
        /// Lower end of the interval.
        low: f64,
        /// Upper end of the interval.
        high: f64,
        /// The target whose slices alone scatter, although other programs used the machine; absent
        /// without such a target, and in documents of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        varying: Option<Varying>,
    },
    /// The difference is not larger than the noise.
    Noise {
        /// Smallest effect that counts as a difference, as a share.
        floor: f64,
    },
    /// Each target ran as one process, and two starts of one program can differ by as much.
    OneStart {
        /// Largest difference expected between two starts of one program, as a share.
        up_to: f64,
    },
    /// A target does not keep its figures under continuous load.
    NotSustained,
}

/// A target whose throughput varies from slice to slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Varying {
    /// Name of the target.
    pub target: String,
    /// Throughput of the slowest slice, operations per second.
    pub low: f64,
    /// Throughput of the fastest slice, operations per second.
    pub high: f64,
}

/// What would decide an undecided figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Decider {
    /// A run with this number of rounds.
    Rounds {
        /// Number of rounds.
        rounds: u64,
        /// Time of their slices, seconds; null if the length of a slice is unknown.
        seconds: Option<f64>,
    },
    /// CPU time per operation as the figure that decides (`--decide cpu`).
    DecideCpu,
    /// A machine on which no other program runs.
    IdleMachine,
    /// Servers that Tenbin starts (`--launch`) and restarts for every block.
    Launch,
    /// The same run again, after the servers were restarted.
    RestartAndRepeat,
}
