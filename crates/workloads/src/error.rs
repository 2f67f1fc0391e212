//! Why a workload cannot be prepared.

/// Why a workload cannot be prepared for a target. Header values and keys are
/// never part of the text: they may be secret.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum WorkloadError {
    /// No entry of [`crate::KINDS`] takes it.
    #[error("workload {workload}: no kind of workload takes it")]
    NoKind {
        /// The workload's name.
        workload: String,
    },
    /// The method cannot stand in a request line.
    #[error("workload {workload}: method {method:?} is not a word of letters such as GET")]
    Method {
        /// The workload's name.
        workload: String,
        /// The method as given.
        method: String,
    },
    /// The path cannot stand in a request line.
    #[error(
        "workload {workload}: path {path:?} must start with `/` and hold neither spaces, control characters nor `#`; \
         write them as %20 and so on"
    )]
    Path {
        /// The workload's name.
        workload: String,
        /// The path as given.
        path: String,
    },
    /// A header that cannot be sent as it is.
    #[error("workload {workload}: header {name:?} {problem}")]
    Header {
        /// The workload's name.
        workload: String,
        /// The header's name.
        name: String,
        /// What is wrong with it and what to do.
        problem: &'static str,
    },
    /// The target's host, region or access key cannot stand in a header.
    #[error("target at {url}: its {what} holds characters that cannot be sent in a header")]
    Site {
        /// The target's base URL, without user name and password.
        url: String,
        /// Which of the three.
        what: &'static str,
    },
    /// Its patterns do not go with the target.
    #[error("workload {workload}: {reason}")]
    Patterns {
        /// The workload's name.
        workload: String,
        /// What does not go, and why.
        reason: String,
    },
    /// Not a bucket name.
    #[error(
        "workload {workload}: {bucket:?} is not a bucket name: 3 to 63 of a-z, 0-9, `-` and `.`, \
         beginning and ending with a letter or digit"
    )]
    Bucket {
        /// The workload's name.
        workload: String,
        /// The name as given.
        bucket: String,
    },
    /// Larger than one PUT may be.
    #[error(
        "workload {workload}: an object of {size} bytes is more than one PUT may carry ({most} bytes)"
    )]
    Size {
        /// The workload's name.
        workload: String,
        /// The size as given, bytes.
        size: u64,
        /// The most there may be, bytes.
        most: u64,
    },
    /// Locations cannot be kept where they should be.
    #[error("workload {workload}: cannot keep locations in {}: {why}", path.display())]
    Locations {
        /// The workload's name.
        workload: String,
        /// The directory.
        path: std::path::PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Many blobs in one request, where the target has no such request.
    #[error(
        "workload {workload}: {what} is for targets that are spoken to as a blobstore, and there \
         is another; leave it out"
    )]
    NoBlobstore {
        /// The workload's name.
        workload: String,
        /// What is asked for.
        what: &'static str,
    },
    /// None, or more than can be kept track of.
    #[error("workload {workload}: {objects} objects are not between 1 and {most}")]
    Objects {
        /// The workload's name.
        workload: String,
        /// The number as given.
        objects: u64,
        /// The most there may be.
        most: u64,
    },
}

impl WorkloadError {
    pub(crate) fn no_kind(work: &tenbin_plan::Workload) -> Self {
        Self::NoKind {
            workload: work.name.clone(),
        }
    }
}
