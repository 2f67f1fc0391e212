//! Figures and ratios by agent.

mod parts;
mod ratios;

pub(crate) use parts::{agent_count, agent_name, agent_results, middle_of, part_of};
pub(crate) use ratios::{Departure, agent_ratios, departures_of};
