//! Reads and checks results of other tools that state figures of a whole run.

mod check;
mod json;
mod lines;
mod number;

use tenbin_verdict::lint::{Measurement, Reported, is_impossible};

pub(super) use json::{Json, is_json_of, odd_exponent};
pub(super) use lines::{Line, Lines};
pub(super) use number::{
    count, decimal, go_duration, percent, printed, python_float, time, with_unit,
};

use super::reader::Fault;

/// Operation name for tools that send one kind of request.
pub(super) const REQUESTS: &str = "requests";

/// Builds a report from the measurements of a file, unless the measurements contradict each other.
///
/// # Errors
/// The contradiction, in one clause.
pub(super) fn checked(
    tool: &'static str,
    mut measurements: Vec<Measurement>,
) -> Result<Reported, Fault> {
    measurements.iter_mut().for_each(without_empty_figures);
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

/// Removes the times of 0 requests, which tools print as 0, and the speed of an impossible time.
fn without_empty_figures(of: &mut Measurement) {
    let ended = of.ended.as_ref().map(|ended| ended.value);
    if of.samples.or(ended) == Some(0) {
        (of.min, of.mean, of.max) = (None, None, None);
        of.percentiles.clear();
    }
    let seconds = of.seconds.as_ref().map(|seconds| seconds.value.from);
    if seconds.is_some_and(is_impossible) {
        of.rate = None;
    }
}
