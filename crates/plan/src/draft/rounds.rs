//! The keys of `[rounds]`.

use std::time::Duration;

use crate::Sentence;
use crate::comparison::until::Until;
use crate::keys::form::{Kind, ON_OUTAGE, PERCENT, SUSTAIN};
use crate::keys::names::Named as _;
use crate::keys::page::{self, Page};
use crate::keys::row::{Flag, Takes, choice, text, time, time_from, whole};
use crate::keys::scalar::Scalar;
use crate::keys::section::section;
use crate::load::outage::OnOutage;
use crate::load::probes::Probes;
use crate::load::sustain::Sustain;
use crate::plan_file::mistake::Mistake;
use crate::relaunch::Relaunch;

/// Maximum number of rounds of a run.
pub(crate) const MOST_ROUNDS: u64 = 100_000;
/// The shortest slice: a shorter slice would mainly measure its start.
pub(crate) const SHORTEST_SLICE: Duration = Duration::from_millis(100);

section! {
    /// `[rounds]`.
    pub struct RoundsDraft("in [rounds]", "a table such as [rounds]") {
        /// measured time per target and workload: `count` × `slice`. Set at most two of `duration`,
        /// `count` and `slice`. If every workload is a maximum-rate search: maximum time of the
        /// search for each target; a slice is 1/60 of it, so that at least `6s` are needed
        duration: Scalar = time()
            .default_rule("`count` × `slice`")
            .synonyms(&["time"])
            .flag(
                Flag::text(
                    "--duration",
                    "TIME",
                    "Measured time per target and workload, for example 30s or 2m. The whole run \
                     takes longer: the targets take turns, and a warm-up, pauses and probes are \
                     added. With --slo: maximum time of the search for each target",
                )
                .short('d')
                .default("rounds × slice"),
            );
        /// number of rounds; a round is one slice of every target. A run consists of complete
        /// blocks, in which the order of the targets is balanced: an even number of rounds for two
        /// targets (A B B A); for three or more, a multiple of the number of targets, or of twice
        /// that number if it is odd (Williams squares). Other numbers are rounded up, with a note
        count: Scalar, shown count = whole(1, MOST_ROUNDS)
            .default_rule(
                "8 for one target, 16 for two, 10 with a gate; for more, the smallest number of squares that \
                 can show a difference: see [How many rounds](#how-many-rounds)",
            )
            .synonyms(&["iterations", "rounds"])
            .flag(
                Flag::whole(
                    "--rounds",
                    "N",
                    "Number of rounds; in each round, every target gets one slice of every \
                     workload. Tenbin rounds the number up to a multiple of the number of \
                     targets; for 3, 5, 7, … targets, to a multiple of twice the number of targets",
                )
                .default(
                    "8 for one target, 16 for two, 10 for a gate; for more, the smallest number that can \
                     show a difference",
                ),
            );
        /// end the run when every ratio of the primary metric (with one target, every primary metric)
        /// has this precision. `count` is then the minimum number of rounds. The size of the ratios
        /// does not affect when the run ends
        until: Scalar, shown until = text("`\"±0.01%\"` to `\"±50%\"`")
            .kinds(PERCENT)
            .default_rule("none: `count` rounds")
            .comment("ends when every primary ratio is known to this precision")
            .synonyms(&["precision"])
            .flag(Flag::text(
                "--until",
                "PERCENT",
                "End the run when the --decide metric is known to this precision, for example \
                 ±2%. With several targets, the ratio of every comparison must have this \
                 precision; with one target, the metric itself. --rounds is then the minimum \
                 number of rounds. The size of the difference does not affect when the run ends",
            ));
        /// with `until` or a gate: maximum number of rounds, rounded up to complete blocks
        max_count: Scalar = whole(1, MOST_ROUNDS)
            .default_rule("8 × `count`; 80 with a gate")
            .synonyms(&["max_rounds"])
            .flag(
                Flag::whole("--max-rounds", "N", "Maximum number of rounds with --until, or of a gate")
                    .default("8 times --rounds; 80 for a gate"),
            );
        /// length of the measured window of one slice. If the result depends on which requests a
        /// target receives (patterns, reads of objects and blobs), all targets of a round receive
        /// the same number of requests, and a slice lasts until these requests are complete:
        /// [architecture.md](architecture.md#the-same-requests-for-every-target)
        slice: Scalar => Duration = time_from(SHORTEST_SLICE)
            .default_explained(
                "2s",
                "`\"2s\"`; `\"1s\"` for three or more targets and for a gate. If operations are slow: 20 times the \
                 median time of the slowest operation in the warm-up, up to 60 s; a note reports \
                 this, and the plan in the run directory has the new length",
            )
            .comment("measured window of a slice")
            .flag(
                Flag::text(
                    "--slice",
                    "TIME",
                    "Length of the measured window of one slice, at least 100ms",
                )
                .default("2s; 1s for three targets or more and for a gate"),
            );
        /// settling time: unmeasured load at the start of every slice. The settling time starts
        /// when every connection is open or has failed to open within 10 s (or `timeout`, if
        /// shorter). With `0s`, connections are opened inside the measured window
        lead: Scalar => Duration = time()
            .default_explained("200ms", "a tenth of `slice`, at most 500 ms")
            .comment("unmeasured settling time at the start of a slice")
            .flag(
                Flag::text(
                    "--lead",
                    "TIME",
                    "Settling time: unmeasured load at the start of every slice",
                )
                .default("a tenth of the slice, at most 500ms"),
            );
        /// mean pause between slices. Each pause is drawn from the seed, between half and one and a
        /// half times this time, so that slices do not fall into step with what a target does
        /// periodically
        gap: Scalar => Duration = time()
            .default("200ms")
            .comment("pause between slices")
            .synonyms(&["pause"])
            .flag(Flag::text("--gap", "TIME", "Mean pause between two slices"));
        /// unmeasured load before the first slice of each workload on each target, and after every
        /// restart by `relaunch`. Blob phases have no warm-up by default
        warmup: Scalar => Duration = time().default("2s").synonyms(&["warm_up"]).flag(Flag::text(
            "--warmup",
            "TIME",
            "Unmeasured load before the first slice of each workload on each target",
        ));
        /// continuous load on each target after the rounds, without rests. While another target is
        /// loaded, a server can save what it uses up under load: tokens of a rate limit,
        /// extra speed of a disk or a virtual machine (burst credits), deferred compaction, heat. The
        /// stretch uses up what was saved; where a target falls below its figures in the rounds, no
        /// verdict is given: finding `sustained`. A time, or a share of the measured time of each workload on
        /// each target, at least a target's share of a block; `"0"` for no stretch. Maximum-rate
        /// searches, rates that change, operations that use up their objects, and slices with cold
        /// caches (`relaunch = "slice"`) have no stretch; of a concurrency sweep, only the highest
        /// level has one
        sustain: Scalar => Sustain, read sustain = text("time, percentage, `\"auto\"` or `\"0\"`")
            .kinds(&[Kind::Pattern(SUSTAIN), Kind::Whole { least: 0, most: 0 }])
            .default_explained(
                "auto",
                "`\"auto\"`: `\"20%\"` if the plan compares targets or workloads in at least five \
                 blocks; otherwise `\"0\"`",
            )
            .changes_only()
            .comment("continuous load on each target after the rounds")
            .flag(
                Flag::text(
                    "--sustain",
                    "TIME|PERCENT",
                    "Continuous load on each target after the rounds, to find servers that are \
                     fast only after rests: a time, or a share of the measured time; 0 turns it off",
                )
                .default("20% if targets or workloads are compared in at least five blocks"),
            )
            .flag(Flag::text(
                "--soak",
                "TIME",
                "Long continuous load on each target after the rounds, for example 30m, to use up \
                 large reserves; the same as --sustain TIME",
            ));
        /// whether each workload is sent to each target for a moment with one connection and with
        /// twice its connections after the rounds, to find what limits the target: section `limit`.
        /// `"auto"`: in a closed loop, if the run is so long that the probes take at most a tenth of
        /// its time; not for the levels of a concurrency sweep, with agents, for operations that use
        /// up their objects, or with cold caches (`relaunch = "slice"`). `"none"`: no probes
        probes: Scalar => Probes = choice::<Probes>()
            .default("auto")
            .changes_only()
            .comment("short slices with one and with twice the connections, after the rounds")
            .flag(
                Flag::text(
                    "--probes",
                    "auto|none",
                    "After the rounds, load each target for a moment with one connection and with \
                     twice the connections, to find what limits it; at most a tenth of the run",
                )
                .default("auto, in closed loops"),
            );
        /// what happens when a target that has answered before gives no correct response in a whole
        /// slice, because it cannot be reached or answers with status 502, 503 or 504. A time: Tenbin
        /// waits so long for an answer, and measures the block again; finding `outage`.
        /// `"continue"`: 60 s. `"stop"`: the run ends, and the slices before stay. Maximum-rate
        /// searches end
        on_outage: Scalar => OnOutage, read on_outage = text("time, `\"continue\"` or `\"stop\"`")
            .kinds(&[Kind::Pattern(ON_OUTAGE)])
            .default_explained("continue", "`\"continue\"`")
            .changes_only()
            .comment("when a target stops answering")
            .flag(
                Flag::text(
                    "--on-outage",
                    "continue|stop|TIME",
                    "When a target stops answering: wait up to this time for an answer and measure \
                     the block again (continue: 60s), or end the run (stop)",
                )
                .default("continue"),
            );
        /// when targets are restarted. `"block"`: before each block (with two targets: two rounds),
        /// with an empty data directory (`{data}`), so that the confidence intervals include the
        /// variation between starts of the same program. `"slice"`: before each slice, with their
        /// data, so that each slice starts with cold caches; targets are stopped after the slice.
        /// `"never"`: no restarts. `"auto"`: `"block"` if restarts are possible, every target
        /// starts within 2 s, and the plan has several targets, several blocks and no `patterns`;
        /// otherwise `"never"`. A `warmup` follows every restart; with `"block"`, this is one
        /// warm-up for all workloads together. Restarts require that every target has a `command`
        /// and that every workload is of kind `"http"` without `slo`. Older plans contain `true`
        /// (`"slice"`) and `false` (`"never"`)
        relaunch: Scalar => Relaunch, read relaunch = choice::<Relaunch>().kinds(&[Kind::Switch]).default("auto").changes_only().flag(
            Flag::of(
                "--relaunch",
                Takes::Optional("WHEN", "slice"),
                "When to restart launched servers: block (before each block of rounds, with an \
                 empty {data}; the confidence intervals then include the variation between starts \
                 of a program), slice (before each slice, keeping {data}, to measure with cold \
                 caches) or never. For two targets, a block has two rounds. A warm-up follows \
                 every restart. Restarts are impossible with S3 or blob operations and with --slo. \
                 --relaunch without a value means slice",
            )
            .default(
                "block if restarts are possible, every server starts within 2s, and there are \
                 several targets, several blocks and no --patterns; otherwise never",
            ),
        );
    }    stored {
        /// Number and length of slices.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Rounds {
            /// Number of rounds, each with one slice of every target. With two targets, this is an
            /// even number, because two rounds form one block (A B B A). If the run can end by precision,
            /// this is the minimum number.
            pub count: u32 = 0,
            /// The number of rounds as written in the plan, if `count` was rounded up to whole
            /// blocks.
            pub asked: Option<u32> = None,
            /// The precision or the gate at which the run ends; `None` for a run of `count` rounds.
            pub until: Option<Until> = None,
        }
    }
}

impl Rounds {
    /// The maximum number of rounds: `count`, or more in a run that can end by precision.
    pub fn most(&self) -> u32 {
        self.until.map_or(self.count, |until| until.most)
    }
}

fn count(rounds: &Rounds, page: &mut Page) {
    page.key(&RoundsDraft::count, rounds.count);
}

fn until(rounds: &Rounds, page: &mut Page) {
    if let Some(until) = rounds.until {
        if let Some(within) = until.within() {
            page.key(&RoundsDraft::until, page::text(format!("±{within}")));
        }
        page.key(&RoundsDraft::max_count, until.most);
    }
}

fn on_outage(scalar: &Scalar) -> Result<OnOutage, Sentence> {
    OnOutage::parse(scalar.text()?)
}

/// Reads a time, a percentage, `"auto"` or 0.
fn sustain(scalar: &Scalar) -> Result<Sustain, Sentence> {
    match scalar {
        Scalar::Whole(0) => Ok(Sustain::Off),
        other => Sustain::parse(other.text()?),
    }
}

/// Reads the name of a [`Relaunch`], or `true` or `false` as in older plans.
fn relaunch(scalar: &Scalar) -> Result<Relaunch, Mistake> {
    match scalar.switch() {
        Ok(true) => Ok(Relaunch::Slice),
        Ok(false) => Ok(Relaunch::Never),
        Err(_) => scalar.choice(Relaunch::NAMES),
    }
}
