//! Rows of plain HTTP requests.

use super::{Method, Reading, Row};
use crate::cost::contender::Stable;
use crate::cost::figure::Figure;
use crate::cost::goal::Goal;
use crate::cost::server::Kind;

pub(super) fn rows(stable: &Stable<'_>) -> Vec<Row> {
    vec![
        plain_get("keep-alive GET, 12-byte answer, 64 connections", stable, 64),
        plain_get("keep-alive GET, 12-byte answer, 1 connection", stable, 1),
        plain_get(
            "keep-alive GET, 12-byte answer, 1,000 connections",
            stable,
            1000,
        ),
        by_slope(stable),
        live_page(stable),
        sampled_content(stable),
        patterns(stable),
        request_log(stable),
    ]
}

fn plain_get(name: &'static str, stable: &Stable<'_>, connections: usize) -> Row {
    let mut goals = vec![Goal::BelowAllBut("tenbin", &["bare loop"])];
    if connections == 64 {
        goals.insert(0, Goal::AtMostTimes("tenbin", 1.05, "bare loop"));
    }
    Row {
        name,
        server: Kind::Nginx,
        method: Method::Whole,
        core_awake: false,
        contenders: stable.http(connections),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals,
        }],
    }
}

/// The cost of one more request, without the start and the end of a run. User time is a reading of its
/// own: in a total, the seven times larger system time hides changes of it. Only the load threads
/// work for a request; the user time of all threads includes the writing of the run directory.
fn by_slope(stable: &Stable<'_>) -> Row {
    Row {
        name: "by slope, keep-alive GET, 64 connections",
        server: Kind::Nginx,
        method: Method::Beyond,
        core_awake: false,
        contenders: stable.http(64),
        readings: vec![
            Reading {
                figure: Figure::LoadThreadUserMicrosPerOperation,
                goals: vec![Goal::AtMost("tenbin", 0.8)],
            },
            Reading {
                figure: Figure::UserMicrosPerOperation,
                goals: Vec::new(),
            },
            Reading {
                figure: Figure::MicrosPerOperation,
                goals: vec![
                    Goal::AtMostTimes("tenbin", 1.05, "bare loop"),
                    Goal::BelowAllBut("tenbin", &["bare loop"]),
                ],
            },
        ],
    }
}

/// The cost of a live page with one viewer.
fn live_page(stable: &Stable<'_>) -> Row {
    Row {
        name: "keep-alive GET, 64 connections, live page with one viewer",
        server: Kind::Nginx,
        method: Method::Whole,
        core_awake: false,
        contenders: stable.with_live_page(64),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::AtMostTimes("with --live", 1.01, "tenbin")],
        }],
    }
}

/// Checks the cost of comparing the content of some responses with earlier ones.
fn sampled_content(stable: &Stable<'_>) -> Row {
    Row {
        name: "keep-alive GET 1 MiB, content sampled, 8 connections",
        server: Kind::Nginx,
        // The responses before and after the load, whose content is read as well, cost the same in
        // both turns.
        method: Method::Beyond,
        core_awake: false,
        contenders: stable.with_sampled_content(),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::AtMostTimes(
                "content sampled", 1.02, "no content read",
            )],
        }],
    }
}

/// Checks the cost of many different requests. Every request of the file has figures of its own.
fn patterns(stable: &Stable<'_>) -> Row {
    Row {
        name: "keep-alive GET, 64 connections, 10,000 patterns",
        server: Kind::Nginx,
        method: Method::AtOnce,
        core_awake: false,
        contenders: stable.with_patterns(64),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::AtMostTimes("10,000 requests", 1.05, "1 request")],
        }],
    }
}

/// The cost of `--ops-log`. Load threads pass batches of requests to a thread that compresses and
/// writes them. The list of the slowest and failed requests cannot be turned off, so it is a part of
/// every row.
fn request_log(stable: &Stable<'_>) -> Row {
    Row {
        name: "keep-alive GET, 64 connections, log of requests",
        server: Kind::Nginx,
        method: Method::AtOnce,
        core_awake: false,
        contenders: stable.with_request_log(64),
        readings: vec![
            Reading {
                figure: Figure::LoadThreadMicrosPerOperation,
                goals: vec![Goal::AtMostTimes("with --ops-log", 1.05, "no log")],
            },
            Reading {
                figure: Figure::MicrosPerOperation,
                goals: Vec::new(),
            },
        ],
    }
}
