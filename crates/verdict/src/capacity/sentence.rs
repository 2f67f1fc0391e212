//! Sentences about a capacity and about a comparison of capacities.

use tenbin_result::format::{RATE, UNKNOWN, percent, ratio, ratio_ends};
use tenbin_result::{Capacity, CapacityComparison, Knee, Outcome, Trust};

/// The sentence about a capacity, without a full stop. For untrusted numbers, the sentence states
/// that the numbers cannot be trusted.
pub(super) fn of_capacity(found: &Capacity, trust: Trust) -> String {
    let about = format!("the capacity of {} at {}", found.target, found.family);
    trust.qualify(most(found), &about)
}

fn most(found: &Capacity) -> String {
    let Capacity { target, family, .. } = found;
    let (Some(_), Some(connections)) = (found.peak, found.peak_connections) else {
        return format!(
            "the capacity of {target} at {family} is unknown: not every level was measured"
        );
    };
    let knee = match found.knee {
        Some(Knee { connections, found }) => {
            if found {
                format!("the knee is at {connections}")
            } else {
                format!("the knee is at {connections} or more; more connections would show where")
            }
        }
        None => "the knee is unknown".to_owned(),
    };
    format!(
        "{target} reaches at most {} at {family}, with {connections} connections; {knee}{}",
        RATE.with_interval(found.peak),
        like_workers(found)
    )
}

fn like_workers(found: &Capacity) -> String {
    let Some(workers) = found.workers else {
        return String::new();
    };
    // Without a knee, the server may have more workers than the estimate, because the last level
    // may not use all workers.
    let more = match found.knee {
        Some(Knee { found: true, .. }) => "",
        _ => " or more",
    };
    format!(
        "; it behaves like {} workers{more} ({})",
        ratio(workers.value),
        ratio_ends(workers)
    )
}

/// The sentence about a comparison, without a full stop. For untrusted numbers, the sentence states
/// that the numbers cannot be trusted.
pub(super) fn of_comparison(found: &CapacityComparison) -> String {
    let about = format!(
        "the capacity of {} against {} at {}",
        found.challenger, found.baseline, found.family
    );
    found.trust.qualify(compared(found), &about)
}

fn compared(found: &CapacityComparison) -> String {
    let CapacityComparison {
        family,
        baseline,
        challenger,
        ..
    } = found;
    let claim = match &found.outcome {
        Outcome::Faster | Outcome::Slower | Outcome::CostsLess | Outcome::CostsMore => {
            let value = found.ratio.map(|found| found.value);
            let times = value.map_or_else(|| UNKNOWN.to_owned(), ratio);
            format!(
                "the maximum throughput of {challenger} is {times} times that of {baseline} at \
                 {family}"
            )
        }
        Outcome::Equivalent { within } => format!(
            "the maximum throughputs of {challenger} and {baseline} are equivalent at {family}, \
             within {}",
            percent(*within)
        ),
        Outcome::Inconclusive { .. } | Outcome::OneStart { .. } | Outcome::NotSustained { .. } => {
            format!(
                "cannot tell the maximum throughput of {challenger} from that of {baseline} \
                     at {family}"
            )
        }
        Outcome::Unknown { why } => {
            return format!(
                "cannot compare the maximum throughput of {challenger} with that of {baseline} \
                 at {family}: {why}"
            );
        }
    };
    let figures = match (found.ratio, found.ratio.and_then(|ratio| ratio.interval)) {
        (Some(figure), Some(found)) => format!(
            "ratio {}, {} % interval {}",
            ratio(figure.value),
            (found.confidence * 100.0).floor(),
            ratio_ends(figure)
        ),
        (Some(figure), None) => format!("ratio {}, interval unknown", ratio(figure.value)),
        (None, _) => "ratio unknown".to_owned(),
    };
    format!(
        "{claim} ({figures}, {} connections against {})",
        found.challenger_connections, found.baseline_connections
    )
}

#[cfg(test)]
mod tests {
    use super::super::capacities;
    use super::super::tests::run;

    #[test]
    fn says_the_maximum_the_knee_and_the_workers() {
        let capacity = |workers, blocks| {
            let run = run(&[("a", workers)], blocks);
            capacities(&run.plan, &run.slices, &[]).remove(0).sentence
        };
        let found = capacity(4, 8);
        assert!(
            found.starts_with(
                "a reaches at most 400/s (400–400) at get, with 4 connections; the knee is at 4; \
                 it behaves like 4.00 workers (4.00–4.00)"
            ),
            "{found}"
        );
        let rising = capacity(64, 2);
        assert!(rising.contains("(interval unknown)"), "{rising}");
        assert!(rising.contains("the knee is at 32 or more"), "{rising}");
        assert!(rising.contains("like 32.0 workers or more"), "{rising}");
    }
}
