//! The sentence that states the verdict of a comparison.

use tenbin_result::format::{percent, plural, ratio};
use tenbin_result::{Outcome, SUSPECT, Trust};
use tenbin_stats::{Estimate, Measured};

use crate::compare::comparison::{Across, Comparison};
use crate::compare::metric::Metric;
use crate::compare::outcome::NOISE_FLOOR;

/// Smallest ratio that is printed as "times" instead of a percentage.
const TIMES: f64 = 2.0;

impl Comparison {
    /// The verdict in one sentence without a full stop. For untrusted numbers, the sentence states
    /// that the numbers cannot be trusted.
    pub fn sentence(&self) -> String {
        let figures = self.figures();
        let said = || {
            let (claim, small, outlook) = (self.claim(), self.too_small(), self.outlook());
            format!("{claim}{figures}{small}{outlook}")
        };
        match self.trust {
            Trust::Valid => said(),
            Trust::Suspect => said() + SUSPECT,
            Trust::Invalid => format!(
                "no verdict on {} against {} {}: the figures cannot be trusted; see the findings{}",
                self.challenger,
                self.baseline,
                self.place(),
                figures
            ),
        }
    }

    /// The place of the comparison: `at get`, `over all levels of get` for a sweep, or `on web` if
    /// workloads are compared.
    fn place(&self) -> String {
        let word = match self.across {
            Across::Targets => "at",
            Across::Levels => "over all levels of",
            Across::Workloads => "on",
        };
        format!("{word} {}", self.workload)
    }

    fn claim(&self) -> String {
        let (baseline, challenger) = (&self.baseline, &self.challenger);
        let place = self.place();
        match &self.outcome {
            Outcome::Faster | Outcome::Slower | Outcome::CostsLess | Outcome::CostsMore => {
                self.difference()
            }
            Outcome::Equivalent { within } => format!(
                "{challenger} and {baseline} are equivalent {place}: {} within {}",
                self.metric.phrase(),
                percent(*within)
            ),
            Outcome::Inconclusive {
                likely: Some(_), ..
            } => {
                let verb = match self.metric {
                    Metric::ServerCpu => "",
                    _ => "is ",
                };
                format!(
                    "{challenger} {verb}{} than {baseline} {place}: {}",
                    self.outcome.word(),
                    self.metric.phrase()
                )
            }
            Outcome::Inconclusive { .. }
            | Outcome::OneStart { .. }
            | Outcome::NotSustained { .. } => format!(
                "cannot tell {challenger} from {baseline} {place} by {}",
                self.metric.phrase()
            ),
            Outcome::Unknown { why } => format!(
                "cannot compare {challenger} with {baseline} {place} by {}: {why}",
                self.metric.phrase()
            ),
        }
    }

    fn difference(&self) -> String {
        let (baseline, challenger) = (&self.baseline, &self.challenger);
        let place = self.place();
        let value = self.ratio.value().unwrap_or(f64::NAN);
        let far = !(1.0 / TIMES..TIMES).contains(&value);
        let share = percent((value - 1.0).abs());
        let phrase = self.metric.phrase();
        match self.metric {
            Metric::Throughput if far => format!(
                "{challenger} is {} times as fast as {baseline} {place}",
                ratio(value)
            ),
            Metric::Throughput => {
                let word = if value > 1.0 { "faster" } else { "slower" };
                format!("{challenger} is {share} {word} than {baseline} {place}")
            }
            _ if far => format!(
                "{challenger} has {} times the {phrase} of {baseline} {place}",
                ratio(value)
            ),
            _ => {
                let word = if value > 1.0 { "higher" } else { "lower" };
                format!("{challenger} has a {phrase} {share} {word} than {baseline} {place}")
            }
        }
    }

    fn block_word(&self) -> &'static str {
        match self.rounds_per_block {
            2 => "quad",
            _ => "block",
        }
    }

    /// The ratio and its interval in brackets, with a leading space; empty without a ratio.
    fn figures(&self) -> String {
        let blocks = plural(self.block_ratios.len(), self.block_word());
        if let (Some(value), Some(likely)) = (self.ratio.value(), self.outcome.likely()) {
            let for_all = self.together.map_or_else(String::new, |all| {
                format!(" for all {} comparisons together", all.comparisons)
            });
            return format!(
                " (ratio {}, {} % interval{for_all} {}–{}, {blocks})",
                ratio(value),
                (likely.confidence * 100.0).floor(),
                ratio(likely.low),
                ratio(likely.high),
            );
        }
        match &self.ratio {
            Measured::Interval(Estimate {
                value,
                low,
                high,
                confidence,
                ..
            }) => {
                let (confidence, for_all) = match &self.together {
                    Some(all) => (
                        all.confidence,
                        format!(" for all {} comparisons together", all.comparisons),
                    ),
                    None => (*confidence, String::new()),
                };
                format!(
                    " (ratio {}, {} % interval{for_all} {}–{}, {blocks})",
                    ratio(*value),
                    // Round down, so that the sentence never overstates the confidence.
                    (confidence * 100.0).floor(),
                    ratio(*low),
                    ratio(*high),
                )
            }
            Measured::Point { value, .. } => {
                format!(" (ratio {}, interval unknown, {blocks})", ratio(*value))
            }
            Measured::Unknown => String::new(),
        }
    }

    /// Why an interval that excludes 1 does not count as a difference. Empty if the interval
    /// includes 1 or counts as a difference.
    fn too_small(&self) -> String {
        let excludes_one = |found: &Estimate| !found.contains(1.0);
        if let Outcome::OneStart { up_to } = self.outcome {
            return format!("; {}", one_start(up_to));
        }
        if let Outcome::NotSustained { why } = &self.outcome {
            return format!("; {why}");
        }
        if self.outcome.is_different() || !self.ratio.estimate().is_some_and(excludes_one) {
            return String::new();
        }
        let floor = percent(self.floor());
        let noise = if self.floor() > NOISE_FLOOR {
            format!("{floor}, by which the twin may differ")
        } else {
            floor
        };
        format!("; the difference is below the noise floor of {noise}")
    }

    /// The difference that the run could have detected, and the number of rounds that would detect
    /// a smaller difference.
    fn outlook(&self) -> String {
        let Outcome::Inconclusive {
            detectable,
            aim,
            rounds_needed,
            likely,
        } = &self.outcome
        else {
            return String::new();
        };
        if let Some(likely) = likely {
            return format!(
                ": below the usual confidence of 95 %, for which {} {} missing",
                plural(likely.blocks_missing, self.block_word()),
                if likely.blocks_missing == 1 {
                    "is"
                } else {
                    "are"
                }
            );
        }
        let blocks = self.block_ratios.len();
        let shown = match detectable {
            Some(detectable) => {
                format!(
                    "this run would have detected a difference of {} or more",
                    size(*detectable)
                )
            }
            None => match &self.together {
                Some(all) => format!(
                    "too few rounds to detect any difference in {} comparisons",
                    all.comparisons
                ),
                None => "too few rounds to detect any difference".to_owned(),
            },
        };
        let more = match rounds_needed {
            Some(rounds) if blocks >= 2 => {
                format!("about {rounds} rounds would detect {}", size(*aim))
            }
            Some(rounds) => format!("at least {rounds} rounds are needed"),
            None => format!("no reasonable number of rounds would detect {}", size(*aim)),
        };
        format!(": {shown}; {more}{}", self.why_not_alone())
    }

    /// Why a level whose interval excludes 1 is not reported as different; empty for other levels.
    fn why_not_alone(&self) -> String {
        let excludes = |found: &Estimate| !found.contains(1.0);
        match &self.level {
            Some(of) if !of.differs && self.ratio.estimate().is_some_and(excludes) => format!(
                "; the {} levels of {} are one question, and there is no proven difference over \
                 all of them, so none is claimed for a single level",
                of.levels, of.sweep
            ),
            _ => String::new(),
        }
    }
}

/// The size of a difference in words: `5 %`, or `a factor of 3.20` for a difference of 100 % or more,
/// which a decrease cannot have.
pub(crate) fn size(effect: f64) -> String {
    if effect < 1.0 {
        percent(effect)
    } else {
        format!("a factor of {}", ratio(1.0 + effect))
    }
}

/// Why a difference between targets that ran in one process each is not reported: two starts of one
/// program may differ by up to the share `up_to`.
pub fn one_start(up_to: f64) -> String {
    format!(
        "each ran in one process during the whole run, and two starts of one program may differ \
         by up to {}",
        percent(up_to)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn said(run: &Run, metric: Metric) -> String {
        let assessment = run.assess();
        let mut comparisons = assessment.comparisons.iter();
        comparisons.find(|c| c.metric == metric).unwrap().sentence()
    }

    fn scaled(share: f64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        run
    }

    #[test]
    fn says_which_target_is_faster_and_by_how_much() {
        assert_eq!(
            said(&scaled(1.123), Metric::Throughput),
            "b is 12.3 % faster than a at get (ratio 1.123, 96 % interval 1.123–1.123, 8 quads)"
        );
        assert_eq!(
            said(&scaled(3.0), Metric::Throughput),
            "b is 3.00 times as fast as a at get (ratio 3.00, 96 % interval 3.00–3.00, 8 quads)"
        );
        let latency = said(&scaled(1.25), Metric::SERVICE_P50);
        assert!(
            latency.starts_with("b has a median service time 20 % lower than a at get (ratio 0.8"),
            "{latency}"
        );
    }

    #[test]
    fn says_what_is_the_same_and_what_is_unknown() {
        assert_eq!(
            said(&scaled(1.0), Metric::Throughput),
            "b and a are equivalent at get: throughput within 5 % (ratio 1.000, 96 % interval 1.000–1.000, 8 quads)"
        );
        assert_eq!(
            said(&scaled(1.5).interrupted(3), Metric::Throughput),
            "cannot compare b with a at get by throughput: no complete block has this figure for \
             both targets; the numbers are suspect, see the findings"
        );
    }

    #[test]
    fn says_which_difference_the_run_would_have_detected() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            let share = if slice.0.block % 2 == 0 { 1.25 } else { 0.85 };
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        let sentence = said(&run, Metric::Throughput);
        assert_eq!(
            sentence,
            "cannot tell b from a at get by throughput (ratio 1.031, 96 % interval 0.850–1.250, \
             8 quads): this run would have detected a difference of 26.8 % or more; about 286 \
             rounds would detect 5 %"
        );
    }

    #[test]
    fn says_when_nothing_can_be_trusted() {
        let mut run = scaled(1.3);
        run.each_of("a", |slice| slice.answers(1_000, 0.009));
        assert_eq!(
            said(&run, Metric::Throughput),
            "no verdict on b against a at get: the figures cannot be trusted; see the findings \
             (ratio 1.300, 96 % interval 1.300–1.300, 8 quads)"
        );
    }
}
