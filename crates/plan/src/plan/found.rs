//! The data set found on targets before the run. The number and sizes of its objects replace the
//! values of the plan.

use crate::units::sizes::{SizeRange, Sizes};

/// A data set that existed before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Number of objects; `None` if targets differ.
    pub objects: Option<u64>,
    /// Size of the smallest object, bytes.
    pub least: u64,
    /// Size of the largest object, bytes.
    pub most: u64,
}

impl Found {
    /// A data set of objects with these sizes; `None` without objects.
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> Option<Self> {
        let one = |size| Self {
            objects: Some(1),
            least: size,
            most: size,
        };
        let join = |all: Self, next: Self| Self {
            objects: all.objects.map(|objects| objects + 1),
            ..all.and(next)
        };
        sizes.into_iter().map(one).reduce(join)
    }

    /// Combines the data sets of two targets: the range that contains all sizes, and the number of
    /// objects if both targets have the same number.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            objects: self.objects.filter(|_| self.objects == other.objects),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    pub(crate) fn sizes(self) -> Sizes {
        Sizes::Ranges(vec![SizeRange {
            from: self.least,
            to: self.most,
            share: 1.0,
        }])
    }
}
