//! The content of a result file.

use tenbin_result::Document;
use tenbin_verdict::Series;
use tenbin_verdict::lint::Reported;

use super::search::drnbench::steps::Steps;

/// The content of a result file, by kind.
#[derive(Debug)]
pub enum Content {
    /// A result of Tenbin.
    Document(Box<Document>),
    /// Figures of measurements: of a whole run, of time windows, or of a list of requests.
    Requests(Reported),
    /// Repetitions of benchmarks, each with one speed.
    Repetitions(Vec<Series>),
    /// Steps of a concurrency sweep.
    Steps(Steps),
}

impl Content {
    /// The requests of the file.
    ///
    /// # Errors
    /// A clause that says why the file holds no requests.
    pub(super) fn into_requests(self) -> Result<Reported, &'static str> {
        match self {
            Self::Requests(reported) => Ok(reported),
            Self::Document(_) => {
                Err("is a result of Tenbin without its requests; name the run directory instead")
            }
            Self::Repetitions(_) | Self::Steps(_) => Err(
                "holds speeds of whole runs and no requests; compare such files with tenbin compare",
            ),
        }
    }
}
