//! The figures that matter for each size of objects.

pub(crate) mod large_objects;
pub(crate) mod medium_objects;
pub(crate) mod small_objects;
