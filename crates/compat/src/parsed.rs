//! Result of parsing a command line.

use crate::help::Help;

/// A parsed command line of a tool that only measures.
#[derive(Debug)]
pub enum Parsed<Job> {
    /// A measurement.
    Measure(Box<Job>),
    /// The help, because help was requested.
    Help(Help),
    /// A request for the version, for tools that print one.
    Version,
}

impl<Job> Parsed<Job> {
    /// The measurement, if the command line asks for one.
    pub fn job(self) -> Option<Job> {
        match self {
            Self::Measure(job) => Some(*job),
            Self::Help(_) | Self::Version => None,
        }
    }
}
