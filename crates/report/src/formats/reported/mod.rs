//! Reads and checks results of other tools that state figures of a whole run.

mod check;
mod json;
mod lines;
mod number;

use tenbin_verdict::lint::{Measurement, Reported};

pub(super) use json::{Json, is_json_of, is_json_of_a_tool};
pub(super) use lines::{Line, Lines};
pub(super) use number::{count, decimal, go_duration, percent, time, with_unit};

use super::reader::Fault;

/// Operation name for tools that send one kind of request.
pub(super) const REQUESTS: &str = "requests";

/// Builds a report from the measurements of a file, unless the measurements contradict each other.
///
/// # Errors
/// The contradiction, in one clause.
pub(super) fn checked(
    tool: &'static str,
    measurements: Vec<Measurement>,
) -> Result<Reported, Fault> {
    for each in &measurements {
        if let Some(why) = check::contradiction(each) {
            return Err(Fault::of_the_file(why));
        }
    }
    Ok(Reported {
        tool,
        measurements,
        ..Reported::default()
    })
}
