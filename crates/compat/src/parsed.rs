//! Result of parsing a command line.

/// A parsed command line of a tool that only measures.
#[derive(Debug)]
pub enum Parsed<Job> {
    /// A measurement.
    Measure(Box<Job>),
    /// The help text, because help was requested.
    Help(String),
    /// A request for the version, for tools that print one.
    Version,
}
