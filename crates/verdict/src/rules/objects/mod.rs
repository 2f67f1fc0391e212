//! Rules on the figures that matter for small, medium and large objects.

pub(crate) mod large_objects;
pub(crate) mod medium_objects;
pub(crate) mod small_objects;
