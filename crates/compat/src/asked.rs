//! What the command line of a tool that only measures asks for.

/// What a command line asks for.
#[derive(Debug)]
pub enum Asked<Job> {
    /// To measure.
    Measure(Box<Job>),
    /// For help, which is this text.
    Help(String),
    /// For the version, of tools that tell theirs.
    Version,
}
