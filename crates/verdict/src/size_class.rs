//! Classes of object sizes, in which different figures matter.

use tenbin_plan::{S3Operation, Workload, WorkloadKind};

/// Largest small object.
const SMALL: u64 = 64 << 10;
/// Smallest large object.
const LARGE: u64 = 64_000_000;

/// A class of object sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeClass {
    /// Up to 64 KiB: how soon an answer comes, and how many.
    Small,
    /// Between the two: how much in all against how long each.
    Medium,
    /// From 64 MB on: bytes a second, and the disk.
    Large,
}

impl SizeClass {
    /// That of an object of so many bytes.
    pub fn of(bytes: u64) -> Self {
        match bytes {
            0..=SMALL => Self::Small,
            LARGE.. => Self::Large,
            _ => Self::Medium,
        }
    }
}

/// A workload that puts or gets objects of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transfer {
    pub(crate) operation: S3Operation,
    pub(crate) bytes: u64,
}

impl Transfer {
    pub(crate) fn of(workload: &Workload) -> Option<Self> {
        let WorkloadKind::S3(work) = &workload.kind else {
            return None;
        };
        let operation = work.mix.single()?;
        matches!(operation, S3Operation::Put | S3Operation::Get).then_some(Self {
            operation,
            bytes: work.sizes.only()?,
        })
    }

    pub(crate) fn class(self) -> SizeClass {
        SizeClass::of(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_borders_belong_to_the_classes_they_name() {
        assert_eq!(SizeClass::of(65_536), SizeClass::Small);
        assert_eq!(SizeClass::of(65_537), SizeClass::Medium);
        assert_eq!(SizeClass::of(16 << 20), SizeClass::Medium);
        assert_eq!(SizeClass::of(64_000_000), SizeClass::Large);
    }
}
