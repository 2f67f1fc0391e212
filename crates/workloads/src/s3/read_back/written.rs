//! The operations whose effect is read back.

use tenbin_plan::S3Operation;

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
        self.operation().title()
    }

    pub(crate) fn deletes(self) -> bool {
        self.operation().uses_up()
    }

    fn operation(self) -> S3Operation {
        match self {
            Self::Put => S3Operation::Put,
            Self::Multipart => S3Operation::Multipart,
            Self::Copy => S3Operation::Copy,
            Self::Append => S3Operation::Append,
            Self::Delete => S3Operation::Delete,
            Self::DeleteBatch => S3Operation::DeleteBatch,
        }
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::s3::Feature;

    use super::*;

    #[test]
    fn what_the_rows_say_is_read_back_is_recorded() {
        for operation in S3Operation::all() {
            let recorded = Written::ALL.iter().any(|it| it.operation() == operation);
            assert_eq!(recorded, operation.has(Feature::ReadBack), "{operation:?}");
        }
    }
}
