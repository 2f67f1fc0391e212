//! Classes of object sizes, for which different figures matter.

use tenbin_plan::Workload;

/// Size of the largest small object, bytes.
const SMALL: u64 = 64 << 10;
/// Size of the smallest large object, bytes.
const LARGE: u64 = 64_000_000;

/// A class of object sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeClass {
    /// Up to 64 KiB: latency and operations per second matter.
    Small,
    /// Between 64 KiB and 64 MB: total throughput trades off against the time of each request.
    Medium,
    /// From 64 MB: bytes per second and the disk matter.
    Large,
}

impl SizeClass {
    /// The class of an object of `bytes` bytes.
    pub fn of(bytes: u64) -> Self {
        match bytes {
            0..=SMALL => Self::Small,
            LARGE.. => Self::Large,
            _ => Self::Medium,
        }
    }

    /// The class of a workload that only puts or only gets objects of one size; otherwise `None`.
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
