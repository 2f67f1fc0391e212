//! The measured continuous load of a target.

use tenbin_result::Sustained;

/// The continuous load of one workload on one target.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    pub(crate) workload: String,
    pub(crate) target: String,
    pub(crate) found: Sustained,
}
