//! What a result file holds.

use tenbin_result::Document;
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
}
