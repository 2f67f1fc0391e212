//! The sentences about a limit, as messages.

use tenbin_plan::NoProbes;
use tenbin_result::{Certainty, Message, Value, message};

use crate::findings::messages::{clauses, known};
use crate::limit::causes::{self, LimitCause, Prediction};
use crate::limit::observed::Observed;
use crate::limit::quantities::Quantity;
use crate::limit::{CANDIDATES, Decision};
use crate::machine::IDLE_CORES;

/// Share of the target's CPU time above which a thread does most of its work.
const MOST_OF_IT: f64 = 0.6;
/// Share of the refusals above which the others are not worth a word.
const NEARLY_ALL: f64 = 0.95;
/// Share of the offered rate that is printed as all of it.
const NEARLY_ALL_KEPT: f64 = 0.995;
/// Share of CPU time in the time of a request below which the request mostly waits.
const MOSTLY_WAITS: f64 = 0.5;
/// Cores below which a target is stopped by a quota: one that is pinned has a whole core.
const BELOW_A_CORE: f64 = 0.9;
/// Change of throughput with twice the load that is printed as none.
const NO_CHANGE: f64 = 1.03;
/// Most quantities that a sentence quotes.
const QUOTED: usize = 3;

/// The limit and what shows it: `one CPU core (established): doubling the connections does not …`.
pub(super) fn evidence(decision: &Decision, seen: &Observed) -> Message {
    let limit = match decision.cause {
        Some(cause) => named(cause, decision, seen),
        None => unknown(decision, seen),
    };
    let quoted = match (decision.cause, decision.ranked.first()) {
        (Some(cause), _) => {
            let of_doubt = decision.doubted_by.map(|_| Quantity::GeneratorThread);
            let of_doubt = of_doubt.and_then(|of| quote(of, seen));
            of_doubt.into_iter().chain(quotes(cause, seen)).collect()
        }
        // What fits the best candidate, although it does not settle the matter.
        (None, Some((cause, score))) if *score > 0.0 => quotes(cause, seen),
        (None, _) => Vec::new(),
    };
    let is_opened =
        decision.cause.is_some_and(LimitCause::is_open) && decision.doubted_by.is_none();
    let sentence = message!("limit", limit, opened = is_opened);
    let is_quoted = !quoted.is_empty();
    sentence.with("quotes", is_quoted).with(
        "seen",
        if is_quoted {
            clauses(quoted)
        } else {
            message!("nothing")
        },
    )
}

/// The limit with its certainty, or with the load generator if that can be the limit instead.
fn named(cause: &LimitCause, decision: &Decision, seen: &Observed) -> Message {
    let id = if cause.is_open() {
        format!("limit-named-{}", cause.name)
    } else {
        "limit-named".to_owned()
    };
    Message::new(&id)
        .with("cause", name(cause, seen))
        .with(
            "certainty",
            Value::word(match decision.certainty {
                Certainty::Established => "established",
                Certainty::Likely | Certainty::Unknown => "likely",
            }),
        )
        .with("doubt", Value::word(decision.doubted_by.unwrap_or("none")))
        .with("served", served(seen))
}

fn served(seen: &Observed) -> Value {
    let served = seen.served_at_a_time();
    Value::Count(served.map_or(0.0, |it| it.round().max(1.0)) as u64)
}

fn unknown(decision: &Decision, seen: &Observed) -> Message {
    let likely = decision.ranked.iter().filter(|(_, score)| *score > 0.0);
    let mut candidates = likely.take(CANDIDATES).map(|(cause, _)| name(cause, seen));
    match (candidates.next(), candidates.next()) {
        (Some(one), Some(other)) => message!("limit-unknown-two", one, other),
        (Some(one), None) => message!("limit-unknown-one", one),
        _ => message!("limit-unknown"),
    }
}

/// The cause in words.
fn name(cause: &LimitCause, seen: &Observed) -> Message {
    let in_flight = seen.get(Quantity::InFlight).unwrap_or(0.0);
    let cores = seen.get(Quantity::TargetCores);
    Message::new(&format!("limit-{}", cause.name))
        .with("served", served(seen))
        .with("in_flight", Value::Count(in_flight as u64))
        .with("rate", known(seen.get(Quantity::BitRate), Value::BitRate))
        .with(
            "accepted",
            known(seen.get(Quantity::Throughput), Value::Rate),
        )
        .with(
            "streams",
            known(seen.get(Quantity::StreamsAllowed), Value::whole),
        )
        .with("cores", known(cores, Value::Cores))
        .with("used", known(seen.get(Quantity::Connections), count))
        .with("needed", known(seen.get(Quantity::Needed), at_least_all))
        .with(
            "below_a_core",
            cores.is_some_and(|cores| cores < BELOW_A_CORE),
        )
        .with("asked", asks_for_new(seen))
        .with("one_thread", is_one_thread(seen))
}

/// Whether the load generator was asked to open a connection for every request.
fn asks_for_new(seen: &Observed) -> bool {
    seen.get(Quantity::AsksForNew) == Some(1.0)
}

/// Whether one thread does most of the target's work; otherwise several take turns.
fn is_one_thread(seen: &Observed) -> bool {
    seen.get(Quantity::ThreadShare)
        .is_none_or(|share| share > MOST_OF_IT)
}

/// What would tell the limit of a blobstore whose programs are not observed; `None` in other cases.
pub(super) fn how_to_observe_blobstore(decision: &Decision, seen: &Observed) -> Option<Message> {
    let is_open = decision.cause.is_none() && seen.get(Quantity::TargetCores).is_none();
    is_open.then(|| message!("limit-observe-blobstore"))
}

/// What to do about the limit, or what would tell it. `no_probes`: why the workload has no probes.
pub(super) fn advice(decision: &Decision, seen: &Observed, no_probes: Option<NoProbes>) -> Message {
    let Some(cause) = decision.cause else {
        let is_observed = seen.get(Quantity::TargetCores).is_some();
        return match no_probes {
            _ if !is_observed => message!("limit-observe"),
            _ if seen.get(Quantity::Kept).is_some() => message!("limit-closed-loop"),
            Some(NoProbes::TooShort) => message!("limit-probe"),
            Some(NoProbes::TurnedOff) => message!("limit-probe-again"),
            Some(NoProbes::OfGate) => message!("limit-probe-gate"),
            Some(NoProbes::NotPossible) | None => message!("limit-ramp"),
        };
    };
    let in_flight = seen.get(Quantity::InFlight).unwrap_or(0.0);
    let advice = Message::new(&format!("limit-advice-{}", cause.name))
        .with("connections", Value::Plain((2.0 * in_flight) as u64))
        .with("needed", known(seen.get(Quantity::Needed), at_least_all))
        .with("asked", asks_for_new(seen))
        .with("delayed", decision.delayed)
        .with("one_thread", is_one_thread(seen));
    if decision.doubted_by.is_none() {
        return advice;
    }
    let has_idle_cores = seen
        .get(Quantity::Idle)
        .is_some_and(|idle| idle > IDLE_CORES);
    message!("limit-advice-doubted", idle_cores = has_idle_cores, advice)
}

/// What was seen and fits the cause, in the order of its predictions.
fn quotes(cause: &LimitCause, seen: &Observed) -> Vec<Message> {
    let fits = |it: &&Prediction| {
        it.is_telling() && seen.get(it.of).is_some_and(|value| it.fit(value) > 0.0)
    };
    let in_words = |it: &Prediction| match it.of {
        Quantity::Served => Quantity::ServedShare,
        other => other,
    };
    let mut quantities: Vec<Quantity> = cause.predicts.iter().filter(fits).map(in_words).collect();
    // A range can be two predictions.
    quantities.dedup();
    let quoted = quantities.into_iter().take(QUOTED);
    quoted.filter_map(|of| quote(of, seen)).collect()
}

/// The value of a quantity in words.
pub(super) fn quote(of: Quantity, seen: &Observed) -> Option<Message> {
    let of = match of {
        Quantity::Doubled if seen.get(Quantity::Kept).is_some() => Quantity::Kept,
        other => other,
    };
    let value = seen.get(of)?;
    let message = Message::new(&format!("seen-{}", of.name()));
    Some(match of {
        Quantity::Served | Quantity::ServedShare => message
            .with("served", known(seen.served_at_a_time(), at_least_one))
            .with("in_flight", known(seen.get(Quantity::InFlight), count))
            .with("alone", known(seen.get(Quantity::Alone), Value::Seconds)),
        Quantity::Doubled => message
            .with("ratio", Value::Ratio(value))
            .with("change", Value::word(change(value)))
            .with("in_flight", known(seen.get(Quantity::InFlight), count)),
        Quantity::Kept => message
            .with("ratio", Value::Ratio(value))
            .with("all", value >= NEARLY_ALL_KEPT),
        Quantity::RefusedShare => message
            .with("share", Value::Share(value))
            .with("status", Value::word(refusals(value, seen))),
        Quantity::TargetCores | Quantity::CoreDemand => message.with("cores", Value::Cores(value)),
        // More than the whole time is CPU time that only the load costs.
        Quantity::CpuShare => message
            .with("share", Value::Share(value.min(1.0)))
            .with("waits", value < MOSTLY_WAITS),
        Quantity::SwappedPages => message.with("pages", Value::whole(value)),
        Quantity::BytesEach | Quantity::StoredEach => {
            message.with("bytes", Value::Bytes(value as u64))
        }
        Quantity::BitRate => message.with("rate", Value::BitRate(value)),
        Quantity::InFlight
        | Quantity::Throughput
        | Quantity::Alone
        | Quantity::AloneOpened
        | Quantity::Loopback
        | Quantity::Connections
        | Quantity::Needed
        | Quantity::AsksForNew
        | Quantity::StreamsAllowed
        | Quantity::TooManyShare => {
            return None;
        }
        _ => message.with("share", Value::Share(value)),
    })
}

fn count(requests: f64) -> Value {
    Value::Count(requests as u64)
}

/// A number of connections that is enough.
fn at_least_all(connections: f64) -> Value {
    Value::Plain(connections.ceil() as u64)
}

fn at_least_one(requests: f64) -> Value {
    Value::whole(requests.max(1.0))
}

/// What a change of the load by the factor 2 does to throughput.
fn change(ratio: f64) -> &'static str {
    if ratio > causes::FLAT.high {
        "more"
    } else if ratio > NO_CHANGE {
        "little"
    } else if ratio < causes::FLAT.high.recip() {
        "less"
    } else {
        "none"
    }
}

/// The statuses that nearly all refusals have.
fn refusals(refused: f64, seen: &Observed) -> &'static str {
    let too_many = seen.get(Quantity::TooManyShare).unwrap_or(0.0) / refused;
    if too_many > NEARLY_ALL {
        "429"
    } else if too_many < 1.0 - NEARLY_ALL {
        "503"
    } else {
        "429 or 503"
    }
}
