//! What each command does.

mod ab;
mod about;
mod blobstore_bench;
mod clean;
mod compare;
mod doctor;
mod explain;
mod foreign;
mod hsbench;
mod measure;
mod observe;
mod plan;
mod result;
mod search;
mod serve;
mod show;
mod steering;
mod warp;
mod wrk;

pub(crate) use ab::ab;
pub(crate) use about::{completions, man};
pub(crate) use blobstore_bench::blobstore_bench;
pub(crate) use clean::clean;
pub(crate) use compare::compare;
pub(crate) use doctor::doctor;
pub(crate) use explain::explain;
pub(crate) use hsbench::hsbench;
pub(crate) use measure::{measure, measure_after};
pub(crate) use observe::observe;
pub(crate) use plan::print_plan;
pub(crate) use search::{helper, search};
pub(crate) use serve::serve;
pub(crate) use show::show;
pub(crate) use warp::warp;
pub(crate) use wrk::wrk;
