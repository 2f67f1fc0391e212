//! Classes of object sizes, in which different figures matter.

use tenbin_plan::Workload;

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

    /// That of a workload that only puts or only gets objects of one size.
    pub(crate) fn of_transfer(workload: &Workload) -> Option<Self> {
        let transfer = workload.facts().transfer()?;
        Some(Self::of(transfer.bytes))
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
