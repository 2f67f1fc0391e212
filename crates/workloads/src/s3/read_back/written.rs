//! The operations whose effect is read back.

/// The operations whose effect is read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Written {
    Put,
    Multipart,
    Copy,
    Append,
    Delete,
    DeleteBatch,
}

impl Written {
    pub(crate) const ALL: [Self; 6] = [
        Self::Put,
        Self::Multipart,
        Self::Copy,
        Self::Append,
        Self::Delete,
        Self::DeleteBatch,
    ];

    /// Name of the operation in results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Put => "PUT",
            Self::Multipart => "MULTIPART",
            Self::Copy => "COPY",
            Self::Append => "APPEND",
            Self::Delete => "DELETE",
            Self::DeleteBatch => "DELETE batch",
        }
    }

    pub(crate) fn deletes(self) -> bool {
        matches!(self, Self::Delete | Self::DeleteBatch)
    }
}
