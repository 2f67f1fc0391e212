//! Rows of the memory of runs.

use super::{LONG_RUN_MIB, Method, Reading, Row};
use crate::cost::contender::Stable;
use crate::cost::figure::Figure;
use crate::cost::goal::Goal;
use crate::cost::server::Kind;

/// Largest increase of memory that does not count as growth.
const NO_GROWTH_MIB: f64 = 1.0;

/// Duration in seconds after which a run has delivered three samples and has allocated its second
/// set of histograms. Any further increase of memory is growth.
const THREE_SAMPLES: f64 = 3.0;

/// Largest memory of 1,600 slices, MiB: 4 KiB a slice.
const MIB_OF_1600_SLICES: f64 = 6.25;

pub(super) fn rows(stable: &Stable<'_>) -> Vec<Row> {
    vec![
        dummy_memory(stable),
        null_memory(stable),
        nginx_memory(stable),
        slices_memory(stable),
    ]
}

fn dummy_memory(stable: &Stable<'_>) -> Row {
    Row {
        name: "memory, blobstore-bench -b dummy, 2 threads",
        server: Kind::None,
        method: Method::Whole,
        core_awake: false,
        contenders: vec![
            stable.dummy("put", "p", 1),
            stable.dummy("put, four times as long", "p", 4),
        ],
        readings: vec![
            Reading {
                figure: Figure::PeakMib,
                goals: vec![
                    Goal::AtMost("put, four times as long", 40.0),
                    Goal::AtMostAbove("put, four times as long", NO_GROWTH_MIB, "put"),
                ],
            },
            long_enough("put"),
        ],
    }
}

fn null_memory(stable: &Stable<'_>) -> Row {
    let run = |name, operations| stable.null(name, "0", 256, Some(operations));
    Row {
        name: "memory, null workload, 256 connections",
        server: Kind::None,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![
            // Ends within a tenth of a second, before the first sample.
            run("10⁶ operations", 1_000_000),
            run("10⁸ operations", 100_000_000),
            run("10⁹ operations", 1_000_000_000),
        ],
        readings: vec![
            Reading {
                figure: Figure::PeakMib,
                goals: vec![
                    Goal::AtMost("10⁹ operations", 40.0),
                    Goal::AtMostAbove("10⁸ operations", NO_GROWTH_MIB, "10⁶ operations"),
                    Goal::AtMostAbove("10⁹ operations", NO_GROWTH_MIB, "10⁸ operations"),
                ],
            },
            long_enough("10⁸ operations"),
        ],
    }
}

fn nginx_memory(stable: &Stable<'_>) -> Row {
    Row {
        name: "memory, nginx, 256 connections",
        server: Kind::Nginx,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![
            stable.counted("10⁶ requests", 256, 1_000_000),
            stable.counted("3×10⁶ requests", 256, 3_000_000),
        ],
        readings: vec![
            Reading {
                figure: Figure::PeakMib,
                goals: vec![
                    Goal::AtMost("3×10⁶ requests", 40.0),
                    Goal::AtMostAbove("3×10⁶ requests", NO_GROWTH_MIB, "10⁶ requests"),
                ],
            },
            long_enough("10⁶ requests"),
        ],
    }
}

/// Checks that memory hardly grows with the number of slices. The peak of a run is at its end, when
/// the result is computed and written.
fn slices_memory(stable: &Stable<'_>) -> Row {
    let one = ["1 target, 400 slices", "1 target, 2,000 slices"];
    let two = ["2 targets, 400 slices", "2 targets, 2,000 slices"];
    let run = |[few, many]: [&'static str; 2], targets| {
        [
            stable.short_slices(few, targets, 400),
            stable.short_slices(many, targets, 2_000),
        ]
    };
    let goals = |[few, many]: [&'static str; 2]| {
        [
            Goal::AtMost(many, LONG_RUN_MIB),
            Goal::AtMostAbove(many, MIB_OF_1600_SLICES, few),
        ]
    };
    Row {
        name: "memory, slices of 100 ms",
        server: Kind::Nginx,
        method: Method::Once,
        core_awake: false,
        contenders: [run(one, &["a"]), run(two, &["a", "b"])]
            .into_iter()
            .flatten()
            .collect(),
        readings: vec![Reading {
            figure: Figure::PeakMib,
            goals: [one, two].into_iter().flat_map(goals).collect(),
        }],
    }
}

/// Checks that the reference run was at least [`THREE_SAMPLES`] seconds long.
fn long_enough(run: &'static str) -> Reading {
    Reading {
        figure: Figure::Seconds,
        goals: vec![Goal::AtLeast(run, THREE_SAMPLES)],
    }
}
