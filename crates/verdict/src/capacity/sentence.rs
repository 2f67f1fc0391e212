//! A capacity in one sentence.

use tenbin_stats::{Knee, Measured};

use super::{Capacity, CapacityComparison};
use crate::outcome::Outcome;
use crate::words::{percent, rate, ratio};

impl Capacity {
    /// What it says, without a full stop. When the numbers cannot be believed it says
    /// that instead.
    pub fn sentence(&self) -> String {
        let about = format!("the capacity of {} at {}", self.target, self.family);
        self.trust.qualify(self.claim(), &about)
    }

    fn claim(&self) -> String {
        let Self { target, family, .. } = self;
        let (Some(most), Some(connections)) = (self.peak.value(), self.peak_connections) else {
            return format!(
                "the capacity of {target} at {family} is unknown: not every level was measured"
            );
        };
        let interval = match self.peak.estimate() {
            Some(found) => format!("{}–{}", rate(found.low), rate(found.high)),
            None => "interval unknown".to_owned(),
        };
        let knee = match self.knee {
            Some(Knee::At { clients }) => format!("the knee is at {clients}"),
            Some(Knee::AtLeast { clients }) => {
                format!("the knee is at {clients} or above, which more connections would show")
            }
            None => "the knee is unknown".to_owned(),
        };
        format!(
            "{target} gives at most {} ({interval}) at {family}, on {connections} connections; \
             {knee}{}",
            rate(most),
            self.like_workers()
        )
    }

    fn like_workers(&self) -> String {
        let more = match self.knee {
            Some(Knee::At { .. }) => "",
            // Nothing says that they were all busy.
            _ => " or more",
        };
        match self.workers {
            Measured::Interval(found) => format!(
                "; it behaves like {} workers{more} ({}–{})",
                ratio(found.value),
                ratio(found.low),
                ratio(found.high)
            ),
            Measured::Point { value, .. } => format!(
                "; it behaves like {} workers{more} (interval unknown)",
                ratio(value)
            ),
            Measured::Unknown => String::new(),
        }
    }
}

impl CapacityComparison {
    /// What it says, without a full stop. When the numbers cannot be believed it says
    /// that instead.
    pub fn sentence(&self) -> String {
        let about = format!(
            "the capacity of {} against {} at {}",
            self.challenger, self.baseline, self.family
        );
        self.trust.qualify(self.claim(), &about)
    }

    fn claim(&self) -> String {
        let Self {
            family,
            baseline,
            challenger,
            ..
        } = self;
        let claim = match &self.outcome {
            Outcome::Faster | Outcome::Slower | Outcome::CostsLess | Outcome::CostsMore => {
                let value = self.ratio.value().unwrap_or(f64::NAN);
                let times = ratio(value);
                format!(
                    "at its best {challenger} does {times} times the work of {baseline} at {family}"
                )
            }
            Outcome::Equivalent { within } => format!(
                "{challenger} and {baseline} do as much at most at {family}, within {}",
                percent(*within)
            ),
            Outcome::Inconclusive { .. } | Outcome::OneStart { .. } => {
                format!("cannot tell the most of {challenger} from that of {baseline} at {family}")
            }
            Outcome::Unknown { why } => {
                return format!(
                    "cannot compare the most of {challenger} with that of {baseline} at {family}: \
                     {why}"
                );
            }
        };
        let figures = match self.ratio {
            Measured::Interval(found) => format!(
                "ratio {}, {} % interval {}–{}",
                ratio(found.value),
                (found.confidence * 100.0).floor(),
                ratio(found.low),
                ratio(found.high)
            ),
            Measured::Point { value, .. } => format!("ratio {}, interval unknown", ratio(value)),
            Measured::Unknown => "ratio unknown".to_owned(),
        };
        format!(
            "{claim} ({figures}, {} connections against {})",
            self.challenger_connections, self.baseline_connections
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::capacities;
    use super::super::tests::run;

    #[test]
    fn says_the_most_the_knee_and_the_workers() {
        let capacity = |workers, blocks| {
            let run = run(&[("a", workers)], blocks);
            capacities(&run.plan, &run.slices).remove(0).sentence()
        };
        let found = capacity(4, 8);
        assert!(
            found.starts_with(
                "a gives at most 400/s (400/s–400/s) at get, on 4 connections; the knee is at 4; \
                 it behaves like 4.00 workers (4.00–4.00)"
            ),
            "{found}"
        );
        let rising = capacity(64, 2);
        assert!(rising.contains("(interval unknown)"), "{rising}");
        assert!(rising.contains("the knee is at 32 or above"), "{rising}");
        assert!(rising.contains("like 32.0 workers or more"), "{rising}");
    }
}
