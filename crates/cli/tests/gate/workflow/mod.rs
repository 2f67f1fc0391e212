//! What runs the files of `examples/ci`: a repository with a history, runners with a clone of it, and
//! the shell lines as each CI system reads them.
#![allow(
    dead_code,
    unused_imports,
    reason = "every test file uses its own part"
)]

mod busy;
mod decided;
pub(crate) mod jobs;
mod repository;
mod runner;

pub(crate) use busy::Busy;
pub(crate) use decided::{decided, say_decided};
pub(crate) use repository::{COMMITS, repository};
pub(crate) use runner::Runner;
