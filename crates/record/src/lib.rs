//! What happened: figures of every slice, the machine they were taken on, and
//! the run directory that keeps both, written as the run goes.

pub mod slice;

pub use slice::{ClientUse, OpFigures, ServerUse, Slice};
