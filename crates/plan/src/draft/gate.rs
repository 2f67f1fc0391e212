//! The keys of `[gate]`.

use std::time::Duration;

use crate::comparison::gate::{CountsAs, GateFigure};
use crate::keys::row::{Flag, Takes, choice, text, time};
use crate::keys::scalar::{FromFlag, List, Scalar};
use crate::keys::section::section;

section! {
    /// `[gate]`.
    pub struct GateDraft("in [gate]", "a table such as [gate]") {
        /// figures that must all pass, each with its margin after an equals sign, such as
        /// `["throughput", "p99=10%"]`. Without a margin, the figure has the plan's `margin`
        figures: List => Vec<GateFigure> = text("list of [figures](#expectations) except `max` and `errors`")
            .default_rule("the figure of `decide`")
            .synonyms(&["metrics", "figure"])
            .flag(
                Flag::of(
                    "--figure",
                    Takes::Commas("FIGURE[=PERCENT]"),
                    "Figure that must pass, with its margin: throughput, p99=10%, cpu, memory, bandwidth \
                     or another percentile. Repeatable, or a list with commas; all must pass. Without \
                     PERCENT, --margin applies",
                )
                .default("throughput in a closed loop, p50 in an open loop"),
            );
        /// longest time of the measurement: no further block starts after this time. Blocks have two
        /// rounds
        budget: Scalar => Duration = time()
            .default("10m")
            .synonyms(&["time", "timeout"])
            .flag(Flag::text(
                "--budget",
                "TIME",
                "Longest time to go on measuring while the gate cannot tell",
            ));
        /// what a gate counts as that cannot tell within `budget` and `max_count` rounds: `"fail"` ends
        /// with exit code 8, `"pass"` with 0
        cannot_tell: Scalar => CountsAs = choice::<CountsAs>()
            .default("fail")
            .flag(Flag::text(
                "--cannot-tell",
                "pass|fail",
                "What a gate counts as that cannot tell within --budget and --max-rounds: fail ends \
                 with exit code 8, pass with 0",
            ));
        /// what a result counts as that is SUSPECT: `"pass"` lets the figures decide, `"fail"` ends
        /// with exit code 9 instead of 0
        suspect: Scalar => CountsAs = choice::<CountsAs>()
            .default("pass")
            .flag(Flag::text(
                "--suspect",
                "pass|fail",
                "What a passing gate counts as whose comparison is SUSPECT: pass ends with exit \
                 code 0, fail with 9",
            ));
    }
    stored {
        /// A gate: whether the candidate is as good as the base.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Gate {}
    }
}

impl FromFlag for GateDraft {}
