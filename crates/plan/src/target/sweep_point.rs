//! The points of a parameter sweep.

use std::fmt;

use super::Launch;

/// A point of a parameter sweep. The targets of a sweep differ only in the values of its
/// parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPoint {
    /// Name, in the plan, of the target that has the `sweep`.
    pub of: String,
    /// The value of every parameter at this point, in the order of the parameters.
    pub values: Vec<(String, String)>,
    /// Launch settings as in the plan: with `{parameter}` in place of a parameter's value.
    pub template: Launch,
}

impl fmt::Display for SweepPoint {
    /// Writes `workers=4, threads=2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.values.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}
