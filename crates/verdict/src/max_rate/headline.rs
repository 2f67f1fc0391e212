//! The result of a search in short, for headlines and lists.

use tenbin_result::{Document, Message, Search, SearchOutcome, Trust, Value, message};

use super::own_limit::is_lower_bound;
use super::sentence::{of_search, with_trust};

/// Id of the result of a search whose machine was late.
const DESPITE_DELAY: &str = "search-despite-delay";

/// Whether a sentence names the workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The run has one workload, whose name says nothing.
    Only,
    /// The run has several workloads.
    Named,
}

impl Place {
    /// How the searches of a run are told apart.
    pub(crate) fn in_run(document: &Document) -> Self {
        if document.workloads.len() > 1 {
            Self::Named
        } else {
            Self::Only
        }
    }

    fn of(self, found: &Search) -> Option<Message> {
        let named = || message!("search-place", workload = &found.workload);
        (self == Self::Named).then(named)
    }
}

/// The result in one short sentence: of a search without a decision, what is known of its bounds and what
/// to do, with the workload if the run has several. The other figures of such a search are in [`of_search`].
pub(crate) fn of_search_in_short(found: &Search, place: Place) -> Message {
    let is_short = found.trust != Trust::Invalid && found.data.is_some();
    let names_its_cause = found.data.as_ref().is_some_and(is_lower_bound);
    match found.outcome {
        _ if !is_short || names_its_cause => of_search(found),
        SearchOutcome::AtLeast | SearchOutcome::Unknown => bounds(found, place),
        SearchOutcome::Below if !found.undecided.is_empty() => bounds(found, place),
        SearchOutcome::Disproven => claim_alone(found),
        SearchOutcome::Proven | SearchOutcome::Below | SearchOutcome::Futile => of_search(found),
    }
}

/// The claim of a search without the steps that were not decided.
fn claim_alone(found: &Search) -> Message {
    let claim = found.data.as_ref().and_then(|data| data.args.get("claim"));
    match claim {
        Some(Value::Message(claim)) => with_trust(found, claim.clone()),
        _ => of_search(found),
    }
}

/// What is known of the highest rate, why no more is, and what to do.
fn bounds(found: &Search, place: Place) -> Message {
    let often = found.rate.map_or_else(|| held_often(found), |_| None);
    let known = match (found.rate, &often, found.failed) {
        (Some(_), _, Some(_)) => "between",
        (Some(_), _, None) => "least",
        (None, Some(_), Some(_)) => "held-between",
        (None, Some(_), None) => "held",
        (None, None, Some(_)) => "most",
        (None, None, None) => "unknown",
    };
    let mut short = message!(
        "search-short",
        known = Value::word(known),
        target = &found.target,
        place = place.of(found),
        slo = &found.slo,
        busy = is_of_busy_machine(found)
    );
    if let Some(rate) = found.rate.or(often.as_ref().map(|often| often.rate)) {
        short = short.with("rate", Value::ExactRate(rate));
    }
    if let Some(failed) = found.failed {
        short = short.with("failed", Value::ExactRate(failed));
    }
    match often {
        Some(often) => short.with("held", often.held).with("probes", often.counted),
        None => short,
    }
}

/// Whether steps do not count because the load generator or its machine was late.
fn is_of_busy_machine(found: &Search) -> bool {
    let has_delay = found.data.as_ref().is_some_and(|it| it.id == DESPITE_DELAY);
    has_delay || found.probes.iter().any(|probe| probe.void)
}

/// A rate that held in most of its steps.
struct Often {
    /// Operations per second.
    rate: f64,
    /// Number of steps in which the rate held.
    held: usize,
    /// Number of steps that count.
    counted: usize,
}

/// The highest rate below the failed rates that held in most of its steps.
fn held_often(found: &Search) -> Option<Often> {
    let below = found.failed.unwrap_or(f64::INFINITY);
    let rates = found.probes.iter().map(|probe| probe.rate);
    let all = rates.filter(|rate| *rate < below).map(|rate| {
        let counted = found.probes.iter();
        let counted = counted.filter(|probe| probe.rate == rate && !probe.void);
        Often {
            rate,
            held: counted.clone().filter(|probe| probe.held).count(),
            counted: counted.count(),
        }
    });
    let most = all.filter(|each| 2 * each.held > each.counted);
    most.max_by(|one, other| one.rate.total_cmp(&other.rate))
}

#[cfg(test)]
mod tests {
    use tenbin_result::{Search, Trust};

    use super::super::search_results;
    use super::super::tests::searched;
    use super::{Place, of_search_in_short};
    use crate::findings::messages::Messages;

    fn said(found: &Search) -> String {
        Messages::NONE.in_english(&of_search_in_short(found, Place::Named))
    }

    #[test]
    fn an_undecided_search_has_its_bounds_and_a_next_step_in_its_headline() {
        let run = searched(&[("a", 1_000.0), ("b", 1_700.0)]);
        let of = |slices: &[tenbin_record::Slice]| {
            let results = search_results(&run.plan, slices);
            results[0].document()
        };
        let mut short = of(&run.slices[..4]);
        assert_eq!(
            said(&short),
            "a sustains at least 200/s at get within p99<10ms (not proven): the search was too short \
             → longer -d"
        );
        let only = of_search_in_short(&short, Place::Only);
        let only = Messages::NONE.in_english(&only);
        assert!(only.contains("200/s within p99<10ms"), "{only}");
        short.probes[0].void = true;
        short.failed = Some(400.0);
        assert_eq!(
            said(&short),
            "a sustains at least 200/s, at most 400/s at get within p99<10ms (not proven): the machine \
             was busy, or the search too short → longer -d, idle machine"
        );
        short.trust = Trust::Invalid;
        assert!(
            said(&short).starts_with("no verdict on"),
            "{}",
            said(&short)
        );
        let whole = of(&run.slices);
        assert_eq!(said(&whole), whole.sentence);
        let none = of(&[]);
        assert_eq!(
            said(&none),
            "the highest rate of a at get within p99<10ms is unknown: the search was too short → \
             longer -d"
        );
    }

    #[test]
    fn a_rate_that_held_only_in_most_steps_is_not_called_sustained() {
        let mut run = searched(&[("a", 0.0)]);
        run.slices.truncate(2);
        crate::testing::Made(&mut run.slices[1]).answers(20, 0.002);
        let found = search_results(&run.plan, &run.slices).remove(0).document();
        assert_eq!(
            said(&found),
            "a held 50/s in 1 of 1 step, and sustains at most 100/s at get within p99<10ms (not \
             proven): the search was too short → longer -d"
        );
    }
}
