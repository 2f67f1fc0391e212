//! When a run ends before its maximum number of rounds.

use crate::units::percent::Percent;

/// What a run is measured for, and its maximum number of rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// When the run ends before the maximum number of rounds.
    pub goal: Goal,
    /// The maximum number of rounds: a multiple of the number of rounds in a block.
    pub most: u32,
}

/// What ends a run before its maximum number of rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A precision. Only the precision decides, not the values of the figures: the confidence
    /// interval of every ratio of the primary metric (if no targets are compared, of the primary
    /// metric itself) with the value v must lie between v ÷ (1 + this share) and v × (1 + this
    /// share).
    Precision(Percent),
    /// A decision of the gate, whose error rates hold however often it is evaluated.
    Gate,
}

impl Until {
    /// The precision at which the run ends; `None` for a gate.
    pub fn within(&self) -> Option<Percent> {
        match self.goal {
            Goal::Precision(within) => Some(within),
            Goal::Gate => None,
        }
    }
}
