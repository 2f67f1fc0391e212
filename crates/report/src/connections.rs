//! What terminal and Markdown say of connections, hosts and first bytes: when a
//! figure says something, and how it reads.

use crate::document::{Connections, Document, Figure, OperationResult, ResultOf, SetupStep};
use crate::words::{TIME, UNKNOWN, count, percent};

/// What stands where a step did not occur, such as TLS without TLS.
pub(crate) const NOT_TIMED: &str = "not timed";

/// The first byte of a connection's first answer: not that of every answer, which is
/// why it need not lie below the service time.
const FIRST_ANSWER: &str = "first answer's first byte";

/// A first byte this much earlier than the last one is worth a line.
const NOTABLY_EARLIER: f64 = 0.1;

/// Whether requests mostly had to wait for a connection of their own, so that
/// opening them is a main figure.
pub(crate) fn mostly_new(connections: &Connections) -> bool {
    connections.opened > connections.reused
}

/// Whether any step of opening them was timed.
pub(crate) fn is_timed(connections: &Connections) -> bool {
    let steps = [connections.connect, connections.tls, connections.first_byte];
    steps.iter().any(Option::is_some)
}

/// The steps in their order, by the words for them.
pub(crate) fn steps(connections: &Connections) -> [(&'static str, Option<SetupStep>); 3] {
    [
        ("connect", connections.connect),
        ("TLS", connections.tls),
        (FIRST_ANSWER, connections.first_byte),
    ]
}

/// How long looking up the target's names took: one observation.
pub(crate) fn name_lookup(document: &Document, target: &str) -> Option<String> {
    let known = document.environment.targets.get(target)?;
    Some(TIME.of(known.name_lookup_ns()? as f64 / 1e9))
}

/// Whether the first byte came notably before the last one, as with big bodies.
pub(crate) fn has_early_first_byte(operation: &OperationResult) -> bool {
    let notable = |first: Option<Figure>, last: Option<Figure>| match (first, last) {
        (Some(first), Some(last)) => first.value < last.value * (1.0 - NOTABLY_EARLIER),
        _ => false,
    };
    notable(operation.first_byte_p50, operation.service_p50)
        || notable(operation.first_byte_p99, operation.service_p99)
}

/// For each host: its requests, and their share of all.
pub(crate) fn shares(result: &ResultOf) -> impl Iterator<Item = [String; 2]> {
    let all: u64 = result.hosts.iter().map(|host| host.ok + host.failed).sum();
    result.hosts.iter().map(move |host| {
        let mine = host.ok + host.failed;
        let share = (all > 0).then(|| percent(mine as f64 / all as f64));
        [count(mine), share.unwrap_or_else(|| UNKNOWN.to_owned())]
    })
}
