//! Length of the next probe, and the choice of a step that leaves enough time to prove a result.

use super::{Purpose, Search, Step, step};

/// Lengths of the probes of a search and the time left for the search, all in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeTimes {
    /// Time left for the search.
    pub left: f64,
    /// Time by which proofs may exceed `left`, because responses after earlier probes took longer
    /// than planned.
    pub overdraft: f64,
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

/// A probe with the length that it gets.
#[derive(Debug, Clone, Copy)]
struct Planned {
    rate: f64,
    purpose: Purpose,
    seconds: f64,
}

impl ProbeTimes {
    fn shortest(&self, purpose: Purpose) -> f64 {
        match purpose {
            Purpose::Seek => self.shortest,
            Purpose::Proof => self.shortest_proof,
        }
    }

    fn left(&self, purpose: Purpose) -> f64 {
        match purpose {
            Purpose::Seek => self.left,
            Purpose::Proof => self.left + self.overdraft,
        }
    }

    /// `None` if the search is complete.
    fn planned(&self, step: Step) -> Option<Planned> {
        let Step::Probe {
            rate,
            purpose,
            seconds,
        } = step
        else {
            return None;
        };
        let needed = seconds.max(self.operations / rate);
        Some(Planned {
            rate,
            purpose,
            seconds: needed.clamp(self.shortest(purpose), self.longest),
        })
    }

    /// Whether all `probes` can run in the time that is left.
    fn fit(&self, probes: &[Planned]) -> bool {
        let lengths = probes.iter().map(|probe| probe.seconds + self.around);
        let left = probes.first().map_or(0.0, |first| self.left(first.purpose));
        lengths.sum::<f64>() <= left
    }

    /// The probe, shortened to the time that is left without `reserved`, or [`Step::Done`] if the
    /// time is too short.
    fn cut(&self, probe: Planned, reserved: f64) -> Step {
        let (shortest, left) = (self.shortest(probe.purpose), self.left(probe.purpose));
        let most = left - self.around;
        if most < shortest {
            return Step::Done;
        }
        Step::Probe {
            rate: probe.rate,
            purpose: probe.purpose,
            seconds: probe.seconds.min((most - reserved).max(shortest)),
        }
    }
}

impl Search {
    /// The next step that leaves enough time to prove a result.
    pub fn next_within(&self, times: &ProbeTimes) -> Step {
        let Some(mut next) = times.planned(self.next()) else {
            return Step::Done;
        };
        let rates = self.rates();
        let proof_at = |rate| times.planned(step(rate, Purpose::Proof, &rates));
        let highest = rates.bracket().0.and_then(|held| rates.get(held));
        let unproven = highest.filter(|held| !rates.is_proven(held));
        let is_first = rates.unproven().next().is_none();
        if next.purpose == Purpose::Seek
            && let Some(proof) = unproven.and_then(|held| proof_at(held.rate))
        {
            // The first proof may fail: reserve time for a second proof at a lower rate.
            let has_time = if is_first {
                times.fit(&[next, proof, proof])
            } else {
                times.fit(&[next, proof])
            };
            if !has_time {
                next = proof;
            }
        }
        let is_gaining = next.purpose == Purpose::Proof
            && rates
                .get(next.rate)
                .is_some_and(|tried| rates.is_gaining(tried));
        if let Some(fallback) = rates.fallback().and_then(proof_at)
            && !is_gaining
            && (next.purpose == Purpose::Seek || fallback.rate < next.rate)
            && !times.fit(&[next, fallback])
        {
            next = fallback;
        }
        let reserved = match (next.purpose, is_first) {
            (Purpose::Proof, true) => times.shortest_proof + times.around,
            _ => 0.0,
        };
        times.cut(next, reserved)
    }
}
