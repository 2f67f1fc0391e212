//! The result of a maximum-rate search.

use serde::Serialize;

use super::Search;

/// The highest rate that holds, according to the probes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MaxRate {
    /// The rate held, also in the longer probe at the end (the proof).
    Proven {
        /// Operations per second.
        rate: f64,
        /// The lowest rate that failed, operations per second; `None` if no rate failed.
        failed: Option<f64>,
    },
    /// The rate held but was not proven.
    AtLeast {
        /// Operations per second.
        rate: f64,
        /// The lowest rate that failed, operations per second; `None` if no rate failed.
        failed: Option<f64>,
    },
    /// The proofs failed: no rate is known to hold for as long as a proof lasts.
    Disproven {
        /// The highest rate that held in short probes and is below the rate of every failed proof,
        /// operations per second; `None` without such a rate.
        briefly: Option<f64>,
        /// The lowest rate of a failed proof, operations per second.
        failed: f64,
        /// The highest rate of a failed proof, operations per second.
        highest: f64,
    },
    /// No rate held.
    Below {
        /// The lowest rate that failed, operations per second.
        failed: f64,
    },
    /// Every operation failed at every rate that was tried.
    Futile {
        /// The rate of the first probe, operations per second.
        tried: f64,
    },
    /// No rate is known to hold or to fail.
    Unknown,
}

impl MaxRate {
    /// The highest rate that held, operations per second; `None` if the proofs failed or no rate
    /// held.
    pub fn rate(&self) -> Option<f64> {
        match *self {
            Self::Proven { rate, .. } | Self::AtLeast { rate, .. } => Some(rate),
            Self::Disproven { .. } | Self::Below { .. } | Self::Futile { .. } | Self::Unknown => {
                None
            }
        }
    }

    /// The lowest rate that failed, operations per second; `None` if no rate is known to fail. For
    /// [`Self::Disproven`], the lowest rate of a failed proof.
    pub fn failed(&self) -> Option<f64> {
        match *self {
            Self::Proven { failed, .. } | Self::AtLeast { failed, .. } => failed,
            Self::Below { failed } | Self::Disproven { failed, .. } => Some(failed),
            Self::Futile { .. } | Self::Unknown => None,
        }
    }
}

impl Search {
    /// The result, according to the probes so far.
    pub fn found(&self) -> MaxRate {
        if self.is_futile() {
            return MaxRate::Futile { tried: self.start };
        }
        let rates = self.rates();
        let tried = &rates.0;
        let (held, failed) = rates.bracket();
        // If a proof did not succeed, one at a lower rate than the highest that held is good enough.
        let has_unproven = rates.unproven().next().is_some();
        let is_candidate = |rate: f64| {
            if has_unproven {
                held.is_some_and(|held| rate <= held)
            } else {
                held == Some(rate)
            }
        };
        let mut proofs = tried.iter().filter(|t| rates.is_proven(t));
        let proven = proofs.rfind(|t| is_candidate(t.rate));
        if let Some(proof) = proven {
            return MaxRate::Proven {
                rate: proof.rate,
                failed,
            };
        }
        let disproven = || {
            tried
                .iter()
                .filter(|t| t.has_proof() && t.decision == Some(false))
        };
        if let Some(highest) = disproven().map(|t| t.rate).reduce(f64::max) {
            let lowest = disproven().map(|t| t.rate).fold(highest, f64::min);
            let below = tried
                .iter()
                .filter(|t| t.rate < lowest && t.decision == Some(true));
            return MaxRate::Disproven {
                briefly: below.map(|t| t.rate).reduce(f64::max),
                failed: lowest,
                highest,
            };
        }
        match (held, failed) {
            (Some(rate), failed) => MaxRate::AtLeast { rate, failed },
            (None, Some(failed)) => MaxRate::Below { failed },
            (None, None) => MaxRate::Unknown,
        }
    }
}
