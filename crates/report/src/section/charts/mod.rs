//! Sections that draw the figures of other sections as charts.

mod cost_and_speed;
mod errors;
mod forest;
mod groups;
mod matrix;
mod percentiles;
mod quads;
mod server_stages;
mod time;
mod timeline;

pub(super) use cost_and_speed::blocks as cost_and_speed;
pub(super) use errors::blocks as errors;
pub(super) use forest::blocks as forest;
pub(super) use matrix::blocks as matrix;
pub(super) use percentiles::{ratios as percentile_ratios, spectrum};
pub(super) use quads::blocks as quads;
pub(super) use server_stages::blocks as server_stages;
pub(super) use timeline::blocks as timeline;
