//! The sentence that states the verdict of a comparison.

use tenbin_result::{
    Comparison, Message, Metric, MetricName, Outcome, Tendency, Trust, Value, message,
};

use crate::compare::across::Across;
use crate::compare::curve::LevelOf;
use crate::compare::outcome::NOISE_FLOOR;
use crate::findings::messages::{change_ends, whole_percent};

/// A comparison with what the document says about it elsewhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sentence<'a> {
    pub(crate) found: &'a Comparison,
    pub(crate) across: Across,
    /// The sweep that the comparison is a level of.
    pub(crate) level: Option<&'a LevelOf>,
}

impl Sentence<'_> {
    /// The verdict in one sentence without a full stop. For untrusted numbers, the sentence states
    /// that the numbers cannot be trusted.
    pub(crate) fn message(self) -> Message {
        let figures: Value = self.figures().into();
        match self.found.trust {
            Trust::Valid => self.said(figures),
            Trust::Suspect => message!("suspect", sentence = self.said(figures)),
            Trust::Invalid => self.between("no-comparison").with("figures", figures),
        }
    }

    fn said(self, figures: Value) -> Message {
        message!(
            "compared",
            claim = self.claim(),
            figures,
            small = self.too_small(),
            outlook = self.outlook()
        )
    }

    /// A message about both sides and the place of the comparison.
    fn between(self, id: &str) -> Message {
        let across = match self.across {
            Across::Targets => "targets",
            Across::Levels => "levels",
            Across::Workloads => "workloads",
        };
        let place = message!(
            "compared-at",
            across = Value::word(across),
            workload = &self.found.workload
        );
        Message::new(id)
            .with("challenger", &self.found.challenger)
            .with("baseline", &self.found.baseline)
            .with("place", place)
    }

    fn claim(self) -> Message {
        let by_metric = |id| self.between(id).with("metric", metric(self.found));
        match &self.found.outcome {
            Outcome::Faster | Outcome::Slower | Outcome::CostsLess | Outcome::CostsMore => {
                self.difference()
            }
            Outcome::Equivalent { within } => {
                by_metric("are-equivalent").with("within", Value::Share(*within))
            }
            Outcome::Inconclusive {
                likely: Some(likely),
                ..
            } => {
                let tendency = match likely.tendency {
                    Tendency::Faster => "faster",
                    Tendency::Slower => "slower",
                    Tendency::CostsLess => "costs-less",
                    Tendency::CostsMore => "costs-more",
                };
                by_metric("is-likely").with("tendency", Value::word(tendency))
            }
            Outcome::Inconclusive { .. }
            | Outcome::OneStart { .. }
            | Outcome::NotSustained { .. } => by_metric("cannot-tell"),
            Outcome::Unknown { .. } => {
                by_metric("cannot-compare").with("why", self.found.outcome.why())
            }
        }
    }

    fn difference(self) -> Message {
        let is_more = self.found.ratio.is_some_and(|ratio| ratio.value > 1.0);
        if self.found.metric == Metric::Throughput {
            return self.between("is-faster").with("faster", is_more);
        }
        let claim = self.between("has-higher");
        claim
            .with("metric", metric(self.found))
            .with("higher", is_more)
    }

    /// The rounds in a number of blocks.
    fn rounds(self, id: &str, blocks: u64) -> Message {
        let count = blocks.saturating_mul(self.found.rounds_per_block);
        Message::new(id).with("count", count)
    }

    /// The change and its interval in brackets; `None` without a ratio.
    fn figures(self) -> Option<Message> {
        let Comparison {
            outcome, together, ..
        } = self.found;
        let figure = self.found.ratio?;
        let rounds = self.rounds("rounds", self.found.block_ratios.len() as u64);
        let ends = match (outcome.likely(), figure.interval) {
            (Some(likely), _) => Some((likely.confidence, likely.low, likely.high)),
            (None, Some(ends)) => {
                let confidence = together.map_or(ends.confidence, |all| all.confidence);
                Some((confidence, ends.low, ends.high))
            }
            (None, None) => None,
        };
        let change = Value::Change(figure.value);
        Some(match ends {
            None => message!("ratio-alone", change, rounds),
            Some((confidence, low, high)) => message!(
                "ratio-with-interval",
                change,
                confidence = whole_percent(confidence),
                together = together.map_or(0, |all| all.comparisons),
                ends = change_ends(figure.value, low, high),
                rounds
            ),
        })
    }

    fn excludes_one(self) -> bool {
        let ends = self.found.ratio.and_then(|ratio| ratio.interval);
        ends.is_some_and(|ends| ends.low > 1.0 || ends.high < 1.0)
    }

    /// Why an interval that excludes 1 does not count as a difference. `None` if the interval
    /// includes 1 or counts as a difference.
    fn too_small(self) -> Option<Message> {
        match &self.found.outcome {
            Outcome::OneStart { up_to } => {
                let why = message!("one-start", noise = Value::Share(*up_to));
                Some(message!("but", why))
            }
            outcome @ Outcome::NotSustained { .. } => Some(message!("but", why = outcome.why())),
            outcome if outcome.is_different() || !self.excludes_one() => None,
            _ => {
                let floor = self.found.noise_floor.unwrap_or(NOISE_FLOOR);
                Some(message!(
                    "below-noise",
                    floor = Value::Share(floor),
                    twin = floor > NOISE_FLOOR
                ))
            }
        }
    }

    /// The difference that the run could have detected, and the number of rounds that would detect
    /// a smaller difference.
    fn outlook(self) -> Option<Message> {
        let Outcome::Inconclusive {
            detectable,
            aim,
            rounds_needed,
            likely,
        } = &self.found.outcome
        else {
            return None;
        };
        if let Some(likely) = likely {
            let missing = self.rounds("rounds-are", likely.blocks_missing);
            return Some(message!("below-confidence", missing));
        }
        let comparisons = self.found.together.map_or(0, |all| all.comparisons);
        let detectable = match detectable {
            Some(detectable) => message!("would-detect", size = size(*detectable)),
            None => message!("detects-nothing", comparisons),
        };
        let needed = match rounds_needed {
            Some(rounds) if self.found.block_ratios.len() >= 2 => message!(
                "rounds-would-detect",
                rounds = Value::Plain(*rounds),
                size = size(*aim)
            ),
            Some(rounds) => message!("rounds-are-needed", rounds = Value::Plain(*rounds)),
            None => message!("rounds-would-not", size = size(*aim)),
        };
        Some(message!(
            "outlook",
            detectable,
            needed,
            levels = self.why_not_alone()
        ))
    }

    /// Why a level whose interval excludes 1 is not reported as different; `None` for other levels.
    fn why_not_alone(self) -> Option<Message> {
        let of = self.level.filter(|of| !of.differs && self.excludes_one())?;
        Some(message!(
            "levels-are-one",
            levels = Value::Plain(of.levels as u64),
            sweep = &of.sweep
        ))
    }
}

/// The name of the figure that is compared; in English for a figure that only a newer version knows.
fn metric(found: &Comparison) -> Message {
    named_metric(&found.metric, &found.metric_phrase)
}

/// The name of a figure; `phrase`, its English name, for a figure that only a newer version knows.
pub fn named_metric(name: &MetricName, phrase: &str) -> Message {
    match name {
        MetricName::Known(metric) => metric.message(),
        MetricName::Other(_) => message!("text", text = phrase),
    }
}

/// The size of a difference: `5 %`, or `a factor of 3.20` for a difference of 100 % or more, which a
/// decrease cannot have.
pub(crate) fn size(effect: f64) -> Value {
    if effect < 1.0 {
        Value::Share(effect)
    } else {
        message!("by-factor", ratio = Value::Ratio(1.0 + effect)).into()
    }
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
            "b is faster than a at get (+12 %, 96 % interval +12 … +12 %, 16 rounds)"
        );
        assert_eq!(
            said(&scaled(3.0), Metric::Throughput),
            "b is faster than a at get (× 3.00, 96 % interval 3.00–3.00, 16 rounds)"
        );
        let latency = said(&scaled(1.25), Metric::SERVICE_P50);
        assert!(
            latency.starts_with("b has a lower median service time than a at get (−20 %, "),
            "{latency}"
        );
    }

    #[test]
    fn says_what_is_the_same_and_what_is_unknown() {
        assert_eq!(
            said(&scaled(1.0), Metric::Throughput),
            "b and a are equivalent at get: throughput within 5 % (+0.0 %, 96 % interval +0.0 … +0.0 %, 16 rounds)"
        );
        assert_eq!(
            said(&scaled(1.5).interrupted(3), Metric::Throughput),
            "cannot compare b with a at get by throughput: no complete rounds have this figure for \
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
            "cannot tell b from a at get by throughput (+3.1 %, 96 % interval −15 … +25 %, \
             16 rounds): this run would have detected a difference of 26.8 % or more; about 286 \
             rounds would detect 5 %"
        );
    }

    #[test]
    fn says_when_nothing_can_be_trusted() {
        let mut run = scaled(1.5);
        run.each_of("a", |slice| slice.answers(1_000, 0.009));
        assert_eq!(
            said(&run, Metric::Throughput),
            "no verdict on b against a at get: the figures cannot be trusted; see the findings \
             (× 1.500, 96 % interval 1.500–1.500, 16 rounds)"
        );
    }
}
