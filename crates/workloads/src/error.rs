//! Errors while a workload is prepared.

use tenbin_plan::{Sentence, sentence};

/// Why a workload cannot be prepared for a target. The text never contains header values or keys,
/// which can be secrets.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{}", self.sentence())]
pub enum WorkloadError {
    /// No entry of [`crate::KINDS`] handles this workload.
    NoKind {
        /// The workload's name.
        workload: String,
    },
    /// The method cannot be sent in a request line.
    Method {
        /// The workload's name.
        workload: String,
        /// The method as given.
        method: String,
    },
    /// The path cannot be sent in a request line.
    Path {
        /// The workload's name.
        workload: String,
        /// The path as given.
        path: String,
    },
    /// The header cannot be sent.
    Header {
        /// The workload's name.
        workload: String,
        /// The header's name.
        name: String,
        /// What is wrong and what to do.
        problem: &'static str,
    },
    /// The target's host, region or access key cannot be sent in a header.
    Site {
        /// The target's base URL, without user name and password.
        url: String,
        /// Name of the faulty value: host, region or access key.
        what: &'static str,
    },
    /// The pattern file is empty, or its patterns do not match the target's hosts.
    Patterns {
        /// The workload's name.
        workload: String,
        /// The reason.
        reason: Sentence,
    },
    /// The name is not a valid bucket name.
    Bucket {
        /// The workload's name.
        workload: String,
        /// The name as given.
        bucket: String,
    },
    /// The object is larger than one PUT allows.
    Size {
        /// The workload's name.
        workload: String,
        /// The size as given, bytes.
        size: u64,
        /// The largest allowed size, bytes.
        most: u64,
    },
    /// Blob locations cannot be stored in the directory.
    Locations {
        /// The workload's name.
        workload: String,
        /// The directory.
        path: std::path::PathBuf,
        /// The reason.
        why: String,
    },
    /// The workload cannot use the data that earlier runs have stored.
    Found {
        /// The workload's name.
        workload: String,
        /// The reason.
        why: Sentence,
    },
    /// A setting that only the blobstore protocol supports, for a target with another protocol.
    NoBlobstore {
        /// The workload's name.
        workload: String,
        /// Name of the setting in the plan.
        what: &'static str,
    },
    /// The number of objects is 0 or too large.
    Objects {
        /// The workload's name.
        workload: String,
        /// The number as given.
        objects: u64,
        /// The largest allowed number.
        most: u64,
    },
}

impl WorkloadError {
    /// The error with its arguments.
    #[expect(clippy::too_many_lines, reason = "one row for each error")]
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NoKind { workload } => sentence!(
                "unknown-kind",
                "workload {workload}: unknown kind of workload",
                workload
            ),
            Self::Method { workload, method } => sentence!(
                "work-method",
                "workload {workload}: method {method:?} is not a word of letters such as GET",
                workload,
                method
            ),
            Self::Path { workload, path } => sentence!(
                "work-path",
                "workload {workload}: path {path:?} must start with `/` and hold neither spaces, \
                 control characters nor `#`; write them as %20 and so on",
                workload,
                path
            ),
            Self::Header {
                workload,
                name,
                problem,
            } => sentence!(
                "work-header",
                "workload {workload}: header {name:?} {problem}",
                workload,
                name,
                problem
            ),
            Self::Site { url, what } => sentence!(
                "work-site",
                "target at {url}: its {what} contains characters that cannot be sent in a header",
                url,
                what
            ),
            Self::Patterns { workload, reason } => sentence!(
                "work-patterns",
                "workload {workload}: {reason}",
                workload,
                reason
            ),
            Self::Bucket { workload, bucket } => sentence!(
                "work-bucket",
                "workload {workload}: {bucket:?} is not a bucket name: 3 to 63 of a-z, 0-9, `-` \
                 and `.`, beginning and ending with a letter or digit",
                workload,
                bucket
            ),
            Self::Size {
                workload,
                size,
                most,
            } => sentence!(
                "work-size",
                "workload {workload}: an object of {size} bytes is larger than one PUT allows \
                 ({most} bytes)",
                workload,
                size,
                most
            ),
            Self::Locations {
                workload,
                path,
                why,
            } => sentence!(
                "work-locations",
                "workload {workload}: cannot keep locations in {path}: {why}",
                path = path.display(),
                workload,
                why
            ),
            Self::Found { workload, why } => {
                sentence!("work-found", "workload {workload}: {why}", workload, why)
            }
            Self::NoBlobstore { workload, what } => sentence!(
                "no-blobstore",
                "workload {workload}: {what} is available only for targets with the blobstore \
                 protocol; leave it out, or remove the targets with other protocols",
                workload,
                what
            ),
            Self::Objects {
                workload,
                objects,
                most,
            } => sentence!(
                "work-objects",
                "workload {workload}: the number of objects must be between 1 and {most}, not \
                 {objects}",
                workload,
                most,
                objects
            ),
        }
    }
}

impl WorkloadError {
    pub(crate) fn no_kind(work: &tenbin_plan::Workload) -> Self {
        Self::NoKind {
            workload: work.name.clone(),
        }
    }
}
