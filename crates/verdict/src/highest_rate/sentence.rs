//! Sentences about the result of a search and about a comparison of results.

use tenbin_result::RateComparison;
use tenbin_result::format::{exact_rate, percent, plural, ratio};
use tenbin_stats::{HighestRate, Purpose, SHARE_ERROR};

use super::{ProbeResult, SearchResult, Void};
use crate::words::verb;

impl SearchResult {
    /// The result in one sentence, without a full stop. For untrusted numbers, the sentence states
    /// that the numbers cannot be trusted.
    pub fn sentence(&self) -> String {
        let about = format!("the highest rate of {} at {}", self.target, self.workload);
        let claim = [self.claim(), self.interval(), self.open_questions()].concat();
        self.trust.qualify(claim, &about)
    }

    /// `; the limit is between 785/s and 800/s`, or why the interval is unknown.
    fn interval(&self) -> String {
        match (self.found.rate(), self.found.failed()) {
            (Some(held), Some(failed)) => format!(
                "; the limit is between {} and {} (each bound is wrong in about {} of such \
                 searches)",
                exact_rate(held),
                exact_rate(failed),
                percent(SHARE_ERROR)
            ),
            _ => String::new(),
        }
    }

    /// The undecided rates, and why they are undecided.
    fn open_questions(&self) -> String {
        let mut said = String::new();
        let rates: Vec<String> = self
            .undecided
            .iter()
            .map(|rate| exact_rate(*rate))
            .collect();
        if let Some((last, others)) = rates.split_last() {
            let rates = if others.is_empty() {
                last.clone()
            } else {
                format!("{} and {last}", others.join(", "))
            };
            said += &format!(
                "; {rates} could not be decided in time: too few operations, or slow operations \
                 are too rare"
            );
        }
        said += &self.void_probes();
        if self.ended_late {
            let last = self.probes.last().map_or(0.0, |probe| probe.rate);
            said += &format!(
                ", and the search ended because requests were late in each of the last probes, at {}",
                exact_rate(last)
            );
        }
        said
    }

    /// `; 3 of 20 probes missed a limit and do not count against the target: …`.
    fn void_probes(&self) -> String {
        let causes = [
            (Void::LateGenerator, "the load generator sent requests late"),
            (
                Void::WaitedForCore,
                "threads waited for a core that other programs used",
            ),
        ];
        let causes = causes.map(|(cause, words)| (self.voided(cause), words));
        let all: usize = causes.iter().map(|(times, _)| times).sum();
        if all == 0 {
            return String::new();
        }
        let causes = causes.iter().filter(|(times, _)| *times > 0);
        let causes: Vec<String> = causes
            .map(|(times, words)| format!("{words} ({times})"))
            .collect();
        format!(
            "; {all} of {} missed a limit and {} not count against the target: {}",
            plural(self.probes.len(), "probe"),
            verb(all, "does", "do"),
            causes.join(", ")
        )
    }

    /// Whether an undecided rate below all failed rates may hold: a probe at the rate met all
    /// limits or is void.
    fn may_hold_below(&self) -> bool {
        let may_hold = |p: &ProbeResult| p.judged.held || p.void.is_some();
        let mut probes = self.probes.iter();
        probes.any(|p| may_hold(p) && self.undecided.contains(&p.rate))
    }

    /// `800/s missed p99<10ms, and the target did not keep up`.
    fn failed_at(&self, failed: f64) -> String {
        let (limits, others) = self.limiting().map(ProbeResult::misses).unwrap_or_default();
        let (rate, limits, others) = (exact_rate(failed), limits.join(", "), others.join(" and "));
        match (limits.is_empty(), others.is_empty()) {
            (true, true) => format!("{rate} failed"),
            (false, true) => format!("{rate} missed {limits}"),
            (true, false) => format!("at {rate}, {others}"),
            (false, false) => format!("{rate} missed {limits}, and {others}"),
        }
    }

    /// ` only in a probe of 1.1 s`, with the length of the longest probe at `rate` that met all
    /// limits, apart from proofs.
    fn for_so_long(&self, rate: f64) -> String {
        let probes = self.probes.iter().filter(|probe| {
            probe.rate == rate && probe.purpose == Purpose::Seek && probe.judged.held
        });
        let longest = probes.map(|probe| probe.seconds).reduce(f64::max);
        longest.map_or_else(String::new, |seconds| {
            format!(" only in a probe of {seconds:.1} s")
        })
    }

    fn failure(&self) -> Option<&str> {
        self.probes.iter().find_map(|p| p.failure.as_deref())
    }

    fn claim(&self) -> String {
        let Self {
            workload,
            target,
            slo,
            ..
        } = self;
        let above = |failed: Option<f64>| match failed {
            Some(failed) => self.failed_at(failed),
            None => "no rate failed".to_owned(),
        };
        match self.found {
            HighestRate::Proven { rate, failed } => format!(
                "{target} sustains {} at {workload} within {slo} (proven; {})",
                exact_rate(rate),
                above(failed)
            ),
            HighestRate::AtLeast { rate, failed } => format!(
                "{target} sustains at least {} at {workload} within {slo} (not proven; {})",
                exact_rate(rate),
                above(failed)
            ),
            HighestRate::Disproven {
                briefly,
                failed,
                highest,
            } => {
                let proofs = if failed < highest {
                    format!(
                        "every proof ({}–{})",
                        exact_rate(failed),
                        exact_rate(highest)
                    )
                } else {
                    format!("the proof ({})", exact_rate(failed))
                };
                let held = briefly.map_or_else(
                    || format!("{target} sustains no rate that was proven"),
                    |rate| {
                        format!(
                            "{target} sustained {}{}",
                            exact_rate(rate),
                            self.for_so_long(rate)
                        )
                    },
                );
                format!(
                    "{held} at {workload} within {slo}; {proofs} failed, so the rate that it \
                     sustains is unknown"
                )
            }
            HighestRate::Below { failed } if self.may_hold_below() => format!(
                "no rate is known that {target} sustains at {workload} within {slo}; {}",
                above(Some(failed))
            ),
            HighestRate::Below { failed } => format!(
                "{target} sustains none of the tried rates at {workload} within {slo}; {}",
                above(Some(failed))
            ),
            HighestRate::Futile { tried } => format!(
                "{target} sustains no rate at {workload}: every operation at {} failed{}",
                exact_rate(tried),
                self.failure()
                    .map_or_else(String::new, |why| format!(": {why}"))
            ),
            HighestRate::Unknown => {
                format!("the highest rate of {target} at {workload} within {slo} is unknown")
            }
        }
    }
}

/// The sentence about a comparison, without a full stop. For untrusted numbers, the sentence states
/// that the numbers cannot be trusted.
pub(super) fn of_comparison(found: &RateComparison) -> String {
    let about = format!(
        "the highest rate of {} against {} at {}",
        found.challenger, found.baseline, found.workload
    );
    found.trust.qualify(compared(found), &about)
}

fn compared(found: &RateComparison) -> String {
    let RateComparison {
        workload,
        baseline,
        challenger,
        ..
    } = found;
    let Some(value) = found.ratio else {
        return format!(
            "cannot compare the highest rates of {challenger} and {baseline} at {workload}: one \
             of them is not known to sustain any rate"
        );
    };
    let times = ratio(value);
    match found.low.zip(found.high) {
        None => format!(
            "{challenger} sustained {times} times the rate of {baseline} at {workload} before the \
             search ended (bracket unknown)"
        ),
        Some((low, high)) if low <= 1.0 && 1.0 <= high => format!(
            "cannot tell the highest rate of {challenger} from that of {baseline} at {workload} \
             (ratio {times}, bracket {}–{})",
            ratio(low),
            ratio(high)
        ),
        Some((low, high)) => format!(
            "{challenger} sustains {times} times the rate of {baseline} at {workload} (bracket \
             {}–{})",
            ratio(low),
            ratio(high)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::searched;
    use super::super::{compare_rates, search_results};

    #[test]
    fn says_what_holds_and_what_fails() {
        let run = searched(&[("a", 1_000.0), ("b", 1_700.0)]);
        let said = |slices: &[tenbin_record::Slice]| {
            let results = search_results(&run.plan, slices);
            let compared = compare_rates(&run.plan, &results).remove(0).sentence;
            (results[0].sentence(), compared)
        };
        let (found, compared) = said(&run.slices);
        assert!(found.starts_with("a sustains 9"), "{found}");
        assert!(found.contains("within p99<10ms (proven; 10"), "{found}");
        assert!(
            found.contains("/s missed p99<10ms); the limit is between 9"),
            "{found}"
        );
        assert!(
            compared
                .starts_with("b sustains 1.682 times the rate of a at get (bracket 1.646–1.720)"),
            "{compared}"
        );
        let (found, compared) = said(&run.slices[..4]);
        assert_eq!(
            found,
            "a sustains at least 200/s at get within p99<10ms (not proven; no rate failed)"
        );
        assert!(compared.ends_with("(bracket unknown)"), "{compared}");
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
        let found = search_results(&run.plan, &run.slices).remove(0).sentence();
        assert_eq!(
            found,
            "no rate is known that a sustains at get within p99<10ms; 100/s missed p99<10ms; \
             50/s could not be decided in time: too few operations, or slow operations are too \
             rare"
        );
    }

    #[test]
    fn names_only_what_was_asked_and_missed() {
        let mut run = searched(&[("a", 0.0)]);
        let said = |run: &crate::testing::Run| {
            let found = search_results(&run.plan, &run.slices).remove(0);
            (found.sentence(), found.missed().unwrap())
        };
        assert!(
            said(&run).0.contains("/s missed p99<10ms"),
            "{:?}",
            said(&run)
        );
        run.each(|slice| {
            slice.answers(1_000, 0.050);
            slice.backlog(5_000);
        });
        let (sentence, missed) = said(&run);
        assert!(
            sentence.contains("/s missed p99<10ms, and the target did not keep up"),
            "{sentence}"
        );
        assert_eq!(missed, "p99<10ms, the target did not keep up");
        run.each(|slice| {
            slice.answers(980, 0.002);
            slice.fail(tenbin_record::ErrorClass::Status, 20);
            slice.backlog(0);
        });
        let (sentence, _) = said(&run);
        assert!(
            sentence.contains("/s missed p99<10ms, and 2 % of the operations failed"),
            "{sentence}"
        );
    }
}
