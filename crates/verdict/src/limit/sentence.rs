//! The sentences about a limit, as messages.

use tenbin_plan::NoProbes;
use tenbin_result::{Certainty, Message, Value, message};

use crate::findings::messages::{clauses, known};
use crate::limit::causes::{LimitCause, Prediction};
use crate::limit::observed::Observed;
use crate::limit::quantities::Quantity;
use crate::limit::{CANDIDATES, Decision};

/// Share of the target's CPU time above which a thread does most of its work.
const MOST_OF_IT: f64 = 0.6;
/// Most quantities that a sentence quotes.
const QUOTED: usize = 3;

/// The limit and what shows it: `one worker (established): twice the connections give …`.
pub(super) fn evidence(decision: &Decision, seen: &Observed) -> Message {
    let limit = match decision.cause {
        Some(cause) => message!(
            "limit-named",
            cause = name(cause, seen),
            certainty = Value::word(match decision.certainty {
                Certainty::Established => "established",
                Certainty::Likely | Certainty::Unknown => "likely",
            })
        ),
        None => unknown(decision, seen),
    };
    let quoted = match (decision.cause, decision.ranked.first()) {
        (Some(cause), _) => quotes(cause, seen),
        // What fits the best candidate, although it does not settle the matter.
        (None, Some((cause, score))) if *score > 0.0 => quotes(cause, seen),
        (None, _) => Vec::new(),
    };
    let sentence = message!("limit", limit = limit);
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

fn unknown(decision: &Decision, seen: &Observed) -> Message {
    let likely = decision.ranked.iter().filter(|(_, score)| *score > 0.0);
    let mut candidates = likely.take(CANDIDATES).map(|(cause, _)| name(cause, seen));
    match (candidates.next(), candidates.next()) {
        (Some(one), Some(other)) => message!("limit-unknown-two", one = one, other = other),
        (Some(one), None) => message!("limit-unknown-one", one = one),
        _ => message!("limit-unknown"),
    }
}

/// The cause in words.
fn name(cause: &LimitCause, seen: &Observed) -> Message {
    let served = seen.served_at_a_time();
    let served = served.map_or(0.0, |it| it.round().max(1.0));
    let in_flight = seen.get(Quantity::InFlight).unwrap_or(0.0);
    Message::new(&format!("limit-{}", cause.name))
        .with("served", Value::Count(served as u64))
        .with("in_flight", Value::Count(in_flight as u64))
        .with("rate", known(seen.get(Quantity::BitRate), Value::BitRate))
        .with("one_thread", is_one_thread(seen))
}

/// Whether one thread does most of the target's work; otherwise several take turns.
fn is_one_thread(seen: &Observed) -> bool {
    seen.get(Quantity::ThreadShare)
        .is_none_or(|share| share > MOST_OF_IT)
}

/// What to do about the limit, or what would tell it. `no_probes`: why the workload has no probes.
pub(super) fn advice(decision: &Decision, seen: &Observed, no_probes: Option<NoProbes>) -> Message {
    let Some(cause) = decision.cause else {
        let is_observed = seen.get(Quantity::TargetCores).is_some();
        return match no_probes {
            _ if !is_observed => message!("limit-observe"),
            Some(NoProbes::TooShort) => message!("limit-probe"),
            Some(NoProbes::TurnedOff) => message!("limit-probe-again"),
            Some(NoProbes::NotPossible) | None => message!("limit-ramp"),
        };
    };
    let in_flight = seen.get(Quantity::InFlight).unwrap_or(0.0);
    Message::new(&format!("limit-advice-{}", cause.name))
        .with("connections", Value::Plain((2.0 * in_flight) as u64))
        .with("one_thread", is_one_thread(seen))
}

/// What was seen and fits the cause, in the order of its predictions.
fn quotes(cause: &LimitCause, seen: &Observed) -> Vec<Message> {
    let fits = |it: &&Prediction| {
        it.is_telling() && seen.get(it.of).is_some_and(|value| it.fit(value) > 0.0)
    };
    let mut quantities: Vec<Quantity> =
        cause.predicts.iter().filter(fits).map(|it| it.of).collect();
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
            .with("served", known(seen.served_at_a_time(), Value::Number))
            .with("in_flight", known(seen.could_serve(), Value::whole))
            .with("alone", known(seen.get(Quantity::Alone), Value::Seconds)),
        Quantity::Doubled | Quantity::Kept => message.with("ratio", Value::Ratio(value)),
        Quantity::TargetCores => message.with("cores", Value::Cores(value)),
        // More than the whole time is CPU time that only the load costs.
        Quantity::CpuShare => message.with("share", Value::Share(value.min(1.0))),
        Quantity::SwappedPages => message.with("pages", Value::whole(value)),
        Quantity::BytesEach | Quantity::StoredEach => {
            message.with("bytes", Value::Bytes(value as u64))
        }
        Quantity::BitRate => message.with("rate", Value::BitRate(value)),
        Quantity::InFlight | Quantity::Throughput | Quantity::Alone => return None,
        _ => message.with("share", Value::Share(value)),
    })
}
