//! Rows of commands that send no load, and of the part of a run that sends none.

use super::{LONG_RUN_MIB, Method, Reading, Row};
use crate::cost::contender::Stable;
use crate::cost::figure::Figure;
use crate::cost::goal::Goal;
use crate::cost::server::Kind;

/// CPU time outside of load threads that a run may use, and that it may use for each slice,
/// milliseconds.
const BESIDE_LOAD_MILLIS: f64 = 40.0;
const SLICE_MILLIS: f64 = 1.0;

pub(super) fn rows(stable: &Stable<'_>) -> Vec<Row> {
    vec![start(stable), beside_load(stable), show(stable)]
}

/// The cost of commands that do no work.
fn start(stable: &Stable<'_>) -> Row {
    let (version, help) = ("--version", "--help");
    Row {
        name: "start",
        server: Kind::None,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![
            stable.printing(version, version),
            stable.printing(help, help),
            stable.printing("http --help", "http --help"),
        ],
        readings: vec![Reading {
            figure: Figure::Milliseconds,
            goals: vec![Goal::AtMost(version, 15.0), Goal::AtMost(help, 15.0)],
        }],
    }
}

/// The cost of a run outside of its load threads: start, samples of the machine, verdict and page.
fn beside_load(stable: &Stable<'_>) -> Row {
    let (few, many) = ("10 slices", "60 slices");
    let limit = |slices: f64| BESIDE_LOAD_MILLIS + slices * SLICE_MILLIS;
    Row {
        name: "run, outside of load threads",
        server: Kind::Nginx,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![stable.slow_slices(few, 10), stable.slow_slices(many, 60)],
        readings: vec![Reading {
            figure: Figure::MillisecondsBesideLoad,
            goals: vec![
                Goal::AtMost(few, limit(10.0)),
                Goal::AtMost(many, limit(60.0)),
            ],
        }],
    }
}

fn show(stable: &Stable<'_>) -> Row {
    let (text, json, page) = ("show", "show --json", "report");
    Row {
        name: "show, 18,000 slices of 2 s",
        server: Kind::LongRun,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![
            stable.show(text, "show", ""),
            stable.show(json, "show", "--json"),
            stable.show(page, "report", "--out /dev/stdout"),
        ],
        readings: vec![
            Reading {
                figure: Figure::Seconds,
                goals: vec![Goal::AtMost(text, 1.0), Goal::AtMost(page, 2.0)],
            },
            Reading {
                figure: Figure::PeakMib,
                goals: vec![
                    Goal::AtMost(text, LONG_RUN_MIB),
                    Goal::AtMost(json, LONG_RUN_MIB),
                    Goal::AtMost(page, LONG_RUN_MIB),
                ],
            },
        ],
    }
}
