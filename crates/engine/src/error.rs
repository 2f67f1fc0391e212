//! The ways in which an operation can fail.

/// Why an operation does not count as success. Errors are never throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ErrorClass {
    /// No connection could be made.
    Connect,
    /// No complete answer in time.
    Timeout,
    /// The connection was reset or closed before the answer was complete.
    Reset,
    /// What came back is not HTTP.
    Protocol,
    /// An answer with a status the workload does not accept.
    Status,
    /// An answer with fewer bytes than expected.
    Short,
    /// An answer with other bytes than expected.
    Wrong,
    /// An answer with bytes that were right before they were written over.
    Stale,
    /// A response with an accepted status, and another length or content than the same
    /// request was answered with before.
    Unexpected,
}

impl ErrorClass {
    /// Every class, in the order of its index.
    pub const ALL: [Self; 9] = [
        Self::Connect,
        Self::Timeout,
        Self::Reset,
        Self::Protocol,
        Self::Status,
        Self::Short,
        Self::Wrong,
        Self::Stale,
        Self::Unexpected,
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
        }
    }

    /// The class of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}
