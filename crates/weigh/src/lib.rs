//! Walks an experiment through the house: brings the targets up, checks them,
//! drives the slices in their order, keeps the record, and leaves nothing behind.
//!
//! It decides nothing about the figures and prints nothing: [`Progress`] goes to
//! whoever shows it, [`Weighed`] to whoever judges it. [`examine`] looks at machine and
//! targets before a run.

mod arm;
mod cache;
mod clean;
mod course;
mod descriptors;
mod doctor;
mod error;
mod first_response;
mod forecast;
mod found;
mod machine;
mod meter;
mod nodes;
mod pages;
mod ports;
mod preparation;
mod progress;
mod reach;
mod responses;
mod restarts;
mod retried;
mod run;
mod search;
mod single;
mod slice_length;
mod speed;
mod stage;
mod stop;
mod supply;
mod warm_up;
mod watch;

pub use arm::Cleaned;
pub use clean::{clean, data_left, places};
pub use doctor::{Examination, examine};
pub use error::{Ending, WeighError};
pub use progress::Progress;
pub use run::{Bench, CountAllocations, IsPrecise, Weighed, clean_command, weigh};
pub use search::{ProbeWish, Steering};
pub use stop::Stop;
pub use supply::Supply;
pub use tenbin_targets::DataLeft;
