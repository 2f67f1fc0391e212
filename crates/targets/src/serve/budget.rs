//! Memory limit of a store of objects or blobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Estimated memory of an object in addition to its content and key, bytes.
pub(crate) const EACH_OBJECT: u64 = 512;

/// Memory limit of a store, and the memory in use.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Limit, bytes.
    limit: u64,
    used: AtomicU64,
}

/// Error: the memory of the store is used up.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Budget {
    pub(crate) fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: AtomicU64::new(0),
        })
    }

    fn take(&self, bytes: u64) -> Result<(), Full> {
        let fits = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        let taken = self
            .used
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, fits);
        taken.map(drop).map_err(|_| Full)
    }
}

/// A part of a budget, released on drop.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Share {
    /// Creates a share of 0 bytes.
    pub(crate) fn of(budget: &Arc<Budget>) -> Self {
        Self {
            budget: Arc::clone(budget),
            bytes: 0,
        }
    }

    /// Adds `bytes` to the share. Leaves the share unchanged if `bytes` would exceed the budget.
    pub(crate) fn grow(&mut self, bytes: u64) -> Result<(), Full> {
        self.budget.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_never_exceeded_and_is_released() {
        let budget = Budget::new(1_000);
        let mut one = Share::of(&budget);
        assert_eq!(one.grow(600), Ok(()));
        assert_eq!(one.grow(401), Err(Full));
        let mut other = Share::of(&budget);
        assert_eq!(other.grow(400), Ok(()));
        assert_eq!(other.grow(1), Err(Full));
        drop(one);
        assert_eq!(other.grow(600), Ok(()));
        assert_eq!(other.grow(u64::MAX), Err(Full));
    }
}
