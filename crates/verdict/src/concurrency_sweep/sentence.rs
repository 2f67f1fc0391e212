//! Sentences about a concurrency sweep and about a comparison of sweeps.

use tenbin_result::format::RATE;
use tenbin_result::{
    ConcurrencySweep, ConcurrencySweepComparison, Knee, Message, Outcome, Value, message,
};

use crate::findings::messages::{change_ends, interval, qualified, ratio_ends, whole_percent};

/// The sentence about a concurrency sweep, without a full stop. For untrusted numbers, the sentence
/// states that the numbers cannot be trusted.
pub(crate) fn of_concurrency_sweep(found: &ConcurrencySweep) -> Message {
    let of = |id: &str| {
        let message = Message::new(id).with("target", &found.target);
        message.with("family", &found.family)
    };
    qualified(found.trust, most(found, of), of("about-capacity"))
}

fn most(found: &ConcurrencySweep, of: impl Fn(&str) -> Message) -> Message {
    let (Some(peak), Some(connections)) = (found.peak, found.peak_connections) else {
        return of("capacity-unknown");
    };
    let knee = match found.knee {
        Some(Knee { connections, found }) => {
            message!("knee-at", found, connections = Value::Plain(connections))
        }
        None => message!("knee-unknown"),
    };
    of("capacity")
        .with("peak", Value::Rate(peak.value))
        .with("interval", interval(RATE.ends(peak)))
        .with("connections", Value::Plain(connections))
        .with("knee", knee)
        .with("workers", like_workers(found))
}

fn like_workers(found: &ConcurrencySweep) -> Option<Message> {
    let workers = found.workers?;
    // Without a knee, the server may have more workers than the estimate, because the last level
    // may not use all workers.
    let more = !matches!(found.knee, Some(Knee { found: true, .. }));
    Some(message!(
        "like-workers",
        workers = Value::Ratio(workers.value),
        more,
        interval = ratio_ends(workers)
    ))
}

/// The sentence about a comparison, without a full stop. For untrusted numbers, the sentence states
/// that the numbers cannot be trusted.
pub(crate) fn of_comparison(found: &ConcurrencySweepComparison) -> Message {
    let between = |id: &str| {
        Message::new(id)
            .with("challenger", &found.challenger)
            .with("baseline", &found.baseline)
            .with("family", &found.family)
    };
    let claim = compared(found, between);
    qualified(found.trust, claim, between("about-capacities"))
}

fn compared(found: &ConcurrencySweepComparison, between: impl Fn(&str) -> Message) -> Message {
    let claim = match &found.outcome {
        Outcome::Faster | Outcome::Slower | Outcome::CostsLess | Outcome::CostsMore => {
            let is_more = found.ratio.is_some_and(|ratio| ratio.value > 1.0);
            between("most-is-higher").with("higher", is_more)
        }
        Outcome::Equivalent { within } => {
            between("most-are-equivalent").with("within", Value::Share(*within))
        }
        Outcome::Inconclusive { .. } | Outcome::OneStart { .. } | Outcome::NotSustained { .. } => {
            between("most-cannot-tell")
        }
        outcome @ Outcome::Unknown { .. } => {
            return between("most-cannot-compare").with("why", outcome.why());
        }
    };
    let figures = match (found.ratio, found.ratio.and_then(|ratio| ratio.interval)) {
        (Some(figure), Some(ends)) => message!(
            "most-ratio",
            change = Value::Change(figure.value),
            confidence = whole_percent(ends.confidence),
            ends = change_ends(figure.value, ends.low, ends.high)
        ),
        (Some(figure), None) => {
            message!("most-ratio-alone", change = Value::Change(figure.value))
        }
        (None, _) => message!("most-ratio-unknown"),
    };
    message!(
        "capacities",
        claim,
        figures,
        connections = Value::Plain(found.challenger_connections),
        of_baseline = Value::Plain(found.baseline_connections)
    )
}

#[cfg(test)]
mod tests {
    use super::super::concurrency_sweeps;
    use super::super::tests::run;

    #[test]
    fn says_the_maximum_the_knee_and_the_workers() {
        let concurrency_sweep = |workers, blocks| {
            let run = run(&[("a", workers)], blocks);
            concurrency_sweeps(&run.plan, &run.slices, &[])
                .remove(0)
                .sentence
        };
        let found = concurrency_sweep(4, 8);
        assert!(
            found.starts_with(
                "a reaches at most 400/s (400–400) at get, with 4 connections; the knee is at 4; \
                 it behaves like 4.00 workers (4.00–4.00)"
            ),
            "{found}"
        );
        let rising = concurrency_sweep(64, 2);
        assert!(rising.contains("(interval unknown)"), "{rising}");
        assert!(rising.contains("the knee is at 32 or more"), "{rising}");
        assert!(rising.contains("like 32.0 workers or more"), "{rising}");
    }
}
