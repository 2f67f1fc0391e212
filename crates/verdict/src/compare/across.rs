//! What the sides of a comparison are.

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Across {
    /// Targets at one workload.
    Targets,
    /// Targets over all levels of a sweep.
    Levels,
    /// Workloads on one target.
    Workloads,
}
