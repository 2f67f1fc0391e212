//! Rows with agents.

use super::{LONG_RUN_MIB, Method, Reading, Row};
use crate::cost::contender::Stable;
use crate::cost::figure::Figure;
use crate::cost::goal::Goal;
use crate::cost::server::Kind;

pub(super) fn rows(stable: &Stable<'_>) -> Vec<Row> {
    vec![one_agent(stable), many_agents(stable)]
}

/// The throughput and the cost of an agent, with its coordinator and its hub on the same core.
fn one_agent(stable: &Stable<'_>) -> Row {
    Row {
        name: "keep-alive GET, 64 connections, 1 agent",
        server: Kind::Nginx,
        method: Method::AtOnce,
        core_awake: false,
        contenders: stable.with_agent(64),
        readings: vec![
            Reading {
                figure: Figure::MillionsPerSecond,
                goals: vec![Goal::AtLeastTimes("1 agent", 0.98, "tenbin")],
            },
            Reading {
                figure: Figure::MicrosPerOperation,
                goals: vec![Goal::AtMostTimes("1 agent", 1.02, "tenbin")],
            },
        ],
    }
}

/// The cost of a coordinator. The agents and the server are not counted.
fn many_agents(stable: &Stable<'_>) -> Row {
    let (run, long) = ("coordinator", "coordinator, four times as long");
    Row {
        name: "64 agents, 6,400 requests/s",
        server: Kind::Agents,
        method: Method::Beyond,
        core_awake: false,
        contenders: vec![stable.by_agents(run, 1), stable.by_agents(long, 4)],
        readings: vec![
            Reading {
                figure: Figure::PercentOfCore,
                goals: vec![Goal::AtMost(run, 10.0), Goal::AtMost(long, 10.0)],
            },
            Reading {
                figure: Figure::PeakMib,
                goals: vec![Goal::AtMost(long, LONG_RUN_MIB)],
            },
        ],
    }
}
