//! Results of other tools that have figures of a whole run: how they are read, checked and shown.

mod check;
mod json;
mod lines;
mod number;
mod shown;

use tenbin_verdict::lint::{Measurement, Reported};

pub(super) use json::{Json, is_json_of, is_json_of_a_tool};
pub(super) use lines::{Line, Lines};
pub(super) use number::{count, decimal, go_duration, percent, time, with_unit};
pub use shown::imported;

use super::content::Content;
use super::read::Fault;

/// Name of the operation in files of tools that send one kind of request.
pub(super) const REQUESTS: &str = "requests";

/// A file with these measurements, unless they contradict each other.
///
/// # Errors
/// The contradiction.
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

/// What is shown of it.
pub(super) fn content(reported: &Reported) -> Content {
    Content::Requests(imported(reported))
}
