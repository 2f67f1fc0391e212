//! When a run ends by precision.

use crate::units::percent::Percent;

/// The precision at which a run ends before its maximum number of rounds. Only the precision
/// decides, not the values of the figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// Required precision of every ratio of the primary metric; if no targets are compared, of the
    /// primary metric itself. The confidence interval of a value v must lie between
    /// v ÷ (1 + `within`) and v × (1 + `within`).
    pub within: Percent,
    /// The maximum number of rounds: a multiple of the number of rounds in a block.
    pub most: u32,
}
