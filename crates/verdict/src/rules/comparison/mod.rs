//! Rules on slices, rounds and samples: whether they suffice for a comparison.

pub(crate) mod absolute_figures;
pub(crate) mod carry_over;
pub(crate) mod drift;
pub(crate) mod flagged_slices;
pub(crate) mod one_start;
pub(crate) mod short_slices;
pub(crate) mod slowing;
pub(crate) mod sustained;
pub(crate) mod too_few_samples;
pub(crate) mod too_wide;
pub(crate) mod twin;
pub(crate) mod warm_up;
