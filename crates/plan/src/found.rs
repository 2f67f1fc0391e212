//! What is found on targets and takes the place of what a plan assumed: number and sizes of
//! the objects of a data set that was there before the run.

use crate::sizes::{SizeRange, Sizes};

/// A data set that was there before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Number of objects; `None` where targets differ.
    pub objects: Option<u64>,
    /// Size of the smallest, bytes.
    pub least: u64,
    /// Size of the largest, bytes.
    pub most: u64,
}

impl Found {
    /// Objects of these sizes; `None` of none.
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

    /// What several targets have.
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
