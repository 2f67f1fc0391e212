//! Rows with a constant rate.

use super::{Method, Reading, Row};
use crate::cost::contender::Stable;
use crate::cost::figure::Figure;
use crate::cost::server::Kind;

pub(super) fn rows(stable: &Stable<'_>) -> Vec<Row> {
    vec![null(stable), send_lag(stable), many_connections(stable)]
}

/// The cost of sending at fixed times, without the cost of connections.
fn null(stable: &Stable<'_>) -> Row {
    Row {
        name: "open loop, null workload at 100,000/s",
        server: Kind::None,
        method: Method::Whole,
        core_awake: false,
        contenders: vec![stable.null_at("100,000/s", 100_000)],
        readings: vec![figure(Figure::PercentOfCore), figure(Figure::LagMicros)],
    }
}

/// How late requests are sent, at three loads of a server.
fn send_lag(stable: &Stable<'_>) -> Row {
    let shares = [("1 % load", 1), ("10 % load", 10), ("50 % load", 50)];
    Row {
        name: "open loop, send lag at 1, 10 and 50 % load, 64 connections",
        server: Kind::Nginx,
        method: Method::Whole,
        core_awake: false,
        contenders: stable.at_shares_of_the_throughput(&shares),
        readings: vec![
            figure(Figure::LagMicros),
            figure(Figure::PercentOfCoreInWindow),
        ],
    }
}

/// The cost of connections beside the cost of requests. Connections are opened before the window.
fn many_connections(stable: &Stable<'_>) -> Row {
    Row {
        name: "open loop, 10,000 connections, idle and at 10,000/s",
        server: Kind::Nginx,
        method: Method::Whole,
        core_awake: false,
        contenders: vec![
            stable.on_connections("10,000 connections, 10/s", 10_000, 10),
            stable.on_connections("10,000 connections, 10,000/s", 10_000, 10_000),
            stable.on_connections("64 connections, 10,000/s", 64, 10_000),
        ],
        readings: vec![
            figure(Figure::PercentOfCoreInWindow),
            figure(Figure::PeakMib),
            figure(Figure::LagMicros),
        ],
    }
}

fn figure(figure: Figure) -> Reading {
    Reading {
        figure,
        goals: Vec::new(),
    }
}
