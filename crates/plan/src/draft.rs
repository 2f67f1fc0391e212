//! A plan as written, by flags or in TOML: without defaults, and not checked.

pub(crate) mod agents;
pub(crate) mod corpus;
pub(crate) mod gate;
pub(crate) mod load;
pub(crate) mod observe;
pub(crate) mod output;
pub(crate) mod rounds;

pub use agents::{Agents, AgentsDraft};
pub use corpus::{Corpus, CorpusDraft};
pub use gate::{Gate, GateDraft};
pub use load::{Load, LoadDraft};
pub use observe::{ObserveDraft, ObservedDraft};
pub use output::{Output, OutputDraft, checked_note};
pub use rounds::{Rounds, RoundsDraft};

use crate::Sentence;
use crate::comparison::expectation::{Demand, Expectation};
use crate::comparison::figure::Figure;
use crate::keys::form::{NAME, PERCENT};
use crate::keys::page::{self, Page};
use crate::keys::row::{Flag, Key, Takes, switch, text, whole};
use crate::keys::scalar::{At, List, Scalar};
use crate::keys::section::section;
use crate::plan_file::problem::{Findings, Source};
use crate::target::TargetDraft;
use crate::units::percent::Percent;
use crate::work::WorkDraft;

section! {
    /// A plan as written, in a plan file ([`Draft::from_toml`]) or by flags. [`Draft::resolve`]
    /// turns a draft into a [`Plan`](crate::Plan).
    pub struct Draft("at the top of the plan", "a plan") {
        /// short name, used in the name of the run directory
        name: Scalar = text("name")
            .kinds(NAME)
            .default_rule("the name of the plan file")
            .flag(Flag::text(
                "--name",
                "NAME",
                "Name of the experiment, also used in the name of the run directory",
            ).under("Rounds"));
        /// seed of every random choice: order of targets, keys, content, arrivals. The same seed
        /// gives the same work
        seed: Scalar = whole(0, u64::MAX)
            .default_rule("random; recorded in the run directory")
            .flag(
                Flag::whole("--seed", "N", "Seed of all random choices; a run with the same seed \
                                            sends the same requests")
                    .default("random; recorded in the run directory")
                    .under("Rounds"),
            );
        /// load generator threads; at most one per connection
        threads: Scalar = whole(1, MOST_THREADS)
            .default_rule("half the processor cores, at least 1")
            .synonyms(&["workers"])
            .flag(
                Flag::whole("--threads", "N", "Load generator threads")
                    .default("half the processor cores")
                    .under("Rounds"),
            );
    }
    {
        /// name of the target that the other targets are compared with
        baseline: Scalar = text("name")
            .default_rule("the first")
            .comment("the others are compared with it")
            .synonyms(&["reference"])
            .flag(
                Flag::text("--baseline", "NAME", "The target that the others are compared with")
                    .default("the first"),
            );
        /// name of the target that stays the same in every run: `tenbin history` shows ratios to it, so
        /// that runs on different machines can be compared, [see](history.md#the-anchor)
        anchor: Scalar = text("name")
            .default_rule("none")
            .comment("tenbin history shows ratios to it")
            .flag(
                Flag::text(
                    "--anchor",
                    "NAME",
                    "The target that stays the same in every run: tenbin history shows ratios to it, \
                     so that runs on different machines can be compared",
                )
                .default("none"),
            );
        /// `true`: add a twin of the baseline, [see below](#a-twin)
        aa: Scalar = switch().default("false").synonyms(&["twin"]).flag(Flag::of(
            "--aa",
            Takes::Switches(true),
            "Add a twin of the baseline, to measure the noise of the run (A/A test): a second \
             process of a server that Tenbin starts, otherwise the same address under a second \
             name",
        ));
        /// largest difference at which two targets count as *equivalent*
        margin: Scalar => Percent, read margin = text("`\"0.1%\"` to `\"100%\"`")
            .kinds(PERCENT)
            .default("5%")
            .changes_only()
            .comment("largest difference at which two targets count as equivalent")
            .synonyms(&["equivalence"])
            .flag(Flag::text(
                "--margin",
                "PERCENT",
                "Largest difference between two targets that counts as equivalent",
            ));
        /// variation between starts of the same program. If no target was restarted during the run,
        /// a difference smaller than this variation is reported as "cannot tell", or as
        /// "equivalent" if the interval lies within `margin`, [see](findings.md#one_start). With `"0%"`, the verdict applies only to the server
        /// processes of this run, not to their programs
        start_noise: Scalar => Percent, read start_noise = text("`\"0%\"` to `\"100%\"`")
            .kinds(PERCENT)
            // In eight starts of a CPython server on one machine, CPU time per request had a standard
            // deviation of 2.6 % (measured with Tenbin), so two starts differ by more than 5 % one
            // time in six.
            .default("5%")
            .changes_only()
            .comment("variation between starts of one program")
            .flag(Flag::text(
                "--start-noise",
                "PERCENT",
                "Expected difference in performance between two starts of the same program. If no \
                 target was restarted during the run, a smaller difference between targets is \
                 reported as \"cannot tell\", or as \"equivalent\" if the interval lies within \
                 --margin. With 0%, the result applies only to the server \
                 processes of this run, not to their programs",
            ));
        /// the figure that decides every comparison, the verdict, `until` and sweeps. `throughput`
        /// and `bandwidth` need a closed loop, `cpu` and `memory` need every target to be [observed](#observe)
        decide: Scalar, shown decide = text("one of the [figures](#expectations) except `max` and `errors`")
            .default_rule("`throughput` in a closed loop, `p50` in an open loop")
            .comment("the figure that decides every comparison")
            .synonyms(&["primary", "metric"])
            .flag(
                Flag::text(
                    "--decide",
                    "FIGURE",
                    "Metric that decides every comparison: throughput, mean, p50, p90, p95, \
                     p99, p99.9 or another percentile, cpu, bandwidth or memory",
                )
                .default("throughput in a closed loop, p50 in an open loop"),
            );
        /// conditions that must be proven true, [see below](#expectations)
        expect: List, shown expect = text("list of conditions").synonyms(&["thresholds"]).flag(Flag::of(
            "--expect",
            Takes::Commas("CONDITION"),
            "Condition that the run must prove true: a metric (throughput, mean, p50, p90, p95, \
             p99, p99.9 or another percentile, max, errors, cpu, bandwidth, memory), an operator (<, \
             <=, >, >=) and a bound with a unit, such as 'p99<20ms' or 'throughput>0.95x \
             baseline'. To limit a condition to one target or workload, put its name in \
             front: 'NAME:p99<20ms'. Repeatable, or a list with commas. Exit code 7 if proven \
             false, 8 if the run cannot tell",
        ));
        /// conditions that must not be proven true, [see below](#expectations)
        fail_if: List, shown fail_if = text("list of conditions").flag(Flag::of(
            "--fail-if",
            Takes::Commas("CONDITION"),
            "Condition that must not be true, written like --expect, such as 'throughput<0.95x \
             baseline'. Exit code 7 if the run proves the condition true, 0 if the run cannot \
             tell, 6 if the run is INVALID",
        ));
    }
    stored {
        /// How targets are compared, and the conditions that are checked.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Comparing {
            /// Index of the baseline in [`Plan::targets`](crate::Plan::targets).
            pub baseline: usize = 0,
            /// Index of the target that stays the same in every run, in
            /// [`Plan::targets`](crate::Plan::targets); `None` in a plan without an anchor.
            pub anchor: Option<usize> = None,
            /// Index of the baseline's twin, a second copy of the baseline, in
            /// [`Plan::targets`](crate::Plan::targets); `None` in a plan without a twin. A
            /// difference between twin and baseline is noise.
            pub twin: Option<usize> = None,
            /// Indices of the compared workloads in
            /// [`Plan::workloads`](crate::Plan::workloads): on every target, the first is compared
            /// with all others. Empty, or at least two.
            pub workloads: Vec<usize> = Vec::new(),
            /// Conditions that the figures must meet (`expect`) or must not meet (`fail_if`).
            pub expect: Vec<Expectation> = Vec::new(),
            /// The figure that decides every comparison. `None`: throughput in a closed loop, the
            /// median response time in an open loop.
            pub decide: Option<Figure> = None,
        }
    }
    tables {
        /// Comparison of workloads.
        pub compare: CompareDraft,
        /// Number and length of slices.
        pub rounds: RoundsDraft,
        /// The load of every workload, unless the workload overrides it.
        pub load: LoadDraft,
        /// What the run writes and serves in addition to its run directory.
        pub output: OutputDraft,
        /// The load machines.
        pub agents: AgentsDraft,
        /// The pages that search servers index.
        pub corpus: Option<At<CorpusDraft>>,
        /// Whether the candidate is as good as the base.
        pub gate: Option<At<GateDraft>>,
        /// The systems under test.
        #[serde(rename = "target")]
        pub targets: Vec<At<TargetDraft>>,
        /// The operations sent to every target.
        #[serde(rename = "workload")]
        pub workloads: Vec<At<WorkloadDraft>>,
        /// The plan file, if the draft was read from one.
        #[serde(skip)]
        pub(crate) source: Option<Source>,
        /// Problems found while reading.
        #[serde(skip)]
        pub(crate) findings: Findings,
    }
}

/// Maximum number of load generator threads.
pub(crate) const MOST_THREADS: u64 = 1024;

fn margin(scalar: &Scalar) -> Result<Percent, Sentence> {
    Percent::within(scalar.text()?, Percent::of(0.1), Percent::of(100.0))
}

fn start_noise(scalar: &Scalar) -> Result<Percent, Sentence> {
    Percent::within(scalar.text()?, Percent::of(0.0), Percent::of(100.0))
}

fn decide(comparing: &Comparing, page: &mut Page) {
    if let Some(figure) = comparing.decide {
        page.key(&Draft::decide, page::text(figure));
    }
}

fn expect(comparing: &Comparing, page: &mut Page) {
    conditions(comparing, page, &Draft::expect, Demand::Expect);
}

fn fail_if(comparing: &Comparing, page: &mut Page) {
    conditions(comparing, page, &Draft::fail_if, Demand::FailIf);
}

fn conditions(comparing: &Comparing, page: &mut Page, key: &Key, demand: Demand) {
    let meant = comparing.expect.iter().filter(|each| each.demand == demand);
    let meant: Vec<String> = meant.map(page::text).collect();
    if !meant.is_empty() {
        page.key(key, page::list(meant));
    }
}

section! {
    /// `[compare]`.
    pub struct CompareDraft("in [compare]", "a table such as [compare]") {
        /// two or more workloads. On each target, the first workload is compared with all others,
        /// for example to measure the cost of TLS or of a connection per request on *one* server.
        /// These workloads are interleaved in every round like targets, and each ratio is paired.
        /// Either all are closed loops, or all are open loops
        workloads: List = text("list of names")
            .default_rule("none: workloads are not compared")
            .comment("on each target, the others against the first")
            .flag(Flag::of(
                "--compare-workloads",
                Takes::Commas("NAME,NAME"),
                "Compare these workloads on each target, each with the first in the list, for \
                 example get-1KiB,get-1MiB. Slices of the workloads are interleaved like slices \
                 of targets",
            ));
    }
}

section! {
    /// One `[[workload]]`.
    pub struct WorkloadDraft("in [[workload]]", "a table such as [[workload]]") {
        /// protocol of the workload. On the command line, the protocol is the command: `tenbin s3`
        kind: Scalar = text("`\"http\"`, `\"s3\"`, `\"blob\"`")
            .default_rule("required")
            .synonyms(&["type"]);
        /// unique name
        name: Scalar = text("name").kinds(NAME).default_rule("`http-GET`, `put-1KiB` and so on");
        /// read the times of server stages from the response headers `Server-Timing` and
        /// `Trace-Log`, and the time of a search (`took`) from the responses of OpenSearch and
        /// Groonga: [stages.md](stages.md)
        stages: Scalar = switch().default("false").flag(
            Flag::of(
                "--stages",
                Takes::Switches(true),
                "Read the times of server stages (phases inside the server) from the response \
                 headers Server-Timing and Trace-Log, and the time of a search (took) from the \
                 responses of OpenSearch and Groonga. Report the mean of each stage by percentile \
                 band of the service time: up to p50, p50 to p90, p90 to p99, above p99",
            )
            .under("Server stages (docs/stages.md)"),
        );
    }
    tables {
        /// The keys of the workload's protocol; in a plan file, they are among the other keys.
        pub work: Option<WorkDraft>,
        /// Keys that override the load of the plan.
        pub load: LoadDraft,
    }
}

impl WorkloadDraft {
    /// A workload with this work and otherwise default settings.
    pub fn of(work: impl Into<WorkDraft>) -> Self {
        Self {
            work: Some(work.into()),
            ..Self::default()
        }
    }
}
