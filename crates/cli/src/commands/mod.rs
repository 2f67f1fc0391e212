//! What each command does.

mod about;
mod clean;
mod compare;
mod doctor;
mod hsbench;
mod measure;
mod plan;
mod result;
mod serve;
mod show;
mod steering;
mod warp;

pub(crate) use about::{completions, man};
pub(crate) use clean::clean;
pub(crate) use compare::compare;
pub(crate) use doctor::doctor;
pub(crate) use hsbench::hsbench;
pub(crate) use measure::{measure, measure_after};
pub(crate) use plan::print_plan;
pub(crate) use serve::serve;
pub(crate) use show::show;
pub(crate) use warp::warp;
