//! What each command does.

mod about;
mod measure;
mod plan;
mod result;
mod serve;
mod show;

pub(crate) use about::{completions, man};
pub(crate) use measure::measure;
pub(crate) use plan::print_plan;
pub(crate) use serve::serve;
pub(crate) use show::show;
