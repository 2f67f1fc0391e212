//! The rows of the cost table: workload, server, contenders and goals.

mod agents;
mod commands;
mod http;
mod memory;
mod open_loop;
mod s3;
mod stores;
mod tls;

use super::contender::{Contender, Stable};
use super::figure::Figure;
use super::goal::Goal;
use super::server::Kind;

/// A workload that every contender of the row runs.
pub(crate) struct Row {
    /// Name of the row.
    pub(crate) name: &'static str,
    pub(crate) server: Kind,
    pub(crate) method: Method,
    /// Whether another process keeps the core of the load generator awake, which excludes the cost
    /// of going to sleep and waking up.
    pub(crate) core_awake: bool,
    pub(crate) contenders: Vec<Contender>,
    pub(crate) readings: Vec<Reading>,
}

/// How a turn is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// The total cost of the program, including its start.
    Whole,
    /// The cost of a long turn minus the cost of a short turn. This excludes the preparation and
    /// the cleanup, which are the same in both: storing objects for GET, generating and hashing
    /// bodies, deleting objects.
    Beyond,
    /// Like `Beyond`, but all contenders run at the same time on the same core, so other programs on
    /// this machine slow all of them alike. For contenders that differ by a few per cent.
    AtOnce,
    /// The contender performs a fixed number of operations; the length of a turn is ignored.
    Counted,
    /// Like `Counted`, but with a single turn, which takes minutes and hardly varies.
    Once,
}

/// One figure of the turns, with its goals.
pub(crate) struct Reading {
    pub(crate) figure: Figure,
    pub(crate) goals: Vec<Goal>,
}

/// The rows that compare Tenbin with other load generators and with limits.
pub(crate) fn all(stable: &Stable<'_>) -> Vec<Row> {
    [
        http::rows(stable),
        agents::rows(stable),
        open_loop::rows(stable),
        tls::rows(stable),
        s3::rows(stable),
        stores::rows(stable),
        memory::rows(stable),
        commands::rows(stable),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Largest memory of a run of any length and of `tenbin show`, MiB.
const LONG_RUN_MIB: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_goal_is_about_contenders_of_its_row() {
        let stable = Stable {
            built: std::path::Path::new("built"),
        };
        for row in all(&stable) {
            let names: Vec<&str> = row.contenders.iter().map(|one| one.name).collect();
            for goal in row.readings.iter().flat_map(|reading| &reading.goals) {
                let named = match goal {
                    Goal::AtMostTimes(one, _, other)
                    | Goal::AtLeastTimes(one, _, other)
                    | Goal::AtMostAbove(one, _, other) => vec![*one, *other],
                    Goal::BelowAllBut(one, others) => [&[*one], *others].concat(),
                    Goal::AtMost(one, _)
                    | Goal::AtLeast(one, _)
                    | Goal::AtMostTimesElsewhere(one, ..) => vec![*one],
                };
                for name in named {
                    assert!(names.contains(&name), "{}: {name}", row.name);
                }
            }
        }
    }
}
