//! What a search has found, in one sentence.

use tenbin_stats::HighestRate;

use super::{RateComparison, SearchResult};
use crate::words::{rate, ratio};

impl SearchResult {
    /// What it says, without a full stop. When the numbers cannot be believed it says
    /// that instead.
    pub fn sentence(&self) -> String {
        let about = format!("the highest rate of {} at {}", self.target, self.workload);
        self.trust.qualify(self.claim(), &about)
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
            Some(failed) => {
                let missed = self.missed().filter(|missed| !missed.is_empty());
                let why = missed.map_or_else(String::new, |missed| format!(" by {missed}"));
                format!("{} failed{why}", exact(failed))
            }
            None => "no rate failed".to_owned(),
        };
        match self.found {
            HighestRate::Proven { rate, failed } => format!(
                "{target} holds {} at {workload} within {slo} (proven; {})",
                exact(rate),
                above(failed)
            ),
            HighestRate::AtLeast { rate, failed } => format!(
                "{target} holds at least {} at {workload} within {slo} (not proven; {})",
                exact(rate),
                above(failed)
            ),
            HighestRate::Below { failed } => format!(
                "{target} holds no rate at {workload} within {slo} that was tried; {}",
                above(Some(failed))
            ),
            HighestRate::Futile { tried } => format!(
                "{target} holds no rate at {workload}: every operation at {} failed{}",
                exact(tried),
                self.failure()
                    .map_or_else(String::new, |why| format!(": {why}"))
            ),
            HighestRate::Unknown => {
                format!("the highest rate of {target} at {workload} within {slo} is unknown")
            }
        }
    }
}

impl RateComparison {
    /// What it says, without a full stop. When the numbers cannot be believed it says
    /// that instead.
    pub fn sentence(&self) -> String {
        let about = format!(
            "the highest rate of {} against {} at {}",
            self.challenger, self.baseline, self.workload
        );
        self.trust.qualify(self.claim(), &about)
    }

    fn claim(&self) -> String {
        let Self {
            workload,
            baseline,
            challenger,
            ..
        } = self;
        let Some(value) = self.ratio else {
            return format!(
                "cannot compare the highest rates of {challenger} and {baseline} at {workload}: \
                 one of them held none"
            );
        };
        let times = ratio(value);
        match self.bracket {
            None => format!(
                "{challenger} held {times} times the rate of {baseline} at {workload} before the \
                 search ended (bracket unknown)"
            ),
            Some((low, high)) if low <= 1.0 && 1.0 <= high => format!(
                "cannot tell the highest rate of {challenger} from that of {baseline} at \
                 {workload} (ratio {times}, bracket {}–{})",
                ratio(low),
                ratio(high)
            ),
            Some((low, high)) => format!(
                "{challenger} holds {times} times the rate of {baseline} at {workload} (bracket \
                 {}–{})",
                ratio(low),
                ratio(high)
            ),
        }
    }
}

/// Four digits, as the search has them.
fn exact(per_second: f64) -> String {
    if per_second < 10_000.0 {
        format!("{per_second}/s")
    } else {
        rate(per_second)
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
            let compared = compare_rates(&run.plan, &results).remove(0).sentence();
            (results[0].sentence(), compared)
        };
        let (found, compared) = said(&run.slices);
        assert!(found.starts_with("a holds 9"), "{found}");
        assert!(found.contains("within p99<10ms (proven; 10"), "{found}");
        assert!(found.ends_with("/s failed by p99<10ms)"), "{found}");
        assert!(
            compared.starts_with("b holds 1.682 times the rate of a at get (bracket 1.646–1.720)"),
            "{compared}"
        );
        let (found, compared) = said(&run.slices[..4]);
        assert_eq!(
            found,
            "a holds at least 200/s at get within p99<10ms (not proven; no rate failed)"
        );
        assert!(compared.ends_with("(bracket unknown)"), "{compared}");
        let (found, _) = said(&[]);
        assert_eq!(
            found,
            "the highest rate of a at get within p99<10ms is unknown"
        );
    }
}
