//! Reading back, after the measured part, a sample of what was written and deleted.
//!
//! Each worker keeps a bounded sample of the objects that each operation wrote: the objects whose
//! numbers have the smallest hashes, so that the sample is a random sample of all objects of the
//! run, whenever they were written, and the samples of several workers and agents can be merged.
//! An object of the sample is followed through the run: what is expected at the end is what was
//! acknowledged last.

mod checked;
pub(crate) mod progress;
mod reader;
pub(crate) mod recorder;
pub(crate) mod sample;
mod stages;
pub(crate) mod written;

pub(crate) use recorder::{Outcome, Recorder};
pub(crate) use written::Written;
