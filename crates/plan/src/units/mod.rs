//! Quantities with units, read from text and printed as text.

pub(crate) mod decimal;
pub(crate) mod digits;
pub mod duration;
pub(crate) mod percent;
pub mod rate;
pub mod size;
pub(crate) mod sizes;
