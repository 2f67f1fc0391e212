//! Length of the next probe, and the choice of a step that leaves enough time to prove a result.

use super::{Purpose, Search, Step, step};

/// Lengths of the probes of a search and the time left for the search, all in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeTimes {
    /// Time left for the search.
    pub left: f64,
    /// Unmeasured time of each probe.
    pub around: f64,
    /// Minimum length of a probe.
    pub shortest: f64,
    /// Minimum length of a proof.
    pub shortest_proof: f64,
    /// Maximum length of any probe.
    pub longest: f64,
    /// Minimum number of operations of a probe of less than the maximum length.
    pub operations: f64,
}

impl ProbeTimes {
    fn shortest(&self, purpose: Purpose) -> f64 {
        match purpose {
            Purpose::Seek => self.shortest,
            Purpose::Proof => self.shortest_proof,
        }
    }

    /// The step with the length that its probe gets; `None` if the search is complete.
    fn apply(&self, step: Step) -> Option<Step> {
        let Step::Probe {
            rate,
            purpose,
            seconds,
        } = step
        else {
            return None;
        };
        let needed = seconds.max(self.operations / rate);
        Some(Step::Probe {
            rate,
            purpose,
            seconds: needed.clamp(self.shortest(purpose), self.longest),
        })
    }

    /// Whether all `steps` can run in the time that is left.
    fn fit(&self, steps: &[Step]) -> bool {
        let length = |step: &Step| match step {
            Step::Probe { seconds, .. } => seconds + self.around,
            Step::Done => 0.0,
        };
        steps.iter().map(length).sum::<f64>() <= self.left
    }

    /// The step, shortened to the time that is left, or [`Step::Done`] if that time is too short.
    fn cut(&self, step: Step) -> Step {
        match step {
            Step::Probe {
                rate,
                purpose,
                seconds,
            } if self.left - self.around >= self.shortest(purpose) => Step::Probe {
                rate,
                purpose,
                seconds: seconds.min(self.left - self.around),
            },
            _ => Step::Done,
        }
    }
}

impl Search {
    /// The next step that leaves enough time to prove a result.
    pub fn next_within(&self, times: &ProbeTimes) -> Step {
        let mut next = times.apply(self.next()).unwrap_or(Step::Done);
        let rates = self.rates();
        let proof_at = |rate| times.apply(step(rate, Purpose::Proof, &rates));
        let highest = rates.bracket().0.and_then(|held| rates.get(held));
        let unproven = highest.filter(|held| !held.is_proven());
        let proof = unproven.and_then(|held| proof_at(held.rate));
        if let Some(proof) = proof
            && let Step::Probe {
                purpose: Purpose::Seek,
                ..
            } = next
        {
            // The first proof may fail: reserve time for a second proof at a lower rate.
            let has_time = match rates.unproven().next() {
                None => times.fit(&[next, proof, proof]),
                Some(_) => times.fit(&[next, proof]),
            };
            if !has_time {
                next = proof;
            }
        }
        if let Some(fallback) = rates.fallback().and_then(proof_at)
            && next != Step::Done
            && !times.fit(&[next, fallback])
        {
            next = fallback;
        }
        times.cut(next)
    }
}
