//! Classes of failed operations.

use serde::{Deserialize, Serialize};

/// Why an operation failed. Failed operations never count as throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
#[repr(u8)]
pub enum ErrorClass {
    /// No connection could be made.
    Connect,
    /// No complete response before the timeout.
    Timeout,
    /// The connection was reset or closed before the response was complete.
    Reset,
    /// The bytes received are not HTTP.
    Protocol,
    /// A response with a status that the workload does not accept.
    Status,
    /// A response with fewer bytes than expected.
    Short,
    /// A response whose bytes differ from the expected bytes.
    Wrong,
    /// A response with bytes of an earlier version of the object.
    Stale,
    /// A response with an accepted status, but with another length or content than earlier
    /// responses to the same request.
    Unexpected,
    /// A response with an accepted status that fails a check of the workload: a condition of the
    /// plan, or an error that the body reports.
    Check,
}

impl ErrorClass {
    /// Every class, in the order of its numeric value.
    pub const ALL: [Self; 10] = [
        Self::Connect,
        Self::Timeout,
        Self::Reset,
        Self::Protocol,
        Self::Status,
        Self::Short,
        Self::Wrong,
        Self::Stale,
        Self::Unexpected,
        Self::Check,
    ];

    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Timeout => "timeout",
            Self::Reset => "reset",
            Self::Protocol => "protocol",
            Self::Status => "status",
            Self::Short => "short",
            Self::Wrong => "wrong",
            Self::Stale => "stale",
            Self::Unexpected => "unexpected body",
            Self::Check => "check failed",
        }
    }

    /// The class with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

impl From<ErrorClass> for &'static str {
    fn from(class: ErrorClass) -> Self {
        class.name()
    }
}

impl TryFrom<String> for ErrorClass {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::from_name(&name).ok_or_else(|| format!("unknown error class `{name}`"))
    }
}
