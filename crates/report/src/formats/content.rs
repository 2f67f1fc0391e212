//! What a result file holds.

use tenbin_result::{Document, Trust};
use tenbin_verdict::Series;

use super::drnbench::Steps;
use super::imported::Imported;

/// What a result file holds.
#[derive(Debug)]
pub enum Content {
    /// A result of Tenbin.
    Document(Box<Document>),
    /// Requests, or sums of them over windows.
    Requests(Imported),
    /// Repetitions of benchmarks: a speed each.
    Repetitions(Vec<Series>),
    /// Steps of a ramp of clients.
    Steps(Steps),
}

/// Speeds, and how far they can be trusted and why, if the file shows that.
type Speeds = (Vec<Series>, Option<(Trust, String)>);

impl Content {
    /// The requests, if it holds any; otherwise why not, in one clause.
    ///
    /// # Errors
    /// The clause.
    pub(super) fn into_requests(self) -> Result<Imported, &'static str> {
        match self {
            Self::Requests(imported) => Ok(imported),
            Self::Document(_) => {
                Err("is a result of Tenbin without its requests; name the run directory instead")
            }
            Self::Repetitions(_) | Self::Steps(_) => Err(
                "holds speeds of whole runs and no requests; compare such files with tenbin compare",
            ),
        }
    }

    /// The speeds of repetitions or steps, and how far they can be trusted and why, if the file
    /// shows that; otherwise why it has none, in one clause.
    ///
    /// # Errors
    /// The clause.
    pub(crate) fn into_speeds(self) -> Result<Speeds, &'static str> {
        match self {
            Self::Repetitions(series) => Ok((series, None)),
            Self::Steps(steps) => Ok((steps.series(), Some(steps.trust()))),
            Self::Requests(_) => Err(
                "is one run, which cannot tell a difference from noise; compare it with \
                 tenbin warp cmp",
            ),
            Self::Document(_) => Err("is a result of Tenbin"),
        }
    }
}
