//! Walks an experiment through the house: brings the targets up, checks them,
//! drives the slices in their order, keeps the record, and leaves nothing behind.
//!
//! It decides nothing about the figures and prints nothing: [`Progress`] goes to
//! whoever shows it, [`Weighed`] to whoever judges it.

mod arm;
mod descriptors;
mod error;
mod meter;
mod progress;
mod run;
mod speed;
mod stage;
mod stop;
mod watch;

pub use error::{Ending, WeighError};
pub use progress::Progress;
pub use run::{Bench, Weighed, weigh};
pub use stop::Stop;
