//! Sentences about the result of a search and about a comparison of results.

use tenbin_result::{Message, RateComparison, Search, Trust, Value, message};
use tenbin_stats::{MaxRate, Purpose, SHARE_ERROR};

use super::own_limit::names_its_limit;
use super::{ProbeResult, SearchResult, Void};
use crate::findings::messages::{change_ends, qualified, with_and};

/// Most undecided rates that are named; of more, their number and the ends.
const MOST_LISTED: usize = 3;

impl SearchResult {
    /// The result, whatever the trust.
    pub(crate) fn message(&self) -> Message {
        let result = self.whole();
        if self.holds_despite_delay {
            message!("search-despite-delay", result)
        } else {
            result
        }
    }

    fn whole(&self) -> Message {
        if let Some(claim) = self.lower_bound() {
            return if self.is_doubted_otherwise {
                message!("search-lower-bound", claim)
            } else {
                claim
            };
        }
        message!(
            "search-result",
            claim = self.claim(),
            bounds = self.bounds(),
            undecided = self.undecided_rates(),
            void = self.void_probes(),
            late = self.late_end()
        )
    }

    /// `; the limit is between 785/s and 800/s`.
    fn bounds(&self) -> Option<Message> {
        // What failed may have failed because of the delay.
        if self.holds_despite_delay {
            return None;
        }
        let (held, failed) = self.found.rate().zip(self.found.failed())?;
        Some(message!(
            "search-bounds",
            held = Value::ExactRate(held),
            failed = Value::ExactRate(failed),
            wrong = Value::Share(SHARE_ERROR)
        ))
    }

    /// The undecided rates, and why they are undecided.
    fn undecided_rates(&self) -> Option<Message> {
        let rates = self.undecided.iter();
        let rates = rates.map(|rate| message!("search-rate", rate = Value::ExactRate(*rate)));
        let mut rates: Vec<Message> = rates.collect();
        let count = rates.len();
        let last = rates.pop()?;
        let rates = if count > MOST_LISTED {
            message!(
                "search-rates",
                count,
                first = Value::ExactRate(self.undecided[0]),
                last
            )
        } else if rates.is_empty() {
            last
        } else {
            message!("and", first = rates, second = last)
        };
        Some(message!(
            "search-undecided",
            rates,
            few = !self.void_probes_delayed_decisions()
        ))
    }

    /// Whether each undecided rate has a probe that does not count, so that its other probes were too
    /// few for a decision.
    fn void_probes_delayed_decisions(&self) -> bool {
        let is_void = |rate: &f64| {
            let mut probes = self.probes.iter();
            probes.any(|probe| probe.rate == *rate && probe.void.is_some())
        };
        self.undecided.iter().all(is_void)
    }

    /// `; 3 of 20 probes missed a limit and do not count against the target: …`.
    fn void_probes(&self) -> Option<Message> {
        let (late, waited) = (
            self.voided(Void::LateGenerator),
            self.voided(Void::WaitedForCore),
        );
        let late_probes = || message!("search-void-late", probes = Value::Plain(late as u64));
        let waited_probes = || message!("search-void-waited", probes = Value::Plain(waited as u64));
        let causes = [
            (late > 0).then(late_probes),
            (waited > 0).then(waited_probes),
        ];
        let causes: Vec<Message> = causes.into_iter().flatten().collect();
        (!causes.is_empty()).then(|| {
            message!(
                "search-void",
                void = Value::Plain((late + waited) as u64),
                probes = self.probes.len(),
                causes
            )
        })
    }

    /// Why the search ended before it was complete.
    fn late_end(&self) -> Option<Message> {
        self.ended_late.then(|| {
            let last = self.probes.last().map_or(0.0, |probe| probe.rate);
            message!("search-late", rate = Value::ExactRate(last))
        })
    }

    /// The highest undecided rate below all failed rates that held in more probes than it missed a limit
    /// in, operations per second. Of many probes at a rate that is too high, the luckiest one holds.
    pub(super) fn held_once(&self) -> Option<f64> {
        let below = self.found.failed().unwrap_or(f64::INFINITY);
        let rates = self.probes.iter().map(|probe| probe.rate);
        let rates = rates.filter(|rate| {
            let (held, counted) = self.held_of(*rate);
            *rate < below && 2 * held > counted
        });
        rates.reduce(f64::max)
    }

    /// In how many probes a rate held, of how many probes that count.
    fn held_of(&self, rate: f64) -> (usize, usize) {
        let counted = self.probes.iter();
        let counted = counted.filter(|probe| probe.rate == rate && probe.void.is_none());
        let held = counted.clone().filter(|probe| probe.judged.held);
        (held.count(), counted.count())
    }

    /// Whether an undecided rate below all failed rates may hold: a probe at the rate met all
    /// limits or is void.
    fn may_hold_below(&self) -> bool {
        let may_hold = |p: &ProbeResult| p.judged.held || p.void.is_some();
        let mut probes = self.probes.iter();
        probes.any(|p| may_hold(p) && self.undecided.contains(&p.rate))
    }

    /// `800/s missed p99<10ms, and the target did not keep up`.
    fn failed_at(&self, failed: f64) -> Message {
        let (limits, others) = self
            .limiting()
            .map(|probe| probe.misses(self.own_limit()))
            .unwrap_or_default();
        let missed = match (limits.is_empty(), others.is_empty()) {
            (true, true) => "unknown",
            (false, true) => "limits",
            (true, false) => "others",
            (false, false) => "both",
        };
        message!(
            "search-failed",
            missed = Value::word(missed),
            rate = Value::ExactRate(failed),
            limits,
            others = with_and(others)
        )
    }

    /// The length of the longest probe at `rate` that met all limits, apart from proofs, seconds.
    fn for_so_long(&self, rate: f64) -> Option<f64> {
        let probes = self.probes.iter().filter(|probe| {
            probe.rate == rate && probe.purpose == Purpose::Seek && probe.judged.held
        });
        probes.map(|probe| probe.seconds).reduce(f64::max)
    }

    /// The most frequent failure of the first probe with failures.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.probes.iter().find_map(|p| p.failure.as_deref())
    }

    fn claim(&self) -> Message {
        let above = |failed: Option<f64>| match failed {
            Some(failed) => self.failed_at(failed),
            None => message!("search-none-failed"),
        };
        let claim = match self.found {
            MaxRate::Proven { rate, failed } => message!(
                "search-proven",
                rate = Value::ExactRate(rate),
                failed = above(failed)
            ),
            MaxRate::AtLeast { rate, failed } => message!(
                "search-at-least",
                rate = Value::ExactRate(rate),
                failed = above(failed)
            ),
            MaxRate::Disproven {
                briefly,
                failed,
                highest,
            } => self.disproven(briefly, failed, highest),
            MaxRate::Below { failed } if self.may_hold_below() => match self.held_once() {
                Some(rate) => self.once(rate, self.failed_at(failed)),
                None => message!("search-none-known", failed = self.failed_at(failed)),
            },
            MaxRate::Below { failed } => {
                message!("search-none-held", failed = self.failed_at(failed))
            }
            MaxRate::Futile { tried } => message!(
                "search-futile",
                rate = Value::ExactRate(tried),
                known = self.failure().is_some(),
                why = self.failure().unwrap_or_default()
            ),
            MaxRate::Unknown => match self.held_once() {
                Some(rate) => self.once(rate, message!("search-none-failed")),
                None => message!("search-unknown"),
            },
        };
        let claim = claim.with("target", &self.target);
        claim
            .with("workload", &self.workload)
            .with("slo", &self.slo)
    }

    /// A rate held in a probe, and no rate is decided to hold.
    fn once(&self, rate: f64, failed: Message) -> Message {
        let (held, counted) = self.held_of(rate);
        message!(
            "search-held-once",
            times = held,
            missed = held < counted,
            probes = counted,
            rate = Value::ExactRate(rate),
            failed
        )
    }

    /// A rate held for a short time, but its proofs, at the rates from `failed` to `highest`,
    /// failed.
    fn disproven(&self, briefly: Option<f64>, failed: f64, highest: f64) -> Message {
        let mut claim = message!(
            "search-disproven",
            several = failed < highest,
            failed = Value::ExactRate(failed),
            highest = Value::ExactRate(highest)
        );
        let seconds = briefly.and_then(|rate| self.for_so_long(rate));
        let held = match (briefly, seconds) {
            (None, _) => "never",
            (Some(_), None) => "once",
            (Some(_), Some(_)) => "briefly",
        };
        if let Some(rate) = briefly {
            claim = claim.with("rate", Value::ExactRate(rate));
        }
        if let Some(seconds) = seconds {
            claim = claim.with("seconds", Value::Fixed(seconds, 1));
        }
        claim.with("held", Value::word(held))
    }
}

/// The sentence about a search, without a full stop. For untrusted numbers, the sentence states
/// that the numbers cannot be trusted. A sentence that names the limit of Tenbin, which is all that is
/// suspect, needs no warning.
pub(crate) fn of_search(found: &Search) -> Message {
    match &found.data {
        Some(claim) if found.trust == Trust::Suspect && names_its_limit(claim) => claim.clone(),
        Some(claim) => with_trust(found, claim.clone()),
        None => Message::or_text(None, &found.sentence),
    }
}

/// The claim with the trust in the search.
pub(super) fn with_trust(found: &Search, claim: Message) -> Message {
    let about = message!(
        "about-highest-rate",
        target = &found.target,
        workload = &found.workload
    );
    qualified(found.trust, claim, about)
}

/// The sentence about a comparison, without a full stop. For untrusted numbers, the sentence states
/// that the numbers cannot be trusted.
pub(crate) fn of_comparison(found: &RateComparison) -> Message {
    let between = |id: &str| {
        Message::new(id)
            .with("challenger", &found.challenger)
            .with("baseline", &found.baseline)
            .with("workload", &found.workload)
    };
    let by = |id: &str, value: f64| {
        let claim = between(id).with("change", Value::Change(value));
        claim.with("higher", value > 1.0)
    };
    let claim = match (found.ratio, found.low.zip(found.high)) {
        (None, _) => between("rates-unknown"),
        (Some(1.0), None) => between("rates-alike"),
        (Some(value), None) => by("rates-unbounded", value),
        (Some(value), Some((low, high))) => {
            let is_open = low <= 1.0 && 1.0 <= high;
            let id = if is_open {
                "rates-cannot-tell"
            } else {
                "rates-differ"
            };
            by(id, value).with("ends", change_ends(value, low, high))
        }
    };
    qualified(found.trust, claim, between("about-highest-rates"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::searched;
    use super::super::{Void, compare_rates, search_results};

    #[test]
    fn says_what_holds_and_what_fails() {
        let run = searched(&[("a", 1_000.0), ("b", 1_700.0)]);
        let said = |slices: &[tenbin_record::Slice]| {
            let results = search_results(&run.plan, slices);
            let compared = compare_rates(&run.plan, &results).remove(0).sentence;
            (results[0].document().sentence, compared)
        };
        let (found, compared) = said(&run.slices);
        assert!(found.starts_with("a sustains 9"), "{found}");
        assert!(found.contains("within p99<10ms (proven; 10"), "{found}");
        assert!(
            found.contains("/s missed p99<10ms); the limit is between 9"),
            "{found}"
        );
        assert!(
            compared.starts_with(
                "b sustains a higher rate than a at get (× 1.682, bracket 1.646–1.720)"
            ),
            "{compared}"
        );
        let (found, compared) = said(&run.slices[..4]);
        assert_eq!(
            found,
            "a sustains at least 200/s at get within p99<10ms (not proven; no rate failed)"
        );
        let has_result = |slices: &[tenbin_record::Slice]| {
            let found = search_results(&run.plan, slices).remove(0);
            found.document().has_result()
        };
        assert!(has_result(&run.slices) && !has_result(&run.slices[..4]));
        assert_eq!(
            compared,
            "b sustained the same rate as a at get before the search ended (bracket unknown)"
        );
        // After a failed proof, the sentence claims neither the rate nor the next lower rate.
        let mut slices = run.slices.clone();
        for slice in &mut slices {
            if slice.probe.is_some_and(|probe| probe.proof) {
                crate::testing::Made(slice).answers(9_000, 0.050);
            }
        }
        let (found, compared) = said(&slices);
        assert!(found.starts_with("a sustains at least 9"), "{found}");
        assert!(found.contains("within p99<10ms (not proven; 10"), "{found}");
        assert!(found.contains("; the limit is between 9"), "{found}");
        assert!(found.contains("/s could not be decided in time"), "{found}");
        assert!(!compared.contains("(proven"), "{compared}");
        let (found, _) = said(&[]);
        assert_eq!(
            found,
            "the highest rate of a at get within p99<10ms is unknown"
        );
    }

    #[test]
    fn an_undecided_rate_is_not_one_that_failed() {
        let mut run = searched(&[("a", 0.0)]);
        run.slices.truncate(2);
        crate::testing::Made(&mut run.slices[1]).answers(20, 0.002);
        let mut result = search_results(&run.plan, &run.slices).remove(0);
        let found = result.document().sentence;
        assert_eq!(
            found,
            "a held 50/s once at get within p99<10ms (not proven; 100/s missed p99<10ms); \
             50/s could not be decided in time: the steps had too few operations, or too few slow \
             operations"
        );
        let mut waited = result.probes[1].clone();
        waited.void = Some(Void::WaitedForCore);
        result.probes.push(waited);
        let found = result.document().sentence;
        assert!(!found.contains("too few operations"), "{found}");
        assert!(
            found.contains("could not be decided in time; 1 of 3 steps"),
            "{found}"
        );
    }

    #[test]
    fn the_bracket_stands_first_even_if_nothing_is_decided() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.slices.truncate(2);
        crate::testing::Made(&mut run.slices[0]).answers(20, 0.002);
        run.slices.truncate(1);
        let found = search_results(&run.plan, &run.slices).remove(0);
        assert_eq!(found.found.rate(), None);
        let sentence = found.document().sentence;
        assert!(
            sentence.starts_with(
                "a held 100/s once at get within p99<10ms (not proven; no rate failed)"
            ),
            "{sentence}"
        );
        assert!(!found.document().has_result());
    }

    #[test]
    fn many_undecided_rates_are_named_by_their_ends() {
        let mut found = search_results(&searched(&[("a", 1_000.0)]).plan, &[]).remove(0);
        found.undecided = vec![100.0, 110.0, 120.0, 130.0];
        let sentence = found.document().sentence;
        assert!(
            sentence.contains("; 4 rates from 100/s to 130/s could not be decided"),
            "{sentence}"
        );
        found.undecided.pop();
        let sentence = found.document().sentence;
        assert!(
            sentence.contains("; 100/s, 110/s and 120/s could not"),
            "{sentence}"
        );
    }

    #[test]
    fn a_rate_that_held_holds_despite_a_delay_and_nothing_holds_despite_errors() {
        use tenbin_plan::{Arrivals, Pace};
        use tenbin_result::{Cause, Finding, Severity, Trust};

        use crate::testing::Run;
        let poisson = searched(&[("a", 1_000.0)]);
        let mut constant = searched(&[("a", 1_000.0)]);
        let Pace::Search(search) = &mut constant.plan.workloads[0].load.pace else {
            panic!("a search was expected");
        };
        search.arrivals = Arrivals::Constant;
        let after = |rule: &str, run: &Run| {
            let mut found = search_results(&run.plan, &run.slices).remove(0);
            found.trust_after(&[Finding {
                rule: rule.to_owned(),
                severity: Severity::Invalid,
                cause: Cause::Generator,
                workload: Some("get".to_owned()),
                target: Some("a".to_owned()),
                evidence: String::new(),
                advice: String::new(),
                data: None,
            }]);
            (found.trust, super::of_search(&found.document()))
        };
        let said = |message| crate::findings::messages::Messages::NONE.in_english(message);
        let (trust, sentence) = after("send_lag", &constant);
        assert_eq!(trust, Trust::Suspect);
        let sentence = said(&sentence);
        assert!(sentence.starts_with("a sustains 9"), "{sentence}");
        assert!(
            sentence.contains("the rates that held are valid despite the delay"),
            "{sentence}"
        );
        // A generator that is late evens out random arrivals, which is easier for the server.
        assert_eq!(after("send_lag", &poisson).0, Trust::Invalid);
        let (trust, sentence) = after("errors", &constant);
        assert_eq!(trust, Trust::Invalid);
        assert!(said(&sentence).starts_with("no verdict on"), "{sentence:?}");
    }
}
